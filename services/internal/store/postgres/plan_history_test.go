package postgres_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/store/postgres"
	"github.com/winnowhq/winnow/services/internal/store/postgres/pgtest"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
)

// A history: memories and decisions of 400 days in many scopes. The newest of
// each hundred memories is a rule; of each fifty one was archived.
const (
	historyScopes = 50
	historyRows   = 10_000 // memories, and rejected proposals; twice as many decisions
	historyDays   = 400
)

// history fills the tables and has the server count them.
const history = `
insert into scopes (tenant, id, version) select 'default', 'project:p' || n, 1 from generate_series(0, %[1]d - 1) n on conflict do nothing;
insert into memories (tenant, id, scope, state, kind, section, title, description, body, category, tags, topics, importance,
		confidence, outcome, principal, origin, authority, created_at, seen_count, proposal_id, decision_id, archive_reason, successor_id, version, archived_at)
	select 'default', 'mem_' || lpad(n::text, 8, '0'), 'project:p' || n %% %[1]d, case n %% 53 when 0 then 'archived' else 'active' end,
		case n / %[1]d %% 100 when 0 then 'rule' when 1 then 'preference' when 2 then 'strategy' else 'fact' end,
		'', '', '', 'text', '', '{}', '{}', 5, 0.5, '', 'agent', 2, 2, at.at, 1, '', '', '', '', n,
		case n %% 53 when 0 then at.at + interval '1 minute' end
	from generate_series(1, %[2]d) n, lateral (select now() - (%[2]d - n) * (interval '1 day' * %[3]d / %[2]d) as at) at;
insert into decisions (tenant, id, scope, proposal_id, verdict, rule, fired, advice, reason, target, memory_id, policy, policy_version,
		calibration, features, candidates, inputs, principal, actor, authority, undoes, decided_at)
	select 'default', 'dec_' || lpad(n::text, 8, '0'), 'project:p' || n %% %[1]d, 'prop_' || lpad(n::text, 8, '0'),
		case n %% 2 when 0 then 'promoted' else 'rejected' end, 'fact', '{}', '', '', '',
		case n %% 2 when 0 then 'mem_' || lpad((n / 2)::text, 8, '0') else '' end, 'standard', 'v1', 'lex-1', '{}', '[]', '{}', 'agent', 'triage', 2, '',
		now() - (2 * %[2]d - n) * (interval '1 day' * %[3]d / (2 * %[2]d))
	from generate_series(1, 2 * %[2]d) n;
insert into proposals (tenant, id, scope, state, kind, section, title, body, category, tags, importance, principal, origin, authority,
		event_id, session_id, created_at, seen_count, target, decision_id, version, lane)
	select 'default', 'prop_' || lpad(n::text, 8, '0'), 'project:p' || n %% %[1]d, case n %% 2 when 0 then 'promoted' else 'rejected' end,
		'fact', '', '', 'text', '', '{}', 5, 'agent', 2, 2, 'evt_' || n, '',
		now() - (2 * %[2]d - n) * (interval '1 day' * %[3]d / (2 * %[2]d)), 1, '', 'dec_' || lpad(n::text, 8, '0'), n, false
	from generate_series(1, 2 * %[2]d) n;
insert into served (tenant, session_id, memory_id, principal, served_at)
	select 'default', 'session_' || n / 10, 'mem_' || lpad(n::text, 8, '0'), 'agent', now() - (%[2]d - n) * interval '1 minute'
	from generate_series(1, %[2]d) n;
insert into inbox (tenant, consumer, key, taken_at)
	select 'default', 'triage', 'evt_' || n || '/agent' || repeat('x', 300), now() - (%[2]d - n) * (interval '1 day' * 20 / %[2]d) from generate_series(1, %[2]d) n;
insert into outbox (tenant, event_id, subject, header, data, created_at, published_at, stream_seq)
	select 'default', 'evt_' || n, 'proposal.decided', '{}', repeat('x', 400)::bytea, now() - (%[2]d - n) * (interval '1 day' * 4 / %[2]d), now(), n
	from generate_series(1, %[2]d) n;
insert into workflows (tenant, id, scope, status, name, description, summary, principal, created_at, updated_at, version)
	select 'default', 'wf_' || lpad(n::text, 8, '0'), 'project:p' || n %% %[1]d, case when n < %[1]d then 'active' else 'completed' end,
		'task', '', '', 'agent', now(), now(), 1 from generate_series(0, 20 * %[1]d - 1) n;
insert into memory_links (tenant, from_id, kind, to_id)
	select 'default', 'mem_' || lpad(n::text, 8, '0'), 'workflow', 'wf_' || lpad((n %% (20 * %[1]d))::text, 8, '0') from generate_series(1, %[2]d) n;
select brin_summarize_new_values('inbox_age'), brin_summarize_new_values('outbox_age'), brin_summarize_new_values('decisions_age');
analyze scopes; analyze memories; analyze decisions; analyze proposals; analyze served; analyze inbox; analyze outbox;
analyze workflows; analyze memory_links`

