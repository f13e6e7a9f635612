package search

import (
	"math"
	"slices"
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
	// Back is how near the passage's words are to the query, on average: a text that
	// is about nothing else.
	Back   float64
	Title  float64 // share of the query's words in the title
	Pairs  float64 // share of the query's pairs of words that follow each other there too
	Beside float64 // relevance of the better neighbour among the passages, roughly
	Short  float64 // length up to twenty words: a greeting says nothing
	Long   float64 // logarithm of the length: a long text has a word of everything
	Asks   float64 // it asks itself
	When   float64 // the query asks for a time and the passage has one
	Count  float64 // the same with a number
	Where  float64 // with a path, a file or an address
	Why    float64 // with a reason
	Exact  bool    // it has a word of the query, in any inflection
	Unread bool    // the query is German, whose words the table spells from pieces
}

// comparison is one query with its passages, as read by a [Matcher].
type comparison struct {
	asked    readText
	seeks    sought
	weights  []float64 // of the words of the query
	total    float64
	like     [][]float64 // as [vocabulary.likeness]
	any      []float64   // the greatest of like, by word
	passages []Passage
	own      []readText
	bodies   []textTraits // without title
	titles   [][]int32
	beside   []readText // of the neighbours of all passages, one after the other
	stem     []int32    // by word, the first word of that stem
}

// stems fills in what tells which words are inflections of one.
func (c *comparison) stems(v *vocabulary) {
	first := make(map[string]int32, len(v.words))
	c.stem = make([]int32, len(v.words))
	for i := range v.words {
		n, ok := first[v.forms[i].stem]
		if !ok {
			n = int32(i)
			first[v.forms[i].stem] = n
		}
		c.stem[i] = n
	}
	c.any = make([]float64, len(v.words))
	for _, like := range c.like {
		for w, l := range like {
			c.any[w] = max(c.any[w], l)
		}
	}
}

// signs returns the signs of all passages.
func (c *comparison) signs() []Signs {
	out := make([]Signs, len(c.passages))
	at := 0
	for i := range out {
		n := len(c.passages[i].Around)
		c.look(i, c.beside[at:at+n], &out[i])
		at += n
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

// roughMatch is the weight of Match in [Signs.Beside].
const roughMatch = 0.7

// look fills in all signs of a passage but Beside.
func (c *comparison) look(i int, beside []readText, s *Signs) {
	own, body := c.own[i].words, &c.bodies[i]
	for q, weight := range c.weights {
		part := weight / c.total
		mine := strongest(c.like[q], own)
		best := mine
		for n, near := range c.passages[i].Around {
			if near.Distance > 0 && near.Distance < len(nearness) {
				best = max(best, nearness[near.Distance]*strongest(c.like[q], beside[n].words))
			}
		}
		s.Match += part * best
		s.Near += part * math.Sqrt(best)
		s.Own += part * math.Sqrt(mine)
		same := func(w int32) bool { return c.stem[w] == c.stem[c.asked.words[q]] }
		if slices.ContainsFunc(c.titles[i], same) {
			s.Title += part
		}
		s.Exact = s.Exact || slices.ContainsFunc(own, same)
	}
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
	s.Asks, s.When, s.Count = one(body.asks), one(c.seeks.time && body.dated), one(c.seeks.number && body.counted)
	s.Unread = c.seeks.german
	s.Where, s.Why = one(c.seeks.place && body.placed), one(c.seeks.reason && body.reasoned)
}

func one(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
