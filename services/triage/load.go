package triage

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/winnowhq/winnow/services/internal/judge"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// pin returns the lanes of a batch and loads the missing ones, while no scope is
// locked. Scopes without a lane for now are in unavailable. The error is the store's.
func (c *laneCache) pin(ctx context.Context, tenant memory.Tenant, scopes []memory.Scope) (*pinnedLanes, error) {
	h := &pinnedLanes{cache: c, tenant: tenant, lanes: make(map[memory.Scope]*cachedLane), unavailable: make(map[memory.Scope]error)}
	if cold := c.pinAllCached(h, scopes); len(cold) > 0 {
		if err := c.pinCold(ctx, h, cold); err != nil {
			h.release(false)
			return nil, err
		}
	}
	return h, nil
}

// pinAllCached pins the cached lanes, whole or narrow, and returns the scopes that
// have neither.
func (c *laneCache) pinAllCached(h *pinnedLanes, scopes []memory.Scope) (cold []memory.Scope) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, scope := range scopes {
		key := laneKey{tenant: h.tenant, scope: scope}
		l := c.pinCached(key)
		if l == nil && c.sizes.Contains(key) {
			c.sizeOf(key).uses++
			c.startLoad(key)
			key.narrow = true
			l = c.pinCached(key)
		}
		if l == nil {
			cold = append(cold, scope)
			continue
		}
		h.lanes[scope] = l
	}
	return cold
}

// pinCold reads the whole lanes of small scopes and the narrow lanes of large ones.
// It starts the loads of the large scopes.
func (c *laneCache) pinCold(ctx context.Context, h *pinnedLanes, cold []memory.Scope) error {
	c.small.Lock()
	defer c.small.Unlock()
	if cold = c.pinAllCached(h, cold); len(cold) == 0 {
		return nil // another batch has read them
	}
	outlines, err := c.rows.LaneOutlines(ctx, h.tenant, smallScope, cold...)
	if err != nil {
		return fmt.Errorf("outline lanes: %w", err)
	}
	outlines = slices.DeleteFunc(outlines, func(o store.LaneOutline) bool {
		if !o.More {
			return false
		}
		key := laneKey{tenant: h.tenant, scope: o.Scope}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.sizeOf(key).uses++
		c.startLoad(key)
		if c.index == nil {
			h.unavailable[o.Scope] = c.snoozeUntilLoaded(key)
		}
		return c.index == nil
	})
	made, err := c.read(ctx, h.tenant, outlines, nil)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, l := range made {
		whole := l.key
		whole.narrow = false
		// The whole lane may have come while the narrow one was read; it stays the only one.
		if other := c.pinCached(whole); other != nil {
			h.lanes[l.key.scope] = other
		} else {
			h.lanes[l.key.scope] = c.add(l)
		}
	}
	return nil
}

// page is how many rows of lanes are read at once.
const page = 250

// read builds the lanes that the outlines name: the narrow lane where an outline has
// More, else the whole one.
//
// A load in the background (progress is not nil) counts its rows there and leaves the
// processors to the batches. It yields after each row, because a goroutine that
// computes for long delays the others by 10 ms at each of their steps. It pauses
// after each page for as long as the page took.
func (c *laneCache) read(ctx context.Context, tenant memory.Tenant, outlines []store.LaneOutline, progress *laneLoad) ([]*cachedLane, error) {
	if len(outlines) == 0 {
		return nil, nil
	}
	registry, err := c.registryOf(ctx, tenant)
	if err != nil {
		return nil, err
	}
	made, at := make([]*cachedLane, 0, len(outlines)), make(map[memory.Scope]*cachedLane, len(outlines))
	var memories, proposals []string
	for _, o := range outlines {
		l := &cachedLane{key: laneKey{tenant, o.Scope, o.More}, registry: -1, Lane: judge.NewLane(judge.LaneConfig{
			Tenant: tenant, Scope: o.Scope, Similarity: judge.SimilarityOf(c.analyzer), Analyzer: c.analyzer, NewID: c.newID,
		})}
		if err := l.configure(c.policies, registry); err != nil {
			return nil, err
		}
		if o.More {
			l.SetCandidateSource(indexCandidates)
		}
		l.SetVersion(o.Version)
		made, at[o.Scope] = append(made, l), l
		memories, proposals = append(memories, o.Memories...), append(proposals, o.Proposals...)
	}
	for len(memories)+len(proposals) > 0 {
		m := memories[:min(len(memories), page)]
		p := proposals[:min(len(proposals), page-len(m))]
		memories, proposals = memories[len(m):], proposals[len(p):]
		began := time.Now()
		rows, err := c.rows.LaneRows(ctx, tenant, m, p)
		if err != nil {
			return nil, fmt.Errorf("read lanes: %w", err)
		}
		yield := func() {}
		if progress != nil {
			yield = runtime.Gosched
			progress.read.Add(int64(len(m) + len(p)))
		}
		for i := range rows {
			at[rows[i].Scope].applyYielding(&rows[i], yield)
		}
		if progress != nil {
			pause(ctx, time.Since(began))
		}
	}
	for _, l := range made {
		c.metrics.loaded(l.key.narrow, l.Stored())
	}
	return made, nil
}