// historyReads lists the reads of a session's start, a digest and an empty search,
// with the number of rows that each returns and may touch.
func historyReads() map[string]struct {
	most int
	read func(context.Context, store.Store) (int, error)
} {
	type reads = map[string]struct {
		most int
		read func(context.Context, store.Store) (int, error)
	}
	var scopes []memory.Scope
	for i := range 32 {
		scopes = append(scopes, memory.Scope(fmt.Sprintf("project:p%d", i)))
	}
	newest := func(q store.NewestQuery) func(context.Context, store.Store) (int, error) {
		return func(ctx context.Context, s store.Store) (int, error) {
			list, err := s.Newest(ctx, memory.DefaultTenant, q)
			return len(list), err
		}
	}
	left := func(q store.ArchivedQuery) func(context.Context, store.Store) (int, error) {
		return func(ctx context.Context, s store.Store) (int, error) {
			list, err := s.Archived(ctx, memory.DefaultTenant, q)
			return len(list), err
		}
	}
	directives := []memory.Kind{memory.KindRule, memory.KindPreference}
	yesterday := time.Now().Add(-24 * time.Hour)
	return reads{
		// Each kind is read up to the limit before the scope's limit is applied.
		"directives of 32 scopes": {32 * 2 * 3, newest(store.NewestQuery{Scopes: scopes, Kinds: directives, Each: 3})},
		"directives of a tenant":  {2 * 20, newest(store.NewestQuery{Kinds: directives, Each: 20})},
		"lessons of a scope":      {20, newest(store.NewestQuery{Scopes: scopes[:1], Kinds: []memory.Kind{memory.KindStrategy}, Each: 20})},
		"what came to a scope":    {4 * 10, newest(store.NewestQuery{Scopes: scopes[:1], Each: 10})},
		"what came to a tenant":   {11, newest(store.NewestQuery{Each: 10})},
		"is there anything":       {32 * 4, newest(store.NewestQuery{Scopes: scopes, Each: 1})},
		"what left scopes":        {10, left(store.ArchivedQuery{Scopes: scopes, Since: yesterday, Each: 10})},
		"what left a tenant":      {10, left(store.ArchivedQuery{Since: yesterday, Each: 10})},
		"a page of promotions": {20, func(ctx context.Context, s store.Store) (int, error) {
			list, err := s.Promotions(ctx, memory.DefaultTenant, store.PromotionQuery{
				Since: yesterday.Add(-6 * 24 * time.Hour), Until: time.Now(), Limit: 20,
			})
			return len(list), err
		}},
		"promotions of a quiet hour": {5, func(ctx context.Context, s store.Store) (int, error) {
			list, err := s.Promotions(ctx, memory.DefaultTenant, store.PromotionQuery{
				Since: time.Now().Add(-time.Hour), Until: time.Now(), Limit: 200,
			})
			return len(list), err
		}},
		"has a scope more than ten memories": {11, func(ctx context.Context, s store.Store) (int, error) {
			return s.ActiveCount(ctx, memory.DefaultTenant, scopes[0], 10)
		}},
		"what a scope lost this month": {2, func(ctx context.Context, s store.Store) (int, error) {
			return s.Eroded(ctx, memory.DefaultTenant, scopes[0], yesterday.Add(-29*24*time.Hour))
		}},
		// The workflow twice, and of each of its 10 memories the link, twice, the memory and
		// what stands for it now.
		"the active workflow": {2 + 4*10, func(ctx context.Context, s store.Store) (int, error) {
			t, err := s.ActiveWorkflow(ctx, memory.DefaultTenant, scopes[7], 20)
			return len(t.Memories), err
		}},
		"when something was served": {11, func(ctx context.Context, s store.Store) (int, error) {
			at, err := s.LastServed(ctx, memory.DefaultTenant, "agent", fmt.Sprintf("session_%d", historyRows/10))
			if at.IsZero() {
				return 0, err
			}
			return 1, err
		}},
	}
}

