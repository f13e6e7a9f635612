package storetest

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/ident"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

func run(scope memory.Scope, strategy memory.RunStrategy) memory.Run {
	return memory.Run{
		ID: ident.New(memory.PrefixRun), Tenant: tenant, Scope: scope, Strategy: strategy, Trigger: memory.TriggerPerson,
		State: memory.RunRequested, RequestedAt: now(), Report: []byte(`{}`),
	}
}

func item(r memory.Run, n int, state memory.RunItemState, sources ...string) memory.RunItem {
	return memory.RunItem{
		Tenant: tenant, RunID: r.ID, N: n, Action: memory.ActionMerge, State: state, Sources: sources, Detail: []byte(`{"average":0.91}`),
	}
}

// A run and its steps are read as they were written, and an update changes the
// mutable part alone.
func testRuns(t *testing.T, s store.Store) {
	ctx := t.Context()
	r := run(scopeA, memory.RunSimilar)
	r.Options = memory.RunOptions{
		Threshold: 0.75, MaxClusters: 3, MaxMemories: 1000, MinCluster: 2, MaxAgeDays: 30, Force: true, IDs: []string{"mem_1"}, Clustering: "greedy",
	}
	r.WindowStart, r.WindowEnd, r.Principal = now().Add(-24*time.Hour), now(), "human"
	mustCommit(t, s, change.Set{Runs: []memory.Run{r}})
	r.Version = 1
	if got, err := s.Run(ctx, tenant, r.ID); err != nil || !reflect.DeepEqual(got, r) {
		t.Fatalf("%+v, %v\nwant %+v", got, err, r)
	}

	r.State, r.StartedAt, r.Deadline = memory.RunRunning, now(), now().Add(10*time.Minute)
	one, two := item(r, 1, memory.ItemPlanned, "mem_a", "mem_b"), item(r, 2, memory.ItemPlanned, "mem_c", "mem_d")
	mustCommit(t, s, change.Set{RunUpdates: []change.RunUpdate{change.UpdateOf(r)}, RunItems: []memory.RunItem{two, one}})
	one.State, one.MemoryID, one.EndedAt = memory.ItemApplied, "mem_new", now()
	two.State, two.Reason, two.EndedAt, two.Detail = memory.ItemRefused, "they contradict each other", now(), []byte(`{}`)
	for _, i := range []memory.RunItem{one, two} {
		mustCommit(t, s, change.Set{RunItems: []memory.RunItem{i}})
	}
	if got, err := s.RunItems(ctx, tenant, r.ID); err != nil || !reflect.DeepEqual(got, []memory.RunItem{one, two}) {
		t.Errorf("%+v, %v\nwant %+v", got, err, []memory.RunItem{one, two})
	}
	if got, err := s.RunItem(ctx, tenant, r.ID, 2); err != nil || !reflect.DeepEqual(got, two) {
		t.Errorf("%+v, %v", got, err)
	}
	r.Version, r.State, r.EndedAt, r.Examined, r.Created, r.Archived = 2, memory.RunPartial, now(), 41, 1, 2
	r.Offered, r.Refused, r.Skipped, r.Before, r.After, r.OverLimit = 3, 4, 5, 41, 40, true
	r.Reason, r.Report = "out of time", []byte(`{"threshold":0.81}`)
	mustCommit(t, s, change.Set{RunUpdates: []change.RunUpdate{change.UpdateOf(r)}})
	r.Version = 3
	if got, err := s.Run(ctx, tenant, r.ID); err != nil || !reflect.DeepEqual(got, r) {
		t.Errorf("%+v, %v\nwant %+v", got, err, r)
	}
	if got, err := s.RunProgress(ctx, tenant, r.ID); err != nil || !reflect.DeepEqual(got, map[memory.RunItemState]int{memory.ItemApplied: 1, memory.ItemRefused: 1}) {
		t.Errorf("progress %v, %v", got, err)
	}
	for name, err := range map[string]error{
		"run": second(s.Run(ctx, tenant, "run_none")), "step": second(s.RunItem(ctx, tenant, r.ID, 3)),
	} {
		if !errors.Is(err, store.ErrNotFound) {
			t.Errorf("%s: %v, want ErrNotFound", name, err)
		}
	}
}

