-- Which version of its scope a decision made. Ids are in the order in which
-- workers thought of them, versions in the order in which they took effect: who
-- shows a scope's decisions up to a version has shown all of them, once.

-- +goose Up
alter table decisions add column version bigint not null default 0; -- 0: made before versions were kept
create index decisions_version on decisions (tenant, scope, version);

-- +goose Down
drop index decisions_version;
alter table decisions drop column version;
