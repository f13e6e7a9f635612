package memory

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Relation compares the specifics of two texts. A Relation does not say whether
// the texts are about the same thing; similarity does.
type Relation string

// The relations, from the view of the first text.
const (
	RelationEqual      Relation = "equal"      // the same specifics
	RelationContained  Relation = "contained"  // the second has all of the first's and more
	RelationSuperset   Relation = "superset"   // the first has all of the second's and more
	RelationConflict   Relation = "conflict"   // the same slot with another value, or the opposite
	RelationComplement Relation = "complement" // each has a specific that the other lacks
)

// Comparison is the outcome of [Compare].
type Comparison struct {
	Relation    Relation
	Differences []string // in words, first text → second text; conflicts first, a few of each kind
	OnlyA       int      // specifics that the second text lacks
	OnlyB       int      // specifics that the first text lacks
	// Foreign means that both texts name things (files, hosts, tools …) and have
	// no name in common, so equal statements are about different things.
	Foreign bool
	// Denies means that one of the texts denies something that the other does not deny in
	// any words.
	Denies bool
	// Renamed means that the texts have two names behind the same word, "lives on A" and
	// "lives on B", and one of the texts has no other name of its own.
	Renamed bool
}

// maxShown bounds the described differences of one kind. A longer list is not
// read, and most compared texts have little in common.
const maxShown = 2

// Compare returns the relation of the specifics of two texts and their
// differences. Texts that differ in one digit are never equal and never contained
// (D3).
func Compare(a, b *Specifics) Comparison {
	c := comparer{describes: true}
	return c.compare(a, b)
}

// Relate is [Compare] without the differences in words, at a third of the cost.
func Relate(a, b *Specifics) Comparison {
	c := comparer{}
	return c.compare(a, b)
}

func (c *comparer) compare(a, b *Specifics) Comparison {
	c.details("number", unstamped(a.Values, b), unstamped(b.Values, a), a, b, true)
	before := c.conflicting
	ownA, ownB := c.details("name", a.Idents, b.Idents, a, b, false)
	renamed := c.conflicting > before
	c.details("URL", a.URLs, b.URLs, a, b, true)
	c.details("quotation", a.Quotes, b.Quotes, a, b, false)
	c.negations(a, b)
	c.required(a, b)
	c.modality(a, b)
	c.directions(a, b)
	c.turned(a, b)
	out := c.result()
	out.Renamed = renamed && min(ownA, ownB) == 1
	out.Foreign = len(a.Idents) > 0 && ownA == len(a.Idents) && len(b.Idents) > 0 && ownB == len(b.Idents)
	return out
}

// unstamped returns the values without the dates that the other text has as a stamp:
// "solved 2026-04-04, it was the clock" and "it was the clock; fixed on 2026-04-04".
func unstamped(values []Detail, other *Specifics) []Detail {
	stamp := func(d Detail) bool { return d.Unit == "date" && slices.Contains(other.stamped, d.Text) }
	if len(other.stamped) == 0 || !slices.ContainsFunc(values, stamp) {
		return values
	}
	return slices.DeleteFunc(slices.Clone(values), stamp)
}

// said returns the numbers without those that the other text says by the way.
func said(values []Detail, other *Specifics) []Detail {
	by := func(d Detail) bool { return unsaid(&d, other) }
	if !slices.ContainsFunc(values, by) {
		return values
	}
	return slices.DeleteFunc(values, by)
}

// comparer collects what differs. It puts the differences into words only where they
// are asked for: most compared texts have many, and a rule quotes two of one text.
type comparer struct {
	describes              bool
	conflicts, differences []string
	conflicting            int // number of conflicts, also where they are not described
	onlyA, onlyB           int
	denies                 bool
}

// conflict counts a conflict and reports whether to describe it.
func (c *comparer) conflict() bool {
	c.conflicting++
	return c.describes
}

