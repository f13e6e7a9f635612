-- A principal can be bound to scopes of its tenant (ADR 60).

-- +goose Up
alter table principals add column scopes text[] collate "C" not null default '{}';

-- Where a principal may act and what it may read follows from the registry of scopes, and
-- is read with the principal, before a tenant is set.
create policy directory on scope_links for select to winnow_owner using (true);

-- acts are the scopes with all that belongs to them, reads also has what they belong to.
-- +goose StatementBegin
create function winnow_reach(owner text, bound text[]) returns table (acts text[], reads text[])
language sql stable set search_path = pg_catalog, public, pg_temp as $$
  with recursive below (scope) as (
    select unnest(bound) collate "C"
    union
    select l.scope from public.scope_links l join below b on l.tenant = owner and l.parent = b.scope
  ), above (scope) as (
    select unnest(bound) collate "C"
    union
    select l.parent from public.scope_links l join above a on l.tenant = owner and l.scope = a.scope
  )
  select coalesce((select array_agg(scope order by scope) from below), '{}'),
    coalesce((select array_agg(scope order by scope) from (select scope from below union select scope from above) r), '{}')
$$;
-- +goose StatementEnd
revoke execute on function winnow_reach(text, text[]) from public;

drop function winnow_principal(text, bytea);
-- +goose StatementBegin
create function winnow_principal(wanted_id text, wanted_key bytea)
returns table (tenant text, id text, highest smallint, name text, service boolean, speaks_for text[], permissions text[],
  scopes text[], created_at timestamptz, acts text[], reads text[], key_id text, key_permissions text[], key_used boolean)
language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
#variable_conflict use_column
begin
  return query
  select p.tenant, p.id, p.highest, p.name, p.service, p.speaks_for, p.permissions, p.scopes::text[], p.created_at, r.acts, r.reads,
    '', null::text[], true
  from public.principals p left join lateral (select * from public.winnow_reach(p.tenant, p.scopes) where cardinality(p.scopes) > 0) r on true
  where p.id = wanted_id and public.winnow_may_enter(p.tenant)
  union all
  select p.tenant, p.id, p.highest, p.name, p.service, p.speaks_for, p.permissions, p.scopes::text[], p.created_at, r.acts, r.reads,
    k.id, k.permissions, k.last_used is not distinct from (now() at time zone 'utc')::date
  from public.api_keys k join public.principals p on p.tenant = k.tenant and p.id = k.principal
    left join lateral (select * from public.winnow_reach(p.tenant, p.scopes) where cardinality(p.scopes) > 0) r on true
  where k.hash = wanted_key and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
    and public.winnow_may_enter(p.tenant);
end $$;
-- +goose StatementEnd
revoke execute on function winnow_principal(text, bytea) from public;
grant execute on function winnow_principal(text, bytea) to winnow_app;

-- +goose Down
drop function winnow_principal(text, bytea);
-- +goose StatementBegin
create function winnow_principal(wanted_id text, wanted_key bytea)
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
revoke execute on function winnow_principal(text, bytea) from public;
grant execute on function winnow_principal(text, bytea) to winnow_app;
drop function winnow_reach(text, text[]);
drop policy directory on scope_links;
alter table principals drop column scopes;
