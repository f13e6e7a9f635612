package restate

import (
	"slices"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// joint is a word whose two sides are no equals: what is first, what is left out for the other,
// and what makes the other so.
type joint struct {
	kind        byte  // 'o' order in time, 'i' one instead of the other, 'c' cause
	left, right []int // units of the clauses on both sides; as told by a word of positive direction
}

// jointWords are such words, EN and DE. The direction is 1 where the left side is first, is the
// one that is taken, or follows from the other.
var jointWords = map[string]struct {
	kind      byte
	direction int
}{
	"before": {'o', 1}, "bevor": {'o', 1}, "ehe": {'o', 1}, "vor": {'o', 1}, "after": {'o', -1}, "nachdem": {'o', -1}, "nach": {'o', -1},
	"ahead": {'o', 1}, "prior": {'o', 1}, "subsequent": {'o', -1},
	"instead": {'i', 1}, "rather": {'i', 1}, "statt": {'i', 1}, "anstatt": {'i', 1}, "anstelle": {'i', 1},
	"because": {'c', 1}, "weil": {'c', 1}, "so": {'c', -1},
}

// governed has the word behind those that are joints with it alone: "ahead of".
var governed = map[string]string{"ahead": "of", "prior": "to", "subsequent": "to"}

// joints returns the joints of a statement that have a unit on both sides.
func (s *statement) joints() []joint {
	var out []joint
	for i := range s.tokens {
		w, ok := jointWords[s.tokens[i].Value]
		if !ok || s.tokens[i].Class != memory.TokenWord {
			continue
		}
		if need := governed[s.tokens[i].Value]; need != "" && (i+1 == len(s.tokens) || s.tokens[i+1].Value != need) {
			continue
		}
		if s.tokens[i].Value == "so" && (s.tokens[i].Sep != ',' || i+1 == len(s.tokens) || s.tokens[i+1].Value == "that") {
			continue // "so far", "so that"
		}
		if v := s.tokens[i].Value; (v == "instead" || v == "rather") && (i+1 == len(s.tokens) || s.tokens[i+1].Value != "of" && s.tokens[i+1].Value != "than") {
			continue
		}
		right := s.clauseUnits(i+1, 1)
		var left []int
		if i == 0 || sentence(s.tokens[i].Sep) { // "Before B, A"
			if next := s.nextPart(i); next > 0 {
				left = s.clauseUnits(next, 1)
			}
		} else {
			left = s.clauseUnits(i-1, -1)
		}
		if len(left) == 0 || len(right) == 0 {
			continue
		}
		if w.direction < 0 {
			left, right = right, left
		}
		out = append(out, joint{w.kind, left, right})
	}
	return out
}

// clauseUnits returns the units from a token on, forwards or backwards, to the end of its part
// of the sentence.
func (s *statement) clauseUnits(from, step int) []int {
	var out []int
	for i := from; i >= 0 && i < len(s.tokens); i += step {
		if step > 0 && i > from && (s.tokens[i].Sep != 0 || conjunctive(s.tokens[i].Value)) {
			break
		}
		if u := s.unitAt(i); u >= 0 && s.units[u].class <= name {
			out = append(out, u)
		}
		if step < 0 && s.tokens[i].Sep != 0 {
			break
		}
	}
	return out
}

// nextPart returns the token behind the next comma, -1 without one.
func (s *statement) nextPart(i int) int {
	for j := i + 1; j < len(s.tokens); j++ {
		if s.tokens[j].Sep == ',' {
			return j
		}
	}
	return -1
}

func sentence(sep byte) bool { return sep == '.' || sep == '\n' || sep == ';' || sep == ':' }

// turnedRound reports that what stands on the two sides of a joint in one statement stands on
// the other sides in the other one.
func (m *matching) turnedRound() bool {
	p := m.x.joints()
	if len(p) == 0 {
		return false
	}
	q := m.y.joints()
	toY := make(map[int]int, len(m.pairs))
	for _, p := range m.pairs {
		if p.share >= exact {
			toY[p.a] = p.b
		}
	}
	meet := func(a, b []int) int {
		n := 0
		for _, u := range a {
			if v, ok := toY[u]; ok && slices.Contains(b, v) {
				n++
			}
		}
		return n
	}
	for _, j := range p {
		for _, k := range q {
			if j.kind != k.kind {
				continue
			}
			l, r := meet(j.left, k.right), meet(j.right, k.left)
			if l > 0 && r > 0 && l+r > meet(j.left, k.left)+meet(j.right, k.right) {
				return true
			}
		}
	}
	return false
}

// regrouped reports two things in one role, as behind the same preposition, of which each is
// told of what the other statement tells the other one of: "customers pay in euros, others in
// francs", "customers pay in francs, others in euros".
func (m *matching) regrouped() bool {
	pairs := make([]pair, 0, len(m.pairs))
	for _, p := range m.pairs {
		if p.share == 1 && m.x.units[p.a].class != denial && m.x.once(p.a) && m.y.once(p.b) {
			pairs = append(pairs, p)
		}
	}
	// told reports that k, who is told of, stands before i in its clause.
	told := func(s *statement, k, i int) bool { return k < i && s.units[k].clause == s.units[i].clause }
	for _, i := range pairs {
		for _, j := range pairs {
			if i == j || m.x.units[i.a].class != m.x.units[j.a].class || !m.x.parallel(i.a, j.a) || !m.y.parallel(i.b, j.b) {
				continue
			}
			if slices.ContainsFunc(pairs, func(k pair) bool {
				return told(m.x, k.a, i.a) && m.x.units[k.a].clause != m.x.units[j.a].clause && told(m.y, k.b, j.b) && m.y.units[k.b].clause != m.y.units[i.b].clause
			}) {
				return true
			}
		}
	}
	return false
}

// parallel reports that two units follow the same word of their own, such as a preposition.
func (s *statement) parallel(i, j int) bool {
	x, y := s.lead(i), s.lead(j)
	return x != "" && x == y
}

// lead returns the preposition or unit before a unit and its determiner.
func (s *statement) lead(i int) string {
	for j := s.units[i].at; j > 0 && s.tokens[j].Sep == 0; j-- {
		if w := s.tokens[j-1].Value; !determiner[w] {
			if adposition[w] || s.unitAt(j-1) >= 0 {
				return w
			}
			return ""
		}
	}
	return ""
}

// conditions begin what something follows from.
var conditions = memory.WordSet(`if when whenever wenn falls sobald`)

// consequence tells the units of a statement that follow from a condition, and those of the
// condition; nil without one.
func (s *statement) consequence() (follows, condition []int) {
	at := -1
	for i := range s.tokens {
		if s.tokens[i].Class == memory.TokenWord && conditions[s.tokens[i].Value] {
			if at >= 0 {
				return nil, nil
			}
			at = i
		}
	}
	if at < 0 || at+1 == len(s.tokens) {
		return nil, nil
	}
	_, to := s.clauseOf(at + 1)
	for i := range s.units {
		if u := &s.units[i]; u.class > name {
			continue
		} else if u.at > at && u.at < to {
			condition = append(condition, i)
		} else {
			follows = append(follows, i)
		}
	}
	return follows, condition
}

// otherConsequence reports one condition from which something else follows in either statement,
// told by a verb of its own.
func (m *matching) otherConsequence() bool {
	fx, cx := m.x.consequence()
	fy, cy := m.y.consequence()
	if len(cx) == 0 || len(cy) == 0 {
		return false
	}
	pairedX, pairedY := make([]bool, len(m.x.units)), make([]bool, len(m.y.units))
	for _, p := range m.pairs {
		if p.share >= alone {
			pairedX[p.a], pairedY[p.b] = true, true
		}
	}
	lacking := func(units []int, paired []bool) int {
		n := 0
		for _, i := range units {
			if !paired[i] {
				n++
			}
		}
		return n
	}
	// Of the consequence only that is common of which it is told. Who says more than one thing
	// anew says the whole anew.
	lackX, lackY := lacking(fx, pairedX), lacking(fy, pairedY)
	return min(lackX, lackY) == 1 && len(fx)-lackX <= 1 && len(fy)-lackY <= 1 && lacking(cx, pairedX)+lacking(cy, pairedY) == 0
}
