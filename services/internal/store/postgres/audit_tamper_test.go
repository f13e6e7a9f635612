package postgres_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/store/postgres/pgtest"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
)

// writeChain commits links of two events each.
func writeChain(t *testing.T, s store.Store, links int) {
	t.Helper()
	for i := range links {
		var entries []change.Audit
		for n := range 2 {
			entries = append(entries, change.Audit{
				Actor: memory.ActorTriage, Principal: "agent", Action: "proposal.decided",
				Subject: fmt.Sprintf("prop_%d", i), Body: map[string]int{"link": i, "n": n},
			})
		}
		if _, err := s.Commit(t.Context(), memory.DefaultTenant, change.Set{Audit: entries}, store.InboxKey{}); err != nil {
			t.Fatal(err)
		}
	}
}

// The owner of the database can change every row, and the chain shows the change.
// Unless noted, each case changes one thing in link 3 of 5.
func TestAuditTampering(t *testing.T) {
	t.Parallel()
	const of3 = ` where tenant = 'default' and link = (select link from audit_links where seq = 3)`
	for name, c := range map[string]struct {
		statement string
		at        int64 // where the chain breaks
	}{
		"event actor":       {`update audit_events set actor = 'person'` + of3 + ` and n = 1`, 3},
		"event principal":   {`update audit_events set principal = 'human'` + of3 + ` and n = 1`, 3},
		"event action":      {`update audit_events set action = 'x'` + of3 + ` and n = 1`, 3},
		"event subject":     {`update audit_events set subject = 'x'` + of3 + ` and n = 1`, 3},
		"commitment":        {`update audit_events set commitment = sha256('x')` + of3 + ` and n = 1`, 3},
		"event deleted":     {`delete from audit_events` + of3 + ` and n = 0`, 3},
		"events deleted":    {`delete from audit_events` + of3, 3},
		"event added":       {`insert into audit_events select tenant, link, 2, actor, principal, action, subject, commitment from audit_events` + of3 + ` and n = 1`, 3},
		"events reordered":  {`update audit_events set n = n + 10` + of3 + `; update audit_events set n = 11 - n` + of3, 3},
		"body":              {`update audit_bodies set body = '{"link":2,"n":7}'` + of3 + ` and n = 1`, 3},
		"body reformatted":  {`update audit_bodies set body = body || ' '` + of3 + ` and n = 1`, 3},
		"salt":              {`update audit_bodies set salt = '\x00'` + of3 + ` and n = 1`, 3},
		"bodies swapped":    {`update audit_bodies set n = n + 10` + of3 + `; update audit_bodies set n = 11 - n` + of3, 3},
		"body erased":       {`delete from audit_bodies` + of3 + ` and n = 1`, 3},
		"all bodies erased": {`delete from audit_bodies`, 1},
		"body of nobody":    {`insert into audit_bodies values ('default', gen_random_uuid(), 0, '', '{}')`, 6},
		"event of nobody":   {`insert into audit_events values ('default', gen_random_uuid(), 0, '', '', '', '', '')`, 6},
		"link time":         {`update audit_links set at = at - interval '1 microsecond' where seq = 3`, 3},
		"link root":         {`update audit_links set root = sha256('x') where seq = 3`, 3},
		"link prev":         {`update audit_links set prev = sha256('x') where seq = 3`, 3},
		"link hash":         {`update audit_links set hash = sha256('x') where seq = 3`, 3},
		"link count":        {`update audit_links set n = 3 where seq = 3`, 3},
		"link id":           {`update audit_links set link = gen_random_uuid() where seq = 3`, 3},
		"link deleted":      {`delete from audit_links where seq = 3`, 3},
		"links swapped":     {`update audit_links set seq = seq + 10 where seq in (3, 4); update audit_links set seq = 17 - seq where seq > 10`, 3},
		"newest deleted":    {`delete from audit_links where seq = 5`, 5},
		"head rolled back":  {`update audit_heads set seq = 4, hash = (select hash from audit_links where seq = 4)`, 5},
		"head hash":         {`update audit_heads set hash = sha256('x')`, 5},
		"head moved":        {`update audit_heads set seq = 9`, 6},
		"head deleted":      {`delete from audit_heads`, 1},
		"everything erased": {`delete from audit_links; delete from audit_events; delete from audit_bodies`, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := pgtest.New(t)
			writeChain(t, db.Store, 5)
			tamper(t, testenv.Pool(t, db.URL), c.statement)
			r, err := db.Store.VerifyAudit(t.Context(), memory.DefaultTenant)
			if err != nil || r.BrokenAt != c.at || r.Problem == "" {
				t.Errorf("report %+v, %v; want it broken at %d", r, err, c.at)
			}
		})
	}
}

// tamper runs statements as a superuser, which bypasses row security.
func tamper(t *testing.T, pool *pgxpool.Pool, statements string) {
	t.Helper()
	for statement := range strings.SplitSeq(statements, "; ") {
		tag, err := pool.Exec(t.Context(), "set session_replication_role = replica; "+statement) // no foreign key stops an owner
		if err != nil || tag.RowsAffected() == 0 {
			t.Fatalf("%s: %d rows, %v", statement, tag.RowsAffected(), err)
		}
	}
}

// A chain with erased bodies verifies and counts them. The chain is longer than
// one chunk of the verification.
func TestAuditErasure(t *testing.T) {
	t.Parallel()
	const links = 150
	db := pgtest.New(t)
	writeChain(t, db.Store, links)
	tx, err := testenv.Pool(t, db.URL).Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// An open transaction would keep the pool from closing when a statement fails.
	defer func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) }()
	for _, statement := range []string{
		"set local role winnow_operator", "select set_config('winnow.tenant', 'default', true)", "select winnow_audit_erase('prop_70')",
	} {
		if _, err := tx.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	r, err := db.Store.VerifyAudit(t.Context(), memory.DefaultTenant)
	if err != nil || r.BrokenAt != 0 || r.Links != links+1 || r.Events != 2*links+1 || r.Erased != 2 {
		t.Errorf("report %+v, %v", r, err)
	}
	events, err := db.Store.AuditEvents(t.Context(), memory.DefaultTenant, "prop_70", 0, 0)
	if err != nil || len(events) != 3 || events[0].Action != "audit.erased" || events[0].Body == nil || events[1].Body != nil || events[2].Body != nil {
		t.Errorf("events %+v, %v; want both without a body, and the entry", events, err)
	}
}
