package embedded

import (
	"math"
	"slices"

	"github.com/winnowhq/winnow/services/internal/vector"
	"github.com/winnowhq/winnow/services/internal/vector/dot"
)

// slack is how many candidates beyond the limit are ranked again in float64: rows whose
// float32 scores are in the wrong order lie next to each other.
const slack = 16

// view is a filter decided for a shard.
type view struct {
	seen   []bool         // by class
	except map[int32]bool // slots
}

func (s *shard) viewOf(within vector.Filter) view {
	v := view{seen: s.classes.seen(s.tenant, within)}
	for _, id := range within.Excepted() {
		if point, err := vector.PointOf(id); err == nil {
			if slot, ok := s.slots[point]; ok {
				if v.except == nil {
					v.except = make(map[int32]bool)
				}
				v.except[slot] = true
			}
		}
	}
	return v
}

// scan is one search on its way through the blocks. The shard's lock is held from begin
// to end.
type scan struct {
	shard *shard
	ask   *ask
	view  view
	best  top
	floor float32 // lower scores cannot be among the best
	// Where the shard has coarse blocks, they are read first, and the vectors only of rows
	// that may be among the best: a vector is a kilobyte somewhere in memory.
	rough   rough // the query
	counted int   // of left, when floor was last computed
	*scanSpace
}

// scanSpace is what the coarse blocks tell, in memory that scans use one after the other.
type scanSpace struct {
	atLeast  spread      // of the least that a row's score can be
	left     []bounded   // rows that reached the floor of their time, ascending
	passed   []int32     // places in a block to compare next
	products []int32     // of them with the query
	values   []int16     // of the query
	heap     []candidate // of the best
	keys     []uint64    // of [top.sorted]
}

// bounded is a row with the most that its score can be.
type bounded struct {
	slot int32
	most float32
}

// begin begins a scan in the given space.
func (s *shard) begin(a *ask, space *scanSpace) *scan {
	room := a.limit
	if a.exact {
		room += slack
	}
	c := &scan{
		shard: s, ask: a, view: s.viewOf(a.within), best: topIn(space.heap, room, s.rows), scanSpace: space,
		// A score slightly below the minimum in float32 may be above it in float64.
		floor: float32(a.least - vector.Margin),
	}
	if a.dense != nil && len(s.coarse) > 0 {
		c.rough = roughOf(a.dense, &space.values)
		c.left = c.left[:0]
		clear(c.atLeast[:])
	}
	return c
}

// block reads the n-th block.
func (c *scan) block(n int) {
	if c.ask.dense == nil {
		return
	}
	s, from := c.shard, n*blockRows
	rows := s.scanned[from:min(from+blockRows, len(s.scanned))]
	if len(s.coarse) == 0 {
		for i, class := range rows {
			if c.view.seen[class] {
				c.offer(int32(from + i))
			}
		}
		return
	}
	passed := c.passed[:0]
	for i, class := range rows {
		if c.view.seen[class] {
			passed = append(passed, int32(i))
		}
	}
	c.passed = passed
	c.multiply(&s.coarse[n])
	c.bound(&s.coarse[n], int32(from))
	if len(c.left)-c.counted >= c.best.limit {
		c.raise()
	}
}

// ahead is how many rows are on their way from memory while some are compared. Rows that follow
// each other are fetched too: four at a time, they are four streams to the processor, which it
// does not foresee where 100,000 rows are read between other work.
const ahead = 8

// multiply fills in the products of the query with the rows that passed, four at a time.
func (c *scan) multiply(block *coarse) {
	c.products = slices.Grow(c.products[:0], len(c.passed))[:len(c.passed)]
	rest, products := c.passed, c.products
	for len(rest) >= 4 {
		at := (*[4]int32)(rest)
		for _, i := range rest[min(4+ahead, len(rest)):min(8+ahead, len(rest))] {
			block.fetch(int(i))
		}
		dot.FourCoarse(c.rough.values, block.row(int(at[0])), block.row(int(at[1])), block.row(int(at[2])), block.row(int(at[3])), (*[4]int32)(products))
		rest, products = rest[4:], products[4:]
	}
	for k, i := range rest {
		products[k] = dot.Coarse(c.rough.values, block.row(int(i)))
	}
}

// bound notes what the scores of the rows that passed can be, but for those that cannot be
// among the best.
func (c *scan) bound(block *coarse, from int32) {
	floor, left, query := c.floor, c.left, c.rough
	for k, i := range c.passed {
		least, most := block.bounds(int(i), &query, c.products[k])
		if most >= floor { // otherwise its least need not be counted either
			left = append(left, bounded{from + i, most})
			c.atLeast.add(least)
		}
	}
	c.left = left
}

