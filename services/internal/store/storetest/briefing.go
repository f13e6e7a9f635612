package storetest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// The start of a session reads the newest memories of each scope, in the order of
// the query, and the most recently archived ones.
func testBriefing(t *testing.T, s store.Store) {
	at := now()
	var set change.Set
	add := func(scope memory.Scope, kind memory.Kind, confidence float64, left time.Duration) string {
		m := remembered(scope, fmt.Sprint("memory ", len(set.Memories)))
		m.Kind, m.Confidence, m.CreatedAt = kind, confidence, at.Add(-time.Hour)
		if left > 0 {
			m.State, m.ArchivedAt = memory.StateArchived, at.Add(-left)
		}
		set.Memories = append(set.Memories, m)
		return m.ID
	}
	rule := add(scopeA, memory.KindRule, 0.8, 0)
	fact := add(scopeA, memory.KindFact, 0.8, 0)
	unsure := add(scopeA, memory.KindRule, 0.4, 0)
	untold := add(scopeA, "", 0.8, 0)
	long := add(scopeA, memory.KindRule, 0.8, 30*time.Minute)
	lately := add(scopeA, memory.KindRule, 0.8, time.Minute)
	strategy := add(scopeB, memory.KindStrategy, 0.8, 0)
	older := add(scopeB, memory.KindRule, 0.8, 0)
	set.Memories[len(set.Memories)-1].Importance = 1
	heavy := add(scopeB, memory.KindRule, 0.8, 0)
	set.Memories[len(set.Memories)-1].Importance = 9
	gone := add(scopeB, memory.KindFact, 0.8, 2*time.Minute)
	commitBatch(t, s, set, scopeA, scopeB)

	// Ids of one millisecond have no order of their own.
	ids := func(list []memory.Memory, err error) (got []string) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range list {
			got = append(got, m.ID)
		}
		return got
	}
	newest := func(wanted ...string) []string {
		slices.Sort(wanted)
		slices.Reverse(wanted)
		return wanted
	}
	directives := []memory.Kind{memory.KindRule, memory.KindStrategy}
	weighed := []memory.Kind{memory.KindStrategy, memory.KindRule}
	both, none := []memory.Scope{scopeB, scopeA, "project:none"}, []memory.Scope{"project:none"}
	for name, tt := range map[string]struct {
		q    store.NewestQuery
		want []string
	}{
		"scopes in their order":    {store.NewestQuery{Scopes: both, Each: 10}, append(newest(strategy, older, heavy), newest(rule, fact, unsure, untold)...)},
		"of some kinds":            {store.NewestQuery{Scopes: both, Kinds: directives, Each: 10}, append(newest(strategy, older, heavy), newest(rule, unsure)...)},
		"of each a few":            {store.NewestQuery{Scopes: both, Each: 2}, append(newest(strategy, older, heavy)[:2], newest(rule, fact, unsure, untold)[:2]...)},
		"the first in all":         {store.NewestQuery{Scopes: both, Each: 10, Most: 1}, newest(strategy, older, heavy)[:1]},
		"those held":               {store.NewestQuery{Scopes: both, Kinds: directives, Each: 10, MinConfidence: 0.5}, append(newest(strategy, older, heavy), rule)},
		"of the tenant":            {store.NewestQuery{Each: 10}, newest(rule, fact, unsure, untold, strategy, older, heavy)},
		"of the tenant, few":       {store.NewestQuery{Each: 10, Most: 2}, newest(rule, fact, unsure, untold, strategy, older, heavy)[:2]},
		"of the tenant, told":      {store.NewestQuery{Kinds: directives, Each: 10, MinConfidence: 0.5}, newest(rule, strategy, older, heavy)},
		"of the tenant, any kinds": {store.NewestQuery{Kinds: []memory.Kind{memory.KindRule, memory.KindFact}, Each: 10}, newest(rule, fact, unsure, older, heavy)},
		// scopeA's rules: of the same importance, 5, and the sure one first.
		"by weight":                {store.NewestQuery{Scopes: both, Kinds: weighed, Each: 10, Order: store.ByWeight}, []string{strategy, heavy, older, rule, unsure}},
		"by weight, few":           {store.NewestQuery{Scopes: both, Kinds: weighed, Each: 10, Order: store.ByWeight, Most: 2}, []string{strategy, heavy}},
		"by weight, of the tenant": {store.NewestQuery{Kinds: weighed, Each: 10, Order: store.ByWeight}, []string{strategy, heavy, rule, unsure, older}},
		"by weight, any kinds":     {store.NewestQuery{Kinds: []memory.Kind{memory.KindFact, memory.KindRule}, Each: 10, Order: store.ByWeight}, []string{fact, heavy, rule, unsure, older}},
		"by weight, all":           {store.NewestQuery{Each: 10, MinConfidence: 0.5, Order: store.ByWeight, Most: 1}, []string{heavy}},
		"of nothing":               {store.NewestQuery{Scopes: none, Each: 10}, nil},
	} {
		if got := ids(s.Newest(t.Context(), tenant, tt.q)); !slices.Equal(got, tt.want) {
			t.Errorf("newest, %s: %q, want %q", name, got, tt.want)
		}
	}
	since := at.Add(-10 * time.Minute)
	for name, tt := range map[string]struct {
		q    store.ArchivedQuery
		want []string
	}{
		"scopes in their order": {store.ArchivedQuery{Scopes: both, Since: since, Each: 10}, []string{gone, lately}},
		"of each a few":         {store.ArchivedQuery{Scopes: both, Since: at.Add(-time.Hour), Each: 1}, []string{gone, lately}},
		"of the tenant":         {store.ArchivedQuery{Since: at.Add(-time.Hour), Each: 10}, []string{lately, gone, long}},
		"of nothing":            {store.ArchivedQuery{Scopes: none, Since: since, Each: 10}, nil},
	} {
		if got := ids(s.Archived(t.Context(), tenant, tt.q)); !slices.Equal(got, tt.want) {
			t.Errorf("left, %s: %q, want %q", name, got, tt.want)
		}
	}
	if got := append(ids(s.Newest(t.Context(), other, store.NewestQuery{Each: 10})), ids(s.Archived(t.Context(), other, store.ArchivedQuery{Each: 10}))...); len(got) != 0 {
		t.Errorf("another tenant sees %q", got)
	}
}

