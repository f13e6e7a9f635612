package restate

import (
	"slices"
	"strings"

	"github.com/winnowhq/winnow/services/internal/judge/wording"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// likely is the share from which a pair stands for one thing more likely than not, exact the
// one that a name or a number needs.
const (
	likely = 0.6
	exact  = 0.7 // of a name or number
	// maxUnits is how many units a statement has at most whose sentences are taken apart: some
	// 150 words.
	maxUnits = 80
)

// objection returns why the two say different things, for all that is paired; empty if
// nothing does.
func (m *matching) objection() string {
	numbers, names := lacks(m.x, m.shareX, m.y)
	_, less := lacks(m.y, m.shareY, m.x)
	switch {
	case numbers, fraction(m.x, m.shareX), fraction(m.y, m.shareY):
		return ownNumber
	case names, less:
		return ownName
	case m.parted():
		return "exchanged parts"
	}
	return m.contradiction()
}

// contradiction is [matching.objection] of two texts that have the same details.
func (m *matching) contradiction() string {
	switch {
	case m.amounts():
		return "another number"
	case m.names():
		return "another name"
	case (m.x.denials+m.y.denials)%2 == 0 && m.opposed():
		return "opposites"
	case m.concedes(), m.denied():
		return "a denial"
	case m.singles(), m.besides(), m.extremes():
		return "another bound"
	case m.crossed():
		return "exchanged partners"
	case m.denialMoved():
		return "another denial"
	case m.exchanged():
		return "exchanged roles"
	case max(len(m.x.units), len(m.y.units)) > maxUnits:
		return "" // the rest asks each word about each other one
	case m.exchangedRoles(m.x.german, m.y.german):
		return "exchanged roles"
	case m.turnedRound(), m.regrouped():
		return "another order"
	case m.rivalPlaces(), m.takesPlace(), m.otherConsequence():
		return "another in its place"
	}
	return ""
}

// lacks reports whether a statement has a number or a name that the other lacks. A small
// number in words counts what the other text lists ("two places").
func lacks(s *statement, share []float64, other *statement) (numbers, names bool) {
	for i := range s.units {
		u := &s.units[i]
		if share[i] >= exact {
			continue
		}
		switch t := &s.tokens[u.at]; {
		case u.class == number && (u.kind != 0 || u.amount != 1) && t.Class != memory.TokenWord && (u.kind != 0 || !s.spelled(u)) && !other.stamped(t):
			numbers = true
		case t.Code, t.Class == memory.TokenIdent, t.Class == memory.TokenURL:
			names = true
		}
	}
	return numbers, names
}

// amounts reports that each statement has a number of one kind that the other lacks, also in
// words: "first" and "second", "daily" and "weekly".
func (m *matching) amounts() bool {
	orderX, orderY := m.x.enumerates(), m.y.enumerates()
	for i := range m.x.units {
		for j := range m.y.units {
			u, v := &m.x.units[i], &m.y.units[j]
			if u.class == number && v.class == number && m.shareX[i] < exact && m.shareY[j] < exact && u.counts() && v.counts() && !(u.kind == 'o' && v.kind != 'o' && orderX) && !(v.kind == 'o' && u.kind != 'o' && orderY) && (u.kind == v.kind || u.kind == 0 || v.kind == 0) {
				return true
			}
		}
	}
	return false
}

// fraction reports a part, a multiple or a place in an order that the other statement lacks:
// "half the period", "a second region".
func fraction(s *statement, share []float64) bool {
	order := s.enumerates()
	for i := range s.units {
		if u := &s.units[i]; (u.kind == 'f' || u.kind == 'o' && u.amount > 1 && !order) && share[i] < exact {
			return true
		}
	}
	return false
}

// enumerates reports that a statement counts its own members: "first by date and second by
// name". Such words tell nothing that the order of the words does not.
func (s *statement) enumerates() bool {
	n := 0
	for i := range s.units {
		if s.units[i].kind == 'o' {
			n++
		}
	}
	return n > 1
}

// counts reports a number that says how many or which: not "one".
func (u *unit) counts() bool { return u.kind != 0 || u.amount != 1 }

// names reports that each statement has a name that the other lacks, however it is written.
func (m *matching) names() bool {
	own := func(units []unit, share []float64) bool {
		for i := range units {
			if units[i].class == name && share[i] < alone {
				return true
			}
		}
		return false
	}
	return own(m.x.units, m.shareX) && own(m.y.units, m.shareY)
}

// opposed reports that a word of one text which the other lacks is the opposite of one of
// the other's.
func (m *matching) opposed() bool {
	for i := range m.x.units {
		for j := range m.y.units {
			if m.shareX[i] < exact && m.shareY[j] < exact && contrary(&m.x.units[i], &m.y.units[j]) {
				return true
			}
		}
	}
	return false
}

// denied reports that one text denies more than the other, and nothing in the other could
// say so in other words.
func (m *matching) denied() bool {
	if (m.x.denials+m.y.denials)%2 == 0 {
		return false
	}
	x, y, share, denied := m.x, m.y, m.shareX, m.shareY
	if x.denials > y.denials {
		x, y, share, denied = y, x, m.shareY, m.shareX
	}
	// Who denies a word that the other text has no like of may say in all what that says:
	// "the order does not matter", "in any order".
	for i := range y.units {
		if y.units[i].class == denial && i+1 < len(y.units) && denied[i+1] < alone {
			return false
		}
	}
	for i := range x.units {
		if x.units[i].class == denial {
			continue
		}
		if share[i] < likely && !adposition[x.units[i].text] {
			return false
		}
		for j := range y.units {
			if contrary(&x.units[i], &y.units[j]) {
				return false
			}
		}
	}
	// What both texts have explains nothing.
	for i := range x.tokens {
		if w := x.tokens[i].Value; denying[w] && !slices.ContainsFunc(y.tokens, func(t memory.Token) bool { return stem(t.Value, false) == stem(w, false) }) {
			return false
		}
	}
	return true
}

// crossed reports that two things are bound to each other's partners: A with 1 and B with 2
// here, A with 2 and B with 1 there. A clause binds what it has.
func (m *matching) crossed() bool {
	return m.rebound(func(p, q pair) bool { return m.x.units[p.a].clause == m.x.units[q.a].clause },
		func(p, q pair) bool { return m.y.units[p.b].clause == m.y.units[q.b].clause })
}

// parted is crossed for the parts of a text between commas and full stops.
func (m *matching) parted() bool {
	p, q := m.x.parts(), m.y.parts()
	return m.rebound(func(i, j pair) bool { return p[i.a] == p[j.a] }, func(i, j pair) bool { return q[i.b] == q[j.b] })
}

// parts numbers the parts of a text between commas and full stops, for each unit.
func (s *statement) parts() []int {
	out := make([]int, len(s.units))
	part, at := 0, 0
	for i := range s.units {
		for ; at <= s.units[i].at; at++ {
			if sep := s.tokens[at].Sep; at > 0 && sep != 0 && sep != '(' {
				part++
			}
		}
		out[i] = part
	}
	return out
}

// denialMoved reports that each of two texts denies one of its clauses, and each denies
// something that stands in the other in a clause that is not denied.
func (m *matching) denialMoved() bool {
	if m.x.denials != 1 || m.y.denials != 1 {
		return false
	}
	denied := func(s *statement) int {
		for i := range s.units {
			if s.units[i].class == denial {
				return s.units[i].clause
			}
		}
		return -1
	}
	dx, dy := denied(m.x), denied(m.y)
	onlyX, onlyY, both := false, false, false
	for _, p := range m.pairs {
		if m.x.units[p.a].class == denial {
			continue
		}
		inX, inY := m.x.units[p.a].clause == dx, m.y.units[p.b].clause == dy
		onlyX, onlyY, both = onlyX || inX && !inY, onlyY || inY && !inX, both || inX && inY
	}
	return onlyX && onlyY && !both
}

// rebound reports that i is bound to k and j to l in x, and i to l and j to k in y.
func (m *matching) rebound(inX, inY func(p, q pair) bool) bool {
	pairs := make([]pair, 0, len(m.pairs))
	for _, p := range m.pairs {
		if p.share >= exact && m.x.once(p.a) && m.y.once(p.b) {
			pairs = append(pairs, p)
		}
	}
	for _, i := range pairs {
		for _, k := range pairs {
			if k == i || !inX(i, k) || inY(i, k) {
				continue
			}
			for _, j := range pairs {
				if inX(i, j) || !inY(k, j) || inY(i, j) {
					continue
				}
				for _, l := range pairs {
					if l != j && inX(j, l) && inY(i, l) && l != i {
						return true
					}
				}
			}
		}
	}
	return false
}

// once reports that a unit's word stands in a statement once, so that its place tells
// something.
func (s *statement) once(unit int) bool {
	n := 0
	for i := range s.units {
		if s.units[i].class == s.units[unit].class && s.units[i].head == s.units[unit].head {
			n++
		}
	}
	return n == 1
}

// exchanged reports that who does it in one text suffers it in the other, where one of the
// two names who does it by "by".
func (m *matching) exchanged() bool {
	toX, toY := make(map[int]int, len(m.pairs)), make(map[int]int, len(m.pairs))
	for _, p := range m.pairs {
		if p.share >= likely {
			toX[p.b], toY[p.a] = p.a, p.b
		}
	}
	return suffers(m.x, m.y, toX) || suffers(m.y, m.x, toY)
}

// suffers reports that who does it in y, by its passive, suffers it in x.
func suffers(x, y *statement, to map[int]int) bool {
	for v := range y.units {
		w, ok := to[v]
		by, passive := y.agents[y.units[v].at]
		if !ok || !passive || by < 0 {
			continue
		}
		agent := y.behind(by)
		doer, ok := to[agent]
		if agent < 0 || !ok || x.units[doer].class == number {
			continue
		}
		if by, passive := x.agents[x.units[w].at]; passive {
			if by >= 0 && x.units[doer].at < x.units[w].at {
				return true
			}
			continue
		}
		if gerund := strings.HasSuffix(x.units[w].text, "ing"); !gerund && doer > w && !led(x.tokens, x.units[doer].at) {
			return true
		}
	}
	return false
}

// led reports a preposition before the word at i, behind which who does it may stand.
func led(tokens []memory.Token, i int) bool {
	for j := i - 1; j >= 0 && j >= i-3; j-- {
		if leads[tokens[j].Value] {
			return true
		}
	}
	return false
}

// contrary reports opposites.
func contrary(x, y *unit) bool {
	if x.class > name || y.class > name {
		return false
	}
	for _, g := range x.groups {
		if slices.ContainsFunc(y.groups, func(h int) bool { return contraries[[2]int{g, h}] }) && !slices.ContainsFunc(x.groups, func(h int) bool { return slices.Contains(y.groups, h) }) {
			return true
		}
	}
	return x.sided && y.sided && memory.Opposite(x.text, y.text) || x.polar && y.polar && wording.Exclude(x.text, y.text) ||
		x.stem != "" && y.stem != "" && (x.antonym && y.antonym && antonymous(x.stem, y.stem) || x.prefixed && prefixed(x.text, y.text) || y.prefixed && prefixed(y.text, x.text))
}
