package search

import (
	"context"
	"math"
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

	entries []entry // of the lexicon, by its numbers
	terms   []term  // the words of the query
	// like is how much each word of the vocabulary resembles each word of the query, 0–1:
	// stride of them for each word, those of the query's words first. They are the bits of
	// numbers: of numbers that are not negative, those are in the order of the numbers, and
	// compared in fewer cycles. any is the greatest of them.
	like   []uint64
	stride int
	any    []float64
	// rank numbers the stems of the query from 1: of each word of the vocabulary its own, 0
	// for a stem that the query has not.
	rank     []int32
	directed []int32 // words with a vector
	products []int32 // of the vectors of the query's words with those, four by four
	space    comparisonSpace
}

// term is a word of the query.
type term struct {
	*entry
	wide []int16 // its vector
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
	v.words, v.numbers = v.words[:0], v.numbers[:0]
	v.lexicon, v.entries = nil, nil
	for i := range v.terms {
		v.terms[i].entry = nil
	}
	v.space.done()
	m.idle.Put(v)
}

// read returns the words and traits of a text, in the lexicon.
func (v *vocabulary) read(text string) *cutText { return v.lexicon.of(text, v.matcher.cut) }

// number returns the words of a text in the vocabulary.
func (v *vocabulary) number(words []uint32) []int32 {
	from := len(v.numbers)
	numbers, own := slices.Grow(v.numbers, len(words)), v.own
	for _, w := range words {
		if int(w) >= len(own) {
			own = append(own, make([]int32, int(w)+1-len(own))...)
		}
		n := own[w]
		if n == 0 {
			v.words = append(v.words, w)
			n = int32(len(v.words))
			own[w] = n
		}
		numbers = append(numbers, n-1)
	}
	v.numbers, v.own = numbers, own
	return numbers[from:len(numbers):len(numbers)]
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
	v.stride = (len(asked) + together - 1) / together * together
	v.like = scratch(v.like, n*v.stride)
	for len(v.terms) < len(asked) {
		v.terms = append(v.terms, term{})
	}
	for q, a := range asked {
		t := &v.terms[q]
		t.entry = v.word(a)
		t.wide = t.entry.wide(t.wide)
	}
	v.multiply(v.terms[:len(asked)])
	lists := wordLists{trade().lists, germanEnglish()}
	products, directed := v.products, v.directed
	for w := range v.words {
		var of []int32 // the products of this word's vector: each four are of four words
		if len(directed) > 0 && directed[0] == int32(w) {
			of = products[:(len(asked)-1)*together+1]
			if directed, products = directed[1:], products[1:]; (len(v.directed)-len(directed))%together == 0 {
				products = products[min(len(products), (len(asked)-1)*together):]
			}
		}
		v.likeWord(int32(w), v.terms[:len(asked)], of, &lists)
	}
	return nil
}

// likeWord fills in how much a word of the vocabulary resembles those of the query. The
// products of their vectors stand in every [together]-th place of products, which is empty
// for a word without a vector.
func (v *vocabulary) likeWord(w int32, terms []term, products []int32, lists *wordLists) {
	e, most := v.word(w), 0.0
	likes := v.like[int(w)*v.stride:][:len(terms)]
	for q := range terms {
		t := &terms[q]
		var like float64
		if len(products) > 0 && len(t.values) > 0 {
			like = t.likeness(e, float64(products[q*together]))
		} else {
			like = t.likenessWithout(e)
		}
		if like < 1 && (t.group > 0 && e.group > 0 || t.german > 0 || e.german > 0) {
			like = lists.raised(t.entry, e, like)
		}
		if like > most {
			most = like
		}
		likes[q] = math.Float64bits(like)
		if v.rank[w] == 0 && t.stem == e.stem {
			v.rank[w] = int32(q) + 1
		}
	}
	v.any[w] = most
}

// together is how many vectors are multiplied at once, and how many likenesses compared.
const together = 4

// multiply fills in the words with a vector, and the products of each with the vectors of
// the query's words: for each four words those with the first word of the query, then those
// with the second.
func (v *vocabulary) multiply(terms []term) {
	v.directed = v.directed[:0]
	for w := range v.words {
		if len(v.word(int32(w)).values) > 0 {
			v.directed = append(v.directed, int32(w))
		}
	}
	v.products = scratch(v.products, (len(v.directed)+together-1)/together*together*len(terms))
	rest, products := v.directed, v.products
	for len(rest) > 0 {
		var rows [together][]int8
		for k := range rows { // the last may be fewer
			rows[k] = v.word(rest[min(k, len(rest)-1)]).values
		}
		for _, next := range rest[min(together, len(rest)):min(2*together, len(rest))] {
			dot.Fetch(v.word(next).values)
		}
		for q := range terms {
			if len(terms[q].wide) > 0 {
				dot.FourCoarse(terms[q].wide, rows[0], rows[1], rows[2], rows[3], (*[together]int32)(products))
			}
			products = products[together:]
		}
		rest = rest[min(together, len(rest)):]
	}
}

func (v *vocabulary) word(w int32) *entry { return &v.entries[v.words[w]] }

// scratch returns n zero values, in the given space where it is large enough.
func scratch[T any](space []T, n int) []T {
	space = slices.Grow(space[:0], n)[:n]
	clear(space)
	return space
}

// likeness returns how much another word resembles w, 0–1, given the product of their
// vectors.
func (w *entry) likeness(other *entry, product float64) float64 {
	if w.name == other.name {
		return 1
	}
	if cos := product * float64(w.scale*other.scale); cos > 0 {
		return sharpened(min(cos, 1))
	}
	return 0
}

// likenessWithout is likeness where one of them has no vector.
func (w *entry) likenessWithout(other *entry) float64 {
	if w.name == other.name || w.stem == other.stem {
		return 1
	}
	return 0
}

// wordLists are the lists that say of some words how much they resemble each other.
type wordLists struct {
	groups     [][]uint16
	dictionary *dictionary
}

// raised returns a likeness of two words, or what it is at least by the lists. Few words are
// in any.
func (l *wordLists) raised(a, b *entry, like float64) float64 {
	if a.group > 0 && b.group > 0 && like < tradeLikeness && exchanged(l.groups[a.group], l.groups[b.group]) {
		like = tradeLikeness
	}
	if (a.german > 0 || b.german > 0) && like < translatedLikeness && l.dictionary.translated(a, b) {
		like = translatedLikeness
	}
	return like
}

// rarities returns how rare the words of the query are in English, and their sum.
func (v *vocabulary) rarities(asked []int32) (each []float64, sum float64) {
	v.space.rare = scratch(v.space.rare, len(asked))
	each = v.space.rare
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
func (v *vocabulary) weigh(asked []int32, rare []float64, texts [][]int32, signs []Signs) []float64 {
	df, last := make([]int, len(asked)), make([]int, len(asked)) // by rank
	for i, words := range texts {
		for _, w := range words {
			if r := v.rank[w] - 1; r >= 0 && last[r] != i+1 {
				last[r], signs[i].Exact = i+1, true
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