// Runs are listed by scope, strategy and state, page by page in both directions.
func testRunQueries(t *testing.T, s store.Store) {
	a, b, c := run(scopeA, memory.RunSimilar), run(scopeA, memory.RunWeekly), run(scopeB, memory.RunSimilar)
	b.State, b.EndedAt = memory.RunCompleted, now()
	mustCommit(t, s, change.Set{Runs: []memory.Run{a, b, c}})
	for name, q := range map[string]struct {
		q    store.RunQuery
		want []string
	}{
		"all":         {store.RunQuery{}, []string{a.ID, b.ID, c.ID}},
		"newest":      {store.RunQuery{Newest: true, Limit: 2}, []string{c.ID, b.ID}},
		"next page":   {store.RunQuery{Newest: true, After: b.ID}, []string{a.ID}},
		"after":       {store.RunQuery{After: a.ID, Limit: 1}, []string{b.ID}},
		"scope":       {store.RunQuery{Scope: scopeA}, []string{a.ID, b.ID}},
		"strategy":    {store.RunQuery{Strategy: memory.RunWeekly}, []string{b.ID}},
		"open":        {store.RunQuery{States: []memory.RunState{memory.RunRequested, memory.RunRunning}}, []string{a.ID, c.ID}},
		"ended":       {store.RunQuery{States: []memory.RunState{memory.RunCompleted, memory.RunFailed}}, []string{b.ID}},
		"ids":         {store.RunQuery{IDs: []string{c.ID, "run_none", a.ID}}, []string{a.ID, c.ID}},
		"ended after": {store.RunQuery{EndedAfter: b.EndedAt.Add(-time.Microsecond)}, []string{b.ID}},
		"ended by":    {store.RunQuery{EndedAfter: b.EndedAt}, nil},
		"none there":  {store.RunQuery{Scope: "project:elsewhere"}, nil},
	} {
		got, err := s.Runs(t.Context(), tenant, q.q)
		var ids []string
		for _, r := range got {
			ids = append(ids, r.ID)
		}
		if err != nil || !slices.Equal(ids, q.want) {
			t.Errorf("%s: %v, %v, want %v", name, ids, err, q.want)
		}
	}
}

// A scope has one open run of a strategy, whoever asks; dry runs and runs over given
// memories do not wait.
func testOneRun(t *testing.T, s store.Store) {
	commit := func(r memory.Run) error {
		_, err := s.Commit(t.Context(), tenant, change.Set{Runs: []memory.Run{r}, Audit: []change.Audit{audited(r.ID)}}, store.InboxKey{})
		return err
	}
	first := run(scopeA, memory.RunSimilar)
	if err := commit(first); err != nil {
		t.Fatal(err)
	}
	wantError(t, commit(run(scopeA, memory.RunSimilar)), store.ErrConflict)
	if r, err := s.VerifyAudit(t.Context(), tenant); err != nil || r.Links != 1 {
		t.Errorf("audit %+v, %v; want nothing of the run that was kept out", r, err)
	}
	dry := run(scopeA, memory.RunSimilar)
	dry.Options.DryRun = true
	for _, r := range []memory.Run{dry, run(scopeA, memory.RunExplicit), run(scopeA, memory.RunExplicit), run(scopeA, memory.RunWeekly), run(scopeB, memory.RunSimilar)} {
		if err := commit(r); err != nil {
			t.Errorf("%s of %s: %v", r.Strategy, r.Scope, err)
		}
	}
	for _, state := range []memory.RunState{memory.RunRunning, memory.RunCompleted} {
		wantError(t, commit(run(scopeA, memory.RunSimilar)), store.ErrConflict)
		first.State = state
		mustCommit(t, s, change.Set{RunUpdates: []change.RunUpdate{{ID: first.ID, State: state}}})
	}
	var g errgroup.Group
	won := make([]bool, 3)
	for i := range won {
		g.Go(func() error {
			err := commit(run(scopeA, memory.RunSimilar))
			won[i] = err == nil
			if errors.Is(err, store.ErrConflict) {
				return nil
			}
			return err
		})
	}
	if err := g.Wait(); err != nil {
		t.Error(err)
	}
	if n := len(slices.DeleteFunc(won, func(w bool) bool { return !w })); n != 1 {
		t.Errorf("%d of three replicas began a run", n)
	}
}

