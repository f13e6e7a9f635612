package restate

import (
	"slices"
	"strings"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// Closed classes of words bound what a statement says: what holds in spite of something, what
// is the only one, on which side of something it is, and which end of a scale is meant. Who says
// a statement again keeps its bounds, in whatever words.

var (
	// concessives say that something holds in spite of what follows.
	concessives = memory.WordSet(`even despite regardless irrespective notwithstanding selbst sogar trotz ungeachtet`)
	// lone words leave one of several.
	lone = memory.WordSet(`only solely exclusively nur lediglich ausschließlich`)
	// exclusive words say so too, among what else they say.
	exclusive = memory.WordSet(`only solely exclusively alone sole just merely single nur lediglich ausschließlich allein alleine einzig einzige einzigen bloß`)
	// dual words mean two things, and every one of the things behind it.
	dual  = memory.WordSet(`both beide beiden sowohl`)
	every = memory.WordSet(`all every each alle allen jeder jede jedes jeden`)
	// degrees turn an adjective's scale round.
	highest = memory.WordSet(`most stärksten höchsten meisten`)
	lowest  = memory.WordSet(`least wenigsten geringsten niedrigsten`)
)

// sides are prepositions that say opposite things of one noun, EN and DE.
var sides = readSides(`within across, within beyond, within outside, inside outside, above below, above under, over under, for against, innerhalb außerhalb, mit ohne, für gegen,
 über unter, vor hinter, oberhalb unterhalb`)

func readSides(list string) map[[2]string]bool {
	out := make(map[[2]string]bool)
	for p := range strings.SplitSeq(list, ",") {
		w := strings.Fields(p)
		out[[2]string{w[0], w[1]}], out[[2]string{w[1], w[0]}] = true, true
	}
	return out
}

// has reports a word of a class.
func (s *statement) has(class map[string]bool) bool {
	return slices.ContainsFunc(s.tokens, func(t memory.Token) bool { return t.Class == memory.TokenWord && !t.Code && class[t.Value] })
}

// concedes reports that one statement denies what the other says to hold in spite of something:
// "is not interrupted by an exam", "even in the middle of an exam".
func (m *matching) concedes() bool {
	if (m.x.denials+m.y.denials)%2 == 0 {
		return false
	}
	return m.x.has(concessives) != m.y.has(concessives)
}

// singles reports that one statement speaks of one thing only where the other counts several of
// which the first knows nothing: "two readings", "only the first reading".
func (m *matching) singles() bool {
	one := func(x, y *statement, share []float64) bool {
		if !x.has(lone) || y.has(exclusive) || y.denials > 0 {
			return false
		}
		for i := range y.units {
			if u := &y.units[i]; u.class == number && u.kind == 0 && u.amount > 1 && share[i] < exact {
				return true
			}
		}
		return y.has(dual) && !x.has(dual) || y.means(every, share) && !x.has(every)
	}
	return one(m.x, m.y, m.shareY) || one(m.y, m.x, m.shareX)
}

// means reports a word of a class before something that the other statement has: not "every
// hour", "is all we keep".
func (s *statement) means(class map[string]bool, share []float64) bool {
	for i := range s.tokens {
		if !class[s.tokens[i].Value] || i+1 == len(s.tokens) {
			continue
		}
		if u := s.unitAt(i + 1); u >= 0 && s.units[u].class <= name && share[u] >= exact {
			return true
		}
	}
	return false
}

// besides reports one noun on opposite sides of which the two statements are.
func (m *matching) besides() bool {
	if (m.x.denials+m.y.denials)%2 != 0 {
		return false
	}
	toY := make(map[int]int, len(m.pairs))
	for _, p := range m.pairs {
		if p.share >= exact && m.x.once(p.a) && m.y.once(p.b) {
			toY[p.a] = p.b
		}
	}
	for i := range m.x.tokens {
		for j := range m.y.tokens {
			if !sides[[2]string{m.x.tokens[i].Value, m.y.tokens[j].Value}] {
				continue
			}
			behind := m.y.phrase(j+1, len(m.y.tokens))
			if slices.ContainsFunc(m.x.phrase(i+1, len(m.x.tokens)), func(u int) bool {
				v, ok := toY[u]
				return ok && slices.Contains(behind, v)
			}) {
				return true
			}
		}
	}
	return false
}

// extremes reports the two ends of one scale: "the least busy node", "the busiest node".
func (m *matching) extremes() bool {
	if (m.x.denials+m.y.denials)%2 != 0 {
		return false
	}
	x, y := m.x.superlatives(), m.y.superlatives()
	for a, end := range x {
		if end*y[a] < 0 {
			return true
		}
	}
	return false
}

// superlatives returns the adjectives of which a statement has the highest degree, above 0, or
// the lowest, below 0. One that has both, as "from most to least specific", has neither.
func (s *statement) superlatives() map[string]int {
	out := make(map[string]int)
	for i := range s.tokens {
		t := &s.tokens[i]
		if t.Class != memory.TokenWord || t.Code {
			continue
		}
		followed := i+1 < len(s.tokens) && s.tokens[i+1].Sep == 0 && s.tokens[i+1].Class == memory.TokenWord
		switch w, ends := strings.CutSuffix(t.Value, "est"); {
		case followed && lowest[t.Value]:
			out[scale(s.tokens[i+1].Value)]--
		case followed && highest[t.Value]:
			at := i + 1
			if at+2 < len(s.tokens) && lowest[s.tokens[at+1].Value] {
				at += 2 // "from most to least specific"
			}
			out[scale(s.tokens[at].Value)]++
		case ends && len(w) > 2:
			out[scale(w)]++
		}
	}
	return out
}

// scale returns an adjective without what its degrees change: "busi" of busy, "big" of bigg.
func scale(w string) string {
	w = strings.TrimSuffix(w, "e")
	if n := len(w); n > 3 && w[n-1] == w[n-2] {
		w = w[:n-1]
	}
	if rest, ok := strings.CutSuffix(w, "y"); ok {
		return rest + "i"
	}
	return w
}
