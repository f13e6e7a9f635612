package postgres_test

import (
	"slices"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/store/postgres/pgtest"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
)

// Issue 14, item 3: who owns the database can change any row, and the audit names it.
func TestAuditSeesRows(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		statement       string
		differ, missing []string
	}{
		"nothing":           {},
		"text of a memory":  {`update memories set body = 'The port is 6666.' where id = 'mem_1'`, []string{"mem_1"}, nil},
		"tags of a memory":  {`update memories set tags = '{pinned}' where id = 'mem_1'`, []string{"mem_1"}, nil},
		"origin raised":     {`update memories set origin = 4 where id = 'mem_1'`, []string{"mem_1"}, nil},
		"memory deleted":    {`delete from memories where id = 'mem_1'`, nil, []string{"mem_1"}},
		"text of proposal":  {`update proposals set body = 'x' where id = 'prop_1'`, []string{"prop_1"}, nil},
		"proposal deleted":  {`delete from proposals where id = 'prop_1'`, nil, []string{"prop_1"}},
		"decision changed":  {`update decisions set reason = 'x' where id = 'dec_1'`, []string{"dec_1"}, nil},
		"decision deleted":  {`delete from decisions where id = 'dec_1'`, nil, []string{"dec_1"}},
		"evidence changed":  {`update evidence set span = 'x' where id = 'evi_1'`, []string{"mem_1/evi_1"}, nil},
		"evidence deleted":  {`delete from evidence where id = 'evi_1'`, nil, []string{"mem_1/evi_1"}},
		"evidence replaced": {`update evidence set id = 'evi_9' where id = 'evi_1'`, nil, []string{"mem_1/evi_1"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := pgtest.New(t)
			writeRows(t, db.Store)
			if c.statement != "" {
				tamper(t, testenv.Pool(t, db.URL), c.statement)
			}
			r, err := db.Store.VerifyRows(t.Context(), memory.DefaultTenant)
			if err != nil || !slices.Equal(r.Differ, c.differ) || !slices.Equal(r.Missing, c.missing) {
				t.Fatalf("differ %v, missing %v, %v; want %v, %v", r.Differ, r.Missing, err, c.differ, c.missing)
			}
			if c.statement == "" && (r.Checked != 4 || r.NotCovered != 1) {
				t.Errorf("%d checked, %d not covered; want 4 and the one without an entry", r.Checked, r.NotCovered)
			}
			if chain, err := db.Store.VerifyAudit(t.Context(), memory.DefaultTenant); err != nil || chain.BrokenAt != 0 {
				t.Errorf("the chain itself: %+v, %v", chain, err)
			}
		})
	}
}

// story returns the rows of one promoted proposal, with their audit entry.
func story() change.Set {
	at := time.Date(2026, 11, 22, 9, 0, 0, 123456789, time.UTC) // finer than the database
	return change.Set{
		Proposals: []memory.Proposal{{
			ID: "prop_1", Scope: "project:shop", State: memory.ProposalPromoted, Kind: memory.KindFact, Text: "The port is 5432.", Confidence: 0.1,
			Principal: "agent", Origin: memory.OriginAgent, Authority: memory.OriginAgent, EventID: "evt_1", CreatedAt: at, SeenCount: 1, DecisionID: "dec_1",
		}},
		Memories: []memory.Memory{{
			ID: "mem_1", Scope: "project:shop", State: memory.StateActive, Kind: memory.KindFact, Text: "The port is 5432.", Tags: []string{`a"b`},
			Importance: 5, Principal: "agent", Origin: memory.OriginAgent, Authority: memory.OriginAgent, CreatedAt: at, ObservedAt: at,
			SeenCount: 1, ProposalID: "prop_1", DecisionID: "dec_1",
		}},
		Decisions: []memory.Decision{{
			ID: "dec_1", Scope: "project:shop", ProposalID: "prop_1", Verdict: memory.VerdictPromoted, Rule: "fact", Fired: []string{"fact"},
			Reason: "It is dated.", MemoryID: "mem_1", Features: []byte(`{"score": 0.50, "a":1}`), Principal: "agent", Actor: memory.ActorTriage, Authority: memory.OriginAgent, At: at,
		}},
		Evidence: []memory.Evidence{{ID: "evi_1", Subject: "mem_1", ProposalID: "prop_1", Principal: "agent", Origin: memory.OriginAgent, Span: "port 5432", ObservedAt: at}},
		Audit:    []change.Audit{{Actor: memory.ActorTriage, Principal: "agent", Action: "proposal.decided", Subject: "prop_1", Body: map[string]string{"a": "b"}}},
	}
}

// writeStory commits a story and nothing else.
func writeStory(t *testing.T, s store.Store) {
	t.Helper()
	if _, err := s.Commit(t.Context(), memory.DefaultTenant, story(), store.InboxKey{}); err != nil {
		t.Fatal(err)
	}
}

// writeRows commits one row of each kind, changes what may change, takes a repeat's
// evidence back, and writes one memory without an entry, as before there were digests.
func writeRows(t *testing.T, s store.Store) {
	t.Helper()
	first, old := story(), story()
	repeat := memory.Evidence{ID: "evi_2", Subject: "mem_1", ProposalID: "prop_2", Principal: "agent", Origin: memory.OriginAgent}
	first.Evidence = append(first.Evidence, repeat)
	at := first.Decisions[0].At
	old.Memories[0].ID, old.Memories[0].Text = "mem_0", "An old one."
	for _, set := range []change.Set{
		first,
		{
			MemoryUpdates:   []change.MemoryUpdate{{ID: "mem_1", State: memory.StateArchived, Confidence: 0.9, SeenCount: 7, LastConfirmed: at, ArchivedAt: at, ArchiveReason: "x"}},
			DroppedEvidence: []memory.Evidence{repeat}, Audit: first.Audit,
		},
		{Memories: old.Memories},
	} {
		if _, err := s.Commit(t.Context(), memory.DefaultTenant, set, store.InboxKey{}); err != nil {
			t.Fatal(err)
		}
	}
}
