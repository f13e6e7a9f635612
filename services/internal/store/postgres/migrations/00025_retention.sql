-- What is deleted is bounded, and said: retention deletes nothing younger than an owner
-- provided for, whatever the caller asks; it and the erasure of audit bodies leave an
-- entry in the audit, so that what is gone without one is a theft. And a login of a bound
-- role without a tenant is bound to nothing.

-- +goose Up

-- The shortest time that a kind of row is kept, where an owner provided another than
-- winnow_cutoff says. Only the owner writes and reads it.
create table retention (
  tenant text collate "C" not null references tenants,
  what   text collate "C" not null check (what in ('inbox', 'outbox', 'rejected_proposals', 'traces', 'research')),
  keep   interval not null,
  primary key (tenant, what)
);
select winnow_protect('retention');

-- The moment before which rows of the transaction's tenant may go; null keeps all. Two
-- moments are compared and not two intervals: those compare as if each month had 30
-- days, so that a mix of months and days could pass for more than it is.
-- +goose StatementBegin
create function winnow_cutoff(wanted text, age interval) returns timestamptz
language plpgsql stable set search_path = pg_catalog, public, pg_temp as $$
declare
  kept interval := coalesce((select r.keep from public.retention r where r.what = wanted), case wanted
    when 'inbox' then interval '15 days'
    when 'outbox' then interval '3 days'
    when 'rejected_proposals' then interval '180 days'
    when 'traces' then interval '30 days'
    when 'research' then interval '2 days' end);
begin
  if age is null or kept is null then
    return null;
  end if;
  return least(now() - age, now() - kept);
end $$;
-- +goose StatementEnd
revoke execute on function winnow_cutoff(text, interval) from public;

-- A login that is a member of a bound role counts as bound, also without a tenant. A
-- superuser is a member of every role.
-- +goose StatementBegin
create or replace function winnow_may_enter(wanted text) returns boolean
language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  return exists (select from public.tenant_logins l where l.login = session_user::text and l.tenant = wanted)
    or not exists (select from public.tenant_logins l where l.login = session_user::text)
    and not (pg_has_role(session_user, 'winnow_bound', 'member')
      and not (select r.rolsuper from pg_roles r where r.rolname = session_user));
end $$;
-- +goose StatementEnd

-- Appends a link of entries that the database itself makes, hashed as the Go code does
-- that verifies. Arrays are of one length; a body is JSON.
-- +goose StatementBegin
create function winnow_audit_note(noted text, subjects text[], bodies text[]) returns void
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  owner      text := public.winnow_tenant();
  link       uuid := gen_random_uuid();
  root       bytea := 'winnow/audit/root/v1';
  salt       bytea;
  commitment bytea;
  field      bytea;
begin
  if coalesce(cardinality(subjects), 0) = 0 then
    return;
  end if;
  for i in 1 .. cardinality(subjects) loop
    salt := uuid_send(gen_random_uuid());
    commitment := sha256(salt || convert_to(bodies[i], 'UTF8'));
    insert into public.audit_events (tenant, link, n, actor, principal, action, subject, commitment)
      values (owner, link, i - 1, 'system', session_user, noted, subjects[i], commitment);
    insert into public.audit_bodies (tenant, link, n, salt, body) values (owner, link, i - 1, salt, bodies[i]);
    root := root || int8send((i - 1)::bigint);
    foreach field in array array[convert_to('system', 'UTF8'), convert_to(session_user, 'UTF8'), convert_to(noted, 'UTF8'),
      convert_to(subjects[i], 'UTF8'), commitment] loop
      root := root || int8send(octet_length(field)::bigint) || field;
    end loop;
  end loop;
  perform public.winnow_audit_append(link, cardinality(subjects), sha256(root));
end $$;
-- +goose StatementEnd
revoke execute on function winnow_audit_note(text, text[], text[]) from public;

-- The entry of deleted rows, a thousand to a body: their ids, evidence as subject/id.
-- +goose StatementBegin
create function winnow_audit_retired(gone text[], before boolean) returns void
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  subjects text[] := '{}';
  bodies   text[] := '{}';
begin
  for i in 0 .. (coalesce(cardinality(gone), 0) - 1) / 1000 loop
    exit when coalesce(cardinality(gone), 0) = 0;
    subjects := subjects || 'retention'::text;
    bodies := bodies || json_build_object('rows', gone[i * 1000 + 1 : (i + 1) * 1000], 'before', before)::text;
  end loop;
  perform public.winnow_audit_note('retention.applied', subjects, bodies);
end $$;
-- +goose StatementEnd
revoke execute on function winnow_audit_retired(text[], boolean) from public;

-- Erasure of the bodies about one id, with an entry that says so. The entries of erasure
-- and retention stay.
-- +goose StatementBegin
create or replace function winnow_audit_erase(erased_subject text) returns bigint
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  erased bigint;
begin
  delete from public.audit_bodies b using public.audit_events e
  where e.tenant = public.winnow_tenant() and e.subject = erased_subject
    and e.action not in ('audit.erased', 'retention.applied')
    and b.tenant = e.tenant and b.link = e.link and b.n = e.n;
  get diagnostics erased = row_count;
  if erased > 0 then
    perform public.winnow_audit_note('audit.erased', array[erased_subject], array[json_build_object('bodies', erased)::text]);
  end if;
  return erased;
