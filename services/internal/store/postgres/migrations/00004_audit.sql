-- The audit chain: one per tenant, one link per transaction.
--
-- Events and bodies go in first and lock nothing. The link comes last: only
-- then the head row is locked, so that transactions of one tenant queue for the
-- length of a commit and not of a batch.
--
-- What the hashes cover is written in doc.go and audit.go; winnow_audit_append
-- must hash exactly as the Go code that verifies.

-- +goose Up

create table audit_heads (
  tenant text collate "C" not null references tenants,
  seq    bigint not null,
  hash   bytea not null check (length(hash) = 32),
  primary key (tenant)
) with (fillfactor = 10);
select winnow_protect('audit_heads');

create table audit_links (
  tenant text collate "C" not null references tenants,
  seq    bigint not null,
  link   uuid not null,
  at     timestamptz not null,
  prev   bytea not null,
  root   bytea not null,
  hash   bytea not null,
  n      integer not null,
  primary key (tenant, seq)
);
-- From an event to its place in the chain.
create unique index audit_links_link on audit_links (tenant, link);
select winnow_protect('audit_links');

create table audit_events (
  tenant     text collate "C" not null,
  link       uuid not null,
  n          integer not null,
  actor      text collate "C" not null,
  principal  text collate "C" not null,
  action     text collate "C" not null,
  subject    text collate "C" not null,
  commitment bytea not null,
  primary key (tenant, link, n)
);
-- The log about one id.
create index audit_events_subject on audit_events (tenant, subject);
select winnow_protect('audit_events');

-- Apart from the events, because a body may be erased and its event may not.
-- The salt goes with it: without the salt the commitment says nothing about
-- what the body was.
create table audit_bodies (
  tenant text collate "C" not null,
  link   uuid not null,
  n      integer not null,
  salt   bytea not null,
  body   text not null, -- JSON, byte for byte what was committed to
  primary key (tenant, link, n)
);
select winnow_protect('audit_bodies');

-- hash = sha256("winnow/audit/v1" ‖ prev ‖ seq ‖ time ‖ n ‖ |tenant| tenant ‖ link ‖ root)
-- with numbers as eight bytes, big endian, and time in microseconds.
-- +goose StatementBegin
create function winnow_audit_append(new_link uuid, events integer, new_root bytea) returns bigint
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
revoke execute on function winnow_audit_append(uuid, integer, bytea) from public;
grant execute on function winnow_audit_append(uuid, integer, bytea) to winnow_app;

-- Erasure of the bodies about one id: the only way anything leaves the log.
-- +goose StatementBegin
create function winnow_audit_erase(erased_subject text) returns bigint
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
revoke execute on function winnow_audit_erase(text) from public;
grant execute on function winnow_audit_erase(text) to winnow_app;

grant select on audit_heads, audit_links to winnow_app;
grant select, insert on audit_events, audit_bodies to winnow_app;

-- +goose Down
drop function winnow_audit_erase(text);
drop function winnow_audit_append(uuid, integer, bytea);
drop table audit_bodies, audit_events, audit_links, audit_heads;
