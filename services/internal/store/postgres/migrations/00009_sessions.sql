-- Sessions as they came in, what was said in them, and what models were asked
-- about them.

-- +goose Up

-- What distillation proposes says when it helps and what it was learned from.
alter table proposals
  add column description text not null default '',
  add column outcome     text not null default '',
  add column confidence  double precision not null default 0 check (confidence between 0 and 1);

-- The scope is no foreign key: a session belongs to no lane, and the check would
-- wait for whoever holds that lane's row.
create table sessions (
  tenant           text collate "C" not null references tenants,
  id               text collate "C" not null,
  scope            text collate "C" not null,
  name             text collate "C" not null,
  event_id         text collate "C" not null,
  principal        text collate "C" not null,
  highest          smallint not null check (highest between 0 and 4),
  format           text not null,
  agent            text not null,
  source           text not null,
  project          text not null,
  task             text not null,
  language         text not null,
  outcome          text not null,
  outcome_inferred boolean not null,
  outcome_basis    text not null,
  started_at       timestamptz,
  ended_at         timestamptz,
  ingested_at      timestamptz not null,
  hash             text collate "C" not null check (hash <> ''),
  turns            integer not null,
  skipped          integer not null,
  redactions       integer not null,
  external         integer not null,
  bytes            bigint not null,
  state            text collate "C" not null check (state in ('ingested', 'distilled')),
  distilled_at     timestamptz,
  distiller        text not null,
  prompt           text not null,
  extracted        integer not null,
  ungrounded       integer not null,
  note             text not null,
  primary key (tenant, id)
);
-- A session that comes in twice is one, whoever sends it: ingest looks here, and
-- of two who store it at once the second one fails.
create unique index sessions_hash on sessions (tenant, scope, hash);
-- Proposals and searches name a session as its publisher does; the newest of a
-- name comes first.
create index sessions_name on sessions (tenant, name, id);
select winnow_protect('sessions');

-- What was proposed in a session: asked when it arrives after its proposals, by
-- winnow session get and by winnow retract.
create index proposals_session on proposals (tenant, session_id, id) where session_id <> '';

-- A trace is compressed already and read as a whole: compressing it again costs
-- and gains nothing.
create table session_traces (
  tenant     text collate "C" not null,
  session_id text collate "C" not null,
  n          integer not null,
  chunk      bytea not null check (length(chunk) > 0),
  stored_at  timestamptz not null default now(),
  primary key (tenant, session_id, n),
  foreign key (tenant, session_id) references sessions on delete cascade
);
alter table session_traces alter column chunk set storage external;
-- Retention walks by age; rows lie in that order already.
create index session_traces_age on session_traces using brin (stored_at);
select winnow_protect('session_traces');

create table model_calls (
  tenant        text collate "C" not null references tenants,
  key           text collate "C" not null check (key <> ''),
  purpose       text not null,
  model         text not null,
  prompt        text not null,
  subject       text collate "C" not null,
  begun_at      timestamptz not null,
  day           date not null, -- in UTC; the row of model_days that it counts in
  expected      integer not null check (expected >= 0),
  tokens        integer not null, -- what it counts: expected, until the answer says
  answered_at   timestamptz,
  answer        text not null default '',
  stop          text not null default '',
  input_tokens  integer not null default 0,
  output_tokens integer not null default 0,
  primary key (tenant, key)
);
-- What was spent since a time, and retention.
create index model_calls_age on model_calls using brin (begun_at);
select winnow_protect('model_calls');

-- What a tenant's models cost in a day. The row is the sum and the lock in one:
-- a sum over the calls would grow with the day, and two who read it at once
-- would both find room for the last call.
create table model_days (
  tenant text collate "C" not null references tenants,
  day    date not null,
  calls  integer not null default 0,
  tokens bigint not null default 0,
  primary key (tenant, day)
) with (fillfactor = 50);
select winnow_protect('model_days');

-- What was said and what was asked stays as it was written; what came of it is
-- added.
grant select, insert on sessions, session_traces, model_calls, model_days to winnow_app;
grant update (state, distilled_at, distiller, prompt, extracted, ungrounded, note) on sessions to winnow_app;
grant update (tokens, answered_at, answer, stop, input_tokens, output_tokens) on model_calls to winnow_app;
grant update (calls, tokens) on model_days to winnow_app;

-- Retention of what was said and of what models answered to it. That there was
-- a session stays. A null age keeps all.
-- +goose StatementBegin
create function winnow_sweep_traces(age interval) returns table (swept text, deleted bigint)
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
revoke execute on function winnow_sweep_traces(interval) from public;
grant execute on function winnow_sweep_traces(interval) to winnow_relay;

-- +goose Down
drop function winnow_sweep_traces(interval);
drop table model_days, model_calls, session_traces, sessions;
drop index proposals_session;
alter table proposals drop column confidence, drop column outcome, drop column description;
