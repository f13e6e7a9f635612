-- Indexes of reads that walked whole tables. Each is partial, so that a row that
-- nobody looks for costs it nothing.

-- +goose Up

-- What a session's start tells of a scope: the newest memories of some kinds.
create index memories_scope_kind on memories (tenant, scope, kind, id) where state = 'active';
-- The same of all scopes. The condition stands in the query as it stands here.
create index memories_kind on memories (tenant, kind, id)
  where state = 'active' and kind in ('rule', 'preference', 'strategy');
-- What went out of service since a time. The scope is compared in the index.
create index memories_left on memories (tenant, archived_at, scope) where state = 'archived';
-- The promotions that a digest takes its spot checks from.
create index decisions_promoted on decisions (tenant, decided_at, id)
  where verdict = 'promoted' and actor = 'triage';
-- Retention of rejected proposals.
create index proposals_rejected on proposals (tenant, created_at) where state = 'rejected';

-- +goose Down
drop index proposals_rejected, decisions_promoted, memories_left, memories_kind, memories_scope_kind;