// A step takes effect once: what is final stays, and only what was applied or offered
// can be taken back. A refused step leaves nothing of its set.
func testRunItemStates(t *testing.T, s store.Store) {
	r := run(scopeA, memory.RunSimilar)
	mustCommit(t, s, change.Set{Runs: []memory.Run{r}})
	all := []memory.RunItemState{
		memory.ItemPlanned, memory.ItemApplied, memory.ItemPreviewed, memory.ItemOffered, memory.ItemRefused, memory.ItemFailed,
		memory.ItemSkipped, memory.ItemUndone,
	}
	n := 0
	for _, from := range all {
		for _, to := range all {
			n++
			mustCommit(t, s, change.Set{RunItems: []memory.RunItem{item(r, n, from, "mem_a")}})
			m := remembered(scopeA, fmt.Sprint(from, " to ", to))
			i := item(r, n, to, "mem_a")
			i.MemoryID = m.ID
			_, err := s.Commit(t.Context(), tenant, change.Set{Memories: []memory.Memory{m}, RunItems: []memory.RunItem{i}}, store.InboxKey{})
			may := from == memory.ItemPlanned ||
				to == memory.ItemUndone && (from == memory.ItemApplied || from == memory.ItemOffered)
			if may != (err == nil) || err != nil && !errors.Is(err, store.ErrConflict) {
				t.Errorf("%s to %s: %v", from, to, err)
			}
			if _, err := s.Memory(t.Context(), tenant, m.ID); may != (err == nil) {
				t.Errorf("%s to %s: the memory of the set: %v", from, to, err)
			}
		}
	}
}

// An update that was decided on another version changes nothing, and neither does one
// of a run that is not there. Steps of an unknown run are refused.
func testRunExpectations(t *testing.T, s store.Store) {
	r := run(scopeA, memory.RunSimilar)
	mustCommit(t, s, change.Set{Runs: []memory.Run{r}})
	update := func(id string, expect int64) error {
		_, err := s.Commit(t.Context(), tenant, change.Set{RunUpdates: []change.RunUpdate{{ID: id, State: memory.RunRunning, Expect: expect}}}, store.InboxKey{})
		return err
	}
	wantError(t, update(r.ID, 2), store.ErrConflict)
	wantError(t, update("run_none", 0), store.ErrConflict)
	if err := update(r.ID, 1); err != nil {
		t.Fatal(err)
	}
	wantError(t, update(r.ID, 1), store.ErrConflict)
	for name, set := range map[string]change.Set{
		"step of no run":  {RunItems: []memory.RunItem{item(memory.Run{ID: "run_none"}, 1, memory.ItemPlanned)}},
		"step 0":          {RunItems: []memory.RunItem{item(r, 0, memory.ItemPlanned)}},
		"strategy":        {Runs: []memory.Run{run(scopeA, "guess")}},
		"state of a run":  {RunUpdates: []change.RunUpdate{{ID: r.ID, State: "paused"}}},
		"another tenant":  {Runs: []memory.Run{{ID: "run_1", Tenant: other}}},
		"another's steps": {RunItems: []memory.RunItem{{RunID: r.ID, N: 1, Tenant: other}}},
	} {
		if _, err := s.Commit(t.Context(), tenant, set, store.InboxKey{}); !errors.Is(err, store.ErrInvalid) {
			t.Errorf("%s: %v, want ErrInvalid", name, err)
		}
	}
}

// A run belongs to no lane: its rows do not change a scope's version.
func testRunLanes(t *testing.T, s store.Store) {
	mustCommit(t, s, change.Set{Memories: []memory.Memory{remembered(scopeA, "a")}})
	r := run(scopeA, memory.RunSimilar)
	mustCommit(t, s, change.Set{Runs: []memory.Run{r}})
	mustCommit(t, s, change.Set{RunItems: []memory.RunItem{item(r, 1, memory.ItemPlanned)}, RunUpdates: []change.RunUpdate{{ID: r.ID, State: memory.RunRunning}}})
	if v, err := s.ScopeVersions(t.Context(), tenant, scopeA); err != nil || v[scopeA] != 1 {
		t.Errorf("version %v, %v, want 1", v, err)
	}
}

