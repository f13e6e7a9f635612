package consolidation_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/winnowhq/winnow/pkg/event"
	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/consolidation"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// act is a group of two sources by two people, and what was said of it.
func act() consolidation.Act {
	a, b := note("a", "The pool of `billing` holds 20 connections.", 0), note("b", "The pool of `billing` holds 20 connections since March.", 5)
	a.Tags, a.Topics, a.Importance, a.Principal, a.SeenCount, a.ProposalID = []string{"db", "pinned"}, []string{"billing"}, 3, "ann", 4, "prop_a"
	b.Tags, b.Topics, b.Importance, b.Principal, b.Version = []string{"db", "consolidated"}, []string{"load"}, 8, "bo", 7
	a.Origin, a.Authority = memory.OriginHuman, memory.OriginHuman
	b.Origin, b.Authority = memory.OriginFirstParty, memory.OriginFirstParty
	a.ObservedAt, b.ObservedAt, b.LastConfirmed = t0.Add(-time.Hour), t0, t0.Add(time.Minute)
	n := 0
	return consolidation.Act{
		Now: t0.Add(time.Hour), RunID: "run_1", Item: memory.RunItem{Tenant: memory.DefaultTenant, RunID: "run_1", N: 1, State: memory.ItemPlanned}, NewID: func(prefix string) string { n++; return fmt.Sprintf("%s%03d", prefix, n) },
		Group:   consolidation.Group{Members: []string{"mem_a", "mem_b"}, Mode: consolidation.ModeMerge, Average: 0.9, Minimum: 0.9, Why: "They say the same."},
		Sources: []consolidation.Candidate{b, a},
		Evidence: []memory.Evidence{
			{ID: "evi_1", Tenant: memory.DefaultTenant, Subject: "mem_a", ProposalID: "prop_a", Principal: "ann", SessionID: "s1", Origin: memory.OriginHuman, Span: "twenty"},
			{ID: "evi_2", Tenant: memory.DefaultTenant, Subject: "mem_a", ProposalID: "prop_c", Principal: "cy", SessionID: "s2", Origin: memory.OriginAgent},
			{ID: "evi_3", Tenant: memory.DefaultTenant, Subject: "mem_a", ProposalID: "prop_d", Principal: "cy", SessionID: "s2", Origin: memory.OriginAgent},
		},
		Product: consolidation.Product{
			Title: "Pool of billing", Text: "The pool of `billing` holds 20 connections since March.", Tags: []string{"pool", "Pinned", "workflow:1", " "},
			Confidence: 0.83, By: "concatenation",
		},
		Similarity: "both", Calibration: "shipped",
	}
}

// S0.46–S0.48, S0.56, S0.58, S4.52–S4.54, S4.78, S4.87, D9: the whole change of one
// merged group.
func TestApply(t *testing.T) {
	t.Parallel()
	a := act()
	set, m := consolidation.Apply(a)
	if len(set.Memories) != 1 || set.Memories[0].ID != m.ID || len(set.Decisions) != 1 {
		t.Fatalf("%d memories, %d decisions", len(set.Memories), len(set.Decisions))
	}
	if m.State != memory.StateActive || m.SuccessorID != "" || m.Importance != 8 || m.Confidence != 0.83 || m.Scope != "project:shop" || m.Kind != memory.KindFact {
		t.Errorf("the new memory: %+v", m)
	}
	if want := []string{"consolidated", "db", "pinned", "pool"}; !slices.Equal(m.Tags, want) {
		t.Errorf("tags %v, want %v", m.Tags, want)
	}
	if want := []string{"billing", "load"}; !slices.Equal(m.Topics, want) {
		t.Errorf("topics %v, want %v", m.Topics, want)
	}
	if m.Origin != memory.OriginFirstParty || m.Authority != memory.OriginFirstParty || m.Principal != "" {
		t.Errorf("origin %v, authority %v, by %q: want the least of the sources, by no one person", m.Origin, m.Authority, m.Principal)
	}
	if m.SeenCount != 5 || !m.ObservedAt.Equal(t0) || !m.LastConfirmed.Equal(t0.Add(time.Minute)) || !m.CreatedAt.Equal(a.Now) {
		t.Errorf("seen %d, observed %v, confirmed %v", m.SeenCount, m.ObservedAt, m.LastConfirmed)
	}
	for i, id := range []string{"mem_a", "mem_b"} {
		u := set.MemoryUpdates[i]
		if u.ID != id || u.State != memory.StateArchived || u.SuccessorID != m.ID || u.ArchiveReason != "consolidated" || !u.ArchivedAt.Equal(a.Now) || u.Expect == 0 || u.SeenCount == 0 {
			t.Errorf("%s: %+v", id, u)
		}
		for _, kind := range []memory.LinkKind{memory.LinkConsolidates, memory.LinkSupersedes} {
			if !slices.Contains(set.Links, memory.Link{Tenant: memory.DefaultTenant, From: m.ID, To: id, Kind: kind}) {
				t.Errorf("no link %s to %s", kind, id)
			}
		}
	}
	d := set.Decisions[0]
	if d.Rule != consolidation.RuleConsolidate || d.Actor != memory.ActorSystem || d.MemoryID != m.ID || m.DecisionID != d.ID || d.Verdict != memory.VerdictPromoted || len(d.Candidates) != 2 || d.Reason == "" {
		t.Errorf("decision %+v", d)
	}
	if got := eventsOf(set); !slices.Equal(got, []string{event.SubjectMemoryRecorded, event.SubjectMemoryArchived, event.SubjectMemoryArchived}) {
		t.Errorf("events %v", got)
	}
	if len(set.RunItems) != 1 || set.RunItems[0].State != memory.ItemApplied || set.RunItems[0].MemoryID != m.ID || len(set.RunItems[0].Sources) != 2 || !set.RunItems[0].EndedAt.Equal(a.Now) {
		t.Errorf("step %+v", set.RunItems)
	}
	if len(set.Audit) != 4 {
		t.Errorf("%d audit entries, want one for each row", len(set.Audit))
	}
}

