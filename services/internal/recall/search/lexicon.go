package search

import (
	"context"
	"hash/maphash"
	"strings"
	"sync"
)

const (
	// maxTexts bounds the texts that are remembered, at some 250 bytes each.
	maxTexts = 1 << 17
	// maxWords bounds the different words in them, at some 500 bytes each with the
	// vector.
	maxWords = 1 << 15
)

// form is a word as it was written, and its stem, which depends on the language of
// the text.
type form struct{ word, stem string }

// lexicon numbers words and remembers which of them a text has: the same memories
// come into pool after pool, and cutting and stemming them is most of a close
// look. A number is good for as long as the lexicon is: when it is full, the searches
// that have it end with it and [Matcher] begins another. It is safe for concurrent
// use.
type lexicon struct {
	seed maphash.Seed

	mu      sync.RWMutex
	full    bool
	texts   map[uint64][]uint32 // by hash: that two texts share one is not to be expected
	numbers map[form]uint32
	forms   []form // by number, as all that follows
	vectors []wordVector
	asked   []bool // whether the table was asked for the vector
}

func newLexicon() *lexicon {
	return &lexicon{seed: maphash.MakeSeed(), texts: make(map[uint64][]uint32), numbers: make(map[form]uint32)}
}

// of returns the numbers of a text's words, which cut finds where they are not
// known. They are shared and must not be changed.
func (l *lexicon) of(text string, cut func(string) []form) []uint32 {
	key := maphash.String(l.seed, text)
	l.mu.RLock()
	known, ok := l.texts[key]
	l.mu.RUnlock()
	if ok {
		return known
	}
	forms := cut(text)
	l.mu.Lock()
	defer l.mu.Unlock()
	kept := make([]uint32, len(forms))
	for i, f := range forms {
		n, ok := l.numbers[f]
		if !ok {
			n = uint32(len(l.forms))
			// A part of the text would keep all of it.
			f = form{strings.Clone(f.word), strings.Clone(f.stem)}
			l.numbers[f] = n
			l.forms, l.vectors, l.asked = append(l.forms, f), append(l.vectors, wordVector{}), append(l.asked, false)
		}
		kept[i] = n
	}
	l.texts[key] = kept
	l.full = l.full || len(l.texts) >= maxTexts || len(l.forms) >= maxWords
	return kept
}

// isFull says that it is time for another.
func (l *lexicon) isFull() bool {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.full
}

// look fills in the forms of words and, with a table, their vectors, those that it
// knows. The error is that of the table.
func (l *lexicon) look(ctx context.Context, words []uint32, forms []form, vectors []wordVector, table func(context.Context, []string) ([][]float32, error)) error {
	var missing []string
	var at []int
	l.mu.RLock()
	for i, w := range words {
		forms[i], vectors[i] = l.forms[w], l.vectors[w]
		if table != nil && !l.asked[w] {
			missing, at = append(missing, forms[i].word), append(at, i)
		}
	}
	l.mu.RUnlock()
	if len(missing) == 0 {
		return nil
	}
	made, err := table(ctx, missing)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for n, i := range at {
		w := words[i]
		l.vectors[w], l.asked[w] = wordVectorOf(made[n]), true
		vectors[i] = l.vectors[w]
	}
	return nil
}
