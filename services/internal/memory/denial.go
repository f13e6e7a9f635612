package memory

import (
	"fmt"
	"slices"
	"strings"
)

// denial is a negation with the words of content near it. An explicit one ("not",
// "without") denies a word. An implied one says it in other words: "fails to",
// "unused", "language-agnostic".
type denial struct {
	text    string // the denied word's stem, or the implied denial itself
	near    wordSet
	end     axisEnd // of a denied word on an axis of two states; the zero value of none
	on      bool    // end is set
	reserve bool    // "only": denies whatever else there is
	object  bool    // denies its object only, as "misses" does
	base    uint64  // what a prefix or suffix denies: "lock" of unlocked; 0 of none
}

// reach bounds how far left and right of a denial its words are searched.
const (
	leftReach  = 6
	rightReach = 7
)

// deniers are words that deny without a negation. They only explain a negation of the
// other text; alone they are no specific. EN and DE.
var deniers = WordSet(`fail fails failed miss misses missed missing absent refuse refuses refused cease ceases ceased avoid avoids avoided prevent prevents prevented
 eliminate eliminates eliminated remove removes removed drop drops dropped skip skips skipped ignore ignores ignored ignoring omit omits omitted exclude excludes excluded
 escape escapes slip slips slipped bypass bypasses bypassed lose loses lost stop stops stopped forbid forbids forbidden deny denies denied reject rejects rejected
 unable impossible incompatible invisible inactive invalid incorrect incomplete independent irrelevant disabled disables off silent silently empty free former formerly
 previously hardly nowhere zero than swallow swallows swallowed outside
 fehlt fehlen verhindert verhindern vermeidet vermeiden unmöglich entfällt entfallen überspringt übersprungen ignoriert ausgeschaltet deaktiviert abgelehnt verboten früher ehemals weggelassen`)

// transitive deniers deny what follows them, and not their subject.
var transitive = WordSet(`miss misses missed avoid avoids avoided prevent prevents prevented eliminate eliminates eliminated remove removes removed drop drops dropped
 skip skips ignore ignores ignoring omit omits exclude excludes lose loses lost stop stops forbid forbids deny denies reject rejects bypass bypasses swallow swallows refuse refuses
 verhindert verhindern vermeidet vermeiden überspringt ignoriert`)

// reserving words say that something holds of one thing and of no other.
var reserving = WordSet(`only solely exclusively alone nur lediglich ausschließlich allein`)

// excepting words exclude all but one from a negation: "no file except this one".
var excepting = WordSet(`except but other else otherwise unless without außer anderer anderes andere anders sonst ohne`)

// positive are words that begin like a negated one and are none.
var positive = []string{"under", "unit", "union", "uniq", "until", "univers", "unif", "unix", "unicode", "unless", "unter", "unser", "ungefähr", "non-empt"}

// impliedBy returns the denial that the word w implies: the word itself for one of
// [deniers], else what its prefix or suffix denies.
func impliedBy(w string) (denied string, implied bool) {
	switch {
	case deniers[w]:
		return "", true
	case strings.HasPrefix(w, "un") && len(w) > 5 && !slices.ContainsFunc(positive, func(p string) bool { return strings.HasPrefix(w, p) }):
		return w[2:], true
	case strings.HasPrefix(w, "non-"), strings.HasPrefix(w, "nicht-"):
		return w[strings.IndexByte(w, '-')+1:], true
	}
	for _, suffix := range []string{"-agnostic", "-independent", "-less", "-free", "-frei", "-los", "-unabhängig"} {
		if rest, ok := strings.CutSuffix(w, suffix); ok && rest != "" {
			return rest, true
		}
	}
	for _, suffix := range []string{"less", "losen", "loser", "loses", "los"} {
		if rest, ok := strings.CutSuffix(w, suffix); ok && len(rest) > 3 {
			return rest, true
		}
	}
	return "", false
}