// Who said it is kept: each witness of each source once, and an author without
// evidence gets one.
func TestApplyKeepsWitnesses(t *testing.T) {
	t.Parallel()
	set, m := consolidation.Apply(act())
	var got []string
	for _, e := range set.Evidence {
		if e.Subject != m.ID || e.Tenant != memory.DefaultTenant || e.ID == "" {
			t.Errorf("%+v", e)
		}
		got = append(got, e.Principal+" "+e.Span)
	}
	if want := []string{"ann twenty", "cy ", "bo "}; !slices.Equal(got, want) {
		t.Errorf("witnesses %q, want %q", got, want)
	}
}

// The order in which the sources are read makes no difference.
func TestApplyIsStable(t *testing.T) {
	t.Parallel()
	x, y := act(), act()
	slices.Reverse(y.Sources)
	a, _ := consolidation.Apply(x)
	b, _ := consolidation.Apply(y)
	if fmt.Sprint(a.Memories, a.MemoryUpdates, a.Links, a.Evidence) != fmt.Sprint(b.Memories, b.MemoryUpdates, b.Links, b.Evidence) {
		t.Error("another order gives another change")
	}
}

// An offer changes nothing but the question: it waits for a person, with the merged
// text and a link to each source.
func TestOffer(t *testing.T) {
	t.Parallel()
	a := act()
	a.Group.Mode = consolidation.ModeTheme
	set, p := consolidation.Offer(a)
	if len(set.Memories)+len(set.MemoryUpdates) != 0 || len(set.Proposals) != 1 {
		t.Fatalf("%d memories, %d updates, %d proposals", len(set.Memories), len(set.MemoryUpdates), len(set.Proposals))
	}
	if p.State != memory.ProposalNeedsReview || p.Text != a.Product.Text || p.Principal != "" || p.Authority != memory.OriginFirstParty || slices.Contains(p.Tags, "consolidated") {
		t.Errorf("%+v", p)
	}
	if stranger := (memory.Proposal{Principal: "bot", EventID: p.EventID}); !p.Offer() || stranger.Offer() {
		t.Error("an offer is not told from a publisher's proposal")
	}
	d := set.Decisions[0]
	if d.Rule != "theme" || d.Verdict != memory.VerdictNeedsReview || d.ProposalID != p.ID || p.DecisionID != d.ID || d.Advice != memory.AdviceReview {
		t.Errorf("%+v", d)
	}
	want := []memory.Link{
		{Tenant: memory.DefaultTenant, From: p.ID, To: "mem_a", Kind: memory.LinkDerivedFrom},
		{Tenant: memory.DefaultTenant, From: p.ID, To: "mem_b", Kind: memory.LinkDerivedFrom},
	}
	if !slices.Equal(set.Links, want) {
		t.Errorf("links %v, want %v", set.Links, want)
	}
	if len(set.RunItems) != 1 || set.RunItems[0].State != memory.ItemOffered || set.RunItems[0].ProposalID != p.ID {
		t.Errorf("step %+v", set.RunItems)
	}
	if got := eventsOf(set); !slices.Equal(got, []string{event.SubjectProposalDecided}) {
		t.Errorf("events %v", got)
	}
}

func eventsOf(set change.Set) []string {
	var subjects []string
	for _, e := range set.Events {
		subjects = append(subjects, e.Subject)
	}
	return subjects
}
