-- A gateway chooses the form in which it reads events. A copy in JSON is stored only where
-- one chose it (ADR 59).

-- +goose Up
alter table principals add column events_json boolean not null default false;

-- Whether a gateway of the tenant that may speak for the reviewer reads JSON. Committing
-- asks it in the transaction of the event; no worker that asks it reads principals.
-- +goose StatementBegin
create function winnow_reads_json(reviewer text) returns boolean
language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  owner text := public.winnow_tenant();
begin
  return public.winnow_may_enter(owner) and exists (select from public.principals p
    where p.tenant = owner and p.events_json and p.speaks_for && array['*', reviewer]);
end $$;
-- +goose StatementEnd
revoke execute on function winnow_reads_json(text) from public;
grant execute on function winnow_reads_json(text) to winnow_app;

-- +goose Down
drop function winnow_reads_json(text);
alter table principals drop column events_json;
