-- Heads of the audit that the relay signed. The signature and the copies in the stream and
-- the vault are what counts; this copy lets the vault's writer and verification read them
-- without asking the bus.

-- +goose Up
create table audit_signatures (
  tenant    text collate "C" not null references tenants,
  seq       bigint not null,
  signed_at timestamptz not null default now(),
  note      text not null check (length(note) < 4096),
  primary key (tenant, seq, signed_at)
);
select winnow_protect('audit_signatures');
grant select on audit_signatures to winnow_app;

-- The relay, which reads no tenant's rows, sees where each chain ends.
-- +goose StatementBegin
create function winnow_audit_heads() returns table (tenant text, seq bigint, hash bytea)
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  caller text := current_setting('winnow.tenant', true);
  owner  text;
begin
  for owner in select t.tenant from public.tenants t order by 1 loop
    perform set_config('winnow.tenant', owner, true);
    return query select h.tenant, h.seq, h.hash from public.audit_heads h where h.seq > 0;
  end loop;
  perform set_config('winnow.tenant', coalesce(caller, ''), true);
end $$;
-- +goose StatementEnd
revoke execute on function winnow_audit_heads() from public;
grant execute on function winnow_audit_heads() to winnow_relay;

-- The hash of one link, by which the relay sees that the chain goes on from the head that
-- it signed last, and the newest note that is stored for the tenant.
-- +goose StatementBegin
create function winnow_audit_link(owner text, at_seq bigint) returns table (hash bytea, newest text)
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  caller text := current_setting('winnow.tenant', true);
begin
  perform set_config('winnow.tenant', owner, true);
  return query select (select l.hash from public.audit_links l where l.seq = at_seq),
    (select s.note from public.audit_signatures s order by s.signed_at desc limit 1);
  perform set_config('winnow.tenant', coalesce(caller, ''), true);
end $$;
-- +goose StatementEnd
revoke execute on function winnow_audit_link(text, bigint) from public;
grant execute on function winnow_audit_link(text, bigint) to winnow_relay;

-- +goose StatementBegin
create function winnow_audit_signed(owner text, at_seq bigint, signed text) returns void
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  caller text := current_setting('winnow.tenant', true);
begin
  perform set_config('winnow.tenant', owner, true);
  insert into public.audit_signatures (tenant, seq, note) values (owner, at_seq, signed) on conflict do nothing;
  perform set_config('winnow.tenant', coalesce(caller, ''), true);
end $$;
-- +goose StatementEnd
revoke execute on function winnow_audit_signed(text, bigint, text) from public;
grant execute on function winnow_audit_signed(text, bigint, text) to winnow_relay;

-- +goose Down
drop function winnow_audit_signed(text, bigint, text);
drop function winnow_audit_link(text, bigint);
drop function winnow_audit_heads();
drop table audit_signatures;
