-- A role for each worker, and logins that are bound to tenants. The rights of the roles
-- are no migration: they follow from the matrix of package access, which migrating
-- applies after the last step.

-- +goose Up

-- Policies name winnow_worker, whose members the roles of workers are.
-- +goose StatementBegin
create or replace function winnow_protect(protected regclass) returns void
language plpgsql as $$
begin
  execute format('alter table %s enable row level security', protected);
  execute format('alter table %s force row level security', protected);
  execute format('create policy tenant on %s to winnow_app, winnow_owner, winnow_worker
    using (tenant = (select winnow_tenant()))
    with check (tenant = (select winnow_tenant()))', protected);
  -- Asked once per statement, and only of a bound login.
  execute format('create policy bound on %s as restrictive to winnow_bound
    using ((select winnow_bound_to(winnow_tenant())))
    with check ((select winnow_bound_to(winnow_tenant())))', protected);
end $$;
-- +goose StatementEnd

-- Which tenants a login is bound to. A login without a row is bound to none and may name
-- any: the fleet serves all tenants. Only the owner reads it; by session_user, so that no
-- set role changes the answer.
create table tenant_logins (
  tenant text collate "C" not null references tenants,
  login  text collate "C" not null,
  primary key (login, tenant)
);

-- +goose StatementBegin
create function winnow_may_enter(wanted text) returns boolean
language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  return not exists (select from public.tenant_logins l where l.login = session_user::text)
    or exists (select from public.tenant_logins l where l.login = session_user::text and l.tenant = wanted);
end $$;
-- +goose StatementEnd
revoke execute on function winnow_may_enter(text) from public;

-- For the policies of bound logins: one without a row may name no tenant.
-- +goose StatementBegin
create function winnow_bound_to(wanted text) returns boolean
language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  return exists (select from public.tenant_logins l where l.login = session_user::text and l.tenant = wanted);
end $$;
-- +goose StatementEnd
revoke execute on function winnow_bound_to(text) from public;
grant execute on function winnow_bound_to(text) to winnow_bound;

-- +goose StatementBegin
do $$
declare
  guarded text;
begin
  for guarded in select p.tablename from pg_policies p where p.schemaname = 'public' and p.policyname = 'tenant' order by 1 loop
    execute format('alter policy tenant on %I to winnow_app, winnow_owner, winnow_worker', guarded);
    execute format('create policy bound on %I as restrictive to winnow_bound
      using ((select winnow_bound_to(winnow_tenant())))
      with check ((select winnow_bound_to(winnow_tenant())))', guarded);
  end loop;
end $$;
-- +goose StatementEnd
select winnow_protect('tenant_logins');
create policy directory on tenant_logins for select to winnow_owner using (true);

-- Functions with their owner's rights pass the policies by, so they ask themselves.
-- +goose StatementBegin
create or replace function winnow_audit_append(new_link uuid, events integer, new_root bytea) returns bigint
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  owner  text := public.winnow_tenant();
  last   public.audit_heads;
  stamp  timestamptz;
  digest bytea;
begin
  if not public.winnow_may_enter(owner) then
    raise exception 'this login is bound to another tenant' using errcode = '42501';
  end if;
  insert into public.audit_heads values (owner, 0, decode(repeat('00', 32), 'hex'))
    on conflict do nothing;
  select * into last from public.audit_heads h where h.tenant = owner for update;
  stamp := clock_timestamp();
  digest := sha256('winnow/audit/v1'::bytea || last.hash || int8send(last.seq + 1)
    || int8send((extract(epoch from stamp) * 1000000)::bigint) || int8send(events)
    || int8send(octet_length(owner)) || convert_to(owner, 'UTF8') || uuid_send(new_link) || new_root);
  insert into public.audit_links values (owner, last.seq + 1, new_link, stamp, last.hash, new_root, digest, events);
  update public.audit_heads h set seq = last.seq + 1, hash = digest where h.tenant = owner;
  return last.seq + 1;
end $$;
-- +goose StatementEnd

-- +goose StatementBegin
create or replace function winnow_principal(wanted_id text, wanted_key bytea)
returns table (tenant text, id text, highest smallint, name text, service boolean, speaks_for text[], permissions text[],
  created_at timestamptz, key_id text, key_permissions text[], key_used boolean)
language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
#variable_conflict use_column
begin
  return query
  select p.tenant, p.id, p.highest, p.name, p.service, p.speaks_for, p.permissions, p.created_at, '', null::text[], true
  from public.principals p where p.id = wanted_id and public.winnow_may_enter(p.tenant)
  union all
  select p.tenant, p.id, p.highest, p.name, p.service, p.speaks_for, p.permissions, p.created_at, k.id, k.permissions,
    k.last_used is not distinct from (now() at time zone 'utc')::date
  from public.api_keys k join public.principals p on p.tenant = k.tenant and p.id = k.principal
  where k.hash = wanted_key and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
    and public.winnow_may_enter(p.tenant);
end $$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
create or replace function winnow_principal(wanted_id text, wanted_key bytea)
returns table (tenant text, id text, highest smallint, name text, service boolean, speaks_for text[], permissions text[],
  created_at timestamptz, key_id text, key_permissions text[], key_used boolean)
language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
#variable_conflict use_column
begin
  return query
  select p.tenant, p.id, p.highest, p.name, p.service, p.speaks_for, p.permissions, p.created_at, '', null::text[], true
  from public.principals p where p.id = wanted_id
  union all
  select p.tenant, p.id, p.highest, p.name, p.service, p.speaks_for, p.permissions, p.created_at, k.id, k.permissions,
    k.last_used is not distinct from (now() at time zone 'utc')::date
  from public.api_keys k join public.principals p on p.tenant = k.tenant and p.id = k.principal
  where k.hash = wanted_key and k.revoked_at is null and (k.expires_at is null or k.expires_at > now());
end $$;
-- +goose StatementEnd
-- +goose StatementBegin
create or replace function winnow_audit_append(new_link uuid, events integer, new_root bytea) returns bigint
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  owner  text := public.winnow_tenant();
  last   public.audit_heads;
  stamp  timestamptz;
  digest bytea;
begin
  insert into public.audit_heads values (owner, 0, decode(repeat('00', 32), 'hex'))
    on conflict do nothing;
  select * into last from public.audit_heads h where h.tenant = owner for update;
  stamp := clock_timestamp();
  digest := sha256('winnow/audit/v1'::bytea || last.hash || int8send(last.seq + 1)
    || int8send((extract(epoch from stamp) * 1000000)::bigint) || int8send(events)
    || int8send(octet_length(owner)) || convert_to(owner, 'UTF8') || uuid_send(new_link) || new_root);
  insert into public.audit_links values (owner, last.seq + 1, new_link, stamp, last.hash, new_root, digest, events);
  update public.audit_heads h set seq = last.seq + 1, hash = digest where h.tenant = owner;
  return last.seq + 1;
end $$;
-- +goose StatementEnd
drop table tenant_logins;
-- +goose StatementBegin
do $$
declare
  guarded text;
begin
  for guarded in select p.tablename from pg_policies p where p.schemaname = 'public' and p.policyname = 'bound' order by 1 loop
    execute format('drop policy bound on %I', guarded);
    execute format('alter policy tenant on %I to winnow_app, winnow_owner', guarded);
  end loop;
end $$;
-- +goose StatementEnd
drop function winnow_may_enter(text);
drop function winnow_bound_to(text);
-- +goose StatementBegin
create or replace function winnow_protect(protected regclass) returns void
language plpgsql as $$
begin
  execute format('alter table %s enable row level security', protected);
  execute format('alter table %s force row level security', protected);
  execute format('create policy tenant on %s to winnow_app, winnow_owner
    using (tenant = (select winnow_tenant()))
    with check (tenant = (select winnow_tenant()))', protected);
end $$;
-- +goose StatementEnd
