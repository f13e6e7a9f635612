package memory

import (
	"fmt"
	"slices"
	"strings"
)

// Relation is how the specifics of one text stand to another's. It says nothing
// about whether the texts are about the same thing: that is similarity.
type Relation string

// The relations, from the view of the first text.
const (
	RelationEqual      Relation = "equal"      // the same specifics
	RelationContained  Relation = "contained"  // the second has all of the first's and more
	RelationSuperset   Relation = "superset"   // the first has all of the second's and more
	RelationConflict   Relation = "conflict"   // the same slot with another value, or the opposite
	RelationComplement Relation = "complement" // each has something that the other has not
)

// Comparison is the outcome of [Compare].
type Comparison struct {
	Relation    Relation
	Differences []string // in words, first text → second text; conflicts first, a few of each kind
	OnlyA       int      // specifics that the second text lacks
	OnlyB       int      // specifics that the first text lacks
	// Foreign: both texts name things (files, hosts, tools …) and not one of
	// them in common, so what they say alike they say of different things.
	Foreign bool
}

// maxShown bounds the differences of one kind that are put into words: nobody
// reads more, and most comparisons are of texts that have little in common.
const maxShown = 2

// Compare sets the specifics of two texts against each other. One changed digit
// is never equal and never contained (D3).
func Compare(a, b *Specifics) Comparison {
	c := comparer{}
	c.details("number", a.Values, b.Values, nil, nil, true)
	c.details("name", a.Idents, b.Idents, a.words, b.words, false)
	c.details("URL", a.URLs, b.URLs, nil, nil, true)
	c.details("quotation", a.Quotes, b.Quotes, a.words, b.words, false)
	c.negations(a, b)
	c.modality(a, b)
	c.directions(a, b)
	c.turned(a, b)
	out := c.result()
	out.Foreign = foreign(a, b)
	return out
}

func foreign(a, b *Specifics) bool {
	if len(a.Idents) == 0 || len(b.Idents) == 0 {
		return false
	}
	return len(missing(a.Idents, b.Idents, b.words)) == len(a.Idents) && len(missing(b.Idents, a.Idents, a.words)) == len(b.Idents)
}

type comparer struct {
	conflicts, differences []string
	onlyA, onlyB           int
}

func (c *comparer) result() Comparison {
	out := Comparison{Differences: append(c.conflicts, c.differences...), OnlyA: c.onlyA, OnlyB: c.onlyB}
	switch {
	case len(c.conflicts) > 0:
		out.Relation = RelationConflict
	case c.onlyA == 0 && c.onlyB == 0:
		out.Relation = RelationEqual
	case c.onlyA == 0:
		out.Relation = RelationContained
	case c.onlyB == 0:
		out.Relation = RelationSuperset
	default:
		out.Relation = RelationComplement
	}
	return out
}

// details compares one class. Where words are given, a detail also counts as
// present when the other text has it as a plain word: `redis` and redis.
// exclusive classes conflict as soon as both sides have a value of one kind
// that the other lacks.
func (c *comparer) details(class string, a, b []Detail, aWords, bWords wordList, exclusive bool) {
	onlyA := missing(a, b, bWords)
	onlyB := missing(b, a, aWords)
	for i := range onlyA {
		for j := range onlyB {
			if len(c.conflicts) < maxShown && slotClash(onlyA[i], onlyB[j], exclusive) {
				c.conflicts = append(c.conflicts, class+" "+onlyA[i].written()+" → "+onlyB[j].written())
			}
		}
	}
	for _, d := range onlyA[:min(len(onlyA), maxShown)] {
		c.differences = append(c.differences, class+" "+d.written()+" only in the first")
	}
	for _, d := range onlyB[:min(len(onlyB), maxShown)] {
		c.differences = append(c.differences, class+" "+d.written()+" only in the second")
	}
	c.onlyA += len(onlyA)
	c.onlyB += len(onlyB)
}

func (d Detail) written() string {
	if d.Unit == "" || d.Unit == "date" {
		return d.Text
	}
	return d.Text + " " + d.Unit
}

