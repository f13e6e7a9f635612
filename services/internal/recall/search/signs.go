package search

import (
	"math"
	"slices"
	"strings"
	"sync/atomic"
)

// Signs are what a close look at a passage saw, each 0–1: the more, the likelier it
// answers the query, except Long and Asks. Words of the query count by their rarity
// among the passages.
type Signs struct {
	// Match is how near the nearest words come, the passage's own and, a little less,
	// those of its neighbours.
	Match float64
	// Near is Match with less difference between an equal word and one like it, so
	// that one word which is met exactly does not outweigh three that are met nearly.
	Near float64
	Own  float64 // Near of the passage alone
	// Cover is Own where words count by their rarity in English: "used" stands in any
	// text, and of "which curve is used" it says nothing.
	Cover float64
	// Back is how near the passage's words are to the query, on average: a text that
	// is about nothing else.
	Back   float64
	Title  float64 // share of the query's words in the title
	Pairs  float64 // share of the query's pairs of words that follow each other there too
	Beside float64 // relevance of the better neighbour among the passages, roughly
	Short  float64 // length up to twenty words: a greeting says nothing
	Long   float64 // logarithm of the length: a long text has a word of everything
	Asks   float64 // it asks itself
	Kinds  Kinds   // of answer that the query asks for and the passage has
	Brief  float64 // 1 for up to forty words, less for more: a long text has some number for any question
	Alone  bool    // nothing was said beside it
	Exact  bool    // it has a word of the query, in any inflection
	Named  bool    // it has one that is no common word of English: a name, a number
	Asked  int     // words of the query that were compared
	Unread bool    // the query is German, whose words the table spells from pieces
}

// comparison is one query with its passages, as read by a [Matcher]. Words are numbers in
// the vocabulary.
type comparison struct {
	*vocabulary
	asked    []int32
	seeks    sought
	passages []Passage
	own      [][]int32  // words by passage
	bodies   []*cutText // of the passages without their titles
	titles   [][]int32
	beside   [][]int32 // of the neighbours of all passages, one after the other; nil for a passage
}

// comparisonSpace is memory that comparisons use one after the other.
type comparisonSpace struct {
	words  [][]int32
	bodies []*cutText
	mine   []float64
	rare   []float64
}

// done drops what the memory refers to.
func (s *comparisonSpace) done() {
	clear(s.words)
	clear(s.bodies)
}

// reading is what a matcher read in a passage.
type reading struct {
	mark  *byte // of the lexicon
	own   *cutText
	whole bool     // title and body were read
	title *cutText // nil for none
	body  *cutText // without the title
}

// readPassage returns the words and traits of a passage, and of its title where it has one.
// Those that are kept in its memo cost no look in the lexicon, which is most of the reading.
func (v *vocabulary) readPassage(p *Passage) reading {
	r := v.kept(p.Memo)
	if r.whole {
		return r
	}
	if r.own == nil {
		r.own = v.read(p.Text)
	}
	r.body = r.own
	if body, ok := p.body(); ok {
		r.title, r.body = v.read(p.Title), v.read(body)
	}
	r.whole = true
	v.keep(p.Memo, r)
	return r
}

// readNear returns the words of a neighbour.
func (v *vocabulary) readNear(n *Near) *cutText {
	r := v.kept(n.Memo)
	if r.own == nil {
		r.own = v.read(n.Text)
		v.keep(n.Memo, r)
	}
	return r.own
}

// kept returns what a memo has of this lexicon.
func (v *vocabulary) kept(memo *atomic.Value) reading {
	if memo != nil {
		if r, ok := memo.Load().(*reading); ok && r.mark == v.lexicon.mark {
			return *r
		}
	}
	return reading{mark: v.lexicon.mark}
}

func (v *vocabulary) keep(memo *atomic.Value, r reading) {
	if memo != nil {
		memo.Store(&r)
	}
}

// readAll reads the passages, their titles and their neighbours.
func (c *comparison) readAll() {
	v, n := c.vocabulary, len(c.passages)
	beside := 0
	for i := range c.passages {
		beside += len(c.passages[i].Around)
	}
	v.space.words, v.space.bodies = scratch(v.space.words, 2*n+beside), scratch(v.space.bodies, n)
	words := v.space.words
	c.own, c.titles, c.beside, c.bodies = words[:n:n], words[n:2*n:2*n], words[2*n:2*n], v.space.bodies
	for i := range c.passages {
		p := &c.passages[i]
		r := v.readPassage(p)
		c.own[i], c.bodies[i] = v.number(r.own.numbers), r.body
		if r.title != nil {
			c.titles[i] = v.number(r.title.numbers)
		}
	}
	for i := range c.passages {
		around := c.passages[i].Around
		for k := range around {
			var words []int32
			if !c.among(&around[k]) {
				words = v.number(v.readNear(&around[k]).numbers)
			}
			c.beside = append(c.beside, words)
		}
	}
}

