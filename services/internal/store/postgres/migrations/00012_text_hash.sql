-- Exact duplicates in a scope that no process keeps a lane of.

-- +goose Up

-- The hash of the text as exact comparison sees it, made when the row is written;
-- null for rows from before, which are found by what they say. Texts never
-- change, and neither do their hashes.
alter table memories add column text_hash bytea;
alter table proposals add column text_hash bytea;
-- Is there a row with the same words? Asked under the lock of a large scope.
create index memories_text on memories (tenant, scope, text_hash) where text_hash is not null and state = 'active';
-- Only what concerns a lane has a hash.
create index proposals_text on proposals (tenant, scope, text_hash) where text_hash is not null and lane;

-- +goose Down
alter table proposals drop column text_hash;
alter table memories drop column text_hash;