// addDenials records what a scanned text denies, in so many words and in others.
func (s *Specifics) addDenials(tokens []Token, stamps []bool) {
	for i, t := range tokens {
		if stamps[i] || t.Class != TokenWord || t.Code {
			continue
		}
		w := t.Value
		if (negates(w) || contrasts(tokens, i)) && !notOnly(tokens, i) && bounds(tokens, i) == "" {
			d := denial{text: negatedWord(tokens, i), near: around(tokens, i, determines(w), true)}
			if j := deniedAt(tokens, i); j >= 0 {
				d.end, d.on = axes[tokens[j].Value]
				d.on = d.on && complementary(d.end.axis)
			}
			s.denied = append(s.denied, d)
			continue
		}
		denied, implied := impliedBy(w)
		formerly := (w == "before" || w == "vorher") && (i+1 == len(tokens) || tokens[i+1].Sep != 0)
		if !implied && !formerly && !reserving[w] {
			continue
		}
		object := transitive[w] && (i == 0 || !passive[tokens[i-1].Value])
		d := denial{text: w, near: around(tokens, i, object, false), reserve: reserving[w], object: object}
		if denied != "" {
			d.base = hashWord(Stem(denied))
			d.near = append(slices.Clone(d.near), d.base).sorted()
		}
		s.implied = append(s.implied, d)
	}
	s.fails = slices.ContainsFunc(tokens, func(t Token) bool {
		a, ok := axes[t.Value]
		return ok && a == failing || t.Class == TokenWord && breaks[Stem(t.Value)]
	})
	s.excepts = slices.ContainsFunc(tokens, func(t Token) bool { return t.Class == TokenWord && excepting[t.Value] })
}

// passive are the words before a participle whose subject is what is denied.
var passive = WordSet(`is are was were be been being get gets got not`)

// coordinates are words that begin another clause without a comma.
var coordinates = WordSet(`but and or while whereas aber und oder sondern`)

// determines reports whether the negation w denies what follows only, as "no" does,
// and not its subject, as "not" does.
func determines(w string) bool {
	switch w {
	case "no", "without", "ohne", "neither", "nor", "weder", "none", "lacks", "lack", "lacking", "of", "than", "dessen", "unless":
		return true
	}
	return strings.HasPrefix(w, "kein")
}

// around returns the words of content near token i, in its sentence; with clause, in its
// clause; with after, only those of its clause behind it.
func around(tokens []Token, i int, after, clause bool) wordSet {
	var near wordSet
	add := func(t Token) {
		if t.Class == TokenWord && (fillers[t.Value] || negates(t.Value)) {
			return
		}
		near = append(near, nearWord(t))
		if strings.IndexByte(t.Value, '-') > 0 {
			for part := range strings.SplitSeq(t.Value, "-") {
				near = append(near, hashWord(Stem(part)))
			}
		}
	}
	for n, j := 0, i+1; j < len(tokens) && n < rightReach; n, j = n+1, j+1 {
		s := tokens[j].Sep
		if s == '.' || s == ';' || s == '\n' || (after || clause) && s != 0 || clause && coordinates[tokens[j].Value] {
			break
		}
		add(tokens[j])
	}
	for n, j := 0, i; !after && j > 0 && n < leftReach; n, j = n+1, j-1 {
		if s := tokens[j].Sep; s == '.' || s == ';' || s == '\n' || clause && (s != 0 || coordinates[tokens[j-1].Value]) {
			break
		}
		add(tokens[j-1])
	}
	return near.sorted()
}

// nearWord is a word as the denials near it record it: by its stem, a name as it is.
func nearWord(t Token) uint64 {
	if t.Class == TokenWord {
		return hashWord(Stem(t.Value))
	}
	return hashWord(t.Value)
}

// deniedAt returns the token that the negation at i denies, -1 where it is not the next
// word of content.
func deniedAt(tokens []Token, i int) int {
	for j := i + 1; j < len(tokens) && j <= i+3; j++ {
		if tokens[j].Sep != 0 {
			return -1
		}
		if t := tokens[j]; t.Class != TokenWord || !fillers[t.Value] && !negates(t.Value) {
			return j
		}
	}
	return -1
}

func (l wordSet) hasHash(word uint64) bool {
	_, ok := slices.BinarySearch(l, word)
	return ok
}

// common returns how many words two sets have in common.
func (l wordSet) common(o wordSet) int {
	n := 0
	for i, j := 0, 0; i < len(l) && j < len(o); {
		switch {
		case l[i] < o[j]:
			i++
		case l[i] > o[j]:
			j++
		default:
			n++
			i++
			j++
		}
	}
	return n
}

// saidOtherwise reports whether b says in other words what a denies by n: with the
// opposite of the denied word, or with an implied denial near the same words that a
// does not have itself. A "only" of b stands for a negation that makes an exception.
func saidOtherwise(a, b *Specifics, n *denial) bool {
	if n.on && !deniesOn(n.end.axis, b) {
		if p, q, _ := ends(n.end.axis, b); p != q && q == n.end.positive {
			return true
		}
	}
	for i := range b.implied {
		d := &b.implied[i]
		if slices.ContainsFunc(a.implied, func(o denial) bool { return o.text == d.text }) {
			continue
		}
		if d.reserve && !a.excepts {
			continue
		}
		if d.near.has(n.text) || d.reserve && n.near.common(d.near) > 0 || !d.object && (n.near.common(d.near) >= 2 || d.base != 0 && n.near.hasHash(d.base)) {
			return true
		}
	}
	return false
}

