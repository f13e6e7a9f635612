package wording

import (
	"slices"
	"strings"

	"github.com/winnowhq/winnow/services/internal/judge/lexical"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// Leftover reports whether something is left over in one of two texts that read alike:
// a small word that changes what is said, a word of meaning that nothing in the other
// stands against, or another order of the same words. Then neither repeats the other,
// for all that similarity and specifics show. part says that the second text, the stored
// one, only adds words of meaning: the first is a part of it.
//
// It asks the other way round than [Opposed] and [Altered] do: those know pairs of words
// that make two statements, and miss each pair that nobody thought of. Here a word has to
// be a filler, or to have its like in the other text, for the two to be equal. It reads
// both texts from the start; ask it only where they would be taken for equal.
func Leftover(a, b *Text) (leftover, part bool) {
	x, y := remainsOf(a), remainsOf(b)
	if x.alone(y, solitary) || y.alone(x, solitary) || x.rivals(y) || y.rivals(x) || movedRole(x, y) {
		return true, false
	}
	onlyA, onlyB := lexical.Alone(a.Doc, b.Doc, small, false)
	if onlyA+onlyB == 0 && (otherTense(x, y) || rearranged(a, b, x, y) || x.has(opBy) != y.has(opBy) && lexical.SameOrder(a.Doc, b.Doc)) {
		return true, false
	}
	// Who words a statement anew adds a word here and there. Who copies it and adds one
	// says something else.
	inOrder := lexical.InOrder(a.Doc, b.Doc)
	if onlyA+onlyB == 0 && inOrder >= equalShare && (x.adds(y) || y.adds(x)) {
		return true, false
	}
	if inOrder < copiedShare {
		return false, false
	}
	if otherNumber(x, y) || x.alone(y, solitaryInCopies) || y.alone(x, solitaryInCopies) {
		return true, false
	}
	onlyA, onlyB = lexical.Alone(a.Doc, b.Doc, small, true)
	return (onlyA > 0) != (onlyB > 0), onlyA == 0 && onlyB > 0
}

// Extends reports whether a is the statement b, word for word, with something told behind
// it: a cause, a place, a time, a measure. What is added may not take anything back, as
// "except on Mondays" and "only for guests" do, and has to be more than a word or two, which
// would rather make another statement of it ("at night").
func Extends(a, b *Text) bool {
	x, y := content(a), content(b)
	if len(x) <= len(y) || len(y) < 3 {
		return false
	}
	for i := range y {
		if x[i].Value != y[i].Value {
			return false
		}
	}
	added := x[len(y):]
	joined := added[0].Sep == 0
	for i, t := range a.Tokens {
		once := t.Class == memory.TokenNumber && a.Clean[t.Start:t.End] == "once" && i+1 < len(a.Tokens) && a.Tokens[i+1].Sep == 0
		if t.Start >= added[0].Start && (turnsBack[t.Value] && !(i > 0 && memory.IsUnit(a.Tokens[i-1].Value)) || once) { // not "7 s until the first tile"
			return false
		}
	}
	weight, specific := 0, false
	for i, t := range added {
		if takesBack&opAt(added, i) != 0 || i == 0 && joined && whenWords[t.Value] {
			return false
		}
		specific = specific || t.Class != memory.TokenWord || t.Code
		if t.Class != memory.TokenWord || t.Code || !slight[t.Value] && ops[t.Value] == 0 {
			weight++
		}
	}
	if joined && !specific && !explains[added[0].Value] {
		return false // "for paying customers" says of which things it holds
	}
	return weight >= addedWords || weight > 1 && !joined
}

var (
	// turnsBack begin what limits a statement or tells what was so before; whenWords do so
	// where no comma precedes them. EN and DE.
	turnsBack = memory.WordSet(`but if once until till provided however formerly previously aber sondern falls sobald sofern bis bisher früher`)
	whenWords = memory.WordSet(`when while whenever where wenn während wo`)
	// explains begin what explains a statement.
	explains = memory.WordSet(`because since as and with by through via so weil da und mit durch sodass`)
)

// addedWords is how many words of meaning an addition has at least that is no part of its
// sentence.
const addedWords = 3

// takesBack are the classes of words that make less of the statement before them.
const takesBack = opExcept | opUnless | opThough | opOnly | opHardly | opNegation | opOutside

// content returns the tokens of a text without its stamps.
func content(t *Text) []memory.Token {
	tokens, stamps := t.Scanned()
	out := make([]memory.Token, 0, len(tokens))
	for i := range tokens {
		if !stamps[i] {
			out = append(out, tokens[i])
		}
	}
	return out
}

// rearranged reports whether two texts of the same words tell them in an order that makes
// another statement. Members of a list may change places.
func rearranged(a, b *Text, x, y *remains) bool {
	return !slices.Equal(x.listed, y.listed) && lexical.Rearranged(a.Doc, b.Doc, x.has(opSequence) && y.has(opSequence))
}

// copiedShare is the share of the shorter text's words, in their order in the longer one,
// from which one is an edited copy of the other.
const copiedShare = 0.7

// equalShare is the same for two texts that differ in small words only.
const equalShare = 0.5

// lone is a class of which each text has a word, or neither has; unlessOther are words of
// the other text that say the same in another way.
type lone struct{ op, unlessOther op }

// solitary hold for all texts, solitaryInCopies for a text and its edited copy.
var (
	solitary = []lone{
		{opExcept, opNegation | opOnly}, {opUnless, 0}, {opThough, 0}, {opNeither, opNegation},
		{opOnly, opNegation | opExcept | opCap | opUnless}, {opMost, 0}, {opSome, opMany}, {opMany, opSome}, {opHalf, 0}, {opHardly, 0},
		{opUsually, 0}, {opSometimes, 0}, {opPer, opEach}, {opOutside, opNegation}, {opAdvise, 0}, {opCouldHave, 0},
	}
	solitaryInCopies = []lone{
		{opPlan, 0}, {opTotal, 0}, {opNearly, 0}, {opOther, 0}, {opAtMost, opCap}, {opAtLeast, opCap}, {opOrdinal, 0}, {opAll, opEach | opPer},
		{opBefore, opAfter | opUntil | opSequence | opNegation}, {opAfter, opBefore | opWhen | opSince | opSequence},
	}
)

// small are the words that are compared by their class, and fillers, which say nothing.
var small = smallTerms()

func smallTerms() map[uint64]bool {
	words := strings.Fields(`note notice remember keep mind please simply actually really basically currently period more less fewer mehr weniger`)
	for w, o := range ops {
		if o != opEach || forEach[w] { // "nightly" is when
			words = append(words, w)
		}
	}
	return lexical.TermIDs(words)
}

// excluding are pairs of classes: where each text has one of them and lacks the other,
// the two say different things.
var excluding = [][2]op{
	{opEither, opBoth}, {opEither, opTwo}, {opAdvise, opOblige}, {opAdvise, opPermit}, {opOblige, opPermit}, {opFuture, opBePast},
	{opUntil, opSince}, {opUntil, opAfter}, {opUntil, opWhen}, {opUntil, opWhile}, {opBefore, opWhile},
	{opSince, opBefore}, {opStill, opAlready}, {opThough, opBecause}, {opRange, opTwo},
}

// opposedRoles are pairs of roles that one thing has not both in one statement.
var opposedRoles = [][2]role{
	{roleSource, roleGoal}, {roleUntil, roleSource}, {roleAgent, roleBenefit}, {roleWith, roleWithout}, {roleBefore, roleAfter},
}

// Needs reports that a text says without what something is not so, or what alone makes it so: "only
// after a restart", "needs two approvals", "not comparable". Who says that as an order says no more.
func Needs(t *Text) bool {
	r := remainsOf(t)
	if r.has(opOblige|opUnless|opOnly|opOnlyWhen) || r.has(opNegation) && r.has(opRest) || t.Specifics().Obliges() {
		return true
	}
	without, denials, able := false, 0, false
	for _, tok := range content(t) {
		switch w := tok.Value; {
		case w == "without" || w == "ohne":
			without = true
		case memory.Negates(w):
			denials++
		default:
			able = able || len(w) > 7 && (strings.HasSuffix(w, "able") || strings.HasSuffix(w, "bar"))
		}
	}
	return denials > 0 && (without || able)
}

// alone reports whether r has a word that changes a statement, and other has none of its
// kind and none that says the same.
func (r *remains) alone(other *remains, classes []lone) bool {
	for _, s := range classes {
		if r.has(s.op) && !other.has(s.op|s.unlessOther) {
			return true
		}
	}
	return false
}

// adds reports whether r has a function word that is no filler, and other has neither it nor
// one of its class.
func (r *remains) adds(other *remains) bool {
	return slices.ContainsFunc(r.words, func(w string) bool {
		return !slices.Contains(other.words, w) && (ops[w] == 0 || !other.has(ops[w]))
	})
}

// rivals reports whether r has the first of two classes that exclude each other and other
// has the second, each alone.
func (r *remains) rivals(other *remains) bool {
	for _, e := range excluding {
		if r.has(e[0]) && !r.has(e[1]) && other.has(e[1]) && !other.has(e[0]) && !r.turns(other, e) {
			return true
		}
	}
	return false
}

// turns reports that r says with the first of two classes what other says with the second: what
// is not so until something is so after it, what may not be otherwise has to be so, and what only
// one may do has to be done by that one.
func (r *remains) turns(other *remains, e [2]op) bool {
	denied := r.has(opNegation) != other.has(opNegation)
	switch e {
	case [2]op{opUntil, opAfter}:
		return denied && r.has(opNegation)
	case [2]op{opOblige, opPermit}:
		return denied && other.has(opNegation) || other.has(opOnly|opOnlyWhen)
	}
	return false
}

// otherTense reports whether one text speaks only of what is, and the other only of what
// was, by their forms of "to be". "Has been" leaves it open.
func otherTense(x, y *remains) bool {
	is := func(r *remains) bool { return r.has(opBeNow) && !r.has(opBePast) }
	was := func(r *remains) bool { return r.has(opBePast) && !r.has(opBeNow) }
	return is(x) && was(y) || was(x) && is(y)
}

// movedRole reports whether one thing has opposite roles in two texts: "from the cluster"
// and "to the cluster"; or whether two things exchanged their German cases.
func movedRole(x, y *remains) bool {
	for _, p := range x.placed {
		for _, q := range y.placed {
			if p.word != q.word || p.role == q.role || slices.Contains(y.placed, p) || slices.Contains(x.placed, q) {
				continue
			}
			for _, e := range opposedRoles {
				if p.role == e[0] && q.role == e[1] || p.role == e[1] && q.role == e[0] {
					return true
				}
			}
		}
	}
	gave := func(a, b *remains) bool { // somebody got it in a and gives it in b
		return slices.ContainsFunc(a.placed, func(p placed) bool {
			return p.role == roleDative && slices.Contains(b.placed, placed{roleSubject, p.word}) && !slices.Contains(b.placed, p)
		})
	}
	return gave(x, y) && gave(y, x)
}

// otherNumber reports whether one text speaks of one thing and the other of several of it.
func otherNumber(x, y *remains) bool {
	return slices.ContainsFunc(x.numbers, func(n numbered) bool {
		other := numbered{n.noun, !n.plural}
		return slices.Contains(y.numbers, other) && !slices.Contains(y.numbers, n) && !slices.Contains(x.numbers, other)
	})
}
