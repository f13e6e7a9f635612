package embedded_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/vector"
	"github.com/winnowhq/winnow/services/internal/vector/embedded"
	"github.com/winnowhq/winnow/services/internal/vector/vectortest"
)

var generation = vector.Generation{N: 1, Model: "test/256", Dim: 256, Analyzer: "test-1", AvgLen: 20}

// opened opens the generation on a backend.
func opened(t testing.TB, b *embedded.Backend) vector.Index {
	t.Helper()
	if err := b.Create(t.Context(), generation); err != nil {
		t.Fatal(err)
	}
	x, err := b.Open(t.Context(), generation)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// live counts a tenant's documents as the index sees them.
func live(t testing.TB, x vector.Index, tenant memory.Tenant) int {
	t.Helper()
	stats, err := x.Stats(t.Context(), tenant)
	if err != nil {
		t.Fatal(err)
	}
	return stats.Live
}

// counting counts how often a tenant is read from its beginning.
func counting(source vector.Source) (vector.Source, *atomic.Int32) {
	loads := new(atomic.Int32)
	return func(ctx context.Context, g vector.Generation, tenant memory.Tenant, after string) ([]vector.Doc, error) {
		if after == "" {
			loads.Add(1)
		}
		return source(ctx, g, tenant, after)
	}, loads
}

// Many who ask at once for a tenant that is not in memory wait for one load.
func TestLoadsOnce(t *testing.T) {
	t.Parallel()
	docs := vectortest.Random("acme", generation, 300, 1)
	source, loads := counting(vectortest.Truth(docs, 50))
	x := opened(t, open(t, source))
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			lists, err := x.Search(t.Context(), vector.Everywhere("acme"), vector.Query{Dense: docs[7].Dense, Limit: 300})
			if err != nil || len(lists.Dense) != 300 {
				t.Errorf("%d hits (%v), want 300", len(lists.Dense), err)
			}
		})
	}
	all.Wait()
	if loads.Load() != 1 {
		t.Errorf("loaded %d times, want once", loads.Load())
	}
}

// A load that fails is told to who asked, and the next one tries again. Postgres
// keeps answering meanwhile.
func TestLoadFails(t *testing.T) {
	t.Parallel()
	broken := errors.New("no route to postgres")
	var fails atomic.Bool
	fails.Store(true)
	truth := vectortest.Truth(vectortest.Random("acme", generation, 10, 1), 3)
	x := opened(t, open(t, func(ctx context.Context, g vector.Generation, tenant memory.Tenant, after string) ([]vector.Doc, error) {
		if after != "" && fails.Load() {
			return nil, broken
		}
		return truth(ctx, g, tenant, after)
	}))
	if _, err := x.Stats(t.Context(), "acme"); !errors.Is(err, broken) {
		t.Fatalf("error %v, want %v", err, broken)
	}
	fails.Store(false)
	if n := live(t, x, "acme"); n != 10 {
		t.Errorf("%d documents after the source is back, want 10", n)
	}
}

// A row that cannot be compared stops the load with its id: an index that lacks
// it silently would be worse.
func TestLoadRefusesBadRows(t *testing.T) {
	t.Parallel()
	docs := vectortest.Random("acme", generation, 3, 1)
	docs[1].Dense = docs[1].Dense[:5]
	x := opened(t, open(t, vectortest.Truth(docs, 10)))
	_, err := x.Stats(t.Context(), "acme")
	if !errors.Is(err, vector.ErrDimension) || !strings.Contains(err.Error(), docs[1].ID) {
		t.Errorf("error %v, want %v with %s", err, vector.ErrDimension, docs[1].ID)
	}
}

// Whoever waits for another's load is not failed by the other's deadline.
func TestLoadOutlivesItsCaller(t *testing.T) {
	t.Parallel()
	truth := vectortest.Truth(vectortest.Random("acme", generation, 10, 1), 100)
	started, first := make(chan struct{}), sync.Once{}
	x := opened(t, open(t, func(ctx context.Context, g vector.Generation, tenant memory.Tenant, after string) ([]vector.Doc, error) {
		blocked := false
		first.Do(func() { blocked = true })
		if blocked {
			close(started)
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return truth(ctx, g, tenant, after)
	}))
	hasty, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := x.Stats(hasty, "acme")
		done <- err
	}()
	<-started
	patient := make(chan error)
	go func() {
		stats, err := x.Stats(t.Context(), "acme")
		if err == nil && stats.Live != 10 {
			err = fmt.Errorf("%d documents, want 10", stats.Live)
		}
		patient <- err
	}()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("the hasty one: %v", err)
	}
	if err := <-patient; err != nil {
		t.Errorf("the patient one: %v", err)
	}
}

// A write to a tenant that is not in memory is not lost: the load that comes
// reads it from the truth. One that is in memory sees it at once.
func TestPutBeforeLoad(t *testing.T) {
	t.Parallel()
	docs := vectortest.Random("acme", generation, 20, 1)
	source, loads := counting(vectortest.Truth(docs, 50))
	x := opened(t, open(t, source))
	if err := x.Put(t.Context(), docs[:5]); err != nil {
		t.Fatal(err)
	}
	if loads.Load() != 0 {
		t.Error("a write loaded the tenant")
	}
	if n := live(t, x, "acme"); n != 20 {
		t.Errorf("%d documents, want 20", n)
	}
	more := vectortest.Random("acme", generation, 1, 2)
	if err := x.Put(t.Context(), more); err != nil {
		t.Fatal(err)
	}
	if n := live(t, x, "acme"); n != 21 {
		t.Errorf("%d documents after a write, want 21", n)
	}
}

// The least recently used tenant makes room, and comes back when asked for.
func TestForgetsTheLeastRecentlyUsed(t *testing.T) {
	t.Parallel()
	tenants := []memory.Tenant{"one", "two", "three"}
	var docs []vector.Doc
	for i, tenant := range tenants {
		docs = append(docs, vectortest.Random(tenant, generation, 50, uint64(i))...)
	}
	source, loads := counting(vectortest.Truth(docs, 100))
	config := embedded.DefaultConfig()
	config.MaxBytes = 3 << 20 // two tenants of a block (1¼ MiB) each, not three
	b, err := embedded.New(config, source)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	x := opened(t, b)
	expect := func(tenant memory.Tenant, total int32) {
		t.Helper()
		if n := live(t, x, tenant); n != 50 {
			t.Errorf("tenant %s has %d documents, want 50", tenant, n)
		}
		if loads.Load() != total {
			t.Errorf("after %s: %d loads, want %d", tenant, loads.Load(), total)
		}
	}
	expect("one", 1)
	expect("two", 2)
	expect("one", 2)   // in memory
	expect("three", 3) // two makes room
	expect("one", 3)   // still there
	expect("two", 4)   // and three makes room
	expect("one", 4)
}

func TestConfigNamesEveryProblem(t *testing.T) {
	t.Parallel()
	_, err := embedded.New(embedded.Config{}, nil)
	if err == nil || !strings.Contains(err.Error(), "max_bytes") || !strings.Contains(err.Error(), "scans") {
		t.Errorf("error %v, want both problems", err)
	}
}
