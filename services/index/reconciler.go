package index

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/model/embed"
	"github.com/winnowhq/winnow/services/internal/telemetry"
	"github.com/winnowhq/winnow/services/internal/vector"
)

const (
	// countInterval is the time between two counts of drift.
	countInterval = time.Minute
	// compareInterval is the time between two comparisons of everything, each with new
	// requests for missing vectors. No count shows a replica that died for good between
	// storing a vector in Postgres and writing it to the index, nor a text that the model
	// failed on while it succeeded with others. A comparison of 100,000 rows takes two
	// seconds.
	compareInterval = time.Hour
	// maxExpected bounds the ids remembered as lacking a vector; beyond it the rows are
	// scanned.
	maxExpected = 50_000
)

// reconciler does the work that no event triggers: it requests missing vectors from the
// model, and repairs differences between index and store. It runs concurrently with the
// indexer, so that neither waits for the other.
//
// Its state may be lost. At the start it compares everything, because no event announces a
// vector that was stored in Postgres just before a process died. Then it reads from
// Postgres which rows lack a vector.
type reconciler struct {
	x    *indexer
	wake chan struct{}

	mu         sync.Mutex
	expected   map[memory.Tenant]map[string]bool // memories that lack a vector
	scan       bool                              // find them by a scan of the rows
	compareAll bool                              // compare everything
	changed    map[memory.Tenant]bool            // since drift was counted

	drifted  map[memory.Tenant]bool // at the last count
	counted  time.Time
	compared time.Time
}

func newReconciler(x *indexer) *reconciler {
	return &reconciler{
		x: x, wake: make(chan struct{}, 1), expected: map[memory.Tenant]map[string]bool{}, scan: true, compareAll: true,
		changed: map[memory.Tenant]bool{}, drifted: map[memory.Tenant]bool{},
	}
}

// expect records which of the documents lack a vector of this process's model.
func (k *reconciler) expect(g vector.Generation, tenant memory.Tenant, docs []vector.Doc) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.changed[tenant] = true
	if !k.makes(g) || k.x.Truth.Local {
		return // the model was asked already, and found nothing in the text
	}
	for i := range docs {
		if docs[i].Dense != nil {
			continue
		}
		if k.expected[tenant] == nil {
			k.expected[tenant] = map[string]bool{}
		}
		if len(k.expected[tenant]) < maxExpected {
			k.expected[tenant][docs[i].ID] = true
		} else {
			k.scan = true
		}
		k.signal()
	}
}

// makes reports whether this process's embedder makes the vectors of the generation.
func (k *reconciler) makes(g vector.Generation) bool {
	return g.Dim > 0 && g.Model == k.x.Truth.Embedder.ID()
}

// requestCompare requests a comparison of everything.
func (k *reconciler) requestCompare() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.compareAll = true
	k.signal()
}

func (k *reconciler) signal() {
	select {
	case k.wake <- struct{}{}:
	default: // a signal is pending already
	}
}

func (k *reconciler) run(ctx context.Context) {
	tick := time.NewTicker(k.x.pace.look)
	defer tick.Stop()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
			return
		case <-k.wake:
		case <-tick.C:
		}
		targets := k.x.written.Load()
		if targets == nil {
			continue // the index is not available yet; nothing is lost meanwhile
		}
		if err := k.round(ctx, targets); err != nil {
			k.x.metrics.failed.Inc()
			if ctx.Err() == nil {
				k.x.Log.Warn("keeping the index: tried again", zap.Error(err))
				pause(ctx, k.x.pace.retry)
			}
		}
	}
}

func (k *reconciler) round(ctx context.Context, targets *generations) error {
	if err := k.compareIfDue(ctx, targets); err != nil {
		return err
	}
	if err := k.embed(ctx, targets); err != nil {
		return err
	}
	return k.count(ctx, targets)
}

// compareIfDue compares everything when that was requested or the interval has passed.
func (k *reconciler) compareIfDue(ctx context.Context, targets *generations) error {
	k.mu.Lock()
	requested, due := k.compareAll, time.Since(k.compared) >= k.x.pace.compare
	k.compareAll = false
	k.scan = k.scan || due
	k.mu.Unlock()
	if !requested && !due {
		return nil
	}
	k.compared = time.Now()
	err := k.x.reconcile(ctx, targets.serving, k.x.Truth.Stored)
	if err != nil {
		k.mu.Lock()
		k.compareAll = true
		k.mu.Unlock()
	}
	return err
}

