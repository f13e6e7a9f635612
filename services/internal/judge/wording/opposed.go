package wording

import (
	"slices"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// stance is what [Opposed] compares of a text: its words, members of families of
// opposites, tools, and the two sides of its pivots.
type stance struct {
	words []string // all, in order
	poles []pole
	// attributes are what [OtherAttribute] compares.
	attributes []pole
	tools      []string
	pivots     []sides
	// turns and restricts are what [Altered] compares.
	ends, returns, restricts, excepts, now, switches bool
	// planned and past are what [Altered] compares too; joined is for [Opposed].
	planned, past, unsure bool
	joined                []joined
	labels                []label
}

// sides are the words before and after a pivot that occurs once in the text.
type sides struct {
	pivot
	before, after []string
}

// stance returns the stance of the text, computed on first use.
func (t *Text) stance() *stance {
	if t.cachedStance == nil {
		tokens, _ := t.Scanned()
		t.cachedStance = stanceOf(tokens)
	}
	return t.cachedStance
}

func stanceOf(tokens []memory.Token) *stance {
	s := &stance{}
	at := make(map[string][]int) // tokens by the name of the pivot
	for i, tok := range tokens {
		s.words = append(s.words, tok.Value)
		if p, ok := poleOf(tok.Value); ok && !measured(tokens, i) && !deniedPole(tokens, i) {
			s.poles = append(s.poles, p)
		}
		if p, ok := attributeAt(tokens, i); ok {
			s.attributes = append(s.attributes, p)
		}
		if p, ok := shadePole(tokens, i); ok {
			s.poles = append(s.poles, p)
		}
		if l, ok := labelAt(tokens, i); ok {
			s.labels = append(s.labels, l)
		}
		if j, ok := joinedAt(tokens, i); ok {
			s.joined = append(s.joined, j)
		}
		if knownTools[tok.Value] && !plainTools[tok.Value] {
			name := tok.Value
			if same, ok := sameTool[name]; ok {
				name = same
			}
			s.tools = append(s.tools, name)
		}
		if t, ok := pivots[tok.Value]; ok && !(t.name == "by" && byNobody(tokens, i)) && !suffers(tokens, i) {
			at[t.name] = append(at[t.name], i)
		}
	}
	for i := range s.words {
		s.ends = s.ends || endsAt(s.words, i)
		s.excepts = s.excepts || exceptsAt(s.words, i)
		s.now = s.now || nowAt(s.words, i)
		s.switches = s.switches || switchesAt(s.words, i)
		s.returns = s.returns || returnsAt(s.words, i)
		s.unsure = s.unsure || unsure[s.words[i]]
		s.planned = s.planned || plannedAt(s.words, i)
		s.past = s.past || pastAt(s.words, i)
		s.restricts = s.restricts || restrictsAt(s.words, i)
	}
	for _, i := range at {
		if len(i) == 1 {
			s.pivots = append(s.pivots, sidesOf(tokens, i[0]))
		}
	}
	return s
}

// measured reports that the word at i is the unit of the number before it: the specifics
// compare it with the number.
func measured(tokens []memory.Token, i int) bool {
	return i > 0 && tokens[i].Sep == 0 && tokens[i-1].Class == memory.TokenNumber && memory.IsUnit(tokens[i].Value)
}

// deniedPole reports that a negation stands before the word at i: "not enabled" is on no
// side of its own, and the specifics compare what it denies.
func deniedPole(tokens []memory.Token, i int) bool {
	for j := i - 1; j >= 0 && j >= i-2 && tokens[j+1].Sep == 0; j-- {
		if memory.Negates(tokens[j].Value) {
			return true
		}
	}
	return false
}

// byNobody reports a "by" that names no agent: "by itself", "by hand", "by default".
func byNobody(tokens []memory.Token, i int) bool {
	if i+1 == len(tokens) {
		return true
	}
	switch tokens[i+1].Value {
	case "itself", "themselves", "hand", "default", "design", "accident", "name", "far", "mail", "now", "then":
		return true
	}
	return tokens[i+1].Class == memory.TokenNumber || tokens[i+1].Class == memory.TokenDate
}

// suffers reports a "caused by" at i, which "by" counts for.
func suffers(tokens []memory.Token, i int) bool {
	return pivots[tokens[i].Value].name == "cause" && i+1 < len(tokens) && (tokens[i+1].Value == "by" || tokens[i+1].Value == "durch")
}

// sidesOf splits a text at its pivot. A clause that begins with the pivot is moved
// behind the main clause: "After x, y" is "y after x".
func sidesOf(tokens []memory.Token, i int) sides {
	s := sides{pivot: pivots[tokens[i].Value]}
	if clauseStart(tokens, i) {
		for j := i + 1; j < len(tokens); j++ {
			if tokens[j].Sep == ',' {
				s.after, s.before = weighty(tokens[i+1:j]), weighty(tokens[j:])
				return s
			}
		}
	}
	s.before, s.after = weighty(tokens[:i]), weighty(tokens[i+1:])
	return s
}

func weighty(tokens []memory.Token) []string {
	out := make([]string, 0, len(tokens))
	for _, t := range tokens {
		if t.Class == memory.TokenWord && !slight[t.Value] {
			out = append(out, memory.Stem(memory.Stem(t.Value))) // "owners", "owner"
		} else if t.Class == memory.TokenIdent {
			out = append(out, t.Value)
		}
	}
	return out
}

// Opposed reports whether two texts take different sides: one contradicts the other,
// however alike they are by words and by vectors.
func Opposed(a, b *Text) bool { return opposed(a.stance(), b.stance()) }

// Exclude reports whether two words, in lower case, are different members of one family of
// opposites.
func Exclude(a, b string) bool {
	x, known := poles[a]
	y, other := poles[b]
	return known && other && x.family == y.family && x.member != y.member
}

// Polar reports whether a word excludes any, as by [Exclude].
func Polar(word string) bool {
	_, ok := poles[word]
	return ok
}

// Gainsays reports whether a small word or the order of the words of one text makes it
// another statement than the other, in whatever words both are told. It is the part of
// [Opposed], [Altered] and [Leftover] that hardly ever holds of two texts that say the same.
func Gainsays(a, b *Text) bool {
	x, y := a.stance(), b.stance()
	switch {
	case rivals(x.tools, y.tools, func(string, string) bool { return true }),
		rivals(x.poles, y.poles, func(p, q pole) bool { return p.family == q.family && p.family == familyBound }),
		rivals(x.labels, y.labels, func(p, q label) bool { return p.noun == q.noun }),
		transposed(x.words, y.words), rejoined(x.joined, y.joined), onlyMoved(x.words, y.words),
		during(x.words, y.words), during(y.words, x.words), x.now != y.now && !sameDay(a, b):
		return true
	}
	r, q := remainsOf(a), remainsOf(b)
	if x.excepts != y.excepts && !(x.excepts && q.singles() || y.excepts && r.singles()) {
		return true
	}
	outside := []lone{{opOutside, opNegation}, {opHardly, 0}}
	if r.has(opNeither) && q.has(opBoth) || r.has(opBoth) && q.has(opNeither) {
		return true
	}
	return movedRole(r, q) || r.alone(q, outside) || q.alone(r, outside) || r.unless(q) || q.unless(r)
}

// sameDay reports two notes of one day, of which "now" tells nothing.
func sameDay(a, b *Text) bool { return !a.Date.IsZero() && a.Date.Equal(b.Date) }

// unless reports a text that makes an exception, where the other makes none in any words. "No A
// unless B" says no more than "A only if B".
func (r *remains) unless(other *remains) bool {
	return r.has(opUnless) && !r.has(opNegation) && !other.has(opUnless|opNegation|opExcept|opRest)
}

// singles reports a text that says of one thing alone what it denies of the others, as an
// exception does: "only surgeries …, any other visit".
func (r *remains) singles() bool { return r.has(opOther | opRest) }

// Poles reports whether each of two texts has a word that excludes one of the other's, as
// [Opposed] knows them, other than words of quantity: "every" and "any" often say the same.
func Poles(a, b *Text) bool {
	return rivals(a.stance().poles, b.stance().poles, func(x, y pole) bool { return x.family == y.family && x.family != poles["all"].family })
}

// SmallWordAlone reports whether one of two texts says of how much or how often something
// holds, or that it is over or to come, and the other does not. It is telling where the two have all
// words of meaning in common.
func SmallWordAlone(a, b *Text) bool {
	x, y := remainsOf(a), remainsOf(b)
	often := []lone{{opOnly, opNegation | opExcept | opCap | opUnless | opOther | opRest | opOblige}, {opMost, 0}, {opUsually, 0}, {opSometimes, 0}, {opMany, opSome}}
	p, q := a.stance(), b.stance()
	return x.alone(y, often) || y.alone(x, often) || p.past != q.past || p.planned != q.planned || x.has(opFuture) != y.has(opFuture)
}

// Reversed reports whether two texts tell the two sides of a word such as "before" or
// "because" the other way round.
func Reversed(a, b *Text) bool { return reversed(a.stance().pivots, b.stance().pivots) }

// RivalClasses reports whether each of two texts has a small word of a class that excludes
// one of the other's, such as "until" and "since".
func RivalClasses(a, b *Text) bool {
	x, y := remainsOf(a), remainsOf(b)
	return x.rivals(y) || y.rivals(x)
}

// Rival reports whether each of two texts has a word that excludes one of the other's,
// such as "global" and "per-instance".
func Rival(a, b *Text) bool {
	return rivals(a.stance().poles, b.stance().poles, func(x, y pole) bool { return x.family == y.family })
}

// OtherDay reports whether each of two texts has a day of the week that the other lacks.
func OtherDay(a, b *Text) bool {
	return rivals(a.stance().poles, b.stance().poles, func(x, y pole) bool { return x.family == y.family && x.family == poles["monday"].family })
}

// OtherAttribute reports whether two texts name two attributes of which a thing has both,
// such as its read timeout and its write timeout. Where their values differ too, neither
// takes anything back of the other.
func OtherAttribute(a, b *Text) bool {
	return rivals(a.stance().attributes, b.stance().attributes, func(x, y pole) bool { return x.family == y.family })
}

// opposed reports whether two texts name two members of one family, two tools, or the
// same things the other way round.
func opposed(a, b *stance) bool {
	return rivals(a.tools, b.tools, func(string, string) bool { return true }) ||
		rivals(a.poles, b.poles, func(x, y pole) bool { return x.family == y.family }) ||
		reversed(a.pivots, b.pivots) || transposed(a.words, b.words) || rejoined(a.joined, b.joined) || onlyMoved(a.words, b.words) ||
		rivals(a.labels, b.labels, func(x, y label) bool { return x.noun == y.noun }) || during(a.words, b.words) || during(b.words, a.words)
}

// rivals reports whether each list has an element that the other lacks, and these two
// exclude each other.
func rivals[E comparable](a, b []E, exclude func(E, E) bool) bool {
	for _, x := range a {
		if slices.Contains(b, x) {
			continue
		}
		for _, y := range b {
			if exclude(x, y) && !slices.Contains(a, y) {
				return true
			}
		}
	}
	return false
}

// reversed reports whether the sides of a pivot changed places, or the pivot was
// reversed while its sides stayed. Both together mean the same again.
func reversed(a, b []sides) bool {
	for _, x := range a {
		for _, y := range b {
			if x.name != y.name {
				continue
			}
			crossed := meet(x.before, y.after) && meet(x.after, y.before)
			straight := meet(x.before, y.before) && meet(x.after, y.after)
			if x.name == "cause" && crossed == straight {
				continue // the sides share words, so nothing tells which is which
			}
			crossed = crossed && !straight
			if crossed == (x.direction == y.direction) {
				return true
			}
		}
	}
	return false
}

func meet(a, b []string) bool {
	return slices.ContainsFunc(a, func(s string) bool { return slices.Contains(b, s) })
}

// transposed reports whether two words of an otherwise equal sentence changed places, once
// ("progress to stderr, results to stdout") or wherever they stand. Members of a plain list
// may change places.
func transposed(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	var at []int
	for i := range a {
		if a[i] != b[i] {
			at = append(at, i)
		}
	}
	if len(at) < 2 || 3*len(at) > 2*len(a) {
		return false
	}
	x, y := a[at[0]], b[at[0]]
	swapped := [2]bool{}
	for _, i := range at {
		switch {
		case a[i] == x && b[i] == y:
			swapped[0] = true
		case a[i] == y && b[i] == x:
			swapped[1] = true
		default:
			return false
		}
	}
	if !swapped[0] || !swapped[1] {
		return false
	}
	between := a[at[0]+1 : at[1]]
	return len(at) > 2 || len(between) > 1 || len(between) == 1 && !joins[between[0]]
}

var joins = memory.WordSet(`and or und oder sowie`)