// deniesOtherwise reports whether every negation of a that denies the word given by
// its stem is said in other words by b.
func deniesOtherwise(a, b *Specifics, stem string) bool {
	found := false
	for i := range a.denied {
		if n := &a.denied[i]; n.text == stem {
			if !saidOtherwise(a, b, n) {
				return false
			}
			found = true
		}
	}
	return found
}

// crossDenied reports whether each of two texts denies one thing once, and each denies
// what the other asserts: "relative to A, with no B" and "starts at B, A does not
// matter".
func crossDenied(a, b *Specifics) bool {
	if len(a.denied) != 1 || len(b.denied) != 1 {
		return false
	}
	x, y := a.denied[0].near, b.denied[0].near
	return len(x) > 0 && len(y) > 0 && x.common(y) == 0 && x.common(b.words) > 0 && y.common(a.words) > 0
}

// frees reports whether the word of obligation at token i is denied, so that it obliges
// to nothing: "needs no", "nobody has to", "muss nicht". "Must not" forbids.
func frees(tokens []Token, i int) bool {
	if w := tokens[i].Value; w == "must" || w == "shall" || w == "always" || w == "immer" || w == "stets" {
		return false
	}
	for j := i + 1; j < len(tokens) && j <= i+2 && tokens[j].Sep == 0; j++ {
		if negates(tokens[j].Value) {
			return true
		}
	}
	for j := i; j > 0 && j > i-5; j-- {
		if tokens[j].Sep != 0 {
			return false
		}
		if w := tokens[j-1].Value; negates(w) && w != "without" && w != "ohne" {
			return true
		}
	}
	return false
}

// negations compares the negated words. A word that one text negates and the other
// uses plainly is a conflict, unless the other denies it in other words. Negations of
// words that the other text lacks cancel out, because "cannot hand over" and "no longer
// accept" say the same.
func (c *comparer) negations(a, b *Specifics) {
	c.exchanged(a, b)
	if crossDenied(a, b) && c.conflict() {
		c.conflicts = append(c.conflicts, "each denies what the other says")
	}
	restA, saidA := c.negationsOf(a, b)
	restB, saidB := c.negationsOf(b, a)
	switch d := restA - restB; {
	case d > saidA:
		c.onlyA += d - saidA
		c.denies = true
		c.only("negation", "first")
	case -d > saidB:
		c.onlyB += -d - saidB
		c.denies = true
		c.only("negation", "second")
	}
}

// required adds a conflict where one text says that something fails without a thing, and
// the other that it fails with it.
func (c *comparer) required(a, b *Specifics) {
	fails := func(x, y *Specifics) bool {
		return len(x.requires) > 0 && len(y.requires) == 0 && y.fails && len(y.negated) == 0 && y.modals&modalMust == 0 && slices.ContainsFunc(x.requires, y.words.has)
	}
	if (fails(a, b) || fails(b, a)) && c.conflict() {
		c.conflicts = append(c.conflicts, "fails with it → fails without it")
	}
}

// exchanged adds a conflict for two texts that both have two words and each deny
// another one of them: "keeps local data, not the server's" against "takes the
// server's, not local data".
func (c *comparer) exchanged(a, b *Specifics) {
	for _, n := range a.negated {
		if !b.Names(n.Text) || denies(b, n.Text) {
			continue
		}
		for _, m := range b.negated {
			if a.Names(m.Text) && !denies(a, m.Text) && !oneDenial(a, b, n.Text, m.Text) && c.conflicting < maxShown && c.conflict() {
				c.conflicts = append(c.conflicts, fmt.Sprintf("not %s → not %s", n.Text, m.Text))
			}
		}
	}
}

// oneDenial reports whether each of two texts denies both words in one clause, so that
// which of them stands behind the negation says nothing: "is not in VLAN 30" and "VLAN 30
// has it not", "writes nothing to disk" and "nothing is written to disk".
func oneDenial(a, b *Specifics, x, y string) bool {
	both := func(s *Specifics) bool {
		return slices.ContainsFunc(s.denied, func(d denial) bool {
			return (d.text == x || d.near.has(x)) && (d.text == y || d.near.has(y))
		})
	}
	return both(a) && both(b)
}