// raise computes the floor of what was read: as many rows as are wanted reach it.
func (c *scan) raise() {
	c.counted = len(c.left)
	c.floor = max(c.floor, c.atLeast.floor(c.best.limit+len(c.view.except)))
}

// offer compares a row's vector.
func (c *scan) offer(slot int32) {
	score := dot.Of(c.ask.dense, c.shard.vectorAt(slot))
	if score < c.floor || c.view.except[slot] {
		return
	}
	c.best.offer(candidate{slot, float64(score)})
	if c.best.full() {
		c.floor = max(c.floor, float32(c.best.floor()))
	}
}

// close compares the rows that the coarse blocks left.
func (c *scan) close() {
	if c.ask.dense == nil || len(c.shard.coarse) == 0 {
		return
	}
	c.raise()
	left := c.left[:0]
	for _, r := range c.left {
		if r.most >= c.floor {
			left = append(left, r)
		}
	}
	for i, r := range left {
		if next := i + ahead; next < len(left) {
			dot.Fetch(c.shard.vectorAt(left[next].slot))
		}
		if r.most >= c.floor { // which rises
			c.offer(r.slot)
		}
	}
	c.left = left
}

// end returns the best rows, ranked again in float64 where exact was asked for, and cut
// at the limit. They are valid until the space is used again.
func (c *scan) end() []candidate {
	c.close()
	if !c.ask.exact {
		c.heap = c.best.sorted(&c.keys)
		return c.heap
	}
	kept := c.best.heap[:0]
	for _, candidate := range c.best.heap {
		candidate.score = vector.Cosine(c.ask.dense, c.shard.vectorAt(candidate.row))
		if candidate.score > c.ask.least {
			kept = append(kept, candidate)
		}
	}
	c.best.heap = kept
	c.heap = c.best.sorted(&c.keys)
	return c.heap[:min(c.ask.limit, len(c.heap))]
}

// sums is scratch space for scores: one for each slot, all zero between uses, and the
// slots that have one; and that of the scans of one pass.
type sums struct {
	scores  []float64
	touched []int32
	counts  [1024]int32 // of scores, by size
	scans   [sharedPass]scanSpace
	heap    []candidate
	keys    []uint64 // of [top.sorted]
}

func (x *sums) upTo(n int) []float64 {
	if len(x.scores) < n {
		x.scores = make([]float64, n+n/4)
	}
	return x.scores
}

// lexical ranks the rows that pass, by BM25. Tokens ascend, so that a sum is rounded
// the same way every time. The caller holds the lock.
func (s *shard) lexical(v view, tokens []uint32, limit int, scratch *sums) []candidate {
	scores := scratch.upTo(len(s.rows))
	touched := scratch.touched[:0]
	every := !slices.Contains(v.seen[hidden+1:], false)
	for _, token := range tokens {
		list := s.words.lists[token]
		if list == nil {
			continue
		}
		idf := vector.IDF(s.words.texts, len(list.slots))
		for i, slot := range list.slots {
			// A project has a few of the tenant's rows, and a common word most of them.
			if !every && !v.seen[s.visible[slot]] {
				continue
			}
			if scores[slot] == 0 {
				touched = append(touched, slot)
			}
			scores[slot] += idf * float64(list.weights[i])
		}
	}
	scratch.touched = touched
	// How many have which score tells which ones cannot be among the best, so that only a
	// few are sorted.
	most := 0.0
	for _, slot := range touched {
		score := scores[slot]
		if len(v.except) > 0 && v.except[slot] {
			score, scores[slot] = 0, 0
		}
		if score > most { // max looks for more than numbers have here
			most = score
		}
	}
	counts := &scratch.counts
	clear(counts[:])
	step := float64(len(counts)-1) / max(most, math.SmallestNonzeroFloat32)
	for _, slot := range touched {
		counts[int(scores[slot]*step)]++
	}
	floor, more := len(counts)-1, int(counts[len(counts)-1])
	for ; more < limit && floor > 0; floor-- {
		more += int(counts[floor-1])
	}
	best := topIn(scratch.heap, limit, s.rows)
	for _, slot := range touched {
		if score := scores[slot]; score > 0 && int(score*step) >= floor {
			best.heap = append(best.heap, candidate{slot, score})
		}
		scores[slot] = 0
	}
	ranked := best.sorted(&scratch.keys)
	scratch.heap = ranked
	return ranked[:min(limit, len(ranked))]
}

// hits returns the hits on rows, in the given space where it is large enough.
func (s *shard) hits(ranked []candidate, space []vector.Hit) []vector.Hit {
	hits := slices.Grow(space[:0], len(ranked))[:len(ranked)]
	for i, c := range ranked {
		s.hit(&hits[i], c)
	}
	return hits
}