// embed requests missing vectors from the model and writes them.
func (k *reconciler) embed(ctx context.Context, targets *generations) error {
	if !k.makes(targets.serving.Generation()) {
		return nil
	}
	k.mu.Lock()
	scan, expected := k.scan, k.expected
	k.scan, k.expected = false, map[memory.Tenant]map[string]bool{}
	k.mu.Unlock()
	again := func(err error) error {
		k.mu.Lock()
		k.scan = true // the rows show which vectors are still missing
		// No row shows a vector that was stored in Postgres and could not be written to
		// the index.
		k.compareAll = k.compareAll || !ofModel(err)
		k.mu.Unlock()
		return err
	}
	if scan {
		tenants, err := k.x.Store.Tenants(ctx)
		if err != nil {
			return again(err)
		}
		for _, tenant := range tenants {
			if err := k.embedAll(ctx, targets, tenant); err != nil {
				return again(err)
			}
		}
		return nil
	}
	for tenant, ids := range expected {
		list := make([]string, 0, len(ids))
		for id := range ids {
			list = append(list, id)
		}
		docs, err := k.x.Truth.Docs(ctx, targets.serving.Generation(), tenant, list)
		if err != nil {
			return again(err)
		}
		if err := k.put(ctx, targets, docs); err != nil {
			return again(err)
		}
	}
	return nil
}

// ofModel reports whether the model returned no vectors, so that none was stored either.
func ofModel(err error) bool {
	return errors.Is(err, embed.ErrUnavailable) || errors.Is(err, embed.ErrInvalid) || errors.Is(err, embed.ErrAnswer)
}

// embedAll requests the vectors of all rows of a tenant that lack one.
func (k *reconciler) embedAll(ctx context.Context, targets *generations, tenant memory.Tenant) error {
	for after := ""; ; {
		made, looked, last, err := k.x.Truth.Embed(ctx, targets.serving.Generation(), tenant, after)
		if err != nil {
			return err
		}
		if err := k.put(ctx, targets, made); err != nil {
			return err
		}
		if looked == 0 {
			return nil
		}
		after = last
	}
}

// put writes new vectors to every generation of the model.
func (k *reconciler) put(ctx context.Context, targets *generations, docs []vector.Doc) error {
	if len(docs) == 0 {
		return nil
	}
	for _, open := range targets.all {
		if !k.makes(open.Generation()) {
			continue
		}
		if err := open.Put(ctx, docs); err != nil {
			return err
		}
	}
	return nil
}

// count compares the number of documents with the expected number, for the tenants that
// changed since the last count. A tenant that differs in two successive counts is compared
// row by row; a single difference may be work in progress.
func (k *reconciler) count(ctx context.Context, targets *generations) error {
	if time.Since(k.counted) < countInterval {
		return nil
	}
	k.counted = time.Now()
	k.mu.Lock()
	changed := k.changed
	k.changed = map[memory.Tenant]bool{}
	k.mu.Unlock()
	for tenant := range k.drifted {
		changed[tenant] = true
	}
	total := 0
	for tenant := range changed {
		drift, err := k.drift(ctx, targets.serving, tenant)
		if err != nil {
			return err
		}
		total += drift
		switch {
		case drift == 0:
			delete(k.drifted, tenant)
		case !k.drifted[tenant]:
			k.drifted[tenant] = true
		default:
			k.x.Log.Warn("the index differs from the store", zap.String(telemetry.KeyTenant, string(tenant)), zap.Int(telemetry.KeyCount, drift))
			if err := k.x.reconcileTenant(ctx, targets.serving, tenant, k.x.Truth.Stored); err != nil {
				return err
			}
		}
	}
	k.x.metrics.drift.Set(float64(total))
	return nil
}

// drift returns the least number of documents by which index and store differ.
func (k *reconciler) drift(ctx context.Context, open vector.Index, tenant memory.Tenant) (int, error) {
	stats, err := open.Stats(ctx, tenant)
	if err != nil {
		return 0, fmt.Errorf("count documents: %w", err)
	}
	scopes, err := k.x.Store.Scopes(ctx, tenant)
	if err != nil {
		return 0, fmt.Errorf("count memories: %w", err)
	}
	want := 0
	for _, s := range scopes {
		want += s.Active + s.Archived
	}
	return max(stats.Live-want, want-stats.Live), nil
}
