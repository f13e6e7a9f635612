package lexical

import (
	"slices"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// Alone returns how many words of meaning each of two texts has that the other lacks, in
// any form and in no synonym; with generic, words that fit any sentence count too. Numbers,
// parts of names and the terms in skip are not counted.
func Alone(a, b *Doc, skip map[uint64]bool, generic bool) (onlyA, onlyB int) {
	least := float32(weightWord)
	if generic {
		least = weightGeneric
	}
	return alone(a.Terms, b.Terms, skip, least), alone(b.Terms, a.Terms, skip, least)
}

func alone(a, b []Term, skip map[uint64]bool, least float32) int {
	n, j := 0, 0
	for i := range a {
		for j < len(b) && b[j].ID < a[i].ID {
			j++
		}
		if a[i].Weight >= least && !a[i].Value && (j == len(b) || b[j].ID != a[i].ID) && !skip[a[i].ID] {
			n++
		}
	}
	return n
}

// TermIDs returns the ids of the terms of plain words, by the stems of both languages.
func TermIDs(words []string) map[uint64]bool {
	out := make(map[uint64]bool, 2*len(words))
	for _, w := range words {
		out[hash(stem(w, false))] = true
		out[hash(stem(w, true))] = true
	}
	return out
}

// SameOrder reports whether two texts have the same words of meaning in the same order.
func SameOrder(a, b *Doc) bool {
	return slices.EqualFunc(a.order, b.order, func(x, y Term) bool { return x.ID == y.ID })
}

// InOrder returns the share of the shorter text's words, articles aside, that stand in the
// same order in the longer one: 0–1. Of texts too long for an edit it is 0.
func InOrder(a, b *Doc) float64 {
	var roomX, roomY [2 * maxOrder]uint32 // most texts have fewer words
	x, y := appendPlain(roomX[:0], a.raw), appendPlain(roomY[:0], b.raw)
	if min(len(x), len(y)) == 0 || max(len(x), len(y)) > 2*maxOrder {
		return 0
	}
	// The lengths of longest common subsequences, for a row of the table at a time.
	var room [2*maxOrder + 1]uint8
	row := room[:len(y)+1]
	for _, w := range x {
		corner := uint8(0)
		for j, v := range y {
			above := row[j+1]
			if w == v {
				row[j+1] = corner + 1
			} else {
				row[j+1] = max(above, row[j])
			}
			corner = above
		}
	}
	return float64(row[len(y)]) / float64(min(len(x), len(y)))
}

// Rearranged reports whether two texts have the same words, articles aside, in an order
// that makes another statement: two of them changed places around a third that stayed
// ("a waits for b"). A part that moved as a whole, as to the front of the sentence, is no
// such order; it is one where the texts tell steps one after the other.
func Rearranged(a, b *Doc, steps bool) bool {
	x, y := withoutArticles(a.raw), withoutArticles(b.raw)
	if len(x) != len(y) || slices.Equal(x, y) {
		return false
	}
	p, q := slices.Clone(x), slices.Clone(y)
	slices.Sort(p)
	slices.Sort(q)
	if !slices.Equal(p, q) {
		return false
	}
	if steps {
		return true
	}
	if shifted(x, y) {
		return false
	}
	if !a.German || len(x) > maxOrder {
		return true
	}
	// A German verb stays second when a part moves to the front.
	for _, w := range x[1:] {
		if w != y[0] && shifted(without(x, w), without(y, w)) {
			return false
		}
	}
	return true
}

// shifted reports whether y is x with one part moved.
func shifted(x, y []uint32) bool {
	front := 0
	for front < len(x) && x[front] == y[front] {
		front++
	}
	back := 0
	for back < len(x)-front && x[len(x)-1-back] == y[len(y)-1-back] {
		back++
	}
	x, y = x[front:len(x)-back], y[front:len(y)-back]
	for n := range x {
		if slices.Equal(x[n:], y[:len(y)-n]) && slices.Equal(x[:n], y[len(y)-n:]) {
			return true
		}
	}
	return len(x) == 0
}

// without returns the words without the first w.
func without(words []uint32, w uint32) []uint32 {
	out := slices.Clone(words)
	if i := slices.Index(out, w); i >= 0 {
		out = slices.Delete(out, i, i+1)
	}
	return out
}

func withoutArticles(raw []uint32) []uint32 {
	return appendPlain(make([]uint32, 0, len(raw)), raw)
}

// appendPlain appends the words that are no articles.
func appendPlain(out, raw []uint32) []uint32 {
	for _, w := range raw {
		if w&wordless == 0 || !articles[w] { // an article has no meaning of its own
			out = append(out, w)
		}
	}
	return out
}

var articles = rawWords(`the a an der die das den dem des ein eine einen einem einer`)

// rawWords returns the marks of stop words, as [Doc] records them.
func rawWords(list string) map[uint32]bool {
	out := make(map[uint32]bool)
	for w := range memory.WordSet(list) {
		out[uint32(hash(w))|wordless] = true
	}
	return out
}
