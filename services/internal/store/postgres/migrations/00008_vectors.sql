-- What embedders made of memories, and where a model's similarity means what.

-- +goose Up

-- One row per memory and model; a vector is its float32 numbers, little endian.
-- Compressing random bits costs and gains nothing.
create table memory_vectors (
  tenant    text collate "C" not null,
  memory_id text collate "C" not null,
  model     text collate "C" not null check (model <> ''),
  vector    bytea not null check (length(vector) % 4 = 0 and length(vector) > 0),
  made_at   timestamptz not null default now(),
  primary key (tenant, model, memory_id),
  foreign key (tenant, memory_id) references memories on delete cascade
);
alter table memory_vectors alter column vector set storage external;
select winnow_protect('memory_vectors');

-- Old ones stay: a decision names the one it was made under.
create table calibrations (
  tenant     text collate "C" not null references tenants,
  model      text collate "C" not null,
  id         text collate "C" not null,
  duplicate  double precision not null,
  cluster    double precision not null,
  loose      double precision not null,
  source     text not null,
  report     json not null,
  derived_at timestamptz not null,
  primary key (tenant, model, id)
);
select winnow_protect('calibrations');

grant select, insert, delete on memory_vectors to winnow_app;
grant select, insert on calibrations to winnow_app;

-- +goose Down
drop table calibrations, memory_vectors;
