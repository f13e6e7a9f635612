package storetest

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/ident"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// Every field is read as it was written: a decision without one of its fields
// could not be replayed.
func testRoundTrip(t *testing.T, s store.Store) {
	at := now()
	p := proposal(scopeA, memory.ProposalNeedsReview, `tricky "text" \ with ünïcode 🧪`)
	p.Title, p.Category, p.Tags, p.Importance = "title", "ops", []string{`a"b`, `c\d`, "e,f", "{g}", "", "null"}, 7
	p.SessionID, p.ObservedAt, p.LastConfirmed, p.Target = "sess_1", at, at, "mem_x"
	p.Topics, p.MacroTopics = []string{"t1"}, []string{"t2", "t3"}
	p.Description, p.Outcome, p.Confidence = "when it helps", "failure", 0.6
	m := remembered(scopeA, "text")
	m.Title, m.Description, m.Category, m.Tags, m.Topics = "t", "d", "c", []string{"x"}, []string{"y", "z"}
	m.MacroTopics, m.SummaryTopic, m.SummaryCount, m.SummaryAt = []string{"w"}, "v", 42, at
	m.Outcome, m.ObservedAt, m.LastConfirmed, m.ProposalID, m.DecisionID = "success", at, at, p.ID, p.DecisionID
	d := decision(p, memory.VerdictNeedsReview, memory.ActorTriage)
	d.Advice, d.Target, d.MemoryID, d.Authority, d.Undoes = memory.AdviceReplace, "mem_x", m.ID, memory.OriginExternal, "dec_0"
	d.Fired, d.Features = []string{"conflict", "fact"}, []byte(`{"b": 1,  "a": [0.1]}`) // bytes, order and blanks included
	d.Candidates = []memory.Candidate{{ID: "mem_x", Role: memory.RoleMemory, Similarity: 0.8125, Relation: "conflict", Authority: memory.OriginAgent, CreatedAt: at}}
	d.Inputs = memory.Inputs{ScopeVersion: 3, Retired: []string{"x"}, RulesOff: []string{"fact"}, Similarity: "lexical"}
	e := memory.Evidence{
		ID: ident.New(memory.PrefixEvidence), Tenant: tenant, Subject: p.ID, ProposalID: p.ID, Principal: "agent",
		SessionID: "sess_1", Origin: memory.OriginFirstParty, Role: "user", Span: "words", ObservedAt: at,
	}
	r := change.Review{
		ID: ident.New("rev_"), ProposalID: p.ID, DecisionID: "dec_2", Overrode: d.ID, Rule: "conflict",
		Agreed: true, Principal: "human", Note: "ok", At: at,
	}
	commitBatch(t, s, change.Set{
		Proposals: []memory.Proposal{p}, Memories: []memory.Memory{m}, Decisions: []memory.Decision{d},
		Evidence: []memory.Evidence{e}, Reviews: []change.Review{r},
	}, scopeA)
	p.Version, m.Version = 1, 1

	ctx := t.Context()
	same(t, p)(s.Proposal(ctx, tenant, p.ID))
	same(t, m)(s.Memory(ctx, tenant, m.ID))
	same(t, d)(s.Decision(ctx, tenant, d.ID))
	same(t, []memory.Evidence{e})(s.Evidence(ctx, tenant, p.ID))
	same(t, []change.Review{r})(s.Reviews(ctx, tenant, p.ID))
}

// same compares a row that was read with the one that was written. An empty list
// equals nil.
func same[T any](t *testing.T, want T) func(T, error) {
	return func(got T, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		emptyToNil(reflect.ValueOf(&got).Elem())
		emptyToNil(reflect.ValueOf(&want).Elem())
		if !reflect.DeepEqual(got, want) {
			t.Errorf("read back\n%+v\nwrote\n%+v", got, want)
		}
	}
}

func emptyToNil(v reflect.Value) {
	if v.Kind() != reflect.Struct {
		return
	}
	for i := range v.NumField() {
		if f := v.Field(i); f.Kind() == reflect.Slice && f.Len() == 0 && f.CanSet() {
			f.SetZero()
		}
	}
}

