package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// inForce is the condition on a memory that counts for its topics.
const inForce = `m.state = 'active' and m.kind not in ('summary', 'summary_archived')`

var (
	countTopics = `
select r.scope, r.topic, count(*)
from unnest($2::text[], $3::text[]) as r (scope, topic)
join memory_topics t on t.tenant = $1 and t.scope = r.scope and t.topic = r.topic
join memories m on m.tenant = t.tenant and m.id = t.memory_id
where ` + inForce + ` group by r.scope, r.topic`

	selectMembers = `
select ` + memoryColumns + ` from memory_topics t
join memories m on m.tenant = t.tenant and m.id = t.memory_id
where t.tenant = $1 and (cardinality($2::text[]) = 0 or t.scope = any ($2)) and t.topic = $3 and ` + inForce + `
order by m.id limit $4`

	// A list is for a person: it may read every topic of the scopes.
	listTopics = `
select c.scope, c.topic, c.memories, c.sessions, c.newest,
	coalesce(s.id, ''), coalesce(s.summary_count, 0), s.summary_at
from (
	select t.scope, t.topic, count(*) as memories, count(distinct p.session_id) filter (where p.session_id <> '') as sessions,
		max(m.created_at) as newest
	from memory_topics t
	join memories m on m.tenant = t.tenant and m.id = t.memory_id
	left join proposals p on p.tenant = m.tenant and p.id = m.proposal_id
	where t.tenant = $1 and (cardinality($2::text[]) = 0 or t.scope = any ($2)) and ($3 = '' or t.topic = $3) and ` + inForce + `
	group by t.scope, t.topic
	having count(*) >= $4
	order by count(*) desc, t.scope, t.topic limit $5) c
left join memories s on s.tenant = $1 and s.scope = c.scope and s.summary_topic = c.topic and s.summary_topic <> ''
	and s.state = 'active' and s.kind = 'summary'
order by c.memories desc, c.scope, c.topic`

	selectSummaries = `
select ` + memoryColumns + ` from memories m
where m.tenant = $1 and m.summary_topic <> '' and (cardinality($2::text[]) = 0 or m.scope = any ($2))
	and ($3 = '' or m.summary_topic = $3) and ($4 = '' or m.state = $4)
order by m.id desc limit $5`
)

// TopicCounts implements [store.Topics].
func (s *Store) TopicCounts(ctx context.Context, tenant memory.Tenant, topics ...store.Topic) (map[store.Topic]int, error) {
	counts := make(map[store.Topic]int, len(topics))
	if len(topics) == 0 {
		return counts, nil
	}
	type count struct {
		store.Topic
		n int
	}
	rows, err := listPlanned(ctx, s, tenant, "count topics", func(row pgx.CollectableRow) (c count, err error) {
		err = row.Scan(&c.Scope, &c.Name, &c.n)
		return c, err
	}, countTopics, string(tenant),
		column(topics, func(t *store.Topic) string { return string(t.Scope) }),
		column(topics, func(t *store.Topic) string { return t.Name }))
	for _, c := range rows {
		counts[c.Topic] = c.n
	}
	return counts, err
}

// TopicMembers implements [store.Topics].
func (s *Store) TopicMembers(ctx context.Context, tenant memory.Tenant, q store.TopicQuery) ([]memory.Memory, error) {
	return listPlanned(ctx, s, tenant, "read a topic", scanMemory, selectMembers, string(tenant), scopeNames(q.Scopes), q.Name, q.Limit)
}

// TopicList implements [store.Topics].
func (s *Store) TopicList(ctx context.Context, tenant memory.Tenant, q store.TopicListQuery) ([]store.TopicStatus, error) {
	return listPlanned(ctx, s, tenant, "list topics", func(row pgx.CollectableRow) (t store.TopicStatus, err error) {
		err = row.Scan(&t.Scope, &t.Name, &t.Memories, &t.Sessions, nullable(&t.Newest), &t.SummaryID, &t.SummaryCount, nullable(&t.SummaryAt))
		return t, err
	}, listTopics, string(tenant), scopeNames(q.Scopes), q.Name, q.Least, limited(q.Limit))
}

// Summaries implements [store.Topics].
func (s *Store) Summaries(ctx context.Context, tenant memory.Tenant, q store.SummaryQuery) ([]memory.Memory, error) {
	return listPlanned(ctx, s, tenant, "list summaries", scanMemory, selectSummaries,
		string(tenant), scopeNames(q.Scopes), q.Topic, string(q.State), limited(q.Limit))
}

func limited(n int) int {
	if n <= 0 {
		return defaultLimit
	}
	return n
}

// maxResearch bounds the deep searches and the readings that are read of a caller:
// far more than a protocol asks for.
const maxResearch = 2000