// The steps of a memory are found by source and by product, and undone ones by scope.
func testRunMembers(t *testing.T, s store.Store) {
	ctx := t.Context()
	first, next, elsewhere := run(scopeA, memory.RunSimilar), run(scopeA, memory.RunWeekly), run(scopeB, memory.RunSimilar)
	applied := item(first, 1, memory.ItemApplied, "mem_a", "mem_b")
	applied.MemoryID = "mem_new"
	weekly := item(next, 1, memory.ItemPlanned)
	mustCommit(t, s, change.Set{
		Runs:     []memory.Run{first, next, elsewhere},
		RunItems: []memory.RunItem{applied, weekly, item(first, 2, memory.ItemUndone, "mem_c", "mem_d"), item(elsewhere, 1, memory.ItemUndone, "mem_e")},
	})
	weekly.State, weekly.Sources = memory.ItemApplied, []string{"mem_a"} // a weekly step knows its sources late
	mustCommit(t, s, change.Set{RunItems: []memory.RunItem{weekly}})
	names := func(list []memory.RunItem, err error) []string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, i := range list {
			all = append(all, fmt.Sprint(cmp.Or(map[string]string{first.ID: "first", next.ID: "next"}[i.RunID], "elsewhere"), " ", i.N))
		}
		return all
	}
	for _, c := range []struct {
		ids  []string
		want []string
	}{
		{[]string{"mem_a"}, []string{"first 1", "next 1"}},
		{[]string{"mem_new"}, []string{"first 1"}},
		{[]string{"mem_b", "mem_a", "mem_d", "mem_d"}, []string{"first 1", "first 2", "next 1"}},
		{[]string{"mem_none"}, nil},
		{nil, nil},
	} {
		if got := names(s.ItemsOf(ctx, tenant, c.ids...)); !slices.Equal(got, c.want) {
			t.Errorf("steps of %v: %v, want %v", c.ids, got, c.want)
		}
	}
	if got := names(s.TakenBack(ctx, tenant, scopeA)); !slices.Equal(got, []string{"first 2"}) {
		t.Errorf("undone in the scope: %v", got)
	}
}

// S0.61, S0.51: when a scope was last consolidated, and whether it has more than so
// many memories.
func testRunDue(t *testing.T, s store.Store) {
	ctx := t.Context()
	day := time.Date(2026, 11, 1, 3, 0, 0, 0, time.UTC)
	var runs []memory.Run
	for i, state := range []memory.RunState{
		memory.RunCompleted, memory.RunPartial, memory.RunUndone, memory.RunFailed, memory.RunCompleted, memory.RunRequested,
	} {
		r := run(scopeA, memory.RunSimilar)
		r.State, r.EndedAt = state, day.AddDate(0, 0, i)
		r.Options.DryRun = i == 4
		runs = append(runs, r)
	}
	for i, want := range []time.Time{day, day.AddDate(0, 0, 1), day.AddDate(0, 0, 2), day.AddDate(0, 0, 2), day.AddDate(0, 0, 2), day.AddDate(0, 0, 2)} {
		mustCommit(t, s, change.Set{Runs: runs[i : i+1]})
		if at, err := s.LastRun(ctx, tenant, scopeA, memory.RunSimilar); err != nil || !at.Equal(want) {
			t.Errorf("after %s (dry %v): %v, %v, want %v", runs[i].State, runs[i].Options.DryRun, at, err, want)
		}
	}
	for _, q := range []struct {
		tenant   memory.Tenant
		scope    memory.Scope
		strategy memory.RunStrategy
	}{{tenant, scopeA, memory.RunWeekly}, {tenant, scopeB, memory.RunSimilar}, {other, scopeA, memory.RunSimilar}} {
		if at, err := s.LastRun(ctx, q.tenant, q.scope, q.strategy); err != nil || !at.IsZero() {
			t.Errorf("%+v: %v, %v", q, at, err)
		}
	}

	var set change.Set
	for i := range 5 {
		set.Memories = append(set.Memories, remembered(scopeA, fmt.Sprint(i)))
	}
	set.Memories = append(set.Memories, remembered(scopeB, "elsewhere"))
	gone := remembered(scopeA, "gone")
	gone.State, gone.ArchivedAt = memory.StateArchived, now()
	set.Memories = append(set.Memories, gone)
	mustCommit(t, s, set)
	for atMost, want := range map[int]int{0: 1, 3: 4, 4: 5, 5: 5, 100: 5, -1: 1} {
		if n, err := s.ActiveCount(ctx, tenant, scopeA, atMost); err != nil || n != want {
			t.Errorf("at most %d: %d, %v, want %d", atMost, n, err, want)
		}
	}
	if n, err := s.ActiveCount(ctx, other, scopeA, 10); err != nil || n != 0 {
		t.Errorf("another tenant: %d, %v", n, err)
	}
}

