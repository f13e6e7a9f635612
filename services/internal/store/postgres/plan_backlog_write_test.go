package postgres_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// writeTables lists the tables in which a commit finds rows by their keys.
const writeTables = "scopes, memories, proposals, decisions, evidence, memory_links, sessions"

// keyedWrites are changes of the rows with these numbers.
func keyedWrites(numbers ...int) map[string]func(context.Context, store.Store) error {
	var memories, proposals, sessions, evidence, links change.Set
	var scopes []store.Item
	for _, n := range numbers {
		id := func(prefix string) string { return fmt.Sprintf("%s_%05d", prefix, n) }
		memories.MemoryUpdates = append(memories.MemoryUpdates, change.MemoryUpdate{ID: id("mem"), State: memory.StateArchived})
		proposals.ProposalUpdates = append(proposals.ProposalUpdates, change.ProposalUpdate{
			ID: id("prop"), State: memory.ProposalExpired, Kind: memory.KindFact,
		})
		sessions.SessionUpdates = append(sessions.SessionUpdates, change.SessionUpdate{ID: id("sess"), State: memory.SessionDistilled})
		evidence.DroppedEvidence = append(evidence.DroppedEvidence, memory.Evidence{Subject: id("mem"), ID: id("ev")})
		links.DroppedLinks = append(links.DroppedLinks, memory.Link{From: id("mem"), Kind: memory.LinkSupersedes, To: "mem_00000"})
		scopes = append(scopes, store.Item{Key: id("key"), Scope: memory.Scope("project:" + id("p"))})
	}
	commit := func(set change.Set) func(context.Context, store.Store) error {
		return func(ctx context.Context, s store.Store) error {
			_, err := s.Commit(ctx, memory.DefaultTenant, set, store.InboxKey{})
			return err
		}
	}
	return map[string]func(context.Context, store.Store) error{
		"updating memories":  commit(memories),
		"updating proposals": commit(proposals),
		"updating sessions":  commit(sessions),
		"dropping evidence":  commit(evidence),
		"dropping links":     commit(links),
		"a batch": func(ctx context.Context, s store.Store) error {
			_, err := s.CommitBatch(ctx, memory.DefaultTenant, store.Batch{Consumer: "plans", Items: scopes},
				func(context.Context, []int, store.LaneView) (change.Set, error) { return change.Set{}, nil })
			return err
		},
		"what changed in a lane": func(ctx context.Context, s store.Store) error {
			items := []store.Item{{Key: fmt.Sprint("lane_", numbers), Scope: "project:lane"}}
			_, err := s.CommitBatch(ctx, memory.DefaultTenant, store.Batch{Consumer: "plans", Items: items},
				func(ctx context.Context, _ []int, lanes store.LaneView) (change.Set, error) {
					_, err := lanes.Lanes(ctx, map[memory.Scope]int64{"project:lane": backlog - 3})
					return change.Set{}, err
				})
			return err
		},
	}
}

// A commit touches only the rows that it names by their keys, for any size of the
// tables at the first write of a connection.
func TestWritesPlannedBeforeABacklog(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]string{
		"tables were empty":            fillWrites(1, 1),
		"tables were counted as empty": "analyze " + writeTables + ";" + fillWrites(1, 1),
		"tables held little":           fillWrites(1, 10) + "; analyze " + writeTables,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			owner, s, session := counted(t)
			exec(t, owner, fmt.Sprintf(`insert into scopes (tenant, id, version) values ('default', 'project:lane', %d)`, backlog))
			exec(t, owner, prepare)
			for what, write := range keyedWrites(1) {
				if err := write(t.Context(), s); err != nil {
					t.Fatalf("%s: %v", what, err)
				}
			}
			exec(t, owner, fillWrites(11, backlog)+"; "+flush)
			numbers := []int{17, 2500, 4999}
			for what, write := range keyedWrites(numbers...) {
				before := rowsTouched(t, session)
				if err := write(t.Context(), s); err != nil {
					t.Fatalf("%s: %v", what, err)
				}
				// A row is read for its scope, for its address, for the change, and to
				// check references.
				most := 6*len(numbers) + 10
				if touched := rowsTouched(t, session) - before; touched > most {
					t.Errorf("%s touches %d rows of tables of %d, want %d at most", what, touched, backlog, most)
				}
			}
		})
	}
}

// rowsTouched returns the number of rows that the session has read from the tables
// that commits change, see [rowsRead].
func rowsTouched(t *testing.T, session *pgxpool.Pool) (n int) {
	t.Helper()
	exec(t, session, flush)
	const query = `select coalesce(sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)), 0)::int
		from pg_stat_user_tables where relname = any (string_to_array($1, ', '))`
	if err := session.QueryRow(t.Context(), query, writeTables).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// fillWrites inserts rows into all of the tables, in one lane and in a scope
// each.
func fillWrites(from, to int) string {
	return fmt.Sprintf(`
		create temp view n as select n, lpad(n::text, 5, '0') as id from generate_series(%d, %d) n;
		insert into scopes (tenant, id, version) select 'default', 'project:p_' || id, 1 from n;
		insert into memories (tenant, id, scope, state, kind, section, title, description, body, category, tags, topics, importance,
				confidence, outcome, principal, origin, authority, created_at, seen_count, proposal_id, decision_id, archive_reason,
				successor_id, version)
			select 'default', 'mem_' || id, 'project:lane', 'active', 'fact', '', '', '', 'text', '', '{}', '{}', 5, 0.5, '', 'agent', 2, 2,
				now(), 1, '', '', '', '', n from n;
		insert into proposals (tenant, id, scope, state, kind, section, title, body, category, tags, importance, principal, origin,
				authority, event_id, session_id, created_at, seen_count, target, decision_id, version, lane)
			select 'default', 'prop_' || id, 'project:lane', 'rejected', 'fact', '', '', 'text', '', '{}', 5, 'agent', 2, 2,
				'', '', now(), 1, '', 'dec_' || id, n, true from n;
		insert into decisions select 'default', 'dec_' || id, 'project:lane', 'prop_' || id, 'rejected', 'dup.exact', '{}', '', '',
			'', '', 'standard', 'v1', 'lex-1', '{}', '[]', '{}', 'agent', 'person', 2, '', now(), n from n;
		insert into evidence (tenant, subject, id, proposal_id, principal, session_id, origin, role, span)
			select 'default', 'mem_' || id, 'ev_' || id, '', 'agent', '', 2, 'user', 'span' from n;
		insert into memory_links select 'default', 'mem_' || id, 'supersedes', 'mem_00000' from n;
		insert into sessions select 'default', 'sess_' || id, 'project:lane', 'run_' || n, '', 'agent', 2, '', '', '', '', '', '', '',
			false, '', null, null, now(), 'hash_' || n, 1, 0, 0, 0, 1, 'ingested', null, '', '', 0, 0, '' from n;
		drop view n`, from, to)
}
