-- What reviewers are asked: digests as they were sent, what was answered, and
-- who gets which questions.

-- +goose Up

-- A digest is written once; what became of its questions stands elsewhere.
create table digests (
  tenant     text collate "C" not null references tenants,
  id         text collate "C" not null,
  reviewer   text collate "C" not null,
  slot       text collate "C" not null,
  code       text collate "C" not null,
  language   text collate "C" not null,
  from_at    timestamptz, -- null: from the beginning
  until_at   timestamptz not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  body       text not null,
  items      json not null,
  spots      json not null,
  primary key (tenant, id)
);
-- One digest for each reviewer and slot, whoever sends it.
create unique index digests_slot on digests (tenant, reviewer, slot);
-- A reply names its digest by the code alone.
create index digests_code on digests (tenant, code);
select winnow_protect('digests');

create table digest_replies (
  tenant     text collate "C" not null,
  id         text collate "C" not null,
  digest_id  text collate "C" not null,
  principal  text collate "C" not null,
  body       text not null,
  answer     text not null,
  applied    boolean not null,
  decisions  text[] not null,
  undoes     text collate "C" not null,
  replied_at timestamptz not null,
  primary key (tenant, id),
  foreign key (tenant, digest_id) references digests
);
-- What was answered to a digest before: every reply reads that.
create index digest_replies_digest on digest_replies (tenant, digest_id);
select winnow_protect('digest_replies');

create table reviewers (
  tenant    text collate "C" not null references tenants,
  principal text collate "C" not null,
  scope     text collate "C" not null, -- empty: every scope that nobody else has
  language  text collate "C" not null,
  primary key (tenant, principal, scope)
);
select winnow_protect('reviewers');

-- What a digest reports of a week (Tally, and the decisions of an actor since a
-- time). Decisions are never updated, so they lie by age and a block range is
-- enough; it costs an insert nothing.
create index decisions_age on decisions using brin (decided_at) with (pages_per_range = 16);

-- Digests and replies say what a person saw and did: nobody changes them.
grant select, insert on digests, digest_replies to winnow_app;
grant select, insert, delete on reviewers to winnow_app;
grant update (language) on reviewers to winnow_app;

-- Whose answers a chat gateway may bring; '*' is anybody's of its tenant.
alter table principals add column speaks_for text[] not null default '{}';
grant update (speaks_for) on principals to winnow_app;

drop function winnow_principal(text, bytea);
-- +goose StatementBegin
create function winnow_principal(wanted_id text, wanted_key bytea)
returns table (tenant text, id text, highest smallint, name text, service boolean, speaks_for text[],
  created_at timestamptz)
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select p.tenant, p.id, p.highest, p.name, p.service, p.speaks_for, p.created_at
  from public.principals p
  where p.id = wanted_id or p.api_key_hash = wanted_key
$$;
-- +goose StatementEnd
revoke execute on function winnow_principal(text, bytea) from public;
grant execute on function winnow_principal(text, bytea) to winnow_app;

-- Schedules run for each tenant, so a worker has to know which there are. It
-- learns their names and nothing of what they hold.
-- +goose StatementBegin
create function winnow_tenants() returns setof text
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select t.tenant from public.tenants t where t.tenant <> '_system' order by t.tenant
$$;
-- +goose StatementEnd
revoke execute on function winnow_tenants() from public;
grant execute on function winnow_tenants() to winnow_app;

-- Retention of slots. The latest one of a schedule stays whatever its age: the
-- next window begins there. A null age keeps all.
-- +goose StatementBegin
create function winnow_sweep_runs(age interval) returns bigint
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  owner text;
  n     bigint;
  total bigint := 0;
begin
  for owner in select t.tenant from public.tenants t order by 1 loop
    perform set_config('winnow.tenant', owner, true);
    delete from public.schedule_runs r
    where r.tenant = owner and r.ran_at < now() - age and exists (
      select from public.schedule_runs later
      where later.tenant = r.tenant and later.schedule = r.schedule and later.slot > r.slot);
    get diagnostics n = row_count;
    total := total + n;
  end loop;
  return total;
end $$;
-- +goose StatementEnd
revoke execute on function winnow_sweep_runs(interval) from public;
grant execute on function winnow_sweep_runs(interval) to winnow_relay;

-- +goose Down
drop function winnow_sweep_runs(interval);
drop function winnow_tenants();
drop function winnow_principal(text, bytea);
-- +goose StatementBegin
create function winnow_principal(wanted_id text, wanted_key bytea)
returns table (tenant text, id text, highest smallint, name text, service boolean, created_at timestamptz)
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select p.tenant, p.id, p.highest, p.name, p.service, p.created_at
  from public.principals p
  where p.id = wanted_id or p.api_key_hash = wanted_key
$$;
-- +goose StatementEnd
revoke execute on function winnow_principal(text, bytea) from public;
grant execute on function winnow_principal(text, bytea) to winnow_app;
alter table principals drop column speaks_for;
drop index decisions_age;
drop table reviewers, digest_replies, digests;
