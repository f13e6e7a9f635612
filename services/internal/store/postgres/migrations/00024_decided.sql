-- A memory names the decision that made it, and the database holds it to that: whoever
-- has taken over a worker inserts no memory that no decision accounts for, and retention
-- deletes no decision that a memory rests on (SPEC §16.2).

-- +goose Up

-- Rows of an older version may name none; that is null to the key.
alter table memories add column decided text collate "C" generated always as (nullif(decision_id, '')) stored;
-- Deleting a decision looks here.
create index memories_decided on memories (tenant, decided);
-- A decision is inserted before its memories, so the key is checked with the insert and
-- not at the commit, where the audit's head is locked. Deferrable for whoever restores
-- rows in another order.
alter table memories add constraint memories_decided foreign key (tenant, decided) references decisions deferrable not valid;
-- No worker adds such a row any more.
create policy decided on memories as restrictive for insert to winnow_worker with check (decision_id <> '');

-- In an older version retention could delete the decision of a memory that was undone.
-- Then the key holds for new rows alone.
-- +goose StatementBegin
do $$
declare
  lacking bigint;
begin
  alter table memories no force row level security;
  alter table decisions no force row level security;
  select count(*) into lacking from memories m where m.decided is not null
    and not exists (select from decisions d where d.tenant = m.tenant and d.id = m.decided);
  if lacking = 0 then
    alter table memories validate constraint memories_decided;
  else
    raise notice '% memories of an older version have no decision', lacking;
  end if;
  alter table memories force row level security;
  alter table decisions force row level security;
end $$;
-- +goose StatementEnd

-- +goose Down
drop policy decided on memories;
alter table memories drop constraint memories_decided;
alter table memories drop column decided;
