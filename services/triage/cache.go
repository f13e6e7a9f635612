package triage

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"go.uber.org/zap"

	"github.com/winnowhq/winnow/services/internal/judge/wording"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// laneCache caches lanes between batches, within the bounds of its settings. Safe for
// concurrent use.
//
// A batch pins its lanes while no scope is locked, which loads the missing ones.
// Under the locks it applies the changes since then. So a lane is exact: it is used
// only under its scope's lock, at the locked version.
//
// A large scope (more than [smallScope] rows) is loaded in the background, once for
// all batches. Until the load is complete, batches get a narrow lane, and so do
// batches of a scope that is too large or is refused by the memory bound. A narrow
// lane holds new, open and settled texts; the index names the others (ADR 20).
type laneCache struct {
	rows     laneSource
	policies *policies
	analyzer *wording.Analyzer
	newID    func(prefix string) string
	index    *neighbours // nil without an index
	log      *zap.Logger
	metrics  *metrics

	maxLanes, maxBytes, maxRows int

	// judging is held from the refresh of a batch's lanes until the batch has ended.
	// One batch at a time costs nothing, because one process commits in sequence.
	judging sync.Mutex
	// small is held while lanes of small scopes are read, so that two batches of one
	// scope read it once.
	small sync.Mutex

	mu             sync.Mutex
	cached         *simplelru.LRU[laneKey, *cachedLane]
	bytes          int                  // of all cached lanes
	largeSet       map[*cachedLane]bool // lanes of more than a sixteenth of maxBytes
	clock          int64
	sizes          *simplelru.LRU[laneKey, *scopeSize] // of large scopes
	registry       map[memory.Tenant]store.Registry
	storedPolicies map[policyKey]bool // versions whose text the store has, for replays
	loads          map[laneKey]*laneLoad

	ctx      context.Context // ends with the process
	stop     context.CancelFunc
	loading  sync.WaitGroup
	loadSlot chan struct{} // held by the running load: one at a time leaves processors to the batches
}

// laneSource reads the rows and the registry that lanes are built from.
type laneSource interface {
	store.LaneReader
	Registry(ctx context.Context, tenant memory.Tenant) (store.Registry, error)
}

// policyKey identifies a version of a policy in a tenant.
type policyKey struct {
	tenant  memory.Tenant
	version string
}

// scopeSize is the known size and use of a large scope, whether or not its lane is
// cached.
type scopeSize struct {
	rows     int // 0 until counted
	tooLarge bool
	uses     int // batches of the scope, halved from time to time
}

// smallScope is how many memories, and how many open proposals, make a small scope,
// which is read with its batch. A narrow lane begins with as many of each.
const smallScope = 500

// maxSizes bounds the large scopes whose size is remembered.
const maxSizes = 4096

func newLaneCache(cfg LaneConfig, rows laneSource, p *policies, a *wording.Analyzer, newID func(string) string) *laneCache {
	c := &laneCache{
		rows: rows, policies: p, analyzer: a, newID: newID, log: zap.NewNop(),
		maxLanes: cfg.Lanes, maxBytes: cfg.Memory << 20, maxRows: cfg.Rows,
		registry: make(map[memory.Tenant]store.Registry), storedPolicies: make(map[policyKey]bool),
		largeSet: make(map[*cachedLane]bool), loads: make(map[laneKey]*laneLoad), loadSlot: make(chan struct{}, 1),
	}
	// evict enforces the bounds, because it knows which lanes are pinned. The LRU
	// itself is unbounded.
	c.cached, _ = simplelru.NewLRU[laneKey, *cachedLane](1<<40, nil)
	c.sizes, _ = simplelru.NewLRU[laneKey, *scopeSize](maxSizes, nil)
	c.ctx, c.stop = context.WithCancel(context.Background())
	return c
}

// background runs a function that outlives the batch, until the process ends.
func (c *laneCache) background(run func(context.Context)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ctx.Err() == nil {
		c.loading.Go(func() { run(c.ctx) })
	}
}

// close cancels the running loads and waits for them.
func (c *laneCache) close() {
	c.mu.Lock()
	c.stop()
	c.mu.Unlock()
	c.loading.Wait()
}

// pinCached pins a cached lane, or returns nil. The caller holds c.mu, here and in
// all methods below.
func (c *laneCache) pinCached(key laneKey) *cachedLane {
	l, ok := c.cached.Get(key)
	if !ok {
		return nil
	}
	c.clock++
	l.used, l.fresh = c.clock, false
	l.pins++
	if c.isLarge(l) {
		c.sizeOf(key).uses++
	}
	return l
}

// add adds a lane to the cache and pins it. When another batch has added the same
// lane before, add returns that one.
func (c *laneCache) add(l *cachedLane) *cachedLane {
	if other := c.pinCached(l.key); other != nil {
		return other
	}
	c.clock++
	l.cached, l.used = true, c.clock
	l.pins++
	c.cached.Add(l.key, l)
	c.updateSize(l)
	return l
}

