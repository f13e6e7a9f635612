-- Topics: what memories are about, the one summary that a topic has, and what a
-- caller searched and read before it wrote one.

-- +goose Up

-- As the publisher gave them, else as they were drawn from tags and words. They go
-- with the text to the memory.
alter table proposals
  add column topics       text[] not null default '{}',
  add column macro_topics text[] not null default '{}';

alter table memories
  add column macro_topics text[] not null default '{}',
  -- The topic of a summary. It stays when the summary is archived and its topics
  -- are cleared, so that the versions of a topic can be found (D18).
  add column summary_topic text collate "C" not null default '',
  -- The footer of a summary: memories on the topic when it was written, and when
  -- that was. No time, no footer.
  add column summary_count integer not null default 0,
  add column summary_at timestamptz;

-- One summary in force per topic. Deferred to the end of the transaction: the new
-- summary is inserted before the old one is archived, and an undo exchanges two
-- rows in one statement.
alter table memories add constraint memories_one_summary
  exclude using btree (tenant with =, scope with =, summary_topic with =)
  where (state = 'active' and kind = 'summary' and summary_topic <> '')
  deferrable initially deferred;
-- The versions of a topic's summary.
create index memories_summaries on memories (tenant, scope, summary_topic, id) where summary_topic <> '';

-- A summary that is archived becomes of another kind and loses its topics; both
-- come back with it (S2.20).
grant update (kind, topics) on memories to winnow_app;

-- The memories of a topic. Row security lets no condition on an array use an index,
-- because the planner does not hold array operators for leakproof.
create table memory_topics (
  tenant    text collate "C" not null,
  scope     text collate "C" not null,
  topic     text collate "C" not null,
  memory_id text collate "C" not null,
  primary key (tenant, scope, topic, memory_id),
  foreign key (tenant, memory_id) references memories on delete cascade
);
create index memory_topics_memory on memory_topics (tenant, memory_id);
select winnow_protect('memory_topics');

-- What a caller searched for, by words that may be stored: the research that a
-- summary asks for (D17).
create table searches (
  tenant      text collate "C" not null references tenants,
  principal   text collate "C" not null,
  session_id  text collate "C" not null,
  id          bigint generated always as identity,
  searched_at timestamptz not null,
  deep        boolean not null,
  topic       text collate "C" not null, -- that the search was restricted to
  words       text[] not null,
  found       integer not null,
  primary key (tenant, principal, session_id, id)
);
create index searches_age on searches using brin (searched_at);
select winnow_protect('searches');

-- What a caller was given in full. Beside the served log, which knows only named
-- sessions, keeps the first time and counts a line of a session's start too.
create table readings (
  tenant     text collate "C" not null references tenants,
  principal  text collate "C" not null,
  session_id text collate "C" not null,
  memory_id  text collate "C" not null,
  read_at    timestamptz not null,
  primary key (tenant, principal, session_id, memory_id)
);
create index readings_age on readings using brin (read_at);
select winnow_protect('readings');

grant select, insert on memory_topics, searches to winnow_app;
grant select, insert, update (read_at) on readings to winnow_app;

-- Retention of the research log, tenant by tenant under row security as
-- winnow_sweep. A null age keeps rows for ever.
-- +goose StatementBegin
create function winnow_sweep_research(age interval)
returns table (swept text, deleted bigint)
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  owner  text;
  counts bigint[] := array[0, 0];
  n      bigint;
begin
  for owner in select t.tenant from public.tenants t order by 1 loop
    perform set_config('winnow.tenant', owner, true);
    delete from public.searches s where s.searched_at < now() - age;
    get diagnostics n = row_count;
    counts[1] := counts[1] + n;
    delete from public.readings r where r.read_at < now() - age;
    get diagnostics n = row_count;
    counts[2] := counts[2] + n;
  end loop;
  return query select * from unnest(array['searches', 'readings'], counts);
end $$;
-- +goose StatementEnd
revoke execute on function winnow_sweep_research(interval) from public;
grant execute on function winnow_sweep_research(interval) to winnow_relay;

-- +goose Down
drop function winnow_sweep_research(interval);
drop table readings, searches, memory_topics;
revoke update (kind, topics) on memories from winnow_app;
drop index memories_summaries;
alter table memories drop constraint memories_one_summary;
alter table memories drop column summary_at, drop column summary_count, drop column summary_topic, drop column macro_topics;
alter table proposals drop column macro_topics, drop column topics;
