package postgres_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store/postgres/pgtest"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
)

// The checker of the storms finds each loss and each repetition that is put before it,
// and nothing in rows that are as they should be.
func TestLedgerFindsFaults(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	writeStory(t, db.Store)
	pool := testenv.Pool(t, db.URL)
	find := func(sent ...string) []string {
		t.Helper()
		faults, err := pgtest.Faults(t.Context(), pool, db.Store, sent, memory.DefaultTenant)
		if err != nil {
			t.Fatal(err)
		}
		return faults
	}
	if faults := find("evt_1"); len(faults) > 0 {
		t.Fatalf("faults where there are none: %q", faults)
	}
	if faults := find("evt_1", "evt_2"); !slices.Contains(faults, "lost: sent and not stored: evt_2") {
		t.Errorf("an event that was lost: %q", faults)
	}
	if faults := find(); len(faults) > 0 {
		t.Errorf("without a list of what was sent: %q", faults)
	}
	for _, c := range []struct{ statement, want string }{
		{"insert into proposals select (p).* from (select jsonb_populate_record(p, '{\"id\": \"prop_9\"}') as p from proposals p) x", "twice: proposals of one event: agent evt_1"},
		{"insert into decisions select (d).* from (select jsonb_populate_record(d, '{\"id\": \"dec_9\"}') as d from decisions d) x", "twice: verdicts on one proposal: prop_1"},
		{"update memories set body = 'The port is 6666.' where id = 'mem_1'", "a row that was changed: mem_1"},
		{"delete from evidence where subject = 'mem_1'", "a row that is missing: mem_1/evi_1"},
		{"insert into evidence select (e).* from (select jsonb_populate_record(e, '{\"subject\": \"mem_9\"}') as e from evidence e) x", "evidence of nothing: mem_9/evi_1"},
		{"update proposals set state = 'pending'", "lost: a proposal that waits for triage: prop_1"},
		{"update scopes set version = 0", "a row newer than its scope: prop_1"},
		{"delete from decisions", "lost: a proposal without a decision: prop_1"},
		{"delete from memories", "lost: promoted and no memory: dec_1"},
		{"delete from audit_links", "audit of default: link 1"},
		{"insert into outbox (tenant, event_id, subject, header, data) values ('default', 'evt_9', 'memory.recorded', '{}', '')", "an event that was not published: "},
	} {
		// Each fault is taken back before the next.
		db := pgtest.New(t)
		writeStory(t, db.Store)
		owner := testenv.Pool(t, db.URL)
		script := "set session_replication_role = replica; " + c.statement
		if _, err := owner.Exec(t.Context(), script); err != nil {
			t.Errorf("%s: %v", c.statement, err)
			continue
		}
		faults, err := pgtest.Faults(t.Context(), owner, db.Store, []string{"evt_1"})
		if err != nil || !slices.ContainsFunc(faults, func(f string) bool { return strings.HasPrefix(f, c.want) }) {
			t.Errorf("%s: %q, %v; want %q", c.statement, faults, err, c.want)
		}
	}
}