const (
	// The parts of one statement run in an order of their own, and touch different
	// tables. Readings are inserted in one order, for the reason of insertServed. A
	// reading of the last minute is not written again, because the same few memories
	// are found by many searches.
	insertResearch = `
with searched as (
	insert into searches (tenant, principal, session_id, searched_at, deep, topic, words, found)
	select $1, r.principal, r.session, r.at, r.deep, r.topic, r.words::text[], r.found
	from unnest($2::text[], $3::text[], $4::timestamptz[], $5::bool[], $6::text[], $7::text[], $8::int4[])
		with ordinality as r (principal, session, at, deep, topic, words, found, n)
	order by r.n)
insert into readings (tenant, principal, session_id, memory_id, read_at)
select $1, r.principal, r.session, r.memory_id, max(r.read_at)
from unnest($9::text[], $10::text[], $11::text[], $12::timestamptz[]) as r (principal, session, memory_id, read_at)
group by r.principal, r.session, r.memory_id
order by r.principal, r.session, r.memory_id
on conflict (tenant, principal, session_id, memory_id) do update set read_at = excluded.read_at
where readings.read_at < excluded.read_at - interval '1 minute'`

	selectDeepSearches = `
select deep, topic, words, found, searched_at from searches
where tenant = $1 and principal = $2 and session_id = $3 and searched_at >= $4 and deep
order by id desc limit $5`

	selectReadings = `
select memory_id, read_at from readings
where tenant = $1 and principal = $2 and session_id = $3 and read_at >= $4
order by memory_id limit $5`
)

// RecordResearch implements [store.ResearchLog].
func (s *Store) RecordResearch(ctx context.Context, tenant memory.Tenant, list ...store.Research) error {
	type searched struct {
		of *store.Research
		store.Searched
	}
	type reading struct {
		of *store.Research
		store.Reading
	}
	var searches []searched
	var read []reading
	for i := range list {
		for _, q := range list[i].Searches {
			searches = append(searches, searched{&list[i], q})
		}
		for _, m := range list[i].Read {
			read = append(read, reading{&list[i], m})
		}
	}
	if len(searches)+len(read) == 0 {
		return nil
	}
	return s.write(ctx, tenant, "record research", insertResearch, string(tenant),
		column(searches, func(q *searched) string { return q.of.Principal }),
		column(searches, func(q *searched) string { return q.of.Session }),
		column(searches, func(q *searched) pgtype.Timestamptz { return stamp(q.At) }),
		column(searches, func(q *searched) bool { return q.Deep }),
		column(searches, func(q *searched) string { return q.Topic }),
		column(searches, func(q *searched) string { return arrayLiteral(q.Words) }),
		column(searches, func(q *searched) int32 { return int32(q.Found) }),
		column(read, func(m *reading) string { return m.of.Principal }),
		column(read, func(m *reading) string { return m.of.Session }),
		column(read, func(m *reading) string { return m.MemoryID }),
		column(read, func(m *reading) pgtype.Timestamptz { return stamp(m.At) }))
}

// Research implements [store.ResearchLog].
func (s *Store) Research(ctx context.Context, tenant memory.Tenant, principal, session string, since time.Time) (store.Research, error) {
	r := store.Research{Principal: principal, Session: session}
	var err error
	r.Searches, err = list(ctx, s, tenant, "read searches", func(row pgx.CollectableRow) (q store.Searched, err error) {
		err = row.Scan(&q.Deep, &q.Topic, &q.Words, &q.Found, nullable(&q.At))
		return q, err
	}, selectDeepSearches, string(tenant), principal, session, stamp(since), maxResearch)
	if err != nil {
		return r, err
	}
	r.Read, err = list(ctx, s, tenant, "read readings", func(row pgx.CollectableRow) (m store.Reading, err error) {
		err = row.Scan(&m.MemoryID, nullable(&m.At))
		return m, err
	}, selectReadings, string(tenant), principal, session, stamp(since), maxResearch)
	return r, err
}

const selectResearchLines = `
select at, principal, session_id, search, deep, topic, words, found, memory_id, scope from (
	select searched_at as at, principal, session_id, true as search, deep, topic, words, found, '' as memory_id, '' as scope
	from searches where tenant = $1
	union all
	select r.read_at, r.principal, r.session_id, false, false, '', '{}', 0, r.memory_id, coalesce(m.scope, '')
	from readings r left join memories m on m.tenant = r.tenant and m.id = r.memory_id
	where r.tenant = $1
) l
where ($2 = '' or principal = $2) and ($3 = '' or session_id = $3) and ($4::timestamptz is null or at >= $4)
order by at desc, search desc, memory_id limit $5`

// ResearchLines implements [store.ResearchLog].
func (s *Store) ResearchLines(ctx context.Context, tenant memory.Tenant, q store.ResearchQuery) ([]store.ResearchLine, error) {
	return list(ctx, s, tenant, "read the research log", func(row pgx.CollectableRow) (l store.ResearchLine, err error) {
		var found store.Searched
		var search bool
		err = row.Scan(nullable(&l.At), &l.Principal, &l.Session, &search, &found.Deep, &found.Topic, &found.Words, &found.Found, &l.MemoryID, &l.Scope)
		if found.At = l.At; search {
			l.Search = &found
		}
		return l, err
	}, selectResearchLines, string(tenant), q.Principal, q.Session, stamp(q.Since), limited(q.Limit))
}
