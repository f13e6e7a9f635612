-- What operators maintain and triage reads: retired terms, boot files, policies.

-- +goose Up

-- One row per tenant, bumped by every change to the registry or to the reviews
-- that switch rules off, so that a worker reloads only what changed.
create table registry_heads (
  tenant  text collate "C" not null references tenants,
  version bigint not null,
  primary key (tenant)
) with (fillfactor = 10);
select winnow_protect('registry_heads');

create table retired_terms (
  tenant      text collate "C" not null references tenants,
  id          text collate "C" not null,
  scope       text collate "C" not null, -- empty: the whole tenant
  term        text not null check (term <> ''),
  kind        text not null,
  replacement text not null,
  since       timestamptz,
  principal   text collate "C" not null,
  primary key (tenant, id)
);
select winnow_protect('retired_terms');

create table boot_files (
  tenant     text collate "C" not null references tenants,
  id         text collate "C" not null,
  scope      text collate "C" not null, -- empty: the whole tenant
  name       text not null,
  body       text not null,
  principal  text collate "C" not null,
  created_at timestamptz not null,
  primary key (tenant, id)
);
select winnow_protect('boot_files');

-- Old versions stay: a decision names the one it was made under.
create table policies (
  tenant     text collate "C" not null references tenants,
  name       text collate "C" not null,
  version    text collate "C" not null,
  body       text not null,
  created_at timestamptz not null default now(),
  primary key (tenant, name, version)
);
select winnow_protect('policies');

create table active_policies (
  tenant     text collate "C" not null,
  scope_kind text collate "C" not null check (scope_kind in ('user', 'project', 'team', 'org')),
  name       text collate "C" not null,
  version    text collate "C" not null,
  primary key (tenant, scope_kind),
  foreign key (tenant, name, version) references policies
);
select winnow_protect('active_policies');

grant select, insert, update on registry_heads to winnow_app;
grant select, insert, update, delete on retired_terms, boot_files to winnow_app;
grant select, insert on policies to winnow_app;
grant select, insert, update, delete on active_policies to winnow_app;

-- +goose Down
drop table active_policies, policies, boot_files, retired_terms, registry_heads;