// The reads of a session's start do not grow with the history, for plans made
// before and after the history.
func TestReadsOfAHistory(t *testing.T) {
	t.Parallel()
	owner, s, session := counted(t)
	for what, r := range historyReads() {
		if _, err := r.read(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	exec(t, owner, fmt.Sprintf(history, historyScopes, historyRows, historyDays)+"; "+flush)
	for what, r := range historyReads() {
		before := rowsReadOf(t, session, "memories", "decisions", "served", "workflows", "memory_links")
		n, err := r.read(t.Context(), s)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		touched := rowsReadOf(t, session, "memories", "decisions", "served", "workflows", "memory_links") - before
		t.Logf("%s: %d rows, %d touched", what, n, touched)
		if touched > r.most {
			t.Errorf("%s touches %d rows of %d memories and %d decisions, want %d at most", what, touched, historyRows, 2*historyRows, r.most)
		}
	}
}

// S4.2: every search counts in how many sessions its memories were shown. While the server
// has not counted the table, it reads the rows of these memories, and not the tenant's.
func TestUsesReadTheirOwnRows(t *testing.T) {
	t.Parallel()
	s := pgtest.Connect(t, postgres.Config{URL: pgtest.New(t).URL, MaxConns: 1})
	session := postgres.Session(s)
	mustCount(t, session)
	const sessions = 8
	shown := make([]store.Served, 4000)
	for i := range shown {
		shown[i] = store.Served{SessionID: fmt.Sprint("s", i%sessions), MemoryID: fmt.Sprint("mem_", i/sessions), Principal: "agent", At: time.Now()}
	}
	if err := s.RecordServed(t.Context(), memory.DefaultTenant, shown); err != nil {
		t.Fatal(err)
	}
	before := rowsReadOf(t, session, "served")
	uses, err := s.Uses(t.Context(), memory.DefaultTenant, "s1", "mem_1", "mem_100", "mem_400", "mem_none")
	if read := rowsReadOf(t, session, "served") - before; err != nil || len(uses) != 3 || uses["mem_100"] != sessions-1 || read > 3*sessions {
		t.Errorf("%v, %v: %d rows read, want %d at most", uses, err, read, 3*sessions)
	}
}

// blockRange is the number of rows in the block range that contains the limit: 128
// pages of 8 kB, with rows of about 390 and 510 bytes, once for each of two tenants.
func blockRange(table string) int {
	return map[string]int{"inbox": 2 * 128 * 8192 / 380, "outbox": 2 * 128 * 8192 / 500}[table]
}

// Retention reads the rows that it deletes and the one block range that contains
// the limit.
func TestRetentionOfAHistory(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	owner := testenv.Pool(t, db.URL)
	s := pgtest.Connect(t, postgres.Config{URL: db.URL, MaxConns: 1})
	relay := postgres.RelaySession(s)
	mustCount(t, owner)
	if _, err := s.Sweep(t.Context(), store.DefaultRetention()); err != nil {
		t.Fatal(err)
	}
	exec(t, owner, fmt.Sprintf(history, historyScopes, historyRows, historyDays)+"; "+flush)
	sweep := func(r store.Retention) (deleted map[string]int64, touched map[string]int) {
		t.Helper()
		tables := []string{"proposals", "decisions", "evidence", "inbox", "outbox"}
		touched = map[string]int{}
		for _, table := range tables {
			touched[table] = -rowsReadOf(t, relay, table)
		}
		deleted, err := s.Sweep(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		for _, table := range tables {
			touched[table] += rowsReadOf(t, relay, table)
		}
		return deleted, touched
	}
	const day = 24 * time.Hour
	r := store.Retention{Inbox: 19 * day, Outbox: 3*day + 20*time.Hour, RejectedProposals: 398 * day}
	deleted, touched := sweep(r)
	t.Logf("deleted %v, touched %v", deleted, touched)
	for table, n := range touched {
		more := blockRange(table)
		if table == "decisions" { // each is asked once whether a memory rests on it
			more = int(deleted[table])
		}
		if deleted[table] == 0 && table != "evidence" || n > int(deleted[table])+more {
			t.Errorf("%s: %d deleted, %d touched, want %d more at most", table, deleted[table], n, more)
		}
	}
	// The next hour finds nothing, as most hours do.
	if deleted, touched = sweep(r); touched["proposals"]+touched["decisions"]+touched["evidence"] > 0 {
		t.Errorf("deleted %v, touched %v", deleted, touched)
	}
}

// rowsReadOf returns the number of rows of these tables that the session has read.
// The server counts every fetched row, also those that a filter removed.
func rowsReadOf(t *testing.T, session *pgxpool.Pool, tables ...string) (n int) {
	t.Helper()
	exec(t, session, flush)
	const query = `select coalesce(sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)), 0)::int
		from pg_stat_user_tables where relname = any ($1)`
	if err := session.QueryRow(t.Context(), query, tables).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}
