package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/store/postgres"
	"github.com/winnowhq/winnow/services/internal/store/postgres/pgtest"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
)

const (
	backlog     = 5000 // memories that come at once
	backlogPage = 50
	model       = "plan-1"
)

// backlogRow returns the id of the n-th memory of the backlog.
func backlogRow(n int) string { return fmt.Sprintf("mem_%05d", n) }

// indexReads lists the reads of an index with the number of rows that each may
// touch, also in a database session that planned them for empty tables.
func indexReads() map[string]struct {
	most int
	read func(context.Context, store.Store) error
} {
	type reads = map[string]struct {
		most int
		read func(context.Context, store.Store) error
	}
	some := []string{backlogRow(7), backlogRow(2500), backlogRow(4999)}
	rows := func(q store.IndexQuery) func(context.Context, store.Store) error {
		return func(ctx context.Context, s store.Store) error {
			_, err := s.IndexRows(ctx, memory.DefaultTenant, q)
			return err
		}
	}
	return reads{
		"a page":            {2 * backlogPage, rows(store.IndexQuery{Model: model, Limit: backlogPage})},
		"a later page":      {2 * backlogPage, rows(store.IndexQuery{Model: model, After: backlogRow(3000), Limit: backlogPage})},
		"a page of lacking": {2 * backlogPage, rows(store.IndexQuery{Model: "plan-2", Lacking: true, After: backlogRow(3000), Limit: backlogPage})},
		"some by id":        {2 * len(some), rows(store.IndexQuery{Model: model, IDs: some})},
		"what lanes changed": {2 * 3, rows(store.IndexQuery{Model: model, Limit: backlogPage, Changed: map[memory.Scope]int64{
			"project:a": backlog - 3, "project:b": 0,
		}})},
		"memories by id": {len(some), func(ctx context.Context, s store.Store) error {
			_, err := s.Memories(ctx, memory.DefaultTenant, store.MemoryQuery{IDs: some})
			return err
		}},
		"rows of a lane": {len(some), func(ctx context.Context, s store.Store) error {
			_, err := s.LaneRows(ctx, memory.DefaultTenant, some, nil)
			return err
		}},
		"outline of a lane": {backlogPage + 1, func(ctx context.Context, s store.Store) error {
			_, err := s.LaneOutlines(ctx, memory.DefaultTenant, backlogPage, "project:a")
			return err
		}},
		"versions of scopes": {0, func(ctx context.Context, s store.Store) error {
			_, err := s.ScopeVersions(ctx, memory.DefaultTenant, "project:a")
			return err
		}},
		"keeping vectors": {2 * len(some), func(ctx context.Context, s store.Store) error {
			v := map[string][]float32{}
			for _, id := range some {
				v[id] = []float32{1}
			}
			return s.PutVectors(ctx, memory.DefaultTenant, "plan-3", v)
		}},
		"a calibration": {0, func(ctx context.Context, s store.Store) error {
			_, err := s.Calibration(ctx, memory.DefaultTenant, model)
			if errors.Is(err, store.ErrNotFound) {
				return nil
			}
			return err
		}},
	}
}

// A connection makes a plan once and reuses it. A plan made before a backlog must
// not read the whole backlog for each page or id. The test counts the rows that a
// read touches and does not look at the plan.
func TestPlansMadeBeforeABacklog(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]string{
		"tables were empty":            "",
		"tables were counted as empty": "analyze memories; analyze memory_vectors; analyze scopes",
		"tables held little":           fill(1, 10) + "; analyze memories; analyze memory_vectors; analyze scopes",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			owner, s, session := counted(t)
			exec(t, owner, `insert into scopes (tenant, id, version) values ('default', 'project:a', 1), ('default', 'project:b', 1)
				on conflict do nothing`)
			exec(t, owner, prepare)
			for what, r := range indexReads() {
				if err := r.read(t.Context(), s); err != nil {
					t.Fatalf("%s: %v", what, err)
				}
			}
			exec(t, owner, fill(11, backlog)+"; "+flush)
			for what, r := range indexReads() {
				before := rowsRead(t, session)
				if err := r.read(t.Context(), s); err != nil {
					t.Fatalf("%s: %v", what, err)
				}
				// A read touches a few more rows than it returns: the end of a page and
				// checks of references.
				if touched := rowsRead(t, session) - before; touched > r.most+10 {
					t.Errorf("%s touches %d of %d memories and as many vectors, want %d at most", what, touched, backlog, r.most+10)
				}
			}
		})
	}
}

// fill inserts memories and their vectors of one model.
func fill(from, to int) string {
	return fmt.Sprintf(`insert into memories (tenant, id, scope, state, kind, section, title, description, body, category, tags, topics, importance,
			confidence, outcome, principal, origin, authority, created_at, seen_count, proposal_id, decision_id, archive_reason, successor_id, version)
		select 'default', 'mem_' || lpad(n::text, 5, '0'), 'project:a', 'active', 'fact', '', '', '', 'text', '', '{}', '{}', 5, 0.5, '', 'agent', 2, 2,
			now(), 1, '', '', '', '', n
		from generate_series(%[1]d, %[2]d) n;
		insert into memory_vectors (tenant, memory_id, model, vector)
		select 'default', 'mem_' || lpad(n::text, 5, '0'), '%[3]s', '\x0000803f' from generate_series(%[1]d, %[2]d) n`, from, to, model)
}

// flush makes a database session report its statistics now. Otherwise the session
// reports within ten seconds, in the middle of another measurement.
const flush = `select pg_stat_force_next_flush()`

func exec(t *testing.T, pool *pgxpool.Pool, statements string) {
	t.Helper()
	if _, err := pool.Exec(t.Context(), statements); err != nil {
		t.Fatal(err)
	}
}

// counted returns a database with its owner's connections, and a store of one connection, of
// which session says what its statements read.
func counted(t *testing.T) (owner *pgxpool.Pool, s *postgres.Store, session *pgxpool.Pool) {
	t.Helper()
	db := pgtest.New(t)
	s = pgtest.Connect(t, postgres.Config{URL: db.URL, MaxConns: 1})
	mustCount(t, postgres.Session(s))
	return testenv.Pool(t, db.URL), s, postgres.Session(s)
}

// mustCount skips the test where the server does not say at once what a statement read.
func mustCount(t *testing.T, session *pgxpool.Pool) {
	t.Helper()
	var can bool
	if err := session.QueryRow(t.Context(), `select to_regproc('pg_stat_force_next_flush') is not null`).Scan(&can); err != nil {
		t.Fatal(err)
	}
	if !can {
		testenv.Skip(t, "postgres15", "this PostgreSQL does not say at once what a statement read")
	}
}

// rowsRead returns the number of memories and vectors that the session has read.
func rowsRead(t *testing.T, session *pgxpool.Pool) int {
	t.Helper()
	return rowsReadOf(t, session, "memories", "memory_vectors")
}
