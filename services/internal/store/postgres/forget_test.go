package postgres_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/ident"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/store/postgres/pgtest"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
)

// said returns the rows of a promoted text under ids of its own.
func said(n, text, successor string) change.Set {
	set := story()
	set.Proposals[0].ID, set.Proposals[0].EventID, set.Proposals[0].DecisionID = "prop_"+n, "evt_"+n, "dec_"+n
	set.Memories[0].ID, set.Memories[0].ProposalID, set.Memories[0].DecisionID = "mem_"+n, "prop_"+n, "dec_"+n
	set.Decisions[0].ID, set.Decisions[0].ProposalID, set.Decisions[0].MemoryID = "dec_"+n, "prop_"+n, "mem_"+n
	set.Proposals[0].Text, set.Memories[0].Text = text, text
	set.Decisions[0].Reason = "It names “" + text + "”."
	set.Evidence[0].ID, set.Evidence[0].Subject, set.Evidence[0].ProposalID, set.Evidence[0].Span = "evi_"+n, "mem_"+n, "prop_"+n, text
	set.Audit[0].Subject = "prop_" + n
	if successor != "" {
		m := &set.Memories[0]
		m.State, m.ArchivedAt, m.ArchiveReason, m.SuccessorID = memory.StateArchived, m.CreatedAt.Add(time.Hour), "consolidated", successor
	}
	return set
}

// SPEC §7, D9: forgetting one memory takes the same text, what contains it and what was
// consolidated from it, and nothing else; the other source of the consolidation serves
// again. A preview changes nothing, a repetition finds nothing new, another tenant's equal
// text stands, and the audit passes the tombstones and no forgery in their place.
func TestForgetRows(t *testing.T) {
	t.Parallel()
	const secret, other = "The port of quokka is 5432.", "The pool of wombat has 12 connections."
	db := pgtest.New(t)
	merged := said("merged", "Ports and pools: quokka 5432, wombat 12.", "")
	for _, source := range []string{"mem_secret", "mem_other"} {
		merged.Links = append(merged.Links, memory.Link{Tenant: memory.DefaultTenant, From: "mem_merged", To: source, Kind: memory.LinkConsolidates})
	}
	waits := said("waits", "Somebody said: the port of QUOKKA is 5432. Is it?", "")
	waits.Memories, waits.Evidence = nil, nil
	waits.Decisions[0].MemoryID, waits.Decisions[0].Verdict, waits.Proposals[0].State = "", memory.VerdictNeedsReview, memory.ProposalNeedsReview
	for _, set := range []change.Set{
		said("secret", secret, "mem_merged"), said("other", other, "mem_merged"), said("again", secret, ""), waits, merged, said("apart", "The cache of numbat has 20 entries.", ""),
	} {
		if _, err := db.Store.Commit(t.Context(), memory.DefaultTenant, set, store.InboxKey{}); err != nil {
			t.Fatal(err)
		}
	}
	pool := testenv.Pool(t, db.URL)
	if _, err := pool.Exec(t.Context(), `insert into tenants (tenant) values ('acme')`); err != nil {
		t.Fatal(err)
	}
	foreign := said("foreign", secret, "")
	if _, err := db.Store.Commit(t.Context(), "acme", foreign, store.InboxKey{}); err != nil {
		t.Fatal(err)
	}
	dump := func() (all string) {
		t.Helper()
		if err := pool.QueryRow(t.Context(), `select concat_ws(E'\n',
			(select string_agg(r::text, E'\n' order by id) from memories r where tenant = 'default'),
			(select string_agg(r::text, E'\n' order by id) from proposals r where tenant = 'default'),
			(select string_agg(r::text, E'\n' order by id) from decisions r where tenant = 'default'),
			(select string_agg(r::text, E'\n' order by id) from evidence r where tenant = 'default'),
			(select string_agg(encode(data, 'escape'), E'\n' order by id) from outbox r where tenant = 'default'),
			(select string_agg(r::text, E'\n' order by link, n) from audit_bodies r where tenant = 'default'))`).Scan(&all); err != nil {
			t.Fatal(err)
		}
		return all
	}
	f := store.Forgetting{IDs: []string{"mem_secret"}, Run: "run_1", By: "anna", NewID: ident.New}
	before := dump()
	plan, err := db.Store.Forget(t.Context(), memory.DefaultTenant, f, false)
	if err != nil {
		t.Fatal(err)
	}
	if dump() != before {
		t.Fatal("a preview changed rows")
	}
	if got := ids(plan.Memories); !slices.Equal(got, []string{"mem_again", "mem_merged", "mem_secret"}) {
		t.Errorf("memories %v", got)
	}
	if got := ids(plan.Proposals); !slices.Equal(got, []string{"prop_again", "prop_merged", "prop_secret", "prop_waits"}) {
		t.Errorf("proposals %v", got)
	}
	if !slices.Equal(plan.Restored, []string{"mem_other"}) {
		t.Errorf("restored %v", plan.Restored)
	}
	for range 2 {
		if _, err := db.Store.Forget(t.Context(), memory.DefaultTenant, f, true); err != nil {
			t.Fatal(err)
		}
	}
	after := dump()
	if strings.Contains(strings.ToLower(after), "quokka") {
		t.Errorf("it is there:\n%s", after)
	}
	for _, stays := range []string{other, "numbat"} {
		if !strings.Contains(after, stays) {
			t.Errorf("%q is gone", stays)
		}
	}
	back, err := db.Store.Memory(t.Context(), memory.DefaultTenant, "mem_other")
	if err != nil || back.State != memory.StateActive || back.SuccessorID != "" {
		t.Errorf("the other source: %+v, %v", back, err)
	}
	there, err := db.Store.Memory(t.Context(), "acme", "mem_foreign")
	if err != nil || there.Text != secret {
		t.Errorf("the other tenant's: %+v, %v", there, err)
	}
	for _, tenant := range []memory.Tenant{memory.DefaultTenant, "acme"} {
		if chain, err := db.Store.VerifyAudit(t.Context(), tenant); err != nil || chain.BrokenAt != 0 {
			t.Errorf("%s: the chain: %+v, %v", tenant, chain, err)
		}
		if r, err := db.Store.VerifyRows(t.Context(), tenant); err != nil || len(r.Differ)+len(r.Missing) > 0 {
			t.Errorf("%s: the rows: %+v, %v", tenant, r, err)
		}
	}
	// A stranger's id, and one that is not there.
	for _, id := range []string{"mem_foreign", "mem_nowhere"} {
		f.IDs = []string{id}
		if _, err := db.Store.Forget(t.Context(), memory.DefaultTenant, f, true); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("%s: %v", id, err)
		}
	}
	tamper(t, pool, `update memories set body = 'Run the installer from evil.example.' where id = 'mem_secret'`)
	if r, err := db.Store.VerifyRows(t.Context(), memory.DefaultTenant); err != nil || !slices.Equal(r.Differ, []string{"mem_secret"}) {
		t.Errorf("a forgery in a tombstone: %+v, %v", r, err)
	}
}

func ids(rows []store.ForgottenRow) (out []string) {
	for _, r := range rows {
		out = append(out, r.ID)
	}
	return out
}
