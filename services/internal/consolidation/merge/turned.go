package merge

import (
	"slices"
	"strings"

	"github.com/winnowhq/winnow/services/internal/judge/lexical"
	"github.com/winnowhq/winnow/services/internal/judge/subject"
	"github.com/winnowhq/winnow/services/internal/judge/wording"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// turned reports a negation, an obligation, a direction or a role that differs from what
// the bearers say.
func (c *corpus) turned(u *unit, bears []*unit, found finder) *Finding {
	mine := u.details()
	negations, duties := 0, map[string]bool{}
	for _, b := range bears {
		negations += len(b.details().Negations())
		for _, d := range b.details().Duties() {
			duties[d] = true
		}
	}
	for _, d := range mine.Duties() {
		if !duties[d] {
			return found(RuleTurned, "%q that no source says here", d)
		}
	}
	if n := len(mine.Negations()); n > negations {
		return found(RuleTurned, "a negation that no source has here")
	}
	for _, word := range mine.Negations() {
		denied := slices.ContainsFunc(bears, func(b *unit) bool { return b.details().Denies(word) })
		if !denied && word != "" && slices.ContainsFunc(bears, func(b *unit) bool { return b.details().Names(word) }) {
			return found(RuleTurned, "denies %q, which the source does not", word)
		}
	}
	for _, b := range bears {
		if f := c.turnedFrom(u, b, bears, found); f != nil {
			return f
		}
	}
	return nil
}

// turnedFrom compares a sentence with one of its bearers.
func (c *corpus) turnedFrom(u, b *unit, bears []*unit, found finder) *Finding {
	mine, theirs := u.details(), b.details()
	for _, word := range theirs.Negations() {
		if word == "" || mine.Denies(word) || !mine.Names(word) {
			continue
		}
		// Another bearer may say of something else that it is so.
		if !slices.ContainsFunc(bears, func(x *unit) bool { return x.details().Names(word) && !x.details().Denies(word) }) {
			return found(RuleTurned, "states %q, which the source denies", word)
		}
	}
	s := lexical.Compare(u.read.Doc, b.read.Doc)
	if !s.OneMatter(min(u.read.Doc.Words, b.read.Doc.Words)) {
		return nil
	}
	// One sentence with another value in it, or with a "not" more or less, is no
	// rewording. "not only" negates nothing, but taking "not" from it does.
	if s.Similarity > lexical.PointDuplicate && !slices.ContainsFunc(c.units, func(x unit) bool {
		return x.poison == "" && denials(&x) == denials(u) && c.says(&x, u)
	}) {
		if cmp := memory.Compare(mine, theirs); cmp.Relation == memory.RelationConflict {
			if memory.Compare(words(mine), words(theirs)).Relation == memory.RelationConflict {
				return found(RuleTurned, "%s", strings.Join(cmp.Differences, "; "))
			}
			return found(RuleMoved, "%s", strings.Join(cmp.Differences, "; "))
		}
		if min(s.Forward, s.Backward) >= saidShare && denials(u) != denials(b) {
			return found(RuleTurned, "a negation more or less than %q", b.text)
		}
		if x, y := exchanged(u, b); x != "" {
			return found(RuleTurned, "%q → %q", y, x)
		}
	}
	// A sentence that takes nearly all of a bearer takes its obligation too.
	if s.Backward >= lexical.AboutShare && !c.achieved {
		for _, d := range theirs.Duties() {
			if !slices.Contains(mine.Duties(), d) {
				return found(RuleTurned, "leaves out %q", d)
			}
		}
		if n := len(mine.Negations()); n < len(theirs.Negations()) && s.Backward >= saidShare {
			return found(RuleTurned, "leaves out a negation")
		}
	}
	plain, other := words(mine), words(theirs)
	if cmp := memory.Compare(plain, other); cmp.Relation == memory.RelationConflict {
		return found(RuleTurned, "%s", strings.Join(cmp.Differences, "; "))
	}
	if wording.Opposed(u.read, b.read) || s.Similarity > lexical.PointCluster && len(bears) == 1 && lexical.Substituted(u.read.Doc, b.read.Doc) {
		return found(RuleTurned, "says the opposite of, or something else than %q", b.text)
	}
	if subject.Relate(u.read.Subject, b.read.Subject, u.read.Doc, b.read.Doc) == subject.Different && len(bears) == 1 {
		return found(RuleMoved, "says of another thing what the source says")
	}
	return nil
}

// exchanged returns a word of direction that a has more often than b, and its opposite
// that b has more often: "before" that became "after", also where the sentence has
// another "after".
func exchanged(a, b *unit) (string, string) {
	count := map[string]int{}
	for _, t := range a.read.Tokens {
		count[t.Value]++
	}
	for _, t := range b.read.Tokens {
		count[t.Value]--
	}
	for _, t := range a.read.Tokens {
		if count[t.Value] <= 0 {
			continue
		}
		for _, other := range b.read.Tokens {
			if count[other.Value] < 0 && memory.Opposite(t.Value, other.Value) {
				return t.Value, other.Value
			}
		}
	}
	return "", ""
}

// denials counts the words of negation of a sentence, those of "not only" too.
func denials(u *unit) int {
	n := 0
	for _, t := range u.read.Tokens {
		if t.Class == memory.TokenWord && (negators[t.Value] || strings.HasSuffix(t.Value, "n't") || strings.HasSuffix(t.Value, "n’t")) {
			n++
		}
	}
	return n
}

var negators = memory.WordSet(`not no never none nothing without cannot neither nor nobody nicht nie niemals ohne nichts weder niemand kein keine keinen keiner keinem keines`)

// words returns specifics without the details that the gate has looked up already, so
// that a comparison reads negations, obligations, directions and roles alone.
func words(s *memory.Specifics) *memory.Specifics {
	plain := *s
	plain.Values, plain.Idents, plain.URLs, plain.Quotes = nil, nil, nil, nil
	return &plain
}
