-- What comes in and goes out: inbox, outbox, the runs of schedules, retention.

-- +goose Up

-- An event that is here took effect.
create table inbox (
  tenant   text collate "C" not null,
  consumer text collate "C" not null,
  key      text collate "C" not null, -- led by the event id
  taken_at timestamptz not null default now(),
  -- The key first: claims by many workers then spread over the index.
  primary key (key, consumer, tenant)
);
-- Retention walks by age; rows lie in that order already.
create index inbox_age on inbox using brin (taken_at);
select winnow_protect('inbox');

-- An event that others are told. No unique index on event_id: ids are fresh
-- ULIDs, and the stream deduplicates by them anyway.
create table outbox (
  tenant       text collate "C" not null,
  id           bigint generated always as identity,
  event_id     text not null,
  subject      text not null,
  header       json not null,
  data         bytea not null,
  created_at   timestamptz not null default now(),
  published_at timestamptz,
  stream_seq   bigint,
  -- The id first: the relay marks rows of all tenants by id.
  primary key (id, tenant)
);
-- What waits. Ids commit out of order, so a high-water mark would skip rows.
create index outbox_waiting on outbox (id) where published_at is null;
create index outbox_age on outbox using brin (created_at);
select winnow_protect('outbox');
-- Every row is updated once, soon after it came: clean up early.
alter table outbox set (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);

-- The relay sees all tenants and may write nothing but their publication.
create policy relay_select on outbox for select to winnow_relay using (true);
create policy relay_update on outbox for update to winnow_relay using (true) with check (true);

-- One row per slot that ran; the first replica to insert it runs the slot.
create table schedule_runs (
  tenant   text collate "C" not null references tenants,
  schedule text collate "C" not null,
  slot     timestamptz not null,
  ran_at   timestamptz not null default now(),
  primary key (tenant, schedule, slot)
);
select winnow_protect('schedule_runs');

grant select, insert on inbox, schedule_runs to winnow_app;
grant insert on outbox to winnow_app;
grant select on outbox to winnow_relay;
grant update (published_at, stream_seq) on outbox to winnow_relay;

-- Retention deletes across tenants, one after the other under the same row
-- security as everybody. A null age keeps rows for ever. Memories are not here.
-- +goose StatementBegin
create function winnow_sweep(inbox_age interval, outbox_age interval, rejected_age interval)
returns table (swept text, deleted bigint)
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  owner  text;
  gone   text[];
  counts bigint[] := array[0, 0, 0, 0, 0];
  n      bigint;
begin
  for owner in select t.tenant from public.tenants t order by 1 loop
    perform set_config('winnow.tenant', owner, true);

    delete from public.inbox i where i.taken_at < now() - inbox_age;
    get diagnostics n = row_count;
    counts[1] := counts[1] + n;

    delete from public.outbox o
    where o.created_at < now() - outbox_age and o.published_at is not null;
    get diagnostics n = row_count;
    counts[2] := counts[2] + n;

    -- A rejected proposal goes with what hangs on it; its reviews stay, since
    -- rules are judged by them.
    if rejected_age is not null then
      with old as (
        delete from public.proposals p
        where p.state = 'rejected' and p.created_at < now() - rejected_age returning p.id)
      select array_agg(old.id) into gone from old;
      counts[3] := counts[3] + coalesce(cardinality(gone), 0);
      delete from public.evidence e where e.subject = any (gone);
      get diagnostics n = row_count;
      counts[4] := counts[4] + n;
      delete from public.decisions d where d.proposal_id = any (gone);
      get diagnostics n = row_count;
      counts[5] := counts[5] + n;
    end if;
  end loop;
  return query select * from unnest(array['inbox', 'outbox', 'proposals', 'evidence', 'decisions'], counts);
end $$;
-- +goose StatementEnd
revoke execute on function winnow_sweep(interval, interval, interval) from public;
grant execute on function winnow_sweep(interval, interval, interval) to winnow_relay;

-- A plan that was made for empty tables stays in use while they grow, until
-- autovacuum looks, about a minute later; the relay looks earlier.
-- +goose StatementBegin
create function winnow_analyze() returns void
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  analyze public.proposals;
  analyze public.memories;
  analyze public.decisions;
  analyze public.outbox;
end $$;
-- +goose StatementEnd
revoke execute on function winnow_analyze() from public;
grant execute on function winnow_analyze() to winnow_relay;

-- +goose Down
drop function winnow_analyze();
drop function winnow_sweep(interval, interval, interval);
drop table schedule_runs, outbox, inbox;
