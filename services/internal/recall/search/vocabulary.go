package search

import (
	"context"
	"slices"

	"github.com/winnowhq/winnow/services/internal/vector"
	"github.com/winnowhq/winnow/services/internal/vector/dot"
)

// vocabulary numbers the words of one search, from 0 in the order of reading: the
// lexicon has thousands of words, one search hundreds.
type vocabulary struct {
	matcher *Matcher
	lexicon *lexicon
	words   []uint32 // numbers in the lexicon, by number in the vocabulary
	own     []int32  // number in the vocabulary plus one, by number in the lexicon; 0 for none
	numbers []int32  // of all texts, one after the other

	forms   []form     // by number in the vocabulary, like groups and vectors
	groups  [][]uint16 // of the thesaurus
	vectors []wordVector
	like    []float64 // by number in the vocabulary, for each word of the query

	// Scratch of weigh and likeness.
	found []int32
	wide  []int16
}

// vocabulary returns an empty vocabulary; done takes it back.
func (m *Matcher) vocabulary() *vocabulary {
	l := m.lexicon.Load()
	if l.isFull() {
		// A concurrent search finds the lexicon that this one made.
		if m.lexicon.CompareAndSwap(l, l.next()) {
			l.release()
		}
		l = m.lexicon.Load()
	}
	v, ok := m.idle.Get().(*vocabulary)
	if !ok {
		v = &vocabulary{matcher: m}
	}
	v.lexicon = l
	return v
}

func (m *Matcher) done(v *vocabulary) {
	for _, w := range v.words {
		v.own[w] = 0
	}
	clear(v.forms) // the strings and vectors belong to the lexicon
	clear(v.groups)
	clear(v.vectors)
	v.words, v.numbers, v.lexicon = v.words[:0], v.numbers[:0], nil
	m.idle.Put(v)
}

// readText is a text with the numbers of its words in a vocabulary.
type readText struct {
	words []int32
	textTraits
}

// read returns a text's words and traits.
func (v *vocabulary) read(text string) readText {
	from := len(v.numbers)
	cut := v.lexicon.of(text, v.matcher.cut)
	for _, w := range cut.numbers {
		if int(w) >= len(v.own) {
			v.own = append(v.own, make([]int32, int(w)+1-len(v.own))...)
		}
		if v.own[w] == 0 {
			v.words = append(v.words, w)
			v.own[w] = int32(len(v.words))
		}
		v.numbers = append(v.numbers, v.own[w]-1)
	}
	return readText{v.numbers[from:len(v.numbers):len(v.numbers)], cut.textTraits}
}

// look finds the forms and vectors of all words read so far.
func (v *vocabulary) look(ctx context.Context) error {
	n := len(v.words)
	v.forms, v.vectors = slices.Grow(v.forms[:0], n)[:n], slices.Grow(v.vectors[:0], n)[:n]
	v.groups = slices.Grow(v.groups[:0], n)[:n]
	return v.lexicon.look(ctx, v.words, v.forms, v.groups, v.vectors, v.matcher.table)
}

// weigh returns the IDF of the query's words among the texts, whose words are the first
// few of the vocabulary (words).
func (v *vocabulary) weigh(asked []int32, texts []readText, words int) []float64 {
	weights := make([]float64, len(asked))
	for q, a := range asked {
		same := v.found[:0] // the word and its inflections
		for w := range words {
			if v.forms[w].stem == v.forms[a].stem {
				same = append(same, int32(w))
			}
		}
		v.found = same
		df := 0
		for i := range texts {
			if slices.ContainsFunc(texts[i].words, func(w int32) bool { return slices.Contains(same, w) }) {
				df++
			}
		}
		weights[q] = vector.IDF(len(texts), df)
	}
	return weights
}

// likeness returns how much each word of the query resembles each word of the
// vocabulary, 0–1. The slices are valid until done.
func (v *vocabulary) likeness(asked []int32) [][]float64 {
	n := len(v.words)
	v.like = slices.Grow(v.like[:0], len(asked)*n)[:len(asked)*n]
	clear(v.like)
	like := make([][]float64, len(asked))
	for q, a := range asked {
		like[q] = v.like[q*n : (q+1)*n]
		v.likenessOf(a, like[q])
	}
	return like
}

func (v *vocabulary) likenessOf(a int32, like []float64) {
	asked, ours := v.forms[a], v.vectors[a]
	v.wide = ours.wide(v.wide)
	for w, theirs := range v.vectors {
		switch f := &v.forms[w]; {
		case len(ours.values) > 0 && len(theirs.values) > 0:
			if cos := float64(dot.Coarse(v.wide, theirs.values)) * float64(ours.scale*theirs.scale); cos > 0 {
				like[w] = sharpened(min(cos, 1))
			}
			if asked.word == f.word {
				like[w] = 1
			}
		case asked.stem == f.stem || asked.word == f.word:
			like[w] = 1
		}
	}
	if groups := v.groups[a]; len(groups) > 0 {
		for w, theirs := range v.groups {
			if len(theirs) > 0 && like[w] < tradeLikeness && exchanged(groups, theirs) {
				like[w] = tradeLikeness
			}
		}
	}
}
