-- Tenancy: who owns a row, and how the database enforces it.
--
-- Every table names its tenant in its key. winnow_protect() puts it under row
-- security that holds for the owner too, so that a forgotten WHERE shows
-- nothing instead of everything.

-- +goose Up

-- After one set_config(…, true) an unset setting reads as '' and not as null.
-- Without the exception a missing tenant would give zero rows and no error.
-- +goose StatementBegin
create function winnow_tenant() returns text
language plpgsql stable parallel safe as $$
declare
  tenant text := current_setting('winnow.tenant', true);
begin
  if tenant is null or tenant = '' then
    raise exception 'no tenant is set in this transaction' using errcode = 'WN002';
  end if;
  return tenant;
end $$;
-- +goose StatementEnd

-- The sub-select makes the planner compute the tenant once per statement.
-- +goose StatementBegin
create function winnow_protect(protected regclass) returns void
language plpgsql as $$
begin
  execute format('alter table %s enable row level security', protected);
  execute format('alter table %s force row level security', protected);
  execute format('create policy tenant on %s to winnow_app, winnow_owner
    using (tenant = (select winnow_tenant()))
    with check (tenant = (select winnow_tenant()))', protected);
end $$;
-- +goose StatementEnd
revoke execute on function winnow_protect(regclass) from public;

-- Fails the transaction when a statement touched fewer rows than it had to,
-- so that the check travels in the same round trip as the statement.
-- +goose StatementBegin
create function winnow_expect(wanted bigint, got bigint) returns void
language plpgsql as $$
begin
  if wanted <> got then
    raise exception 'only % of % rows were as expected', got, wanted using errcode = 'WN001';
  end if;
end $$;
-- +goose StatementEnd

create table tenants (
  tenant     text collate "C" not null check (tenant <> ''),
  created_at timestamptz not null default now(),
  primary key (tenant)
);
select winnow_protect('tenants');

create table principals (
  tenant       text collate "C" not null references tenants,
  id           text collate "C" not null check (id ~ '^[A-Za-z0-9_-]{1,64}$'),
  highest      smallint not null check (highest between 0 and 4),
  name         text not null default '',
  service      boolean not null default false,
  -- SHA-256 of the key; the key itself is shown once and never stored.
  api_key_hash bytea check (length(api_key_hash) = 32),
  created_at   timestamptz not null default now(),
  primary key (tenant, id)
);
-- An id says which tenant its bearer belongs to, so it can exist only once.
create unique index principals_id on principals (id);
create unique index principals_api_key on principals (api_key_hash) where api_key_hash is not null;
select winnow_protect('principals');

-- The one way to read across tenants: who is this id or key? It runs before a
-- tenant is known.
create policy directory on principals for select to winnow_owner using (true);
create policy directory on tenants for select to winnow_owner using (true);

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

grant select on tenants to winnow_app;
grant select, insert on principals to winnow_app;
grant update (highest, name, service) on principals to winnow_app;
-- Readiness compares the schema's version with the binary's.
grant select on goose_db_version to winnow_app, winnow_relay;

-- +goose Down
revoke select on goose_db_version from winnow_app, winnow_relay;
drop function winnow_principal(text, bytea);
drop table principals;
drop table tenants;
drop function winnow_expect(bigint, bigint);
drop function winnow_protect(regclass);
drop function winnow_tenant();