// D10: the erosion budget counts what automation archived without a successor, and
// nothing that a person did.
func testEroded(t *testing.T, s store.Store) {
	ctx := t.Context()
	since := now().Add(-30 * 24 * time.Hour)
	var set change.Set
	var dropped memory.Memory
	for i, c := range []struct {
		reason, successor string
		at                time.Time
	}{
		{memory.ReasonDropped, "", since.Add(time.Hour)},                         // counts
		{memory.ReasonFaded + ": an emotion of March", "", since.Add(time.Hour)}, // counts
		{memory.ReasonPruned, "", since.Add(time.Hour)},                          // counts
		{memory.ReasonHygiene, "", since.Add(time.Hour)},                         // counts
		{memory.ReasonDropped, "", since},                                        // exclusive
		{memory.ReasonDropped, "", since.Add(-time.Hour)},
		{memory.ReasonDropped, "mem_new", since.Add(time.Hour)},
		{memory.ReasonConsolidated, "mem_new", since.Add(time.Hour)},
		{"undone", "", since.Add(time.Hour)},
		{"archived: dropped", "", since.Add(time.Hour)}, // a person's words
	} {
		m := remembered(scopeA, fmt.Sprint("eroded ", i))
		m.State, m.ArchivedAt, m.ArchiveReason, m.SuccessorID = memory.StateArchived, c.at, c.reason, c.successor
		if i == 0 {
			dropped = m
		}
		set.Memories = append(set.Memories, m)
	}
	mustCommit(t, s, set)
	count := func(scope memory.Scope, want int) {
		t.Helper()
		if n, err := s.Eroded(ctx, tenant, scope, since); err != nil || n != want {
			t.Errorf("%s: %d, %v, want %d", scope, n, err, want)
		}
	}
	count(scopeA, 4)
	count(scopeB, 0)
	if n, err := s.Eroded(ctx, tenant, scopeA, time.Time{}); err != nil || n != 6 {
		t.Errorf("ever: %d, %v, want 6", n, err)
	}
	mustCommit(t, s, change.Set{MemoryUpdates: []change.MemoryUpdate{{ID: dropped.ID, State: memory.StateActive, SeenCount: 1}}})
	count(scopeA, 3) // what is back was not lost
}

// Usage counts every time that a memory was served.
func testUsage(t *testing.T, s store.Store) {
	a, b := ident.New(memory.PrefixMemory), ident.New(memory.PrefixMemory)
	var served []store.Served
	for i := range 3 {
		served = append(served, store.Served{SessionID: fmt.Sprint("s", i), MemoryID: a, Principal: "agent", At: now()})
	}
	served = append(served, store.Served{MemoryID: b, Principal: "agent", At: now()}) // outside of any session
	if err := s.RecordServed(t.Context(), tenant, served); err != nil {
		t.Fatal(err)
	}
	got, err := s.Usage(t.Context(), tenant, a, b, "mem_none")
	if err != nil || !reflect.DeepEqual(got, map[string]int{a: 3, b: 1}) {
		t.Errorf("usage %v, %v", got, err)
	}
	if got, err := s.Usage(t.Context(), tenant); err != nil || len(got) != 0 {
		t.Errorf("of nothing: %v, %v", got, err)
	}
	if got, err := s.Usage(t.Context(), other, a); err != nil || len(got) != 0 {
		t.Errorf("another tenant: %v, %v", got, err)
	}
}

// Tenants do not see each other's runs.
func testRunTenants(t *testing.T, s store.Store) {
	ctx := t.Context()
	r := run(scopeA, memory.RunSimilar)
	mustCommit(t, s, change.Set{Runs: []memory.Run{r}, RunItems: []memory.RunItem{item(r, 1, memory.ItemUndone, "mem_a")}})
	if _, err := s.Run(ctx, other, r.ID); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("run: %v", err)
	}
	if list, err := s.Runs(ctx, other, store.RunQuery{IDs: []string{r.ID}}); err != nil || len(list) != 0 {
		t.Errorf("runs: %v, %v", list, err)
	}
	for name, read := range map[string]func() ([]memory.RunItem, error){
		"steps":      func() ([]memory.RunItem, error) { return s.RunItems(ctx, other, r.ID) },
		"members":    func() ([]memory.RunItem, error) { return s.ItemsOf(ctx, other, "mem_a") },
		"taken back": func() ([]memory.RunItem, error) { return s.TakenBack(ctx, other, scopeA) },
	} {
		if list, err := read(); err != nil || len(list) != 0 {
			t.Errorf("%s: %v, %v", name, list, err)
		}
	}
	_, err := s.Commit(ctx, other, change.Set{RunUpdates: []change.RunUpdate{{ID: r.ID, State: memory.RunFailed}}}, store.InboxKey{})
	wantError(t, err, store.ErrConflict)
	same := r // two tenants may use one id
	same.Tenant = other
	if _, err := s.Commit(ctx, other, change.Set{Runs: []memory.Run{same}}, store.InboxKey{}); err != nil {
		t.Error(err)
	}
}
