package postgres_test

import (
	"testing"

	"github.com/winnowhq/winnow/services/internal/store/postgres/pgtest"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
)

// Analyze refreshes the planner's statistics for every tenant's rows, although the
// relay's role owns no table.
func TestAnalyzeSeesRowsUnderRowSecurity(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	pool := testenv.Pool(t, db.URL)
	if _, err := pool.Exec(t.Context(), `insert into scopes (tenant, id, version) values ('default', 'project:a', 1);
		insert into memories (tenant, id, scope, state, kind, section, title, description, body, category, tags, topics, importance,
			confidence, outcome, principal, origin, authority, created_at, seen_count, proposal_id, decision_id, archive_reason, successor_id, version)
		select 'default', 'mem_' || n, 'project:a', 'active', 'fact', '', '', '', 'text', '', '{}', '{}', 5, 0.5, '', 'agent', 2, 2, now(), 1, '', '', '', '', 1
		from generate_series(1, 300) n`); err != nil {
		t.Fatal(err)
	}
	if err := db.Store.Analyze(t.Context()); err != nil {
		t.Fatal(err)
	}
	var rows float64
	if err := pool.QueryRow(t.Context(), `select reltuples from pg_class where relname = 'memories'`).Scan(&rows); err != nil || rows != 300 {
		t.Errorf("the planner thinks of %v rows, %v; want 300", rows, err)
	}
}
