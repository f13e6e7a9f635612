package vectortest

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/winnowhq/winnow/services/internal/vector"
)

func testGenerationLife(t *testing.T, b vector.Backend) {
	ctx := t.Context()
	if err := b.Ready(ctx); err != nil {
		t.Fatalf("ready: %v", err)
	}
	_, err := b.Active(ctx)
	wantError(t, "active before any", err, vector.ErrNoGeneration)

	one, two := generation(1, 8), generation(2, 16)
	first := opened(t, b, one)
	opened(t, b, two)
	if err := b.Create(ctx, one); err != nil {
		t.Errorf("create again: %v", err)
	}
	if first.Generation() != one {
		t.Errorf("opened %+v, want %+v", first.Generation(), one)
	}
	for _, g := range []vector.Generation{one, two, one} {
		if err := b.Activate(ctx, g); err != nil {
			t.Fatalf("activate %d: %v", g.N, err)
		}
		if got, err := b.Active(ctx); err != nil || got != g {
			t.Errorf("active is %+v (%v), want %+v", got, err, g)
		}
	}
	all, err := b.Generations(ctx)
	if err != nil || len(all) != 2 || all[0] != one || all[1] != two {
		t.Errorf("generations are %+v (%v)", all, err)
	}

	wantError(t, "drop what serves", b.Drop(ctx, one), vector.ErrInvalid)
	if err := b.Activate(ctx, two); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := b.Drop(ctx, one); err != nil {
			t.Errorf("drop: %v", err)
		}
	}
	_, err = b.Open(ctx, one)
	wantError(t, "open what was dropped", err, vector.ErrNoGeneration)
	_, err = first.Search(ctx, vector.Within(tenant, here), vector.Query{Terms: []uint32{1}, Limit: 1})
	wantError(t, "search what was dropped", err, vector.ErrNoGeneration)
	wantError(t, "put into what was dropped", first.Put(ctx, []vector.Doc{doc(1)}), vector.ErrNoGeneration)
}

func testGenerationRefusals(t *testing.T, b vector.Backend) {
	ctx := t.Context()
	g := generation(1, 8)
	opened(t, b, g)
	for what, change := range map[string]func(*vector.Generation){
		"model":     func(g *vector.Generation) { g.Model = "test/other" },
		"dimension": func(g *vector.Generation) { g.Dim = 9 },
		"analyzer":  func(g *vector.Generation) { g.Analyzer = "test-2" },
	} {
		differs := g
		change(&differs)
		wantError(t, "create with another "+what, b.Create(ctx, differs), vector.ErrGeneration)
		_, err := b.Open(ctx, differs)
		wantError(t, "open with another "+what, err, vector.ErrGeneration)
		wantError(t, "activate with another "+what, b.Activate(ctx, differs), vector.ErrGeneration)
		wantError(t, "drop with another "+what, b.Drop(ctx, differs), vector.ErrGeneration)
	}
	wantError(t, "create number 0", b.Create(ctx, generation(0, 8)), vector.ErrInvalid)
	_, err := b.Open(ctx, generation(2, 8))
	wantError(t, "open what is not there", err, vector.ErrNoGeneration)
	wantError(t, "activate what is not there", b.Activate(ctx, generation(2, 8)), vector.ErrNoGeneration)
}

// A change of model under load: every answer comes from one generation, and after the
// switch only from the new one.
func testSwitchUnderLoad(t *testing.T, b vector.Backend) {
	ctx := t.Context()
	gens := []vector.Generation{generation(1, 8), generation(2, 16)}
	expect := make(map[int]map[string]bool)
	for _, g := range gens {
		x := opened(t, b, g)
		docs := Random(tenant, g, 50, uint64(g.N))
		put(t, x, docs...)
		expect[g.N] = make(map[string]bool)
		for _, d := range docs {
			expect[g.N][d.ID] = true
		}
	}
	if err := b.Activate(ctx, gens[0]); err != nil {
		t.Fatal(err)
	}
	ask := func() (int, error) {
		g, err := b.Active(ctx)
		if err != nil {
			return 0, err
		}
		x, err := b.Open(ctx, g)
		if err != nil {
			return 0, err
		}
		q := make([]float32, g.Dim)
		q[0] = 1
		lists, err := x.Search(ctx, vector.Everywhere(tenant), vector.Query{Dense: q, Limit: 50})
		if err != nil {
			return 0, err
		}
		if len(lists.Dense) != 50 {
			return 0, fmt.Errorf("%d hits from generation %d, want 50", len(lists.Dense), g.N)
		}
		for _, h := range lists.Dense {
			if !expect[g.N][h.ID] {
				return 0, fmt.Errorf("generation %d answered with another's %s", g.N, h.ID)
			}
		}
		return g.N, nil
	}

	running, stop := context.WithCancel(ctx)
	var readers sync.WaitGroup
	asked := make(chan struct{}, 1)
	for range 4 {
		readers.Go(func() {
			for running.Err() == nil {
				if _, err := ask(); err != nil {
					t.Error(err)
					return
				}
				select {
				case asked <- struct{}{}:
				default:
				}
			}
		})
	}
	<-asked
	if err := b.Activate(ctx, gens[1]); err != nil {
		t.Error(err)
	}
	if n, err := ask(); err != nil || n != 2 {
		t.Errorf("after the switch generation %d answers (%v), want 2", n, err)
	}
	stop()
	readers.Wait()
}