end $$;
-- +goose StatementEnd

-- +goose StatementBegin
create or replace function winnow_sweep(inbox_age interval, outbox_age interval, rejected_age interval)
returns table (swept text, deleted bigint)
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  before timestamptz;
  caller text := current_setting('winnow.tenant', true);
  owner  text;
  gone   text[];
  proofs text[];
  judged text[];
  noted  jsonb := '{}';
  counts bigint[] := array[0, 0, 0, 0, 0];
  n      bigint;
begin
  for owner in select t.tenant from public.tenants t order by 1 loop
    perform set_config('winnow.tenant', owner, true);

    before := public.winnow_cutoff('inbox', inbox_age);
    delete from public.inbox i where i.taken_at < before;
    get diagnostics n = row_count;
    counts[1] := counts[1] + n;

    before := public.winnow_cutoff('outbox', outbox_age);
    delete from public.outbox o where o.created_at < before and o.published_at is not null;
    get diagnostics n = row_count;
    counts[2] := counts[2] + n;

    -- A rejected proposal goes with what hangs on it; its reviews stay, since rules are
    -- judged by them. One that a memory was made of stays too: it was promoted before,
    -- and the memory rests on that decision.
    before := public.winnow_cutoff('rejected_proposals', rejected_age);
    if before is not null then
      with old as (
        delete from public.proposals p
        where p.state = 'rejected' and p.created_at < before and (
          -- One by one through the indexes: as a join it would read every decision.
          select true from public.decisions d join lateral (
            select true from public.memories m where m.tenant = d.tenant and m.decided = d.id limit 1) made on true
          where d.tenant = p.tenant and d.proposal_id = p.id limit 1) is null
        returning p.id)
      select array_agg(old.id) into gone from old;
      counts[3] := counts[3] + coalesce(cardinality(gone), 0);
      with old as (delete from public.evidence e where e.subject = any (gone) returning e.subject || '/' || e.id as key)
      select array_agg(old.key) into proofs from old;
      counts[4] := counts[4] + coalesce(cardinality(proofs), 0);
      with old as (delete from public.decisions d where d.proposal_id = any (gone) returning d.id)
      select array_agg(old.id) into judged from old;
      counts[5] := counts[5] + coalesce(cardinality(judged), 0);
      if gone is not null then
        noted := noted || jsonb_build_object(owner, to_jsonb(gone || proofs || judged));
      end if;
    end if;
  end loop;
  -- Last, because an entry locks the tenant's head until the commit.
  for owner in select k from jsonb_object_keys(noted) k order by 1 loop
    perform set_config('winnow.tenant', owner, true);
    perform public.winnow_audit_retired(array(select jsonb_array_elements_text(noted -> owner)), false);
  end loop;
  perform set_config('winnow.tenant', coalesce(caller, ''), true);
  return query select * from unnest(array['inbox', 'outbox', 'proposals', 'evidence', 'decisions'], counts);
end $$;
-- +goose StatementEnd

-- +goose StatementBegin
create or replace function winnow_sweep_runs(age interval) returns bigint
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  caller text := current_setting('winnow.tenant', true);
  before timestamptz;
  owner  text;
  n      bigint;
  total  bigint := 0;
begin
  for owner in select t.tenant from public.tenants t order by 1 loop
    perform set_config('winnow.tenant', owner, true);
    before := public.winnow_cutoff('inbox', age);
    delete from public.schedule_runs r
    where r.tenant = owner and r.ran_at < before and exists (
      select from public.schedule_runs later
      where later.tenant = r.tenant and later.schedule = r.schedule and later.slot > r.slot);
    get diagnostics n = row_count;
    total := total + n;
  end loop;
  perform set_config('winnow.tenant', coalesce(caller, ''), true);
  return total;
end $$;
-- +goose StatementEnd

-- +goose StatementBegin
create or replace function winnow_sweep_traces(age interval) returns table (swept text, deleted bigint)
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  caller text := current_setting('winnow.tenant', true);
  before timestamptz;
  owner  text;
  counts bigint[] := array[0, 0, 0];
  n      bigint;
begin
  for owner in select t.tenant from public.tenants t order by 1 loop
    perform set_config('winnow.tenant', owner, true);
    before := public.winnow_cutoff('traces', age);

    delete from public.session_traces s where s.stored_at < before;
    get diagnostics n = row_count;
    counts[1] := counts[1] + n;

    delete from public.model_calls c where c.begun_at < before;
    get diagnostics n = row_count;
    counts[2] := counts[2] + n;

    -- A day goes when none of its calls can be left; today's budget never does.
    delete from public.model_days d
    where d.day < (before at time zone 'UTC')::date and d.day < (now() at time zone 'UTC')::date;
    get diagnostics n = row_count;
    counts[3] := counts[3] + n;
  end loop;
  perform set_config('winnow.tenant', coalesce(caller, ''), true);
  return query select * from unnest(array['session_traces', 'model_calls', 'model_days'], counts);
