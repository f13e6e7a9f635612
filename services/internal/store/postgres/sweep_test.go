package postgres_test

import (
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/store/postgres"
	"github.com/winnowhq/winnow/services/internal/store/postgres/pgtest"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
)

// agedRows adds a row of each kind that retention deletes, an hour younger than the
// default keeps it.
func agedRows(t *testing.T, pool *pgxpool.Pool) {
	t.Helper()
	for _, s := range []string{
		"insert into inbox (tenant, consumer, key, taken_at) values ('default', 'x', 'k', now() - interval '359 hours')",
		"insert into outbox (tenant, event_id, subject, header, data, created_at, published_at) values ('default', 'e', 's', '{}', '', now() - interval '71 hours', now())",
		"insert into schedule_runs (tenant, schedule, slot, ran_at) values ('default', 's', now() - interval '2 days', now() - interval '359 hours'), ('default', 's', now(), now())",
		"insert into model_days (tenant, day) values ('default', (now() - interval '29 days')::date)",
		"insert into readings (tenant, principal, session_id, memory_id, read_at) values ('default', 'a', 's', 'm', now() - interval '47 hours')",
		"update proposals set state = 'rejected', created_at = now() - interval '4319 hours'",
	} {
		if _, err := pool.Exec(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

const agedCount = `
select (select count(*) from inbox where key = 'k') + (select count(*) from outbox where event_id = 'e') + (select count(*) from schedule_runs)
	+ (select count(*) from model_days) + (select count(*) from readings) + (select count(*) from proposals) + (select count(*) from decisions)`

// Issue 14, item 4: who has the relay's login deletes nothing sooner than retention says,
// whatever it asks for. Red before: an age of nothing, or below, emptied the tables.
func TestSweepIsBounded(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	rejected := story()
	rejected.Memories, rejected.Evidence = nil, nil
	if _, err := db.Store.Commit(t.Context(), memory.DefaultTenant, rejected, store.InboxKey{}); err != nil {
		t.Fatal(err)
	}
	owner := testenv.Pool(t, db.URL)
	agedRows(t, owner)
	var before int
	if err := owner.QueryRow(t.Context(), agedCount).Scan(&before); err != nil || before != 8 {
		t.Fatalf("%d rows, %v", before, err)
	}
	conn := enter(t, login(t, db.URL, postgres.Login{Name: "thief", Relay: true}), "winnow_relay")
	for _, age := range []string{
		"0", "-1 second", "-100 years", "1 microsecond", "14 days 23 hours", "-1200 months 36015 days", "1 month -15 days", "-10000 months",
	} {
		for _, s := range []string{
			"select * from winnow_sweep($1::text::interval, $1::text::interval, $1::text::interval)", "select winnow_sweep_runs($1::text::interval)",
			"select * from winnow_sweep_traces($1::text::interval)", "select * from winnow_sweep_research($1::text::interval)",
		} {
			// Some ages are beyond the calendar, which is an error and deletes nothing.
			_, err := conn.Exec(t.Context(), s, age)
			var pg *pgconn.PgError
			if err != nil && !errors.As(err, &pg) {
				t.Fatal(err)
			}
		}
		var left int
		if err := owner.QueryRow(t.Context(), agedCount).Scan(&left); err != nil || left != before {
			t.Errorf("an age of %s left %d rows of %d, %v", age, left, before, err)
		}
	}
	for _, s := range []string{"update retention set keep = '0'", "insert into retention values ('default', 'inbox', '0')", "delete from inbox", "delete from outbox"} {
		if got := refused(t, conn, "select set_config('winnow.tenant', 'default', true); "+s); got != "42501" {
			t.Errorf("%s: SQLSTATE %q", s, got)
		}
	}
	// Longer than the default can be provided for, for ever too, and then holds.
	if err := postgres.Provision(t.Context(), db.URL, postgres.Options{Retention: &store.Retention{RejectedProposals: 1}}); err != nil {
		t.Fatal(err)
	}
	n, err := db.Store.Sweep(t.Context(), store.Retention{Inbox: 1, Outbox: 1, RejectedProposals: time.Hour, Traces: 1, Research: 1})
	if err != nil || n["proposals"] != 1 || n["decisions"] != 1 || n["inbox"]+n["outbox"]+n["schedule_runs"]+n["model_days"]+n["readings"] != 0 {
		t.Errorf("swept %v, %v; want the proposal with its decision alone", n, err)
	}
}

// Retention leaves the decision that a memory rests on, also when its proposal was
// rejected afterwards, and what it deletes is in the audit: nothing is missing. The same
// rows deleted by hand are.
func TestSweepLeavesATraceAndWhatMemoriesRestOn(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	pgtest.ShortRetention(t, db.Store)
	writeStory(t, db.Store)
	for _, id := range []string{"2", "3"} {
		other := story()
		other.Memories = nil
		other.Proposals[0].ID, other.Proposals[0].EventID, other.Proposals[0].DecisionID = "prop_"+id, "evt_"+id, "dec_"+id
		other.Proposals[0].State = memory.ProposalRejected
		other.Decisions[0].ID, other.Decisions[0].ProposalID, other.Decisions[0].MemoryID = "dec_"+id, "prop_"+id, ""
		other.Evidence[0].Subject, other.Evidence[0].ProposalID = "prop_"+id, "prop_"+id
		other.Audit[0].Subject = "prop_" + id
		if id == "3" {
			other.Proposals[0].CreatedAt = time.Now()
		}
		if _, err := db.Store.Commit(t.Context(), memory.DefaultTenant, other, store.InboxKey{}); err != nil {
			t.Fatal(err)
		}
	}
	owner := testenv.Pool(t, db.URL)
	exec := func(s string) {
		t.Helper()
		if _, err := owner.Exec(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	exec("update proposals set state = 'rejected' where id = 'prop_1'") // its memory was undone
	n, err := db.Store.Sweep(t.Context(), store.Retention{RejectedProposals: time.Hour})
	if err != nil || n["proposals"] != 1 || n["decisions"] != 1 || n["evidence"] != 1 {
		t.Fatalf("swept %v, %v; want prop_2 with what hangs on it", n, err)
	}
	r, err := db.Store.VerifyRows(t.Context(), memory.DefaultTenant)
	if err != nil || len(r.Missing) > 0 || len(r.Differ) > 0 || r.Retired != 3 {
		t.Errorf("after retention: %+v, %v", r, err)
	}
	if c, err := db.Store.VerifyAudit(t.Context(), memory.DefaultTenant); err != nil || c.BrokenAt != 0 || c.Links != 4 {
		t.Errorf("the chain: %+v, %v", c, err)
	}
	// The owner of the database takes prop_3 out as retention would, without its entry.
	for _, s := range []string{"delete from evidence where subject = 'prop_3'", "delete from decisions where id = 'dec_3'", "delete from proposals where id = 'prop_3'"} {
		exec(s)
	}
	if r, err := db.Store.VerifyRows(t.Context(), memory.DefaultTenant); err != nil || len(r.Missing) != 3 {
		t.Errorf("after a theft: missing %v, %v", r.Missing, err)
	}
}

// A database with rows of an older version migrates: a memory whose decision is gone or
// was never named, a proposal that retention deleted, a body that was erased. None of it
// is taken for a theft, and what comes after is held to the new rules.
func TestMigratingRowsOfAnOlderVersion(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string][]string{
		"whole": nil,
		"with gaps": {
			"delete from decisions where id = 'dec_1'", "delete from proposals",
			"insert into memories select (jsonb_populate_record(m, '{\"id\": \"mem_0\", \"decision_id\": \"\"}')).* from memories m",
			"delete from audit_bodies where link = (select link from audit_links where seq = 2)",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := pgtest.New(t)
			writeStory(t, db.Store)
			writeChain(t, db.Store, 1)
			if err := postgres.MigrateDown(t.Context(), db.URL, 23); err != nil {
				t.Fatal(err)
			}
			owner := testenv.Pool(t, db.URL)
			for _, s := range damage {
				if tag, err := owner.Exec(t.Context(), s); err != nil || tag.RowsAffected() == 0 {
					t.Fatalf("%s: %v, %v", s, tag, err)
				}
			}
			if err := postgres.Migrate(t.Context(), db.URL); err != nil {
				t.Fatal(err)
			}
			s := pgtest.Connect(t, postgres.Config{URL: db.URL})
			c, err := s.VerifyAudit(t.Context(), memory.DefaultTenant)
			if err != nil || c.BrokenAt != 0 {
				t.Errorf("the chain: %+v, %v", c, err)
			}
			r, err := s.VerifyRows(t.Context(), memory.DefaultTenant)
			if err != nil || len(r.Missing)+len(r.Differ) > 0 {
				t.Errorf("the rows: %+v, %v", r, err)
			}
			if got := refused(t, connect(t, db.URL), memoryOf("dec_of_nobody")); got != foreignKey {
				t.Errorf("a new memory without a decision: SQLSTATE %q", got)
			}
			var valid bool
			if err := owner.QueryRow(t.Context(), "select convalidated from pg_constraint where conname = 'memories_decided'").Scan(&valid); err != nil || valid != (damage == nil) {
				t.Errorf("the key is valid for all rows: %v, %v", valid, err)
			}
		})
	}
}

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(t.Context()) })
	return conn
}
