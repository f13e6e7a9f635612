package restate

import (
	"slices"
	"strings"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// Two texts that say the same seldom have two different words in one place of a noun phrase:
// before the same noun ("spot instances", "reserved instances"), as what the same thing has
// ("the runner's clock", "the network of the runner"), behind the same preposition ("per
// tenant", "per user"), or as two kinds of one thing ("Tagschicht", "Nachtschicht"). A verb is
// exchanged for another far more often than a noun or what stands before one, so that a place
// counts only where a determiner or a preposition shows that no verb stands in it.

// place is where a unit stands: beside another one, or behind a preposition.
type place struct {
	kind byte // 'h' before its head, 'g' what belongs to somebody, 'p' behind a preposition
	unit int  // of the other statement, for 'h' and 'g'
	word string
}

// rivalPlaces reports that each of two statements has a word in one place that the other
// lacks.
func (m *matching) rivalPlaces() bool {
	toX := make(map[int]int, len(m.pairs))
	self := make(map[int]int, len(m.pairs))
	for _, p := range m.pairs {
		if p.share >= exact {
			toX[p.b], self[p.a] = p.a, p.a
		}
	}
	for i := range m.x.units {
		if m.shareX[i] >= alone || !m.x.units[i].exchangeable() {
			continue
		}
		var at []place
		for j := range m.y.units {
			if m.shareY[j] >= alone || !m.y.units[j].exchangeable() {
				continue
			}
			if kinds(m.x.units[i].text, m.y.units[j].text) {
				return true
			}
			if at == nil {
				if at = m.x.places(i, self); len(at) == 0 {
					break
				}
			}
			if slices.ContainsFunc(m.y.places(j, toX), func(p place) bool { return slices.Contains(at, p) }) {
				return true
			}
		}
	}
	return false
}

// exchangeable reports a unit that another may stand for: a word of meaning.
func (u *unit) exchangeable() bool { return u.class <= name && u.text != "" }

// places returns where a unit stands, the units around it as to names them.
func (s *statement) places(i int, to map[int]int) []place {
	var out []place
	at := s.units[i].at
	led := false
	lead := ""
	for j := at - 1; j >= 0 && j >= at-3 && s.tokens[j+1].Sep == 0; j-- {
		if adposition[s.tokens[j].Value] {
			led, lead = true, s.tokens[j].Value
			break
		}
		if !determiner[s.tokens[j].Value] {
			break
		}
		led = true
	}
	if at+1 < len(s.tokens) && s.tokens[at+1].Sep == 0 {
		if u := s.unitAt(at + 1); u >= 0 && led {
			if v, ok := to[u]; ok {
				out = append(out, place{kind: 'h', unit: v})
			}
		}
		if w := s.tokens[at+1].Value; w == "of" || w == "des" || w == "der" || w == "von" || w == "vom" {
			for _, u := range s.phrase(at+2, len(s.tokens)) {
				if v, ok := to[u]; ok {
					out = append(out, place{kind: 'g', unit: v})
				}
			}
		}
	}
	if at > 0 && s.tokens[at].Sep == 0 && strings.HasSuffix(s.tokens[at-1].Value, "'s") {
		if u := s.unitAt(at - 1); u >= 0 {
			if v, ok := to[u]; ok {
				out = append(out, place{kind: 'g', unit: v})
			}
		}
	}
	if lead != "" && at+1 < len(s.tokens) && s.tokens[at+1].Sep == 0 && fillers[s.tokens[at+1].Value] {
		out = append(out, place{kind: 'w', word: s.tokens[at+1].Value}) // "at build time"
	}
	if lead != "" && narrow[lead] && (at+1 == len(s.tokens) || s.tokens[at+1].Sep != 0 || s.unitAt(at+1) < 0 || s.german && !s.tokens[at+1].Upper) {
		out = append(out, place{kind: 'p', word: lead})
	}
	return out
}

// narrow prepositions have one sense each, so that what stands behind them plays one part.
var narrow = memory.WordSet(`per pro via without ohne until bis since seit during während by`)

// kinds reports two German compounds, or names with a sign between their parts, that end
// alike and begin otherwise.
func kinds(x, y string) bool {
	n := 0
	for n < min(len(x), len(y)) && x[len(x)-1-n] == y[len(y)-1-n] {
		n++
	}
	return n >= 5 && len(x)-n >= 3 && len(y)-n >= 3
}

// takesPlace reports that the new statement says a verb of the stored one once more, where the
// stored one has another: "deleting a team archives its boards", "if a team is deleted, its
// boards are deleted too".
func (m *matching) takesPlace() bool {
	if left(m.y.units, m.shareY) == 0 || left(m.x.units, m.shareX) > 0 {
		return false
	}
	count := func(s *statement, head string) int {
		n := 0
		for i := range s.units {
			if s.units[i].class == word && s.units[i].head == head {
				n++
			}
		}
		return n
	}
	for i := range m.x.units {
		if u := &m.x.units[i]; u.class == word && m.shareX[i] >= exact && !m.x.german && m.x.passive(u.at) {
			if n := count(m.y, u.head); n > 0 && count(m.x, u.head) > n {
				return true
			}
		}
	}
	return false
}

// narrows reports that the first statement says all that the second does, and in words of its
// own something that makes another statement of it: the contrary of something that is said, an
// end, or a circumstance of which the other knows nothing ("in strict mode"). A verb that is
// alone says nothing, since the other statement may do without one.
func (m *matching) narrows() bool {
	for j := range m.y.units {
		if u := &m.y.units[j]; m.shareY[j] < likely && u.class != denial {
			return u.kind == 'o' && u.amount > 1 && !m.y.enumerates()
		}
	}
	for i := range m.x.units {
		if m.shareX[i] >= alone || m.x.units[i].class > name {
			continue
		}
		u := &m.x.units[i]
		if m.x.denials == m.y.denials && (m.x.ended(i) || slices.ContainsFunc(m.y.units, func(v unit) bool { return v.class <= name && contrary(u, &v) })) {
			return true
		}
	}
	return m.x.addedPhrase(m.shareX, m.y)
}

// ended reports a verb that says of the one behind it that it is no longer done: "has stopped
// reading", "refuses to start".
func (s *statement) ended(i int) bool {
	at := s.units[i].at
	if !ends[s.tokens[at].Value] || at+1 == len(s.tokens) || s.tokens[at+1].Sep != 0 {
		return false
	}
	next := s.tokens[at+1].Value
	return strings.HasSuffix(next, "ing") || next == "to" || next == "zu"
}

// ends are verbs that say so.
var ends = memory.WordSet(`stop stops stopped cease ceases ceased quit quits fail fails failed refuse refuses refused decline declines declined
 forget forgets forgot forgotten aufhören aufgehört weigert verweigert`)

// addedPhrase reports a noun phrase behind a preposition no word of which is in the other
// statement. Where the other has the preposition alone ("Before: …"), the phrase only names what
// is meant there.
func (s *statement) addedPhrase(share []float64, other *statement) bool {
	for i := range s.tokens {
		t := &s.tokens[i]
		if t.Class != memory.TokenWord || !adposition[t.Value] || t.Value == "to" || i+1 == len(s.tokens) {
			continue // "to" begins a verb as well
		}
		if other.adverb(t.Value) {
			continue
		}
		if u := s.unitAt(i + 1); u >= 0 && s.units[u].class > name {
			continue
		}
		units := s.phrase(i+1, len(s.tokens))
		if len(units) > 0 && !slices.ContainsFunc(units, func(u int) bool { return share[u] >= alone }) {
			return true
		}
	}
	return false
}

// adverb reports a preposition that stands without a phrase.
func (s *statement) adverb(word string) bool {
	for i := range s.tokens {
		if s.tokens[i].Value == word && (i+1 == len(s.tokens) || s.tokens[i+1].Sep != 0) {
			return true
		}
	}
	return false
}