// slotClash reports that two unmatched details are values of the same thing.
func slotClash(a, b Detail, exclusive bool) bool {
	if exclusive {
		return a.Unit == b.Unit || a.Slot != "" && a.Slot == b.Slot
	}
	return a.Slot != "" && a.Slot == b.Slot
}

// missing lists the details of a that b lacks, as multisets: two of a number
// are not one.
func missing(a, b []Detail, bWords wordList) []Detail {
	var out []Detail
	used := make([]bool, len(b))
next:
	for _, d := range a {
		for j := range b {
			if !used[j] && sameDetail(d, b[j]) {
				used[j] = true
				continue next
			}
		}
		// Said twice in the first and once in the second is still said.
		if bWords != nil && hasWords(bWords, d.Text) {
			continue
		}
		out = append(out, d)
	}
	return out
}

func sameDetail(a, b Detail) bool {
	if a.Text != b.Text {
		return false
	}
	return a.Unit == b.Unit || !isMeasure(a.Unit) || !isMeasure(b.Unit)
}

// isMeasure reports units that change a number's meaning; a mere next word
// ("4000 characters", "4000 or fewer") does not.
func isMeasure(u string) bool {
	switch u {
	case "s", "ms", "min", "h", "d", "%", "mb", "gb", "kb", "mib", "gib", "mi", "gi", "x", "k", "m":
		return true
	}
	return strings.HasPrefix(u, "$") || strings.HasPrefix(u, "€")
}

func hasWords(words wordList, text string) bool {
	if words.has(text) {
		return true
	}
	if strings.IndexByte(text, ' ') < 0 {
		ok := words.has(Stem(text))
		return ok && len(text) > 3 && !strings.ContainsAny(text, "0123456789._/-")
	}
	for w := range strings.FieldsSeq(text) {
		if !words.has(w) {
			return false
		}
	}
	return true
}

// negations: a word that one text negates and the other uses plainly is a
// conflict. Negations of words that the other lacks balance each other, because
// "cannot hand over" and "no longer accept" say the same.
func (c *comparer) negations(a, b *Specifics) {
	c.exchanged(a, b)
	restA := c.negationsOf(a, b)
	restB := c.negationsOf(b, a)
	switch d := restA - restB; {
	case d > 0:
		c.onlyA += d
		c.differences = append(c.differences, "negation only in the first")
	case d < 0:
		c.onlyB -= d
		c.differences = append(c.differences, "negation only in the second")
	}
}

// exchanged: two texts that have both words and deny another one of them say
// the opposite: "keeps local data, not the server's" against "takes the
// server's, not local data".
func (c *comparer) exchanged(a, b *Specifics) {
	for _, n := range a.negated {
		if !b.Names(n.Text) || denies(b, n.Text) {
			continue
		}
		for _, m := range b.negated {
			if a.Names(m.Text) && !denies(a, m.Text) && len(c.conflicts) < maxShown {
				c.conflicts = append(c.conflicts, fmt.Sprintf("not %s → not %s", n.Text, m.Text))
			}
		}
	}
}

func denies(s *Specifics, word string) bool {
	return slices.ContainsFunc(s.negated, func(d Detail) bool { return d.Text == word })
}

// neverInOtherWords reports that whatever one of the texts says never happens is
// denied in the other too, so that "never" alone makes no difference.
func neverInOtherWords(a, b *Specifics) bool {
	deniedBy := func(s *Specifics, words []string) bool {
		return !slices.ContainsFunc(words, func(w string) bool { return !denies(s, w) })
	}
	return len(a.nevers)+len(b.nevers) > 0 && deniedBy(b, a.nevers) && deniedBy(a, b.nevers)
}

