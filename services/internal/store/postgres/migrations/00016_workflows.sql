-- Workflows: a task that goes on over several sessions of a project.

-- +goose Up

-- A write locks the lane of its scope, so it and the memories of the scope follow
-- each other. Which memories a workflow has is in memory_links alone (S0.11).
create table workflows (
  tenant       text collate "C" not null,
  id           text collate "C" not null,
  scope        text collate "C" not null check (scope like 'project:%'),
  status       text collate "C" not null check (status in ('active', 'paused', 'completed')),
  name         text not null check (name <> ''),
  description  text not null,
  summary      text not null,
  principal    text collate "C" not null,
  created_at   timestamptz not null,
  updated_at   timestamptz not null,
  completed_at timestamptz,
  version      bigint not null,
  primary key (tenant, id),
  foreign key (tenant, scope) references scopes
);
-- One active workflow of a project (S0.9). Every commit of memories asks for it, and
-- there are no more rows in it than projects.
create unique index workflows_active on workflows (tenant, scope) where status = 'active';
-- The workflows of a project, newest first.
create index workflows_scope on workflows (tenant, scope, id);
select winnow_protect('workflows');

-- What a workflow is about is written once. Nothing of it is deleted.
grant select, insert on workflows to winnow_app;
grant update (status, summary, updated_at, completed_at, version) on workflows to winnow_app;

-- +goose Down
drop table workflows;
