-- +goose Up
-- Every request asks who its caller is. A function in SQL is planned at each call, one
-- in PL/pgSQL once for a connection.
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

-- +goose Down
-- +goose StatementBegin
create or replace function winnow_principal(wanted_id text, wanted_key bytea)
returns table (tenant text, id text, highest smallint, name text, service boolean, speaks_for text[], permissions text[],
  created_at timestamptz, key_id text, key_permissions text[], key_used boolean)
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select p.tenant, p.id, p.highest, p.name, p.service, p.speaks_for, p.permissions, p.created_at, '', null::text[], true
  from public.principals p where p.id = wanted_id
  union all
  select p.tenant, p.id, p.highest, p.name, p.service, p.speaks_for, p.permissions, p.created_at, k.id, k.permissions,
    k.last_used is not distinct from (now() at time zone 'utc')::date
  from public.api_keys k join public.principals p on p.tenant = k.tenant and p.id = k.principal
  where k.hash = wanted_key and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
$$;
-- +goose StatementEnd