// A digest samples triage's promotions of a period, the latest first, page by page.
func testPromotions(t *testing.T, s store.Store) {
	at := now()
	var set change.Set
	add := func(verdict memory.Verdict, actor memory.Actor, age time.Duration) string {
		d := decision(proposal(scopeA, memory.ProposalPromoted, "x"), verdict, actor)
		d.At = at.Add(-age)
		set.Decisions = append(set.Decisions, d)
		return d.ID
	}
	// The ids are in the order of this list, the times are not.
	first := add(memory.VerdictPromoted, memory.ActorTriage, time.Minute)
	add(memory.VerdictPromoted, memory.ActorTriage, 3*time.Minute) // the time before reaches up to here
	second := add(memory.VerdictPromoted, memory.ActorTriage, 2*time.Minute)
	add(memory.VerdictPromoted, memory.ActorPerson, time.Minute)
	add(memory.VerdictRejected, memory.ActorTriage, time.Minute)
	add(memory.VerdictPromoted, memory.ActorTriage, 0) // after it
	last := add(memory.VerdictPromoted, memory.ActorTriage, 30*time.Second)
	commitBatch(t, s, set, scopeA)

	var got []string
	q := store.PromotionQuery{Since: at.Add(-3 * time.Minute), Until: at.Add(-30 * time.Second), Limit: 1}
	for {
		page, err := s.Promotions(t.Context(), tenant, q)
		if err != nil {
			t.Fatal(err)
		}
		if len(page) == 0 {
			break
		}
		q.After = page[0]
		got = append(got, page[0].ID)
	}
	if want := []string{last, first, second}; !slices.Equal(got, want) {
		t.Errorf("promotions %q, want %q", got, want)
	}
	if all, err := s.Promotions(t.Context(), tenant, store.PromotionQuery{Limit: 10}); err != nil || len(all) != 5 {
		t.Errorf("of all time: %d, %v", len(all), err)
	}
	if all, err := s.Promotions(t.Context(), other, store.PromotionQuery{Limit: 10}); err != nil || len(all) != 0 {
		t.Errorf("another tenant sees %d, %v", len(all), err)
	}
}
