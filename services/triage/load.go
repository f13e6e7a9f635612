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

// pin returns the lanes of a batch, loading what is missing while no scope is
// locked. The error is the store's. Scopes that no lane can be given for now are
// in later.
func (c *laneCache) pin(ctx context.Context, tenant memory.Tenant, scopes []memory.Scope) (*heldLanes, error) {
	h := &heldLanes{cache: c, tenant: tenant, lanes: make(map[memory.Scope]*cachedLane), later: make(map[memory.Scope]error)}
	if cold := c.takeHeld(h, scopes); len(cold) > 0 {
		if err := c.pinCold(ctx, h, cold); err != nil {
			h.release(false)
			return nil, err
		}
	}
	return h, nil
}

// takeHeld pins what is held and returns the rest.
func (c *laneCache) takeHeld(h *heldLanes, scopes []memory.Scope) (cold []memory.Scope) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, scope := range scopes {
		key := laneKey{tenant: h.tenant, scope: scope}
		l := c.take(key)
		if l == nil && c.sizes.Contains(key) {
			c.sizeOf(key).uses++
			c.begin(key)
			key.narrow = true
			l = c.take(key)
		}
		if l == nil {
			cold = append(cold, scope)
			continue
		}
		h.lanes[scope] = l
	}
	return cold
}

// pinCold reads the lanes of small scopes and the narrow ones of large scopes.
func (c *laneCache) pinCold(ctx context.Context, h *heldLanes, cold []memory.Scope) error {
	c.small.Lock()
	defer c.small.Unlock()
	if cold = c.takeHeld(h, cold); len(cold) == 0 {
		return nil // another batch read them
	}
	outlines, err := c.rows.LaneOutlines(ctx, h.tenant, few, cold...)
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
		c.begin(key)
		if c.index == nil {
			h.later[o.Scope] = c.notYet(key)
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
		h.lanes[l.key.scope] = c.add(l)
	}
	return nil
}

// page is how many rows of lanes are read at once.
const page = 250

// read makes the lanes that the outlines name. Of a lane with More it makes the
// narrow one. A load beside the batches says how far it is and leaves them the
// processors: it yields after each row, as a goroutine that computes for long keeps
// the others waiting for 10 ms at each step of their way, and it rests after each
// page for as long as that took.
func (c *laneCache) read(ctx context.Context, tenant memory.Tenant, outlines []store.LaneOutline, beside *laneLoad) ([]*cachedLane, error) {
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
			l.SetBeside(besideIndex)
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
		if beside != nil {
			yield = runtime.Gosched
			beside.read.Add(int64(len(m) + len(p)))
		}
		for i := range rows {
			at[rows[i].Scope].applyBeside(&rows[i], yield)
		}
		if beside != nil {
			rest(ctx, time.Since(began))
		}
	}
	for _, l := range made {
		c.metrics.loaded(l.key.narrow, l.Stored())
	}
	return made, nil
}

// rest waits, or until ctx ends.
func rest(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// registryOf is the registry as it was last seen; under the lock a newer one takes
// its place.
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

// recount is after how many uses a scope that was too large is counted again.
const recount = 256

// laneLoad is a large lane on its way.
type laneLoad struct {
	total, read atomic.Int64
	began       time.Time
}

// begin loads the whole lane of a large scope, unless it is on its way, is too
// large or finds no room. The caller holds the lock.
func (c *laneCache) begin(key laneKey) {
	size := c.sizeOf(key)
	if c.loads[key] != nil || c.ctx.Err() != nil {
		return
	}
	over := size.over && size.uses%recount != 0
	if c.index != nil && (over || size.rows > 0 && !size.over && !c.admits(key, size.rows)) {
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
			// The next batch that wants it tries again; this one leaves nothing.
			c.log.Warn("a lane could not be loaded", zap.Error(err))
		}
	})
}

// load reads a whole lane and takes it in.
func (c *laneCache) load(key laneKey, load *laneLoad) error {
	select {
	case c.turn <- struct{}{}:
		defer func() { <-c.turn }()
	case <-c.ctx.Done():
		return c.ctx.Err()
	}
	most := c.maxRows
	if c.index == nil {
		most = 1 << 30 // nobody else can be asked
	}
	outlines, err := c.rows.LaneOutlines(c.ctx, key.tenant, most, key.scope)
	if err != nil {
		return fmt.Errorf("outline lane: %w", err)
	}
	rows := len(outlines[0].Memories) + len(outlines[0].Proposals)
	load.total.Store(int64(rows))
	c.mu.Lock()
	size := c.sizeOf(key)
	size.rows, size.over = rows, outlines[0].More
	refused := c.index != nil && (size.over || !c.admits(key, rows))
	c.mu.Unlock()
	if refused {
		return nil
	}
	made, err := worker.Guarded(func() ([]*cachedLane, error) { return c.read(c.ctx, key.tenant, outlines, load) })
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	l := c.add(made[0])
	l.pins--
	l.fresh = c.index == nil
	narrow := key
	narrow.narrow = true
	if other, ok := c.held.Peek(narrow); ok {
		c.drop(other)
	}
	c.evict()
	return nil
}

var errLoading = errors.New("the scope is large and is being loaded; its events come back when it should be there")

// notYet asks for another delivery when the load should be done. The caller holds
// the lock.
func (c *laneCache) notYet(key laneKey) error {
	const slowRow = 300 * time.Microsecond // to read, analyse and rest, where nothing is known yet
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