func testQueries(t *testing.T, s store.Store) {
	ctx := t.Context()
	var all []memory.Proposal
	var decisions []memory.Decision
	for i := range 6 {
		scope, state, verdict := scopeA, memory.ProposalNeedsReview, memory.VerdictNeedsReview
		if i%2 == 1 {
			scope, state, verdict = scopeB, memory.ProposalRejected, memory.VerdictRejected
		}
		p := proposal(scope, state, "x")
		d := decision(p, verdict, memory.ActorTriage)
		if i > 3 {
			p.Principal, p.SessionID = "deploy-bot", "run-7"
		}
		d.Rule = map[memory.Scope]string{scopeA: "ambiguous", scopeB: "dup.exact"}[scope]
		all, decisions = append(all, p), append(decisions, d)
	}
	decisions[0].MemoryID, decisions[2].Target = "mem_1", "mem_1"
	decisions[5].At = now().Add(-48 * time.Hour)
	decisions[4].Actor = memory.ActorPerson
	dec := func(i int) string { return decisions[i].ID }
	commitBatch(t, s, change.Set{Proposals: all, Decisions: decisions}, scopeA, scopeB)

	id := func(i int) string { return all[i].ID }
	for name, c := range map[string]struct {
		q    store.ProposalQuery
		want []string
	}{
		"all":       {store.ProposalQuery{}, []string{id(0), id(1), id(2), id(3), id(4), id(5)}},
		"scope":     {store.ProposalQuery{Scope: scopeB}, []string{id(1), id(3), id(5)}},
		"open":      {store.ProposalQuery{States: []memory.ProposalState{memory.ProposalPending, memory.ProposalNeedsReview}}, []string{id(0), id(2), id(4)}},
		"state":     {store.ProposalQuery{States: []memory.ProposalState{memory.ProposalRejected}}, []string{id(1), id(3), id(5)}},
		"event":     {store.ProposalQuery{EventID: all[3].EventID}, []string{id(3)}},
		"principal": {store.ProposalQuery{Principal: "deploy-bot"}, []string{id(4), id(5)}},
		"session":   {store.ProposalQuery{SessionID: "run-7"}, []string{id(4), id(5)}},
		"page":      {store.ProposalQuery{After: id(1), Limit: 2}, []string{id(2), id(3)}},
		"newest":    {store.ProposalQuery{After: id(4), Newest: true, Limit: 2}, []string{id(3), id(2)}},
		"ids":       {store.ProposalQuery{IDs: []string{id(5), "prop_none", id(0)}}, []string{id(0), id(5)}},
		"ids and":   {store.ProposalQuery{IDs: []string{id(5), id(0)}, Scope: scopeB}, []string{id(5)}},
	} {
		got, err := s.Proposals(ctx, tenant, c.q)
		if err != nil || !slices.EqualFunc(got, c.want, func(p memory.Proposal, id string) bool { return p.ID == id }) {
			t.Errorf("proposals %s: %d rows, %v", name, len(got), err)
		}
	}
	for name, c := range map[string]struct {
		q    store.DecisionQuery
		want []int
	}{
		"proposal": {store.DecisionQuery{ProposalID: id(2)}, []int{2}},
		"memory":   {store.DecisionQuery{MemoryID: "mem_1"}, []int{0, 2}},
		"rule":     {store.DecisionQuery{Rule: "dup.exact", Newest: true}, []int{5, 3, 1}},
		"since":    {store.DecisionQuery{Scope: scopeB, Since: now().Add(-time.Hour)}, []int{1, 3}},
		"until":    {store.DecisionQuery{Until: decisions[5].At}, []int{5}}, // inclusive
		"verdict":  {store.DecisionQuery{Verdict: memory.VerdictRejected, Limit: 2}, []int{1, 3}},
		"actor":    {store.DecisionQuery{Actor: memory.ActorPerson}, []int{4}},
		"ids":      {store.DecisionQuery{IDs: []string{dec(5), "dec_none", dec(0)}}, []int{0, 5}},
		"ids and":  {store.DecisionQuery{IDs: []string{dec(5), dec(0)}, Scope: scopeA}, []int{0}},
	} {
		got, err := s.Decisions(ctx, tenant, c.q)
		if err != nil || !slices.EqualFunc(got, c.want, func(d memory.Decision, i int) bool { return d.ID == decisions[i].ID }) {
			t.Errorf("decisions %s: %d rows, %v", name, len(got), err)
		}
	}
}

