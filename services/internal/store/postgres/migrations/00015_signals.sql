-- What is learned of memories: signals, their sums, and the weights of their types.

-- +goose Up

-- The scope is no foreign key: a signal belongs to no lane. The memory's row changes
-- in the same transaction, under its version, so two signals of one memory follow
-- each other.
create table signals (
  tenant      text collate "C" not null,
  id          text collate "C" not null,
  memory_id   text collate "C" not null,
  scope       text collate "C" not null,
  type        text collate "C" not null check (type in ('explicit', 'usage', 'outcome')),
  positive    boolean not null,
  share       double precision not null check (share > 0 and share <= 1),
  session_id  text collate "C" not null,
  principal   text collate "C" not null,
  highest     smallint not null check (highest between 0 and 4),
  note        text not null,
  recorded_at timestamptz not null,
  primary key (tenant, id),
  foreign key (tenant, memory_id) references memories
);
-- The same said twice in a session is said once.
create unique index signals_once on signals (tenant, memory_id, principal, session_id, type, positive)
  where session_id <> '';
-- The confidence of a memory follows from its signals.
create index signals_memory on signals (tenant, memory_id, recorded_at);
-- What the roll-up takes.
create index signals_age on signals (tenant, recorded_at, id);
select winnow_protect('signals');

-- Sums of what was rolled up. The principal is in the key, because the influence of
-- each is bounded; sums over all of them could not be taken apart again.
create table signal_aggregates (
  tenant       text collate "C" not null,
  memory_id    text collate "C" not null,
  principal    text collate "C" not null,
  highest      smallint not null check (highest between 0 and 4),
  explicit_pos double precision not null,
  explicit_neg double precision not null,
  usage_pos    double precision not null,
  usage_neg    double precision not null,
  outcome_pos  double precision not null,
  outcome_neg  double precision not null,
  last_rollup  timestamptz,
  primary key (tenant, memory_id, principal),
  foreign key (tenant, memory_id) references memories
);
select winnow_protect('signal_aggregates');

-- One row for each memory that ever had a signal.
create table learned (
  tenant      text collate "C" not null,
  memory_id   text collate "C" not null,
  scope       text collate "C" not null,
  initial     double precision not null check (initial between 0 and 1),
  signals     integer not null,
  last_signal timestamptz not null,
  decayed_at  timestamptz,
  pruned      integer not null,
  primary key (tenant, memory_id),
  foreign key (tenant, memory_id) references memories
);
select winnow_protect('learned');

create table project_weights (
  tenant         text collate "C" not null references tenants,
  scope          text collate "C" not null,
  explicit_alpha double precision not null,
  explicit_beta  double precision not null,
  usage_alpha    double precision not null,
  usage_beta     double precision not null,
  outcome_alpha  double precision not null,
  outcome_beta   double precision not null,
  primary key (tenant, scope)
);
select winnow_protect('project_weights');

-- What was served becomes a usage signal later, outside of the search. What was served
-- before this migration becomes none.
alter table served add column counted boolean not null default true;
alter table served alter column counted set default false;
create index served_uncounted on served (tenant, served_at) where not counted;

-- A signal is what somebody said and is never changed.
grant select, insert, delete on signals to winnow_app;
grant select, insert, update on signal_aggregates, learned, project_weights to winnow_app;
grant update (counted) on served to winnow_app;

-- +goose Down
drop index served_uncounted;
alter table served drop column counted;
drop table project_weights, learned, signal_aggregates, signals;
