-- What was proposed, decided and remembered.
--
-- Ids are prefixed ULIDs, so keys grow at their end. Text columns that hold ids
-- compare bytewise ("C"), as the Go code that sorts locks does.
--
-- These tables take an insert per event. An index is here only when a read
-- that happens often needs it; the comment beside it names that read.

-- +goose Up

-- A scope is a decision lane: its row is the lock, its version the lane's clock.
create table scopes (
  tenant     text collate "C" not null references tenants,
  id         text collate "C" not null,
  version    bigint not null default 0,
  created_at timestamptz not null default now(),
  primary key (tenant, id)
) with (fillfactor = 50); -- every batch updates the version; room on the page keeps that out of the index
select winnow_protect('scopes');

create table proposals (
  tenant         text collate "C" not null,
  id             text collate "C" not null,
  scope          text collate "C" not null,
  state          text collate "C" not null check (state in
    ('pending', 'promoted', 'rejected', 'merged', 'needs_review', 'quarantined', 'expired')),
  kind           text not null,
  section        text not null,
  title          text not null,
  body           text not null,
  category       text not null,
  tags           text[] not null,
  importance     smallint not null check (importance between 0 and 10),
  principal      text collate "C" not null,
  origin         smallint not null check (origin between 0 and 4),
  authority      smallint not null check (authority between 0 and 4),
  event_id       text collate "C" not null,
  session_id     text collate "C" not null,
  observed_at    timestamptz,
  created_at     timestamptz not null,
  seen_count     integer not null,
  last_confirmed timestamptz,
  target         text collate "C" not null,
  decision_id    text collate "C" not null,
  version        bigint not null,
  -- Was open or settled at some time, so lanes have to hear of its changes.
  -- Most proposals are decided as they arrive and never concern a lane.
  lane           boolean not null,
  primary key (tenant, id),
  foreign key (tenant, scope) references scopes
);
-- The news of a lane (LaneView).
create index proposals_lane on proposals (tenant, scope, version) where lane;
-- A publisher asks for the verdict by its own event id.
create index proposals_event on proposals (tenant, event_id);
select winnow_protect('proposals');

create table decisions (
  tenant         text collate "C" not null,
  id             text collate "C" not null,
  scope          text collate "C" not null,
  proposal_id    text collate "C" not null,
  verdict        text collate "C" not null check (verdict in
    ('promoted', 'rejected', 'merged', 'needs_review', 'quarantined', 'expired', 'undone')),
  rule           text collate "C" not null,
  fired          text[] not null,
  advice         text not null,
  reason         text not null,
  target         text collate "C" not null,
  memory_id      text collate "C" not null,
  policy         text not null,
  policy_version text collate "C" not null,
  calibration    text not null,
  -- Written once, read for replays as a whole: json keeps the bytes as they
  -- came and costs a third of what jsonb costs to write.
  features       json not null,
  candidates     json not null,
  inputs         json not null,
  principal      text collate "C" not null,
  actor          text collate "C" not null check (actor in ('triage', 'person', 'system')),
  authority      smallint not null check (authority between 0 and 4),
  undoes         text collate "C" not null,
  decided_at     timestamptz not null,
  primary key (tenant, id)
);
-- The story of a proposal (winnow why).
create index decisions_proposal on decisions (tenant, proposal_id);
-- The story of a memory: the decision that created it, and those about it.
create index decisions_memory on decisions (tenant, memory_id) where memory_id <> '';
create index decisions_target on decisions (tenant, target) where target <> '';
select winnow_protect('decisions');

create table memories (
  tenant         text collate "C" not null,
  id             text collate "C" not null,
  scope          text collate "C" not null,
  state          text collate "C" not null check (state in ('active', 'archived')),
  kind           text not null,
  section        text not null,
  title          text not null,
  description    text not null,
  body           text not null,
  category       text not null,
  tags           text[] not null,
  topics         text[] not null,
  importance     smallint not null check (importance between 0 and 10),
  confidence     double precision not null check (confidence between 0 and 1),
  outcome        text not null,
  principal      text collate "C" not null,
  origin         smallint not null check (origin between 0 and 4),
  authority      smallint not null check (authority between 0 and 4),
  observed_at    timestamptz,
  created_at     timestamptz not null,
  last_confirmed timestamptz,
  seen_count     integer not null,
  proposal_id    text collate "C" not null,
  decision_id    text collate "C" not null,
  archived_at    timestamptz,
  archive_reason text not null,
  successor_id   text collate "C" not null,
  version        bigint not null,
  primary key (tenant, id),
  foreign key (tenant, scope) references scopes
);
-- The news of a lane, and all memories of a scope.
create index memories_lane on memories (tenant, scope, version);
select winnow_protect('memories');

-- Both ends are ids of this tenant: mostly memories, for derived_from also
-- proposals and sessions, hence no foreign key.
create table memory_links (
  tenant  text collate "C" not null references tenants,
  from_id text collate "C" not null,
  kind    text collate "C" not null check (kind in
    ('supersedes', 'consolidates', 'merged_into', 'derived_from', 'workflow')),
  to_id   text collate "C" not null,
  primary key (tenant, from_id, kind, to_id)
);
-- What became of a memory: the other direction.
create index memory_links_to on memory_links (tenant, to_id);
select winnow_protect('memory_links');

create table evidence (
  tenant      text collate "C" not null,
  subject     text collate "C" not null,
  id          text collate "C" not null,
  proposal_id text collate "C" not null,
  principal   text collate "C" not null,
  session_id  text collate "C" not null,
  origin      smallint not null check (origin between 0 and 4),
  role        text not null,
  span        text not null,
  observed_at timestamptz,
  -- Evidence is only ever read by what it supports, so the key starts there.
  primary key (tenant, subject, id)
);
select winnow_protect('evidence');

create table reviews (
  tenant      text collate "C" not null references tenants,
  id          text collate "C" not null,
  proposal_id text collate "C" not null,
  decision_id text collate "C" not null,
  overrode    text collate "C" not null,
  rule        text collate "C" not null,
  agreed      boolean not null,
  principal   text collate "C" not null,
  note        text not null,
  reviewed_at timestamptz not null,
  primary key (tenant, id)
);
create index reviews_proposal on reviews (tenant, proposal_id);
select winnow_protect('reviews');

-- What Winnow showed to whom: the base of echo detection and of "who was
-- served this".
create table served (
  tenant     text collate "C" not null references tenants,
  session_id text collate "C" not null,
  memory_id  text collate "C" not null,
  principal  text collate "C" not null,
  served_at  timestamptz not null,
  primary key (tenant, session_id, memory_id)
);
create index served_memory on served (tenant, memory_id);
select winnow_protect('served');

-- Grants are by column: what a text says can be written once and never changed,
-- and nothing of a memory can be deleted by automation (D9).
grant select, insert on scopes, proposals, decisions, memories, memory_links, evidence, reviews, served to winnow_app;
grant update (version) on scopes to winnow_app;
grant update (state, kind, section, authority, seen_count, last_confirmed, target, decision_id, version, lane)
  on proposals to winnow_app;
grant update (state, authority, confidence, seen_count, last_confirmed, archived_at, archive_reason, successor_id, version)
  on memories to winnow_app;
-- Links and repeats are relations; an undo takes them back.
grant delete on memory_links, evidence to winnow_app;

-- +goose Down
drop table served, reviews, evidence, memory_links, memories, decisions, proposals, scopes;
