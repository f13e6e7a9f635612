-- Which team a project belongs to, and which organisation a team (D25).

-- +goose Up

-- One row for a scope that belongs to another one: it can belong to one only.
create table scope_links (
  tenant    text collate "C" not null,
  scope     text collate "C" not null,
  parent    text collate "C" not null,
  principal text collate "C" not null, -- who said so
  linked_at timestamptz not null,
  primary key (tenant, scope),
  foreign key (tenant, scope) references scopes,
  foreign key (tenant, parent) references scopes,
  -- Two steps at most, and no circle: a project in a team or an organisation, a team
  -- in an organisation.
  check (scope like 'project:%' and (parent like 'team:%' or parent like 'org:%')
    or scope like 'team:%' and parent like 'org:%')
);
select winnow_protect('scope_links');

-- A registry: what it said before is in the audit log.
grant select, insert, update, delete on scope_links to winnow_app;

-- +goose Down
drop table scope_links;
