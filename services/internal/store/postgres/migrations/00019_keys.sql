-- Credentials: several keys for each principal, what they may do, and the answers
-- to requests that may be sent again.

-- +goose Up

-- Null: what memory.DefaultPermissions says.
alter table principals add column permissions text[];
grant update (permissions) on principals to winnow_app;

create table api_keys (
  tenant      text collate "C" not null,
  id          text collate "C" not null,
  principal   text collate "C" not null,
  -- SHA-256 of the key; the key itself is shown once and never stored.
  hash        bytea not null check (length(hash) = 32),
  name        text not null,
  hint        text not null,
  permissions text[], -- null: those of the principal
  created_by  text collate "C" not null,
  created_at  timestamptz not null,
  expires_at  timestamptz,
  revoked_at  timestamptz,
  last_used   date, -- coarse: one write a day and key
  primary key (tenant, id),
  foreign key (tenant, principal) references principals
);
create unique index api_keys_hash on api_keys (hash);
create index api_keys_principal on api_keys (tenant, principal);
select winnow_protect('api_keys');
create policy directory on api_keys for select to winnow_owner using (true);
grant select, insert on api_keys to winnow_app;
grant update (revoked_at, last_used) on api_keys to winnow_app;

-- The key that a principal had stays in force. Its id follows from its hash.
-- +goose StatementBegin
do $$
declare
  owner text;
begin
  for owner in select t.tenant from tenants t order by 1 loop
    perform set_config('winnow.tenant', owner, true);
    insert into api_keys (tenant, id, principal, hash, name, hint, created_by, created_at)
    select p.tenant, 'key_0' || upper(left(encode(p.api_key_hash, 'hex'), 25)), p.id, p.api_key_hash, '', '', p.id, p.created_at
    from principals p where p.tenant = owner and p.api_key_hash is not null;
  end loop;
end $$;
-- +goose StatementEnd

drop function winnow_principal(text, bytea);
alter table principals drop column api_key_hash;
-- Who is this id or key? Expired and revoked keys are nobody's.
-- +goose StatementBegin
create function winnow_principal(wanted_id text, wanted_key bytea)
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
revoke execute on function winnow_principal(text, bytea) from public;
grant execute on function winnow_principal(text, bytea) to winnow_app;

-- Answers to requests with an Idempotency-Key; status 0 while one is being made.
create table http_requests (
  tenant       text collate "C" not null references tenants,
  principal    text collate "C" not null,
  key          text collate "C" not null,
  hash         bytea not null check (length(hash) = 32),
  status       integer not null,
  content_type text not null,
  body         bytea not null,
  begun_at     timestamptz not null,
  expires_at   timestamptz not null,
  primary key (tenant, principal, key)
);
create index http_requests_age on http_requests (tenant, expires_at);
select winnow_protect('http_requests');
grant select, insert, update, delete on http_requests to winnow_app;

-- +goose Down
drop table http_requests;
drop function winnow_principal(text, bytea);
alter table principals add column api_key_hash bytea check (length(api_key_hash) = 32);
-- +goose StatementBegin
do $$
declare
  owner text;
begin
  for owner in select t.tenant from tenants t order by 1 loop
    perform set_config('winnow.tenant', owner, true);
    update principals p set api_key_hash = (
      select k.hash from api_keys k
      where k.tenant = owner and k.principal = p.id and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
      order by k.created_at desc, k.id desc limit 1)
    where p.tenant = owner;
  end loop;
end $$;
-- +goose StatementEnd
create unique index principals_api_key on principals (api_key_hash) where api_key_hash is not null;
drop table api_keys;
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
alter table principals drop column permissions;