// negationsOf counts the negations of a that find no partner in b, after
// reporting those that contradict b.
func (c *comparer) negationsOf(a, b *Specifics) int {
	rest := 0
	for _, n := range a.negated {
		partner := false
		for _, m := range b.negated {
			partner = partner || m.Text == n.Text
		}
		if partner {
			continue
		}
		if b.words.has(n.Text) && n.Text != "" && len(b.negated) < len(a.negated)+1 && !negatesAll(b, a) {
			c.conflicts = append(c.conflicts, fmt.Sprintf("negation of %q in one only", n.Text))
		}
		rest++
	}
	return rest
}

// negatesAll reports that b has as many negations as a, so that a shared word
// may well be denied in both with other words.
func negatesAll(b, a *Specifics) bool { return len(b.negated) >= len(a.negated) }

// modality: must against may or should is a conflict; a modal in one text only
// is something that the other lacks.
func (c *comparer) modality(x, y *Specifics) {
	a, b := x.modals, y.modals
	if neverInOtherWords(x, y) {
		a, b = a&^modalNever, b&^modalNever
	}
	if a == b {
		return
	}
	if a != 0 && b != 0 && a&b == 0 {
		c.conflicts = append(c.conflicts, fmt.Sprintf("modality %s → %s", a, b))
		return
	}
	if m := a &^ b; m != 0 {
		c.onlyA += m.count()
		c.differences = append(c.differences, fmt.Sprintf("%q only in the first", m))
	}
	if m := b &^ a; m != 0 {
		c.onlyB += m.count()
		c.differences = append(c.differences, fmt.Sprintf("%q only in the second", m))
	}
}

// directions: the opposite ends of one axis contradict each other, unless the
// order was swapped together with what it orders. A word of direction that the
// other lacks altogether is a detail too.
func (c *comparer) directions(a, b *Specifics) {
	var seen [len(antonyms)]bool
	for _, s := range a.sides {
		if seen[s.axis] {
			continue
		}
		seen[s.axis] = true
		c.axis(s.axis, a, b)
	}
	for _, s := range b.sides {
		if !seen[s.axis] {
			seen[s.axis] = true
			c.axis(s.axis, a, b)
		}
	}
}

func (c *comparer) axis(axis int, a, b *Specifics) {
	ap, an, aSide := ends(axis, a)
	bp, bn, bSide := ends(axis, b)
	switch {
	case ap == bp && an == bn:
		if axis == orderAxis && !(ap && an) && swapped(aSide, bSide) {
			c.conflicts = append(c.conflicts, fmt.Sprintf("order of %s and %s", aSide.left, aSide.right))
		}
	case ap != bp && an != bn && (ap || an) && (bp || bn):
		if axis == orderAxis && sameOrder(aSide, bSide) || axis == neverAxis && neverInOtherWords(a, b) {
			return
		}
		c.conflicts = append(c.conflicts, fmt.Sprintf("%q → %q", aSide.word, bSide.word))
	case !changesState(axis):
	case !bp && !bn || ap && an:
		c.onlyA++
		c.differences = append(c.differences, fmt.Sprintf("%q only in the first", aSide.word))
	default:
		c.onlyB++
		c.differences = append(c.differences, fmt.Sprintf("%q only in the second", bSide.word))
	}
}

// changesState reports the axes whose words are details even where the other
// text has neither end: enabled, added, increased. The others ("with", "up",
// "first") are too common to mean anything alone.
func changesState(axis int) bool { return axis >= 1 && axis <= 3 }

func ends(axis int, s *Specifics) (positive, negative bool, last side) {
	for _, x := range s.sides {
		if x.axis == axis {
			positive = positive || x.positive
			negative = negative || !x.positive
			last = x
		}
	}
	return positive, negative, last
}

// sameOrder reports "A before B" against "B after A".
func sameOrder(a, b side) bool {
	a1, a2 := a.first()
	b1, b2 := b.first()
	return a1 != "" && a2 != "" && a1 == b1 && a2 == b2
}

// swapped reports "A before B" against "B before A".
func swapped(a, b side) bool {
	a1, a2 := a.first()
	b1, b2 := b.first()
	return a1 != "" && a2 != "" && a1 == b2 && a2 == b1
}