// body returns the text of a passage without its title, ok for one that has a title.
func (p *Passage) body() (string, bool) {
	if p.Title == "" {
		return "", false
	}
	return strings.CutPrefix(p.Text, p.Title)
}

// among reports whether a neighbour is one of the passages, which is read anyway.
func (c *comparison) among(n *Near) bool { return n.At > 0 && c.passages[n.At-1].Text == n.Text }

// signs returns the signs of all passages, in the given memory where it is large enough.
func (c *comparison) signs(space []Signs) []Signs {
	out, n := scratch(space, len(c.passages)), c.stride
	rare, rarest := c.rarities(c.asked)
	for _, a := range c.asked {
		// Two nouns have no certain language, and one of them may be a German word.
		c.seeks.german = c.seeks.german || c.word(a).german > 0
	}
	weights, total := c.weigh(c.asked, rare, c.own, out), 0.0
	for _, w := range weights {
		total += w
	}
	// By passage and word of the query, how near the nearest word comes.
	c.space.mine = scratch(c.space.mine, (len(c.passages)+2)*n)
	mine := c.space.mine
	best, near := mine[len(c.passages)*n:][:n:n], mine[(len(c.passages)+1)*n:]
	for i, words := range c.own {
		c.nearest(words, mine[i*n:(i+1)*n])
	}
	beside := c.beside
	for i := range out {
		own, s := mine[i*n:(i+1)*n], &out[i]
		copy(best, own)
		for k := range c.passages[i].Around {
			a := &c.passages[i].Around[k]
			if a.Distance <= 0 || a.Distance >= len(nearness) {
				continue
			}
			from := near
			if c.among(a) {
				from = mine[(a.At-1)*n : a.At*n]
			} else {
				c.nearest(beside[k], near)
			}
			for q := range best {
				if like := nearness[a.Distance] * from[q]; like > best[q] {
					best[q] = like
				}
			}
		}
		beside = beside[len(c.passages[i].Around):]
		for q, weight := range weights {
			part := weight / total
			s.Match += part * best[q]
			s.Near += part * math.Sqrt(best[q])
			near := math.Sqrt(own[q])
			s.Own += part * near
			s.Cover += rare[q] / rarest * near
			s.Named = s.Named || rare[q] == 1 && own[q] == 1
			if slices.ContainsFunc(c.titles[i], func(w int32) bool { return c.rank[w] == c.rank[c.asked[q]] }) {
				s.Title += part
			}
		}
		c.look(i, s)
	}
	for i := range out {
		for _, n := range c.passages[i].Around {
			if n.Distance == 1 && n.At > 0 {
				j := n.At - 1
				out[i].Beside = max(out[i].Beside, (1-roughMatch)*c.passages[j].Fused+roughMatch*out[j].Match)
			}
		}
	}
	return out
}

// nearest fills in the greatest likeness among some words to each word of the query.
func (c *comparison) nearest(words []int32, best []float64) {
	for q := 0; q < len(best); q += together {
		var a, b, d, e uint64
		for _, w := range words {
			like := (*[together]uint64)(c.like[int(w)*c.stride+q:])
			a, b, d, e = max(a, like[0]), max(b, like[1]), max(d, like[2]), max(e, like[3])
		}
		for k, like := range [together]uint64{a, b, d, e} {
			best[q+k] = math.Float64frombits(like)
		}
	}
}

// roughMatch is the weight of Match in [Signs.Beside].
const roughMatch = 0.7

// look fills in the signs of a passage that no nearness of words is part of.
func (c *comparison) look(i int, s *Signs) {
	own, body := c.own[i], c.bodies[i]
	for _, w := range own {
		s.Back += c.any[w] / float64(len(own))
	}
	met := 0
	for _, p := range c.seeks.pairs {
		if _, ok := slices.BinarySearch(body.pairs, p); ok {
			met++
		}
	}
	s.Pairs = float64(met) / float64(max(1, len(c.seeks.pairs)))
	s.Short = min(1, float64(len(own))/20)
	s.Long = min(1, math.Log1p(float64(len(own)))/math.Log1p(maxForms))
	s.Asks, s.Kinds, s.Brief = one(body.asks), c.seeks.kinds&body.kinds, fewWords/float64(max(fewWords, len(own)))
	s.Alone = len(c.passages[i].Around) == 0
	s.Unread, s.Asked = c.seeks.german, len(c.asked)
}

func one(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
