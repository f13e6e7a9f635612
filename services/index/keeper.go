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
	// keepEvery is how often drift is counted.
	keepEvery = time.Minute
	// compareEvery is how often everything is compared unasked, and what lacks a
	// vector is asked for again. A replica that died for good between keeping a
	// vector and writing it is noticed by no count, and neither is a text that the
	// model failed on while it did others; a comparison reads two seconds' worth of
	// 100,000 rows.
	compareEvery = time.Hour
	// maxExpected bounds what is remembered as lacking a vector; beyond it the
	// rows themselves are asked.
	maxExpected = 50_000
)

// keeper brings what events do not: vectors that the model has still to make,
// and what differs between index and store for reasons that nobody told. It
// works beside the indexer, so that neither waits for the other.
//
// Whatever it has in hand may be forgotten. At the start it compares everything,
// because a vector that was kept in Postgres a moment before a process died is
// lacking nowhere else and nobody tells of it; then it reads from Postgres which
// rows lack one.
type keeper struct {
	x    *indexer
	wake chan struct{}

	mu       sync.Mutex
	expected map[memory.Tenant]map[string]bool // lack a vector
	scan     bool                              // ask the rows which do
	unequal  bool                              // compare everything
	changed  map[memory.Tenant]bool            // since drift was counted

	drifted  map[memory.Tenant]bool // at the last count
	counted  time.Time
	compared time.Time
}

func newKeeper(x *indexer) *keeper {
	return &keeper{
		x: x, wake: make(chan struct{}, 1), expected: map[memory.Tenant]map[string]bool{}, scan: true, unequal: true,
		changed: map[memory.Tenant]bool{}, drifted: map[memory.Tenant]bool{},
	}
}

// expect notes which of these documents lack a vector that the model here makes.
func (k *keeper) expect(g vector.Generation, tenant memory.Tenant, docs []vector.Doc) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.changed[tenant] = true
	if !k.makes(g) || k.x.Truth.Local {
		return // it was asked already, and found nothing in the text
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
		k.call()
	}
}

// makes says whether the embedder here makes vectors of the generation.
func (k *keeper) makes(g vector.Generation) bool {
	return g.Dim > 0 && g.Model == k.x.Truth.Embedder.ID()
}

// compare asks for a comparison of everything.
func (k *keeper) compare() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.unequal = true
	k.call()
}

func (k *keeper) call() {
	select {
	case k.wake <- struct{}{}:
	default: // it was called already
	}
}

func (k *keeper) run(ctx context.Context) {
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
			continue // the indexer waits for the index; nothing is lost meanwhile
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

func (k *keeper) round(ctx context.Context, targets *generations) error {
	if err := k.mend(ctx, targets); err != nil {
		return err
	}
	if err := k.embed(ctx, targets); err != nil {
		return err
	}
	return k.count(ctx, targets)
}

// mend compares everything where that was asked for, or is due.
func (k *keeper) mend(ctx context.Context, targets *generations) error {
	k.mu.Lock()
	asked, due := k.unequal, time.Since(k.compared) >= k.x.pace.compare
	k.unequal = false
	k.scan = k.scan || due
	k.mu.Unlock()
	if !asked && !due {
		return nil
	}
	k.compared = time.Now()
	err := k.x.reconcile(ctx, targets.serving, k.x.Truth.Stored)
	if err != nil {
		k.mu.Lock()
		k.unequal = true
		k.mu.Unlock()
	}
	return err
}

// embed asks the model for what is lacking.
func (k *keeper) embed(ctx context.Context, targets *generations) error {
	if !k.makes(targets.serving.Generation()) {
		return nil
	}
	k.mu.Lock()
	scan, expected := k.scan, k.expected
	k.scan, k.expected = false, map[memory.Tenant]map[string]bool{}
	k.mu.Unlock()
	again := func(err error) error {
		k.mu.Lock()
		k.scan = true // the rows know what is still lacking
		// Not a row, but the index lacks a vector that was kept in Postgres and
		// could not be written any further.
		k.unequal = k.unequal || !ofModel(err)
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

// ofModel says that the model gave no vectors, so that none was kept either.
func ofModel(err error) bool {
	return errors.Is(err, embed.ErrUnavailable) || errors.Is(err, embed.ErrInvalid) || errors.Is(err, embed.ErrAnswer)
}

// embedAll goes through the rows of a tenant that lack a vector.
func (k *keeper) embedAll(ctx context.Context, targets *generations, tenant memory.Tenant) error {
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

// put writes what the model made to every generation of that model.
func (k *keeper) put(ctx context.Context, targets *generations, docs []vector.Doc) error {
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

// count compares how many documents there are with how many there should be,
// for the tenants that changed lately. One that differs twice, with time
// between for what is in hand, is compared row by row.
func (k *keeper) count(ctx context.Context, targets *generations) error {
	if time.Since(k.counted) < keepEvery {
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

// drift is by how many documents index and store differ at least.
func (k *keeper) drift(ctx context.Context, open vector.Index, tenant memory.Tenant) (int, error) {
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