// Many memories by their ids: more than a list has without a limit.
func testMemoriesByID(t *testing.T, s store.Store) {
	var all []memory.Memory
	var ids []string
	for i := range 150 {
		m := remembered([]memory.Scope{scopeA, scopeB}[i%2], "x")
		if i >= 140 {
			m.Principal = "human"
		}
		all, ids = append(all, m), append(ids, m.ID)
	}
	mustCommit(t, s, change.Set{Memories: all})
	for name, c := range map[string]struct {
		q    store.MemoryQuery
		want int
	}{
		"ids":       {store.MemoryQuery{IDs: append(ids[10:140], "mem_none")}, 130},
		"ids and":   {store.MemoryQuery{IDs: ids[:50], Scope: scopeB}, 25},
		"principal": {store.MemoryQuery{Principal: "human"}, 10},
		"ids, some": {store.MemoryQuery{IDs: ids, Limit: 7}, 7},
		"kind":      {store.MemoryQuery{IDs: ids[:100], Kinds: []memory.Kind{memory.KindRule, all[0].Kind}}, 100},
		"no kind":   {store.MemoryQuery{IDs: ids[:100], Kinds: []memory.Kind{memory.KindRule}}, 0},
	} {
		if got, err := s.Memories(t.Context(), tenant, c.q); err != nil || len(got) != c.want {
			t.Errorf("memories %s: %d rows, %v; want %d", name, len(got), err, c.want)
		}
		if got, err := s.Memories(t.Context(), other, c.q); err != nil || len(got) != 0 {
			t.Errorf("memories %s: another tenant sees %d, %v", name, len(got), err)
		}
	}
}

