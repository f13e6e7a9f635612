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

// laneCache remembers lanes between batches, within the bounds of its settings.
// A batch pins its lanes while no scope is locked, which loads what is missing,
// and brings the news into them under the locks: a lane is exact because it is
// used only under its scope's lock and brought to the locked version first.
//
// A large scope (more than [few] rows) is loaded beside the batches, once for all
// that want it. Until it is there, and for a scope that is too large or that finds
// no room, batches get a narrow lane: what is new, open or settled, to which the
// index names the rest. Safe for concurrent use.
type laneCache struct {
	rows     laneSource
	policies *policies
	analyzer *wording.Analyzer
	newID    func(prefix string) string
	index    *neighbours // nil where there is none
	log      *zap.Logger
	metrics  *metrics

	maxLanes, maxBytes, maxRows int

	// judging is held from the moment when a batch brings its lanes up to date
	// until it has ended. One batch at a time costs nothing, as the commits of one
	// process are sequential.
	judging sync.Mutex
	// small is held while lanes of small scopes are read, so that two batches that
	// want the same one read it once.
	small sync.Mutex

	mu       sync.Mutex
	held     *simplelru.LRU[laneKey, *cachedLane]
	bytes    int // of all that is held
	big      map[*cachedLane]bool
	clock    int64
	sizes    *simplelru.LRU[laneKey, *scopeSize] // of large scopes
	registry map[memory.Tenant]store.Registry
	kept     map[keptPolicy]bool // versions that the store has for replays
	loads    map[laneKey]*laneLoad

	ctx     context.Context // ends with the process
	stop    context.CancelFunc
	loading sync.WaitGroup
	turn    chan struct{} // held by the load that runs: one leaves processors to the batches
}

// laneSource reads what lanes are made of.
type laneSource interface {
	store.LaneReader
	Registry(ctx context.Context, tenant memory.Tenant) (store.Registry, error)
}

type keptPolicy struct {
	tenant  memory.Tenant
	version string
}

// scopeSize is what is known of a large scope, cached or not.
type scopeSize struct {
	rows int // 0: not known yet
	over bool
	uses int // batches that wanted it, halved now and then
}

// few is how many rows of a kind make a small scope, which is read with the batch
// that wants it, and how many of each kind a narrow lane begins with.
const few = 500

// maxSizes bounds how many large scopes are told apart.
const maxSizes = 4096

func newLaneCache(cfg LaneConfig, rows laneSource, p *policies, a *wording.Analyzer, newID func(string) string) *laneCache {
	c := &laneCache{
		rows: rows, policies: p, analyzer: a, newID: newID, log: zap.NewNop(),
		maxLanes: cfg.Lanes, maxBytes: cfg.Memory << 20, maxRows: cfg.Rows,
		registry: make(map[memory.Tenant]store.Registry), kept: make(map[keptPolicy]bool),
		big: make(map[*cachedLane]bool), loads: make(map[laneKey]*laneLoad), turn: make(chan struct{}, 1),
	}
	// The bound is kept by evict, which knows what may not go: one more fits here.
	c.held, _ = simplelru.NewLRU[laneKey, *cachedLane](1<<40, nil)
	c.sizes, _ = simplelru.NewLRU[laneKey, *scopeSize](maxSizes, nil)
	c.ctx, c.stop = context.WithCancel(context.Background())
	return c
}

// beside runs what outlives a batch, until the process ends.
func (c *laneCache) beside(run func(context.Context)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ctx.Err() == nil {
		c.loading.Go(func() { run(c.ctx) })
	}
}

// close ends the loads that run.
func (c *laneCache) close() {
	c.mu.Lock()
	c.stop()
	c.mu.Unlock()
	c.loading.Wait()
}

// take pins a lane that is held. The caller holds the lock, as it does of the
// methods below.
func (c *laneCache) take(key laneKey) *cachedLane {
	l, ok := c.held.Get(key)
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

// add takes a lane in and pins it. Whoever was faster wins.
func (c *laneCache) add(l *cachedLane) *cachedLane {
	if other := c.take(l.key); other != nil {
		return other
	}
	c.clock++
	l.cached, l.used = true, c.clock
	l.pins++
	c.held.Add(l.key, l)
	c.weigh(l)
	return l
}

// weigh counts a held lane's bytes anew.
func (c *laneCache) weigh(l *cachedLane) {
	size := l.Bytes()
	c.bytes += size - l.size
	l.size = size
	if size > c.maxBytes/16 && !l.key.narrow {
		c.big[l] = true
	} else {
		delete(c.big, l)
	}
}

// drop forgets a lane. Batches that pinned it may still use it: it stays as exact
// as the news that they bring into it.
func (c *laneCache) drop(l *cachedLane) {
	if l.cached {
		c.held.Remove(l.key)
		c.bytes -= l.size
		l.cached, l.size = false, 0
		delete(c.big, l)
	}
}

// unpin gives a lane back. What is empty, broken or grown out of its form goes.
func (c *laneCache) unpin(l *cachedLane) {
	l.pins--
	if !l.cached {
		return
	}
	c.weigh(l)
	if l.broken || l.pins == 0 && (l.Stored() == 0 || l.key.narrow && l.Stored() > 8*few) {
		c.drop(l)
	}
}

// sizeOf is what is known of a large scope.
func (c *laneCache) sizeOf(key laneKey) *scopeSize {
	key.narrow = false
	s, ok := c.sizes.Get(key)
	if !ok {
		s = &scopeSize{}
		c.sizes.Add(key, s)
	}
	// What was wanted long ago counts less and less.
	if s.uses >= 1024 {
		for _, other := range c.sizes.Values() {
			other.uses /= 2
		}
	}
	return s
}

// idle is after how many uses of others a large lane has no more right to its
// place than a small one.
const idle = 50_000

// isLarge reports a lane that is worth a sixteenth of the memory. These have a
// half to themselves, and the small ones push out each other.
func (c *laneCache) isLarge(l *cachedLane) bool {
	return c.big[l] && c.clock-l.used < idle
}

// large are the large lanes, those that were wanted least first.
func (c *laneCache) large() (lanes []*cachedLane, bytes int) {
	for l := range c.big {
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

// admits reports that a whole lane of so many rows may be loaded: it fits beside
// the other large ones, or it is wanted more than twice as often as those that
// have to go for it. Two scopes that are wanted alike thus never push out each
// other in turn; one has the lane, and the other asks the index.
func (c *laneCache) admits(key laneKey, rows int) bool {
	need := rows * usualRow
	if need <= c.maxBytes/16 {
		return true
	}
	lanes, used := c.large()
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

// evict drops lanes until the rest keeps the bounds. Pinned ones stay.
func (c *laneCache) evict() {
	for c.bytes > c.maxBytes || c.held.Len() > c.maxLanes {
		l := c.victim()
		if l == nil {
			return
		}
		c.drop(l)
	}
}

// victim is the small lane that was not used for longest, unless the large ones
// have more than their share.
func (c *laneCache) victim() *cachedLane {
	large, bytes := c.large()
	if bytes <= c.maxBytes/2 {
		for range c.held.Len() {
			key, l, _ := c.held.GetOldest()
			if l.pins == 0 && !c.isLarge(l) {
				return l
			}
			c.held.Get(key) // stays, and is not looked at again soon
		}
	}
	for _, l := range large {
		if l.pins == 0 && !l.fresh {
			return l
		}
	}
	return nil
}
