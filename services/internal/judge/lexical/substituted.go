package lexical

import "slices"

// Substituted reports whether one text is the other with a word of meaning exchanged.
// Then most words stand in the same order, and at one place each text has a word that
// the other lacks altogether: "Timestamps are stored in UTC" and "Timestamps are
// stored in local time". A paraphrase seldom is such a pair, because it moves words
// about and brings its own.
//
// Similarity alone cannot show this: an exchanged word makes two texts more alike
// than rewording does.
func Substituted(a, b *Doc) bool {
	if edited(a.raw, b.raw) || crossed(a.raw, b.raw) {
		return true
	}
	x, y := a.order, b.order
	if len(x) < 2 || len(y) < 2 {
		return false
	}
	pairs := align(x, y)
	if len(pairs) < 2 && min(len(x), len(y)) > 3 || len(pairs)*2 < min(len(x), len(y)) {
		return false
	}
	if moved(x, y, pairs) >= 2 {
		return false
	}
	i, j := 0, 0
	for _, p := range append(pairs, [2]int{len(x), len(y)}) {
		if foreign(x[i:p[0]], y) && foreign(y[j:p[1]], x) {
			return true
		}
		i, j = p[0]+1, p[1]+1
	}
	return false
}

// edited reports whether two texts are equal word for word except at one place, where
// each has one or more words of meaning that the other lacks there. A paraphrase does
// not leave all other words as they are.
func edited(x, y []uint32) bool {
	short := min(len(x), len(y))
	front := 0
	for front < short && x[front] == y[front] {
		front++
	}
	back := 0
	for back < short-front && x[len(x)-1-back] == y[len(y)-1-back] {
		back++
	}
	p, q := x[front:len(x)-back], y[front:len(y)-back]
	if len(p) > 3 || len(q) > 3 || front+back < 2 || (front+back)*2 < short {
		return false
	}
	return hasNewWord(p, q) && hasNewWord(q, p)
}

// hasNewWord reports whether one of the words has meaning and is not among the
// others. Words that only changed places are no edit.
func hasNewWord(words, others []uint32) bool {
	for _, w := range words {
		if w&wordless == 0 && !slices.Contains(others, w) {
			return true
		}
	}
	return false
}

// moved counts the words of x that y has in another place.
func moved(x, y []Term, pairs [][2]int) int {
	n, next := 0, 0
	for i, t := range x {
		if next < len(pairs) && pairs[next][0] == i {
			next++
			continue
		}
		if t.Weight >= weightWord && has(y, t.ID) {
			n++
		}
	}
	return n
}

// crossed reports whether two words of meaning changed places while the word of meaning
// before each place stayed: "no file (create), file with markers (skip)" and the same
// with skip and create say opposite things. Members of a list may change places, and a text that brings many
// words of its own is a paraphrase, which says "to 205" before "from 890".
func crossed(x, y []uint32) bool {
	common := 0
	for _, w := range x {
		if slices.Contains(y, w) {
			common++
		}
	}
	if common*4 < max(len(x), len(y))*3 {
		return false
	}
	follows := func(words []uint32, before, word uint32) bool {
		for i := 1; i < len(words); i++ {
			if words[i-1] == before && words[i] == word {
				return true
			}
		}
		return false
	}
	apt := func(i int) bool {
		return (x[i-1]|x[i])&wordless == 0 && !follows(y, x[i-1], x[i])
	}
	for i := 1; i < len(x); i++ {
		if !apt(i) {
			continue
		}
		for k := i + 2; k < len(x); k++ {
			if x[i] != x[k] && x[i-1] != x[k-1] && apt(k) && follows(y, x[i-1], x[k]) && follows(y, x[k-1], x[i]) {
				return true
			}
		}
	}
	return false
}

// foreign reports whether a short gap has a word of meaning that the other text
// lacks.
func foreign(gap, other []Term) bool {
	if len(gap) > 3 {
		return false
	}
	for _, t := range gap {
		if t.Weight >= weightWord && !has(other, t.ID) {
			return true
		}
	}
	return false
}

func has(terms []Term, id uint64) bool {
	for _, t := range terms {
		if t.ID == id {
			return true
		}
	}
	return false
}

// align returns the pairs of positions of a longest common subsequence.
func align(x, y []Term) [][2]int {
	var length [maxOrder + 1][maxOrder + 1]uint8
	for i := len(x) - 1; i >= 0; i-- {
		for j := len(y) - 1; j >= 0; j-- {
			if x[i].ID == y[j].ID {
				length[i][j] = length[i+1][j+1] + 1
			} else {
				length[i][j] = max(length[i+1][j], length[i][j+1])
			}
		}
	}
	var pairs [][2]int
	for i, j := 0, 0; i < len(x) && j < len(y); {
		switch {
		case x[i].ID == y[j].ID:
			pairs = append(pairs, [2]int{i, j})
			i++
			j++
		case length[i+1][j] >= length[i][j+1]:
			i++
		default:
			j++
		}
	}
	return pairs
}