func (c *comparer) result() Comparison {
	out := Comparison{OnlyA: c.onlyA, OnlyB: c.onlyB, Denies: c.denies}
	if c.describes {
		out.Differences = append(c.conflicts, c.differences...)
	}
	switch {
	case c.conflicting > 0:
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

// details compares the details of one class. Outside of an
// exclusive class a detail also counts as present when the other text has it as a plain
// word: `redis` and redis. In an exclusive class, two values of one kind conflict when each text lacks the
// other's. details returns how many details each text has alone.
func (c *comparer) details(class string, a, b []Detail, x, y *Specifics, exclusive bool) (ownA, ownB int) {
	if len(a) == 0 && len(b) == 0 {
		return 0, 0
	}
	var roomA, roomB [8]Detail // most texts have fewer
	var aWords, bWords wordSet
	if !exclusive {
		aWords, bWords = x.words, y.words
	}
	onlyA := said(missing(roomA[:0], a, b, bWords), y)
	onlyB := said(missing(roomB[:0], b, a, aWords), x)
	for i := range onlyA {
		for j := range onlyB {
			if c.conflicting < maxShown && slotClash(&onlyA[i], &onlyB[j], exclusive) && c.conflict() {
				c.conflicts = append(c.conflicts, class+" "+onlyA[i].written()+" → "+onlyB[j].written())
			}
		}
	}
	if c.describes {
		for _, d := range onlyA[:min(len(onlyA), maxShown)] {
			c.differences = append(c.differences, class+" "+d.written()+" only in the first")
		}
		for _, d := range onlyB[:min(len(onlyB), maxShown)] {
			c.differences = append(c.differences, class+" "+d.written()+" only in the second")
		}
	}
	c.onlyA += len(onlyA)
	c.onlyB += len(onlyB)
	return len(onlyA), len(onlyB)
}

func (d Detail) written() string {
	if d.Unit == "" || d.Unit == "date" {
		return d.Text
	}
	return d.Text + " " + d.Unit
}

// slotClash reports whether two unmatched details are values of the same thing.
func slotClash(a, b *Detail, exclusive bool) bool {
	if exclusive {
		return a.Unit == b.Unit || a.Slot != "" && a.Slot == b.Slot || scales[a.Unit].kind == 't' && scales[b.Unit].kind == 't' // "40 s" and "14 min"
	}
	return a.Slot != "" && a.Slot == b.Slot
}

// missing appends the details of a that b lacks to out. Both are multisets: a number
// that occurs twice in a must occur twice in b.
func missing(out, a, b []Detail, bWords wordSet) []Detail {
	var room [32]bool
	used := room[:]
	if len(b) > len(used) {
		used = make([]bool, len(b))
	}
next:
	for i := range a {
		d := &a[i]
		for j := range b {
			if !used[j] && sameDetail(d, &b[j]) {
				used[j] = true
				continue next
			}
		}
		// A name that occurs twice in a and once in b is not missing.
		if bWords != nil && hasWords(bWords, d.Text) {
			continue
		}
		out = append(out, *d)
	}
	return out
}

func sameDetail(a, b *Detail) bool {
	if a.Text != b.Text {
		return sameAmount(a, b)
	}
	return a.Unit == b.Unit || !isMeasure(a.Unit) || !isMeasure(b.Unit)
}

// isMeasure reports whether u is a unit that changes a number's meaning. The next
// word alone ("4000 characters", "4000 or fewer") does not.
func isMeasure(u string) bool {
	switch u {
	case "s", "ms", "min", "h", "d", "%", "mb", "gb", "kb", "mib", "gib", "mi", "gi", "x", "k", "m":
		return true
	}
	return strings.HasPrefix(u, "$") || strings.HasPrefix(u, "€")
}

func hasWords(words wordSet, text string) bool {
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

// modality compares the obligations. Must against may or should is a conflict. A
// modal in one text only is a specific that the other lacks.
func (c *comparer) modality(x, y *Specifics) {
	a, b := x.modals, y.modals
	if neverInOtherWords(x, y) {
		a, b = a&^modalNever, b&^modalNever
	}
	if a == b {
		return
	}
	if a != 0 && b != 0 && a&b == 0 {
		if c.conflict() {
			c.conflicts = append(c.conflicts, fmt.Sprintf("modality %s → %s", a, b))
		}
		return
	}
	if m := a &^ b; m != 0 {
		c.onlyA += m.count()
		c.onlyModal(m, "first")
	}
	if m := b &^ a; m != 0 {
		c.onlyB += m.count()
		c.onlyModal(m, "second")
	}
}

// directions compares the words of direction. Opposite ends of one axis are a
// conflict, unless the words that they order are swapped too. A word of direction
// that the other text lacks is a specific too.
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
		if axis == orderAxis && !(ap && an) && swapped(aSide, bSide) && c.conflict() {
			c.conflicts = append(c.conflicts, fmt.Sprintf("order of %s and %s", aSide.left, aSide.right))
		}
	case ap != bp && an != bn && (ap || an) && (bp || bn):
		if axis == orderAxis && sameOrder(aSide, bSide) || axis == neverAxis && neverInOtherWords(a, b) || deniedEnd(axis, a, b) || deniedEnd(axis, b, a) || axis == withAxis && withoutInOtherWords(a, b) {
			return
		}
		if c.conflict() {
			c.conflicts = append(c.conflicts, fmt.Sprintf("%q → %q", aSide.word, bSide.word))
		}
	case !changesState(axis) || axis == addAxis && (ap && has(b) || bp && has(a)):
	case !bp && !bn || ap && an:
		c.onlyA++
		c.onlyQuoted(aSide.word, "first")
	default:
		c.onlyB++
		c.onlyQuoted(bSide.word, "second")
	}
}

// only describes what one of the texts has alone.
func (c *comparer) only(what, which string) {
	if c.describes {
		c.differences = append(c.differences, what+" only in the "+which)
	}
}

// onlyQuoted describes a word that one of the texts has alone.
func (c *comparer) onlyQuoted(word, which string) {
	if c.describes {
		c.only(strconv.Quote(word), which)
	}
}

// onlyModal describes obligations that one of the texts has alone.
func (c *comparer) onlyModal(m modal, which string) {
	if c.describes {
		c.onlyQuoted(m.String(), which)
	}
}

// has reports whether a text says that something has something: what was added is
// there.
func has(s *Specifics) bool {
	return s.words.has("has") || s.words.has("have") || s.words.has("hat") || s.words.has("haben")
}

// changesState reports whether the words of an axis are specifics even when the
// other text has neither end: enabled, added, increased. Words of the other axes
// ("with", "up", "first") are too common to be specifics alone.
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

// sameOrder reports whether a and b state one order: "A before B" and "B after A".
func sameOrder(a, b side) bool {
	a1, a2 := a.first()
	b1, b2 := b.first()
	return a1 != "" && a2 != "" && a1 == b1 && a2 == b2
}

// swapped reports whether a and b state opposite orders: "A before B" and "B
// before A".
func swapped(a, b side) bool {
	a1, a2 := a.first()
	b1, b2 := b.first()
	return a1 != "" && a2 != "" && a1 == b2 && a2 == b1
}
