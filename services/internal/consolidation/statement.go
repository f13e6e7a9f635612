package consolidation

import (
	"slices"
	"strings"

	"github.com/winnowhq/winnow/services/internal/judge/lexical"
	"github.com/winnowhq/winnow/services/internal/judge/subject"
	"github.com/winnowhq/winnow/services/internal/judge/wording"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// text is a memory analysed for comparison.
type text struct {
	whole *wording.Text
	// parts are its statements, one for each sentence of some words; a text of one
	// sentence is its own part.
	parts  []*wording.Text
	orders bool // obliges, advises or orders
	// changed are the changes of a value that it states.
	changed []wording.Transition
}

// leastWords is how many words of meaning a statement has that can repeat or
// contradict another.
const leastWords = 2

// normalOf returns the text of a memory as exact comparison sees it, empty where
// nothing is left of it.
func normalOf(m *Candidate) string {
	clean := memory.Clean(m.Text)
	tokens := memory.Scan(clean)
	return memory.NormalOf(clean, tokens, memory.Stamps(clean, tokens))
}

// ownHeading begins the heading of a joined text (S0.59). How many memories it counts
// is no statement.
const ownHeading = "consolidated from"

func read(a *wording.Analyzer, s string) *text {
	whole := a.Text(s)
	f := wording.Extract(whole, wording.Given{}, nil)
	t := &text{whole: whole, orders: f.Orders(), changed: f.Transitions}
	for _, sentence := range sentences(whole.Clean, whole.Tokens) {
		part := a.Text(sentence)
		if part.Doc.Words >= leastWords && !strings.HasPrefix(part.Normal, ownHeading) {
			part.Slim()
			t.parts = append(t.parts, part)
		}
	}
	if len(t.parts) < 2 {
		t.parts = []*wording.Text{whole}
	}
	whole.Slim()
	return t
}

// sentences splits a text where a token follows a full stop, a semicolon or a new
// line.
func sentences(clean string, tokens []memory.Token) []string {
	var out []string
	from := 0
	for i, t := range tokens {
		if i > 0 && (t.Sep == '.' || t.Sep == ';' || t.Sep == '\n') && t.Code == tokens[i-1].Code {
			out = append(out, clean[from:t.Start])
			from = t.Start
		}
	}
	return append(out, clean[from:])
}

// apart reports whether the guard forbids that two texts are in one group: a statement
// of one contradicts a statement of the other, or is the same statement about another
// thing. Statements that are not about the same thing do neither.
func (t *text) apart(o *text) (why Reason, differences []string) {
	if t.whole.Normal == o.whole.Normal && t.whole.Normal != "" {
		return "", nil
	}
	siblings := false
	for _, a := range t.parts {
		for _, b := range o.parts {
			if lexical.Near(a.Doc, b.Doc) < nearShare {
				continue
			}
			whole := t.mostly(a) && o.mostly(b)
			about := subject.Relate(a.Subject, b.Subject, a.Doc, b.Doc)
			if about == subject.Different {
				siblings = siblings || whole
				continue
			}
			// Between sentences of longer texts only the same subject beyond doubt
			// contradicts; between whole statements it needs no likeness.
			same := about == subject.Same
			s := lexical.Compare(a.Doc, b.Doc)
			if !whole && !same || !s.OneMatter(min(a.Doc.Words, b.Doc.Words)) && !(whole && same) {
				continue
			}
			c := memory.Compare(a.Specifics(), b.Specifics())
			if c.Relation == memory.RelationConflict {
				return ApartConflict, c.Differences
			}
			if !c.Foreign && s.Similarity > lexical.PointCluster && (lexical.Substituted(a.Doc, b.Doc) || wording.Opposed(a, b)) {
				return ApartConflict, []string{"a word is exchanged"}
			}
		}
	}
	if siblings {
		return ApartSubject, nil
	}
	if t.outdates(o) || o.outdates(t) {
		return ApartConflict, []string{"one says that a value of the other changed"}
	}
	return "", nil
}

// outdates reports whether t states a change from a value that o still has.
func (t *text) outdates(o *text) bool {
	for _, c := range t.changed {
		stored := o.whole.Specifics()
		if c.Old == "" || c.New == "" || !stored.Names(c.Old) || stored.Names(c.New) {
			continue
		}
		if lexical.Compare(t.whole.Doc, o.whole.Doc).Backward >= changeShare {
			return true
		}
	}
	return false
}

// changeShare is the share of a text that a stated change must repeat to be about it.
const changeShare = 0.5

// mostly reports whether a statement is half of the text or more. Longer texts have some
// sentence or other in common with many, and name its subject in the text beside it.
func (t *text) mostly(part *wording.Text) bool { return 2*part.Doc.Words >= t.whole.Doc.Words }

const (
	// nearShare is the share of common meaning below which two statements are not
	// about the same thing.
	nearShare = 0.25
	// coveredShare is the share from which one text contains the other.
	coveredShare = 0.92
)

// repeats reports whether one text says all that the other says: no detail differs,
// the subject is the same beyond doubt, and their words prove it, or the vectors do
// where the calibration allows that (sure). No similarity decides alone (D3).
func (t *text) repeats(o *text, cosine, duplicate float64, sure bool) bool {
	a, b := t.whole, o.whole
	if a.Normal == b.Normal && a.Normal != "" {
		return true
	}
	if t.orders != o.orders {
		return false // a statement does not stand for a rule
	}
	s := lexical.Compare(a.Doc, b.Doc)
	covers := min(a.Doc.Words, b.Doc.Words) >= lexical.FewWords && max(s.Forward, s.Backward) >= coveredShare
	if s.Similarity <= lexical.PointDuplicate && !covers && !(sure && cosine > duplicate) {
		return false
	}
	relation := memory.Compare(a.Specifics(), b.Specifics()).Relation
	if relation != memory.RelationEqual && !contains(relation, s) {
		return false
	}
	if lexical.Substituted(a.Doc, b.Doc) || wording.Opposed(a, b) {
		return false
	}
	if subject.Relate(a.Subject, b.Subject, a.Doc, b.Doc) != subject.Same {
		return false
	}
	// A text that has all words of another and has moved some may have changed sides.
	return max(s.Forward, s.Backward) < coveredShare || inOrder(a.Clean, b.Clean)
}

// inOrder reports whether the text with more words has nearly all words of the other in
// their order: "skips A, creates B" and "creates A, skips B" have every word in common.
func inOrder(a, b string) bool {
	x, y := sequence(a), sequence(b)
	if len(x) > len(y) {
		x, y = y, x
	}
	if len(x) > maxSequence {
		return false
	}
	row := make([]int, len(x)+1) // longest common subsequence of x[:i] and the words of y so far
	for _, word := range y {
		before := 0
		for i := range x {
			here := row[i+1]
			if x[i] == word {
				row[i+1] = before + 1
			} else {
				row[i+1] = max(row[i+1], row[i])
			}
			before = here
		}
	}
	return float64(row[len(x)]) >= coveredShare*float64(len(x))
}

// maxSequence bounds the words that are compared in order; longer texts are for a
// person to compare.
const maxSequence = 1000

// sequence returns the stems of the words that are not short.
func sequence(clean string) []string {
	var out []string
	tokens := memory.Scan(clean)
	stamps := memory.Stamps(clean, tokens)
	for i, t := range tokens {
		if !stamps[i] && (len(t.Value) > 3 || t.Class != memory.TokenWord || t.Code) {
			out = append(out, memory.Stem(t.Value))
		}
	}
	return out
}

// contains reports that the text with more details also has nearly all words of the
// other.
func contains(r memory.Relation, s lexical.Score) bool {
	switch r {
	case memory.RelationContained:
		return s.Forward >= fullShare
	case memory.RelationSuperset:
		return s.Backward >= fullShare
	}
	return false
}

// fullShare is the share of a text's meaning that another text must have to say all of
// it.
const fullShare = 0.80

// madeOf reports that one of the two was made of the other.
func madeOf(a, b *Candidate) bool {
	return slices.Contains(a.Sources, b.ID) || slices.Contains(b.Sources, a.ID)
}
