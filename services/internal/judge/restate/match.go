package restate

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/winnowhq/winnow/services/internal/vector"
)

// pair is a unit of either statement that stand for one thing.
type pair struct {
	a, b  int
	share float64 // how surely, 0–1
}

// matching is what two statements have in common.
type matching struct {
	x, y  *statement
	pairs []pair // each unit at most once
	// shareX and shareY are how surely each unit has its like in the other statement,
	// 0–1.
	shareX, shareY []float64
}

// alone is the share below which a unit is left over, and second what a unit counts that is
// like one which stands for another already.
const (
	alone  = 0.45
	second = 0.8
)

// match pairs the units of two statements, the surest first.
func match(x, y *statement) *matching {
	m := &matching{x: x, y: y, shareX: make([]float64, len(x.units)), shareY: make([]float64, len(y.units))}
	all := make([]pair, 0, len(x.units)+len(y.units))
	for i := range x.units {
		for j := range y.units {
			if s := alike(&x.units[i], &y.units[j]); s > 0 {
				all = append(all, pair{i, j, s})
				m.shareX[i], m.shareY[j] = max(m.shareX[i], second*s), max(m.shareY[j], second*s)
			}
		}
	}
	slices.SortStableFunc(all, func(p, q pair) int { return cmp.Compare(q.share, p.share) })
	usedX, usedY := make([]bool, len(x.units)), make([]bool, len(y.units))
	for _, p := range all {
		if usedX[p.a] || usedY[p.b] {
			continue
		}
		usedX[p.a], usedY[p.b] = true, true
		m.pairs = append(m.pairs, p)
		m.shareX[p.a], m.shareY[p.b] = max(m.shareX[p.a], p.share), max(m.shareY[p.b], p.share)
	}
	x.dates(m.shareX, y)
	y.dates(m.shareY, x)
	return m
}

// dates counts as said the dates that the other statement has as its stamp.
func (s *statement) dates(share []float64, other *statement) {
	for i := range s.units {
		if t := &s.tokens[s.units[i].at]; s.units[i].class == number && other.stamped(t) {
			share[i] = 1
		}
	}
}

// covered returns the lesser and the greater share of the two statements' weight that has
// its like in the other.
func (m *matching) covered() (least, most float64) {
	share := func(units []unit, share []float64) float64 {
		all, has := 0.0, 0.0
		for i := range units {
			all += units[i].weight
			has += units[i].weight * share[i]
		}
		return has / all
	}
	p, q := share(m.x.units, m.shareX), share(m.y.units, m.shareY)
	return min(p, q), max(p, q)
}

// left counts the units that are left over.
func left(units []unit, share []float64) int {
	n := 0
	for i := range units {
		if share[i] < alone {
			n++
		}
	}
	return n
}

// alike returns how surely two units stand for one thing, 0–1.
func alike(x, y *unit) float64 {
	if x.class == denial || y.class == denial {
		if x.class == y.class {
			return 1
		}
		return 0
	}
	if x.another() && y.second() || x.second() && y.another() {
		return 0.9
	}
	if x.class == number || y.class == number {
		if x.class == y.class && sameNumber(x, y) {
			return 1
		}
		return 0
	}
	switch {
	case x.head == y.head, x.text == y.text, x.bare == y.bare:
		return 1
	case contrary(x, y):
		return 0
	case x.fixed || y.fixed:
		return within(x.text, y.text)
	}
	if n := common(x.text, y.text); n >= 4 && 10*n >= 6*max(len(x.text), len(y.text)) {
		return 0.9
	}
	if min(len(x.text), len(y.text)) >= 5 && (strings.Contains(x.text, y.text) || strings.Contains(y.text, x.text)) {
		return 0.8
	}
	if synonymous(x.stem, y.stem) || slices.ContainsFunc(x.groups, func(g int) bool { return slices.Contains(y.groups, g) }) {
		return 0.9
	}
	if x.vector == nil || y.vector == nil {
		return 0
	}
	if c := vector.Cosine(x.vector, y.vector); c >= 0.3 {
		return min(0.9, c+0.15)
	}
	return 0
}

// another reports the word, second what says the same in a count.
func (u *unit) another() bool { return u.class == word && (u.text == "another" || u.text == "weitere") }

func (u *unit) second() bool { return u.class == number && u.kind == 'o' && u.amount == 2 }

// sameNumber reports one amount, or one number without a unit beside one with it.
func sameNumber(x, y *unit) bool {
	if y.kind == 'f' && x.kind != 'f' {
		x, y = y, x
	}
	if x.kind == 'f' && (y.kind == '%' || y.kind == 0) && x.amount < 1 && math.Abs(100*x.amount-y.amount) < 1 {
		return true // "a tenth" and "10 %", of which the scan keeps the number
	}
	if x.kind != 0 && y.kind != 0 {
		if x.kind != y.kind {
			return false
		}
		return math.Abs(x.amount-y.amount) <= 0.02*max(math.Abs(x.amount), math.Abs(y.amount))
	}
	return x.text == y.text || x.amount == y.amount && x.amount != 0 && (x.kind == 0 || y.kind == 0)
}

// plain returns a name without its signs.
func plain(s string) string {
	if !strings.ContainsAny(s, "-_./()`$") {
		return s
	}
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("-_./()`$", r) {
			return -1
		}
		return r
	}, s)
}

// fixed reports a text that is written in one way only: with digits or signs.
func fixed(s string) bool { return strings.ContainsAny(s, "0123456789_-./") }

// within returns how surely one text is a part of the other, whole between signs.
func within(a, b string) float64 {
	if len(a) > len(b) {
		a, b = b, a
	}
	for p := range strings.FieldsFuncSeq(b, func(r rune) bool { return strings.ContainsRune("-_./()`$:", r) }) {
		if p == a || oneStem(p, a) {
			return 0.8
		}
	}
	return 0
}

// common returns how many bytes two words begin with together.
func common(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// denyingPrefixes make the contrary of a word.
var denyingPrefixes = [...]string{"un", "dis", "in", "non-", "de", "im"}

// prefixed reports that x denies y by its prefix.
func prefixed(x, y string) bool {
	for _, p := range denyingPrefixes {
		if rest, ok := strings.CutPrefix(x, p); ok && len(rest) > 3 && oneStem(rest, y) {
			return true
		}
	}
	return false
}

// hasPrefix reports a word that may deny another by its prefix.
func hasPrefix(x string) bool {
	for _, p := range denyingPrefixes {
		if strings.HasPrefix(x, p) && len(x) > len(p)+3 {
			return true
		}
	}
	return false
}