func testCounts(t *testing.T, s store.Store) {
	p, q := proposal(scopeA, memory.ProposalNeedsReview, "p"), proposal(scopeA, memory.ProposalRejected, "q")
	m, gone := remembered(scopeA, "m"), remembered(scopeA, "gone")
	gone.State = memory.StateArchived
	d := decision(p, memory.VerdictNeedsReview, memory.ActorTriage)
	commitBatch(t, s, change.Set{
		Proposals: []memory.Proposal{p, q}, Memories: []memory.Memory{m, gone},
		Decisions: []memory.Decision{d, decision(q, memory.VerdictRejected, memory.ActorTriage)},
		Reviews:   []change.Review{{ID: "rev_1", ProposalID: p.ID, Overrode: d.ID, Rule: "fact", Principal: "human", At: now()}},
	}, scopeA)
	c, err := s.Counts(t.Context(), tenant, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	want := store.Counts{
		Proposals: map[memory.ProposalState]int{memory.ProposalNeedsReview: 1, memory.ProposalRejected: 1},
		Memories:  map[memory.State]int{memory.StateActive: 1, memory.StateArchived: 1},
		Rules: []store.RuleCount{
			{Rule: "fact", Verdict: memory.VerdictNeedsReview, Decided: 1, Reviewed: 1, Overrode: 1},
			{Rule: "fact", Verdict: memory.VerdictRejected, Decided: 1},
		},
	}
	if !reflect.DeepEqual(c, want) {
		t.Errorf("counts %+v\nwant %+v", c, want)
	}
	scopes, err := s.Scopes(t.Context(), tenant)
	if err != nil || !slices.Equal(scopes, []store.ScopeStatus{{Scope: scopeA, Version: 1, Active: 1, Open: 1, Archived: 1}}) {
		t.Errorf("scopes %+v, %v", scopes, err)
	}
	if c, err = s.Counts(t.Context(), tenant, now().Add(time.Hour)); err != nil || len(c.Proposals)+len(c.Memories)+len(c.Rules) != 0 {
		t.Errorf("counts of the future %+v, %v", c, err)
	}
}

// A digest counts exactly the decisions since the previous digest.
func testTally(t *testing.T, s store.Store) {
	at := now()
	var ps []memory.Proposal
	var ds []memory.Decision
	add := func(scope memory.Scope, verdict memory.Verdict, actor memory.Actor, rule string, at time.Time) {
		p := proposal(scope, memory.ProposalRejected, "x")
		d := decision(p, verdict, actor)
		d.Rule, d.At = rule, at
		ps, ds = append(ps, p), append(ds, d)
	}
	add(scopeB, memory.VerdictRejected, memory.ActorTriage, "dup.exact", at)
	add(scopeA, memory.VerdictRejected, memory.ActorTriage, "dup.exact", at.Add(-time.Minute))
	add(scopeA, memory.VerdictRejected, memory.ActorTriage, "dup.exact", at.Add(-time.Hour)) // where the window begins
	add(scopeA, memory.VerdictPromoted, memory.ActorTriage, "fact", at)
	add(scopeA, memory.VerdictPromoted, memory.ActorPerson, "fact", at)
	add(scopeA, memory.VerdictPromoted, memory.ActorPerson, "fact", at)
	add(scopeA, memory.VerdictPromoted, memory.ActorPerson, "fact", at.Add(time.Millisecond)) // after its end
	commitBatch(t, s, change.Set{Proposals: ps, Decisions: ds}, scopeA, scopeB)
	lines := []store.TallyLine{
		{Scope: scopeA, Actor: memory.ActorPerson, Verdict: memory.VerdictPromoted, Rule: "fact", N: 2},
		{Scope: scopeA, Actor: memory.ActorTriage, Verdict: memory.VerdictPromoted, Rule: "fact", N: 1},
		{Scope: scopeA, Actor: memory.ActorTriage, Verdict: memory.VerdictRejected, Rule: "dup.exact", N: 1},
		{Scope: scopeB, Actor: memory.ActorTriage, Verdict: memory.VerdictRejected, Rule: "dup.exact", N: 1},
	}
	same(t, lines)(s.Tally(t.Context(), tenant, at.Add(-time.Hour), at))
	lines[0].N, lines[2].N = 3, 2
	same(t, lines)(s.Tally(t.Context(), tenant, time.Time{}, time.Time{}))
}

// Spans of versions count a decision once, for any order of ids and commits.
func testDecisionSpan(t *testing.T, s store.Store) {
	late, early := proposal(scopeA, memory.ProposalRejected, "thought of first"), proposal(scopeA, memory.ProposalRejected, "thought of second")
	elsewhere := proposal(scopeB, memory.ProposalRejected, "of another scope")
	for _, p := range []memory.Proposal{early, elsewhere, late} {
		d := decision(p, memory.VerdictRejected, memory.ActorTriage)
		commitBatch(t, s, change.Set{Proposals: []memory.Proposal{p}, Decisions: []memory.Decision{d}}, p.Scope)
	}
	for _, c := range []struct {
		after, until int64
		want         store.DecisionSpan
	}{
		{0, 1, store.DecisionSpan{Count: 1, First: early.DecisionID, Last: early.DecisionID}},
		{1, 2, store.DecisionSpan{Count: 1, First: late.DecisionID, Last: late.DecisionID}},
		{0, 9, store.DecisionSpan{Count: 2, First: late.DecisionID, Last: early.DecisionID}},
		{2, 9, store.DecisionSpan{}},
	} {
		same(t, c.want)(s.DecisionSpan(t.Context(), tenant, scopeA, c.after, c.until))
	}
	same(t, store.DecisionSpan{})(s.DecisionSpan(t.Context(), other, scopeA, 0, 9))
	same(t, map[memory.Scope]int64{scopeA: 2, scopeB: 1})(s.ScopeVersions(t.Context(), tenant))
	same(t, map[memory.Scope]int64{scopeA: 2})(s.ScopeVersions(t.Context(), tenant, scopeA, "project:none"))
	same(t, map[memory.Scope]int64{})(s.ScopeVersions(t.Context(), other, scopeA))
	same(t, []memory.Scope{scopeA, scopeB})(s.ScopeNames(t.Context(), tenant, memory.ScopeOrg, memory.ScopeProject))
	same(t, []memory.Scope{})(s.ScopeNames(t.Context(), tenant, memory.ScopeTeam))
	same(t, []memory.Scope{})(s.ScopeNames(t.Context(), other, memory.ScopeProject))
}
