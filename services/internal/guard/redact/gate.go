package redact

import (
	"math"
	"regexp/syntax"

	"github.com/winnowhq/winnow/services/internal/guard/redact/plausible"
)

// gate is a cheap necessary condition for a library rule to fire: the secret
// it captures consists of bytes of one class, so the text must hold a run of
// such bytes that is long enough and varied enough, and, for rules of the form
// name-operator-value, an operator just before. It is derived from the rule's
// own expression and entropy bound and hence never costs recall.
type gate struct {
	class    [256]bool
	shortest int  // bytes the secret has at least
	distinct int  // different bytes it has at least, from the entropy bound
	nonAlpha bool // it has a byte other than letters, '_', '.' and '-'

	// A match begins at most lead bytes before its secret and ends at most tail
	// bytes behind it; unbounded when the expression sets no limit.
	lead, tail int

	// When led is true, a byte of leader stands before the secret, with at most
	// gap bytes of filler between.
	led            bool
	leader, filler [256]bool
	gap            int
}

// newGate returns the condition of an expression. The secret is the only
// capture group when there is exactly one and every match has it, else any part
// of the match.
func newGate(expr string, entropy float64, nonAlpha bool) gate {
	g := gate{nonAlpha: nonAlpha, shortest: 1, lead: unbounded, tail: unbounded}
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		// The standard library compiled it before; a gate that is always open
		// is the safe answer all the same.
		for i := range g.class {
			g.class[i] = true
		}
		return g
	}
	// When the secret is the whole match, nothing lies beside it.
	secret := re
	g.lead, g.tail = 0, 0
	if groups := captures(re, nil); len(groups) == 1 && !optional(re, groups[0]) {
		secret = groups[0]
		g.measureContext(re, secret)
	}
	g.shortest = max(1, shortestMatch(secret))
	addClass(&g.class, secret)
	if entropy > 0 && asciiOnly(&g.class) {
		// Entropy is at most log2 of the number of different symbols.
		g.distinct = int(math.Floor(math.Exp2(entropy))) + 1
	}
	return g
}

// measureContext measures what stands before and after the secret when it is a
// direct part of the expression.
func (g *gate) measureContext(re, secret *syntax.Regexp) {
	g.lead, g.tail = unbounded, unbounded
	if re.Op != syntax.OpConcat {
		return
	}
	at := -1
	for i, sub := range re.Sub {
		if sub == secret {
			at = i
		}
	}
	if at < 0 {
		return
	}
	g.lead, g.tail = total(re.Sub[:at]), total(re.Sub[at+1:])
	for i := at - 1; i >= 0; i-- {
		sub := re.Sub[i]
		if shortestMatch(sub) > 0 {
			g.led = true
			lastBytes(&g.leader, sub)
			return
		}
		n := longest(sub)
		if n < 0 {
			return
		}
		g.gap += n
		addClass(&g.filler, sub)
	}
}

// runs calls visit with every run that fulfils the condition, until visit
// returns false.
func (g *gate) runs(text string, visit func(start, end int) bool) {
	for i := 0; i < len(text); {
		if !g.class[text[i]] {
			i++
			continue
		}
		start := i
		var seen [4]uint64
		distinct, nonAlpha, leader := 0, false, !g.led
		for ; i < len(text) && g.class[text[i]]; i++ {
			c := text[i]
			if bit := uint64(1) << (c & 63); seen[c>>6]&bit == 0 {
				seen[c>>6] |= bit
				distinct++
				nonAlpha = nonAlpha || !plausible.IsWordByte(c)
				leader = leader || g.leader[c]
			}
		}
		if i-start < g.shortest || distinct < g.distinct || g.nonAlpha && !nonAlpha {
			continue
		}
		if (leader || g.leaderBefore(text, start)) && !visit(start, i) {
			return
		}
	}
}

// leaderBefore looks back from a run over at most gap bytes of filler.
func (g *gate) leaderBefore(text string, start int) bool {
	for i := start - 1; i >= 0 && i >= start-1-g.gap; i-- {
		if g.leader[text[i]] {
			return true
		}
		if !g.filler[text[i]] {
			return false
		}
	}
	return false
}

// window widens a run to every byte that a match of it can see, one more on
// either side for the assertions at the edges.
func (g *gate) window(text string, start, end int) (from, to int) {
	from, to = 0, len(text)
	if g.lead >= 0 {
		// Twice the lead, so that a match that begins before the window is not
		// cut short and then hides the match that matters.
		from = max(0, start-2*g.lead-1)
	}
	if g.tail >= 0 {
		to = min(len(text), end+g.tail+1)
	}
	return from, to
}