// pause waits for d, or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// registryOf returns the cached registry of the tenant, or reads it. Under the
// scope's lock a newer one replaces it.
func (c *laneCache) registryOf(ctx context.Context, tenant memory.Tenant) (store.Registry, error) {
	c.mu.Lock()
	registry, ok := c.registry[tenant]
	c.mu.Unlock()
	if ok {
		return registry, nil
	}
	registry, err := c.rows.Registry(ctx, tenant)
	if err != nil {
		return registry, fmt.Errorf("read registry: %w", err)
	}
	c.sawRegistry(tenant, registry)
	return registry, nil
}

func (c *laneCache) sawRegistry(tenant memory.Tenant, registry store.Registry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if known, ok := c.registry[tenant]; !ok || known.Version < registry.Version {
		c.registry[tenant] = registry
	}
}

// recount is after how many uses the rows of a scope that was too large are counted
// again.
const recount = 256

// laneLoad is a load of a large lane in progress: rows in all, and rows read.
type laneLoad struct {
	total, read atomic.Int64
	began       time.Time
}

// startLoad loads the whole lane of a large scope in the background, unless a load
// runs, the scope is too large, or the memory bound refuses it. The caller holds
// c.mu.
func (c *laneCache) startLoad(key laneKey) {
	size := c.sizeOf(key)
	if c.loads[key] != nil || c.ctx.Err() != nil {
		return
	}
	over := size.tooLarge && size.uses%recount != 0
	if c.index != nil && (over || size.rows > 0 && !size.tooLarge && !c.admits(key, size.rows)) {
		return
	}
	load := &laneLoad{began: time.Now()}
	c.loads[key] = load
	c.loading.Go(func() {
		err := c.load(key, load)
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.loads, key)
		if err != nil && c.ctx.Err() == nil {
			// Nothing is left behind; the next batch of the scope starts a new load.
			c.log.Warn("a lane could not be loaded", zap.Error(err))
		}
	})
}

// load reads a whole lane and adds it to the cache. One load runs at a time.
func (c *laneCache) load(key laneKey, load *laneLoad) error {
	select {
	case c.loadSlot <- struct{}{}:
		defer func() { <-c.loadSlot }()
	case <-c.ctx.Done():
		return c.ctx.Err()
	}
	most := c.maxRows
	if c.index == nil {
		most = 1 << 30 // without an index there is no narrow lane
	}
	outlines, err := c.rows.LaneOutlines(c.ctx, key.tenant, most, key.scope)
	if err != nil {
		return fmt.Errorf("outline lane: %w", err)
	}
	rows := len(outlines[0].Memories) + len(outlines[0].Proposals)
	load.total.Store(int64(rows))
	c.mu.Lock()
	size := c.sizeOf(key)
	size.rows, size.tooLarge = rows, outlines[0].More
	refused := c.index != nil && (size.tooLarge || !c.admits(key, rows))
	c.mu.Unlock()
	if refused {
		return nil
	}
	made, err := worker.Guarded(func() ([]*cachedLane, error) { return c.read(c.ctx, key.tenant, outlines, load) })
	if err != nil {
		return err
	}
	c.loaded(made[0])
	return nil
}

// loaded adds a whole lane that was read in the background. It replaces the narrow one.
func (c *laneCache) loaded(whole *cachedLane) {
	c.mu.Lock()
	defer c.mu.Unlock()
	l := c.add(whole)
	l.pins--
	// A batch may have added the lane meanwhile; then it was used.
	l.fresh = c.index == nil && l == whole
	narrow := l.key
	narrow.narrow = true
	if other, ok := c.cached.Peek(narrow); ok {
		c.drop(other)
	}
	c.evict()
	c.metrics.setCached(c.cached.Len(), c.bytes)
}

var errLoading = errors.New("the scope is large and is being loaded; its events come back when it should be there")

// snoozeUntilLoaded asks for another delivery at the time when the load should be
// complete. The caller holds c.mu.
func (c *laneCache) snoozeUntilLoaded(key laneKey) error {
	const slowRow = 300 * time.Microsecond // to read, analyse and pause, before the first page was measured
	wait := time.Second
	if load := c.loads[key]; load != nil {
		left := time.Duration(load.total.Load() - load.read.Load())
		if read := load.read.Load(); read > 0 {
			wait += left * time.Since(load.began) / time.Duration(read)
		} else {
			wait += left * slowRow
		}
	}
	return worker.Snooze(min(wait, time.Minute), fmt.Errorf("scope %s: %w", key.scope, errLoading))
}
