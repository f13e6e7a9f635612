package restate

import (
	"slices"
	"sort"
	"strings"

	"github.com/winnowhq/winnow/services/internal/language"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// Who does something and who suffers it is told by the order of the words in the active, by
// "by" in the passive, and in German by the article. A role is read only where one of these
// tells it, since nothing here knows a verb from a noun: two statements exchange their roles
// where one word is read in both, and who does it in one is somebody else in the other.

// roles are the units that stand around one unit, taken for a verb.
type roles struct {
	doers    []int // who does it; nil where nothing tells
	others   []int // who suffers or gets it, by its place or its preposition
	by       bool  // the doer is told by "by"
	passive  bool
	verb     bool // in the active, and an object follows
	relative bool // of a clause that tells of its object: "which the proxy sets"
}

// agentWords lead who does it in a passive, goalWords who gets something.
var (
	agentWords = memory.WordSet(`by von vom durch`)
	goalWords  = memory.WordSet(`to for zum zur für an`)
	// determiners of the cases in which who does it does not stand.
	oblique  = memory.WordSet(`dem des einem eines den einen zum zur vom beim im am`)
	relative = memory.WordSet(`that which whom`)
	// modal are the verbs before an infinitive.
	modal = memory.WordSet(`can could may might must shall should will would to do does did cannot`)
	// werden are the German auxiliaries of the passive.
	werden     = memory.WordSet(`wird werden wurde wurden worden`)
	determiner = memory.WordSet(language.Determiners)
	adposition = memory.WordSet(language.Prepositions)
	pronoun    = memory.WordSet(language.Pronouns)
)

// rolesOf reads who does what the unit at v says.
func (s *statement) rolesOf(v int, german bool) roles {
	at := s.units[v].at
	from, to := s.clauseOf(at)
	var r roles
	if german && s.germanPassive(at, from, to) {
		r.passive = true
		for i := from; i < to; i++ {
			if agentWords[s.tokens[i].Value] {
				r.doers, r.by = s.phrase(i+1, to), true
				break
			}
		}
		for i := from; i < to; i++ {
			if v := s.tokens[i].Value; v == "dem" || v == "einem" || v == "zum" || v == "zur" {
				if i == from || !agentWords[s.tokens[i-1].Value] {
					r.others = append(r.others, s.phrase(i+1, to)...)
				}
			}
		}
		return r
	}
	if !german && s.passive(at) {
		r.passive = true
		for i := at + 1; i < to; i++ {
			switch w := s.tokens[i].Value; {
			case w == "by" && r.doers == nil:
				r.doers, r.by = s.phrase(i+1, to), true
			case goalWords[w]:
				r.others = append(r.others, s.phrase(i+1, to)...)
			}
		}
		r.others = append(r.others, s.subject(from, at, false)...)
		return r
	}
	for i := at + 1; i < to && !auxiliaries[s.tokens[i].Value]; i++ {
		if agentWords[s.tokens[i].Value] && !german {
			return r // "the audit by finance"
		}
	}
	r.verb = at+1 < to && determiner[s.tokens[at+1].Value] || at > from && modal[s.tokens[at-1].Value]
	r.relative = from > 0 && relative[s.tokens[from-1].Value] && from < at
	r.doers = s.subject(from, at, german)
	if object := s.phrase(at+1, to); !german {
		r.others = object
	} else if at+1 < to && oblique[s.tokens[at+1].Value] {
		r.others = object
	} else {
		for i := at + 1; i < to; i++ {
			if goalWords[s.tokens[i].Value] { // "meldet Schäden an die Verwaltung"
				r.others, r.verb = append(r.others, s.phrase(i+1, to)...), true
			}
		}
	}
	return r
}

// clauseOf returns the tokens of the clause around one.
func (s *statement) clauseOf(at int) (from, to int) {
	from, to = at, at+1
	for from > 0 && s.tokens[from].Sep == 0 && !conjunctive(s.tokens[from-1].Value) {
		from--
	}
	for to < len(s.tokens) && s.tokens[to].Sep == 0 && !conjunctive(s.tokens[to].Value) {
		to++
	}
	return from, to
}

// conjunctive reports a word that begins another clause. German articles begin one too, and
// mostly do not.
func conjunctive(w string) bool { return conjunctions[w] && w != "der" && w != "die" && w != "das" }

// passive reports that the English word at i is the participle of a passive.
func (s *statement) passive(i int) bool {
	w := s.tokens[i].Value
	if !participle(w) && bases[w] == "" {
		return false
	}
	if _, ok := s.agents[i]; ok {
		return true
	}
	return i+1 < len(s.tokens) && s.tokens[i+1].Value == "by" && s.tokens[i+1].Sep == 0
}

// germanPassive reports that the word at i is the participle of a passive in its clause.
func (s *statement) germanPassive(i, from, to int) bool {
	w := s.tokens[i].Value
	if !strings.HasSuffix(w, "t") && !strings.HasSuffix(w, "en") {
		return false
	}
	for j := from; j < to; j++ {
		if j != i && werden[s.tokens[j].Value] {
			return true
		}
	}
	return false
}

// phrase returns the units of the noun phrase that begins at token i.
func (s *statement) phrase(i, to int) []int {
	var out []int
	for ; i < to; i++ {
		t := &s.tokens[i]
		switch {
		case t.Class == memory.TokenWord && determiner[t.Value]:
			if len(out) > 0 {
				return out
			}
		case t.Class == memory.TokenWord && (adposition[t.Value] || auxiliaries[t.Value] || conjunctive(t.Value)):
			return out
		default:
			if u := s.unitAt(i); u >= 0 && s.units[u].class <= name {
				out = append(out, u)
				if t.Code || t.Class != memory.TokenWord {
					return out // a name needs no noun behind it
				}
			}
		}
	}
	return out
}

// subject returns the units of the noun phrases before a verb that may do it.
func (s *statement) subject(from, at int, german bool) []int {
	var out []int
	skip := false
	for i := from; i < at; i++ {
		t := &s.tokens[i]
		switch {
		case t.Class == memory.TokenWord && german && oblique[t.Value]:
			skip = true
		case t.Class == memory.TokenWord && (determiner[t.Value] || pronoun[t.Value]):
			skip = skip && i > 0 && adposition[s.tokens[i-1].Value]
		case t.Class == memory.TokenWord && adposition[t.Value]:
			skip = t.Value != "of" && t.Value != "von"
		default:
			if u := s.unitAt(i); u >= 0 && !skip && s.units[u].class <= name {
				out = append(out, u)
			}
		}
	}
	return out
}

// unitAt returns the unit of a token, -1 without one. Of a word that denies by its form it is
// what is denied.
func (s *statement) unitAt(token int) int {
	n := sort.Search(len(s.units), func(i int) bool { return s.units[i].at > token }) - 1
	if n < 0 || s.units[n].at != token {
		return -1
	}
	return n
}

// exchangedRoles reports that one thing is done by others in the two statements, each of whom
// the other statement has in another role.
func (m *matching) exchangedRoles(germanX, germanY bool) bool {
	toY, toX := make(map[int]int, len(m.pairs)), make(map[int]int, len(m.pairs))
	for _, p := range m.pairs {
		if p.share >= likely {
			toY[p.a], toX[p.b] = p.b, p.a
		}
	}
	for _, p := range m.pairs {
		if !m.x.units[p.a].sameWord(&m.y.units[p.b]) {
			continue
		}
		r, q := m.x.rolesOf(p.a, germanX), m.y.rolesOf(p.b, germanY)
		if turned(r, q, toY, toX) || turned(q, r, toX, toY) {
			return true
		}
	}
	return false
}

// sameWord reports two forms of one word.
func (u *unit) sameWord(v *unit) bool {
	if u.class != word || v.class != word {
		return false
	}
	x, y := strings.TrimPrefix(u.head, "ge"), strings.TrimPrefix(v.head, "ge")
	return x == y || common(x, y) >= 4 && len(x)-len(y) < 2 && len(y)-len(x) < 2
}

// turned reports that who does it in r is another one in q, and one of the two suffers it in
// the other statement.
func turned(r, q roles, to, from map[int]int) bool {
	meets := func(a, b []int) bool {
		for _, u := range a {
			if v, ok := to[u]; ok && slices.Contains(b, v) {
				return true
			}
		}
		return false
	}
	known := func(units []int) bool {
		return slices.ContainsFunc(units, func(u int) bool { _, ok := to[u]; return ok })
	}
	back := func(v int) bool { _, ok := from[v]; return ok }
	if len(r.doers) == 0 || meets(r.doers, q.doers) {
		return false
	}
	switch {
	case r.by && q.by:
		return meets(r.doers, q.others)
	case q.by && (r.verb || r.relative):
		return known(r.doers) && slices.ContainsFunc(q.doers, back)
	case q.passive && r.verb:
		return meets(r.doers, q.others)
	case q.verb && r.verb:
		return meets(r.doers, q.others) && meets(r.others, q.doers)
	}
	return false
}