end $$;
-- +goose StatementEnd

-- +goose StatementBegin
create or replace function winnow_sweep_research(age interval)
returns table (swept text, deleted bigint)
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  caller text := current_setting('winnow.tenant', true);
  before timestamptz;
  owner  text;
  counts bigint[] := array[0, 0];
  n      bigint;
begin
  for owner in select t.tenant from public.tenants t order by 1 loop
    perform set_config('winnow.tenant', owner, true);
    before := public.winnow_cutoff('research', age);
    delete from public.searches s where s.searched_at < before;
    get diagnostics n = row_count;
    counts[1] := counts[1] + n;
    delete from public.readings r where r.read_at < before;
    get diagnostics n = row_count;
    counts[2] := counts[2] + n;
  end loop;
  perform set_config('winnow.tenant', coalesce(caller, ''), true);
  return query select * from unnest(array['searches', 'readings'], counts);
end $$;
-- +goose StatementEnd

-- What an older version deleted and erased without an entry gets one now.
-- +goose StatementBegin
do $$
declare
  owner  text;
  erased text[];
  gone   text[];
begin
  for owner in select t.tenant from tenants t order by 1 loop
    perform set_config('winnow.tenant', owner, true);
    select array_agg(distinct e.subject) into erased
    from audit_events e join audit_links l on l.tenant = e.tenant and l.link = e.link
    where not exists (select from audit_bodies b where b.tenant = e.tenant and b.link = e.link and b.n = e.n);
    perform winnow_audit_note('audit.erased', erased, array(select '{"before":true}' from unnest(erased)));
    select array_agg(distinct e.subject) into gone
    from audit_events e join audit_links l on l.tenant = e.tenant and l.link = e.link
    where e.subject like 'prop\_%' and not exists (select from proposals p where p.tenant = e.tenant and p.id = e.subject);
    perform winnow_audit_retired(gone, true);
  end loop;
  perform set_config('winnow.tenant', '', true);
end $$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
create or replace function winnow_sweep_research(age interval)
returns table (swept text, deleted bigint)
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  owner  text;
  counts bigint[] := array[0, 0];
  n      bigint;
begin
  for owner in select t.tenant from public.tenants t order by 1 loop
    perform set_config('winnow.tenant', owner, true);
    delete from public.searches s where s.searched_at < now() - age;
    get diagnostics n = row_count;
    counts[1] := counts[1] + n;
    delete from public.readings r where r.read_at < now() - age;
    get diagnostics n = row_count;
    counts[2] := counts[2] + n;
  end loop;
  return query select * from unnest(array['searches', 'readings'], counts);
end $$;
-- +goose StatementEnd
-- +goose StatementBegin
create or replace function winnow_sweep_traces(age interval) returns table (swept text, deleted bigint)
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  owner  text;
  counts bigint[] := array[0, 0, 0];
  n      bigint;
begin
  for owner in select t.tenant from public.tenants t order by 1 loop
    perform set_config('winnow.tenant', owner, true);

    delete from public.session_traces s where s.stored_at < now() - age;
    get diagnostics n = row_count;
    counts[1] := counts[1] + n;

    delete from public.model_calls c where c.begun_at < now() - age;
    get diagnostics n = row_count;
    counts[2] := counts[2] + n;

    -- A day goes when none of its calls can be left; today's budget never does.
    delete from public.model_days d
    where d.day < ((now() - age) at time zone 'UTC')::date and d.day < (now() at time zone 'UTC')::date;
    get diagnostics n = row_count;
    counts[3] := counts[3] + n;
  end loop;
  return query select * from unnest(array['session_traces', 'model_calls', 'model_days'], counts);
end $$;
-- +goose StatementEnd
-- +goose StatementBegin
create or replace function winnow_sweep_runs(age interval) returns bigint
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
-- +goose StatementBegin
create or replace function winnow_sweep(inbox_age interval, outbox_age interval, rejected_age interval)
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
-- +goose StatementBegin
create or replace function winnow_audit_erase(erased_subject text) returns bigint
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  erased bigint;
begin
  delete from public.audit_bodies b using public.audit_events e
  where e.tenant = public.winnow_tenant() and e.subject = erased_subject
    and b.tenant = e.tenant and b.link = e.link and b.n = e.n;
  get diagnostics erased = row_count;
  return erased;
end $$;
-- +goose StatementEnd
-- +goose StatementBegin
create or replace function winnow_may_enter(wanted text) returns boolean
language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  return not exists (select from public.tenant_logins l where l.login = session_user::text)
    or exists (select from public.tenant_logins l where l.login = session_user::text and l.tenant = wanted);
end $$;
-- +goose StatementEnd
drop function winnow_audit_retired(text[], boolean);
drop function winnow_audit_note(text, text[], text[]);
drop function winnow_cutoff(text, interval);
drop table retention;