// updateSize counts a cached lane's bytes anew.
func (c *laneCache) updateSize(l *cachedLane) {
	size := l.Bytes()
	c.bytes += size - l.size
	l.size = size
	if size > c.maxBytes/16 && !l.key.narrow {
		c.largeSet[l] = true
	} else {
		delete(c.largeSet, l)
	}
}

// drop evicts a lane. Batches that pinned it may still use it, because each batch
// brings it to the locked version.
func (c *laneCache) drop(l *cachedLane) {
	if l.cached {
		c.cached.Remove(l.key)
		c.bytes -= l.size
		l.cached, l.size = false, 0
		delete(c.largeSet, l)
	}
}

// unpin releases a lane. A lane that is empty, broken or too large for a narrow one
// is evicted. Without exclusive another batch may be judging in a lane that it pinned too;
// that batch counts the lane's bytes.
func (c *laneCache) unpin(l *cachedLane, exclusive bool) {
	l.pins--
	if !l.cached {
		return
	}
	if exclusive || l.pins == 0 {
		c.updateSize(l)
	}
	if l.broken || l.pins == 0 && (l.Stored() == 0 || l.key.narrow && l.Stored() > 8*smallScope) {
		c.drop(l)
	}
}

// sizeOf returns the entry of a large scope.
func (c *laneCache) sizeOf(key laneKey) *scopeSize {
	key.narrow = false
	s, ok := c.sizes.Get(key)
	if !ok {
		s = &scopeSize{}
		c.sizes.Add(key, s)
	}
	// Halving makes old uses count less than new ones.
	if s.uses >= 1024 {
		for _, other := range c.sizes.Values() {
			other.uses /= 2
		}
	}
	return s
}

// idleUses is after how many uses of other lanes a large lane loses its protection
// and is evicted like a small one.
const idleUses = 50_000

// isLarge reports whether a lane takes more than a sixteenth of the memory and is in
// use. Large lanes share one half of the memory; small lanes evict only each other.
func (c *laneCache) isLarge(l *cachedLane) bool {
	return c.largeSet[l] && c.clock-l.used < idleUses
}

// largeLanes returns the large lanes, least used first, and their bytes.
func (c *laneCache) largeLanes() (lanes []*cachedLane, bytes int) {
	for l := range c.largeSet {
		if c.isLarge(l) {
			lanes = append(lanes, l)
			bytes += l.size
		}
	}
	slices.SortFunc(lanes, func(a, b *cachedLane) int {
		return cmp.Or(cmp.Compare(c.sizeOf(a.key).uses, c.sizeOf(b.key).uses), cmp.Compare(a.used, b.used))
	})
	return lanes, bytes
}

// admits reports whether a whole lane of so many rows may be loaded. It may when it
// fits beside the other large lanes, or when its scope is used more than twice as
// often as the lanes that it would evict.
//
// So two scopes that are used alike never evict each other in turn: one has the lane,
// and the other uses the index.
func (c *laneCache) admits(key laneKey, rows int) bool {
	need := rows * usualRow
	if need <= c.maxBytes/16 {
		return true
	}
	lanes, used := c.largeLanes()
	uses := 0
	for _, l := range lanes {
		if used+need <= c.maxBytes/2 {
			break
		}
		used -= l.size
		uses += c.sizeOf(l.key).uses
	}
	return used+need <= c.maxBytes/2 && (uses == 0 || c.sizeOf(key).uses > 2*uses)
}

// usualRow is the memory of a row of ordinary length, in bytes.
const usualRow = 5000

// evict drops lanes until the bounds hold. Pinned lanes stay.
func (c *laneCache) evict() {
	for c.bytes > c.maxBytes || c.cached.Len() > c.maxLanes {
		l := c.victim()
		if l == nil {
			return
		}
		c.drop(l)
	}
}

// victim returns the lane to evict next: a small one that was not used for longest, or,
// while the large lanes have more than their half, the least used of those. It returns nil
// when every candidate is pinned.
func (c *laneCache) victim() *cachedLane {
	large, bytes := c.largeLanes()
	first, second := c.smallVictim, func() *cachedLane { return largeVictim(large) }
	if bytes > c.maxBytes/2 {
		first, second = second, first
	}
	if l := first(); l != nil {
		return l
	}
	return second()
}

// smallVictim returns the least recently used small lane without a pin, or nil.
func (c *laneCache) smallVictim() *cachedLane {
	for range c.cached.Len() {
		key, l, _ := c.cached.GetOldest()
		if l.pins == 0 && !c.isLarge(l) {
			return l
		}
		c.cached.Get(key) // not evicted: marked as used, so that the next call does not see it first
	}
	return nil
}

// largeVictim returns the least used lane without a pin. One that was loaded for snoozed
// events and not used yet goes only when there is no other, and the newest of those stays:
// its events may be handled elsewhere, so that they never come back to this process.
func largeVictim(large []*cachedLane) *cachedLane {
	var oldest, newest *cachedLane
	for _, l := range large {
		switch {
		case l.pins > 0:
		case !l.fresh:
			return l
		default:
			if oldest == nil || l.used < oldest.used {
				oldest = l
			}
			if newest == nil || l.used > newest.used {
				newest = l
			}
		}
	}
	if oldest == newest {
		return nil
	}
	return oldest
}
