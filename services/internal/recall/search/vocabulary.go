package search

import (
	"context"
	"slices"

	"github.com/winnowhq/winnow/services/internal/language"
	"github.com/winnowhq/winnow/services/internal/vector"
	"github.com/winnowhq/winnow/services/internal/vector/dot"
)

// vocabulary numbers the words of one search, from 0 in the order of reading: the
// lexicon has thousands of words, one search hundreds. All it holds is scratch space,
// valid until done.
type vocabulary struct {
	matcher *Matcher
	lexicon *lexicon
	words   []uint32 // numbers in the lexicon, by number in the vocabulary
	own     []int32  // number in the vocabulary plus one, by number in the lexicon; 0 for none
	numbers []int32  // of all texts, one after the other
	texts   []string
	cut     []cutText // of texts

	entries []entry // of the lexicon, by its numbers
	// like is how much each word of the vocabulary resembles each word of the query, 0–1:
	// the words of the query one after the other for each word. any is the greatest of them.
	like, any []float64
	// rank numbers the stems of the query from 1: of each word of the vocabulary its own, 0
	// for a stem that the query has not.
	rank []int32
	wide [][]int16 // vectors of the query's words
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
	clear(v.texts) // what they hold belongs to others
	clear(v.cut)
	v.words, v.numbers, v.texts, v.cut = v.words[:0], v.numbers[:0], v.texts[:0], v.cut[:0]
	v.lexicon, v.entries = nil, nil
	m.idle.Put(v)
}

// read returns the words and traits of texts, in the lexicon.
func (v *vocabulary) read(texts []string) []cutText {
	v.cut = v.lexicon.of(texts, v.cut, v.matcher.cut)
	return v.cut
}

// number returns the words of a text in the vocabulary.
func (v *vocabulary) number(words []uint32) []int32 {
	from := len(v.numbers)
	for _, w := range words {
		if int(w) >= len(v.own) {
			v.own = append(v.own, make([]int32, int(w)+1-len(v.own))...)
		}
		if v.own[w] == 0 {
			v.words = append(v.words, w)
			v.own[w] = int32(len(v.words))
		}
		v.numbers = append(v.numbers, v.own[w]-1)
	}
	return v.numbers[from:len(v.numbers):len(v.numbers)]
}

// compare fills in what the words of the vocabulary have to do with those of the query,
// once all texts are read. The error is that of the table.
func (v *vocabulary) compare(ctx context.Context, asked []int32) error {
	var err error
	if v.entries, err = v.lexicon.look(ctx, v.words, v.matcher.table); err != nil {
		return err
	}
	n := len(v.words)
	v.rank, v.any = scratch(v.rank, n), scratch(v.any, n)
	v.like = scratch(v.like, n*len(asked))
	for len(v.wide) < len(asked) {
		v.wide = append(v.wide, nil)
	}
	for q, a := range asked {
		v.wide[q] = v.word(a).wide(v.wide[q])
	}
	for w := range v.words {
		if next := w + ahead; next < n {
			dot.Fetch(v.word(int32(next)).values)
		}
		e := v.word(int32(w))
		like := v.like[w*len(asked) : (w+1)*len(asked)]
		for q, a := range asked {
			ours := v.word(a)
			like[q] = ours.likeness(e, v.wide[q])
			v.any[w] = max(v.any[w], like[q])
			if v.rank[w] == 0 && ours.stem == e.stem {
				v.rank[w] = int32(q) + 1
			}
		}
	}
	return nil
}

// ahead is how many vectors are on their way from memory while one is compared: those of a
// search's words lie anywhere in it.
const ahead = 4

func (v *vocabulary) word(w int32) *entry { return &v.entries[v.words[w]] }

// scratch returns n zero values, in the given space where it is large enough.
func scratch[T any](space []T, n int) []T {
	space = slices.Grow(space[:0], n)[:n]
	clear(space)
	return space
}

// likeness returns how much another word resembles w, 0–1. wide is w's vector.
func (w *entry) likeness(other *entry, wide []int16) float64 {
	like := 0.0
	switch {
	case w.name == other.name:
		return 1
	case len(w.values) > 0 && len(other.values) > 0:
		if cos := float64(dot.Coarse(wide, other.values)) * float64(w.scale*other.scale); cos > 0 {
			like = sharpened(min(cos, 1))
		}
	case w.stem == other.stem:
		return 1
	}
	if w.group > 0 && other.group > 0 && like < tradeLikeness {
		lists := trade().lists
		if exchanged(lists[w.group], lists[other.group]) {
			like = tradeLikeness
		}
	}
	if like < translatedLikeness && (w.german > 0 || other.german > 0) && germanEnglish().translated(w, other) {
		like = translatedLikeness
	}
	return like
}

// rarities returns how rare the words of the query are in English, and their sum.
func (v *vocabulary) rarities(asked []int32) (each []float64, sum float64) {
	each = make([]float64, len(asked))
	numbers := make([]uint32, len(asked))
	for q, a := range asked {
		numbers[q] = v.words[a]
	}
	for q, word := range v.lexicon.written(numbers) {
		each[q] = language.Rarity(word)
		sum += each[q]
	}
	return each, sum
}

// rarityShare is the part of a word's weight that depends on its rarity in English (ADR
// 69): in a pool of sixteen texts most words of a question are in none or in one, and
// "know" would weigh as much as "inventory".
const rarityShare = 0.3

// weigh returns the IDF of the query's words among the texts, less for those that are
// common in English, and marks those texts that have one of them, in any inflection.
func (v *vocabulary) weigh(asked []int32, rare []float64, texts [][]int32, exact []bool) []float64 {
	df, last := make([]int, len(asked)), make([]int, len(asked)) // by rank
	for i, words := range texts {
		for _, w := range words {
			if r := v.rank[w] - 1; r >= 0 && last[r] != i+1 {
				last[r], exact[i] = i+1, true
				df[r]++
			}
		}
	}
	weights := make([]float64, len(asked))
	for q, a := range asked {
		weights[q] = vector.IDF(len(texts), df[v.rank[a]-1]) * (1 - rarityShare + rarityShare*rare[q])
	}
	return weights
}