func denies(s *Specifics, word string) bool {
	return slices.ContainsFunc(s.negated, func(d Detail) bool { return d.Text == word })
}

// neverInOtherWords reports whether each text denies every word that the other
// says never happens, so that "never" alone makes no difference.
func neverInOtherWords(a, b *Specifics) bool {
	deniedBy := func(s, other *Specifics, words []string) bool {
		return !slices.ContainsFunc(words, func(w string) bool { return !denies(s, w) && !deniesOtherwise(other, s, w) })
	}
	return len(a.nevers)+len(b.nevers) > 0 && deniedBy(b, a, a.nevers) && deniedBy(a, b, b.nevers)
}

// negationsOf returns the number of negations of a without a partner in b, and how many
// of them b says in other words. It adds a conflict for each negation that contradicts
// b.
func (c *comparer) negationsOf(a, b *Specifics) (rest, said int) {
	for _, n := range a.negated {
		if denies(b, n.Text) {
			continue
		}
		rest++
		if deniesOtherwise(a, b, n.Text) {
			said++
			continue
		}
		if b.words.has(n.Text) && n.Text != "" && len(b.negated) < len(a.negated)+1 && !negatesAll(b, a) && c.conflict() {
			c.conflicts = append(c.conflicts, fmt.Sprintf("negation of %q in one only", n.Text))
		}
	}
	return rest, said
}

// negatesAll reports whether b has at least as many negations as a. Both texts may
// then deny a shared word in different words.
func negatesAll(b, a *Specifics) bool { return len(b.negated) >= len(a.negated) }

// deniesOn reports whether a text denies an end of an axis.
func deniesOn(axis int, s *Specifics) bool {
	return slices.ContainsFunc(s.denied, func(d denial) bool { return d.on && d.end.axis == axis })
}

// deniedEnd reports whether a denies its end of an axis of two states, so that it means
// the end that b has: "not enabled" and "disabled".
func deniedEnd(axis int, a, b *Specifics) bool {
	if !complementary(axis) || deniesOn(axis, b) {
		return false
	}
	for i := range a.denied {
		n := &a.denied[i]
		if !n.on || n.end.axis != axis {
			continue
		}
		if p, q, _ := ends(axis, b); p != q && q == n.end.positive {
			return true
		}
	}
	return false
}

// SaidOtherwise reports whether one of two texts says with a denial what the other says
// with a word: "not enabled" and "disabled", "no more than" and "at most". The words that
// the texts do not share are then no exchange.
func SaidOtherwise(a, b *Specifics) bool {
	for i := range antonyms {
		if p, q, _ := ends(i, b); p != q && deniedEnd(i, a, b) {
			return true
		}
		if p, q, _ := ends(i, a); p != q && deniedEnd(i, b, a) {
			return true
		}
	}
	if deniesBase(a, b) || deniesBase(b, a) {
		return true
	}
	for _, x := range a.sides {
		for _, y := range b.sides {
			if x.axis == y.axis && x.positive == y.positive && (x.word == boundWord) != (y.word == boundWord) {
				return true
			}
		}
	}
	return false
}

// deniesBase reports whether a denies a word that b denies by a prefix or suffix: "not
// signed" and "unsigned".
func deniesBase(a, b *Specifics) bool {
	return slices.ContainsFunc(a.denied, func(n denial) bool {
		return slices.ContainsFunc(b.implied, func(d denial) bool { return d.base != 0 && d.base == hashWord(n.text) })
	})
}

// withoutInOtherWords reports whether what one text has nothing of is denied by the
// other too: "without changes" and "needs no change".
func withoutInOtherWords(a, b *Specifics) bool {
	denied := func(x, y *Specifics) bool {
		return !slices.ContainsFunc(x.withouts, func(w string) bool { return !denies(y, w) && !deniesOtherwise(x, y, w) })
	}
	return len(a.withouts)+len(b.withouts) > 0 && denied(a, b) && denied(b, a)
}

// DeniesAny reports whether the text denies anything, in so many words or in others.
func (s *Specifics) DeniesAny() bool {
	return len(s.negated) > 0 || slices.ContainsFunc(s.implied, func(d denial) bool { return !d.reserve })
}

// SameDuties reports whether two texts oblige, advise, allow or forbid alike, and at
// least once.
func (s *Specifics) SameDuties(o *Specifics) bool { return s.modals != 0 && s.modals == o.modals }
