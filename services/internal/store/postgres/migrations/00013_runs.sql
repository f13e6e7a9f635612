-- Runs of consolidation: what was planned, what came of each step, and which
-- memories a step touched.

-- +goose Up

-- The scope is no foreign key: a run belongs to no lane, and the check would wait
-- for whoever holds that lane's row.
create table runs (
  tenant        text collate "C" not null references tenants,
  id            text collate "C" not null,
  scope         text collate "C" not null,
  strategy      text collate "C" not null check (strategy in ('similar', 'weekly', 'explicit')),
  trigger       text collate "C" not null check (trigger in ('threshold', 'interval', 'weekly', 'person')),
  state         text collate "C" not null check (state in
    ('requested', 'running', 'completed', 'partial', 'failed', 'undone')),
  options       json not null,
  dry_run       boolean not null, -- as in options, for the indexes
  window_start  timestamptz,
  window_end    timestamptz,
  principal     text collate "C" not null,
  requested_at  timestamptz not null,
  started_at    timestamptz,
  deadline      timestamptz,
  ended_at      timestamptz,
  examined      integer not null,
  created       integer not null,
  archived      integer not null,
  offered       integer not null,
  refused       integer not null,
  skipped       integer not null,
  active_before integer not null,
  active_after  integer not null,
  over_limit    boolean not null,
  reason        text not null,
  report        json not null,
  version       bigint not null,
  primary key (tenant, id)
);
-- One run of a scope at a time, whoever asks. A dry run changes nothing, and two
-- lists of given memories are two requests.
create unique index runs_one on runs (tenant, scope, strategy)
  where state in ('requested', 'running') and not dry_run and strategy <> 'explicit';
-- What the worker has to close. It asks often, and there are few.
create index runs_open on runs (tenant, id) where state in ('requested', 'running');
-- When a scope was last consolidated. An undone run was one: what a person took
-- back is not done again at once.
create index runs_last on runs (tenant, scope, strategy, ended_at)
  where state in ('completed', 'partial', 'undone') and not dry_run;
select winnow_protect('runs');

create table run_items (
  tenant      text collate "C" not null,
  run_id      text collate "C" not null,
  n           integer not null check (n > 0),
  action      text collate "C" not null check (action in ('merge', 'offer', 'weekly')),
  state       text collate "C" not null check (state in
    ('planned', 'applied', 'previewed', 'offered', 'refused', 'failed', 'skipped', 'undone')),
  sources     text[] not null,
  memory_id   text collate "C" not null,
  proposal_id text collate "C" not null,
  reason      text not null,
  detail      json not null,
  ended_at    timestamptz,
  primary key (tenant, run_id, n),
  foreign key (tenant, run_id) references runs
);
-- What people took apart again: a plan asks, so that it is not merged once more.
create index run_items_undone on run_items (tenant, run_id) where state = 'undone';
select winnow_protect('run_items');

-- Which steps a memory was in, as a source or as the product. A table and not an
-- index over the array: row security keeps an array operator from using an index.
create table run_members (
  tenant    text collate "C" not null,
  memory_id text collate "C" not null,
  run_id    text collate "C" not null,
  n         integer not null,
  primary key (tenant, memory_id, run_id, n),
  foreign key (tenant, run_id, n) references run_items
);
select winnow_protect('run_members');

-- What went out of service without a successor, counted before each weekly run.
-- memories_left has the rows of all scopes since a time, this one those of one
-- scope; few rows are archived without a successor.
create index memories_eroded on memories (tenant, scope, archived_at)
  where state = 'archived' and successor_id = '';

-- Who asked for what, and what a step was to do, can be written once. A step's
-- sources are known late (weekly), hence the update.
grant select, insert on runs, run_items, run_members to winnow_app;
grant update (state, started_at, deadline, ended_at, examined, created, archived, offered, refused, skipped,
  active_before, active_after, over_limit, reason, report, version) on runs to winnow_app;
grant update (state, sources, memory_id, proposal_id, reason, detail, ended_at) on run_items to winnow_app;

-- +goose Down
drop index memories_eroded;
drop table run_members, run_items, runs;
