package search

import (
	"context"
	"hash/maphash"
	"strings"
	"sync"
)

const (
	// maxTexts bounds the texts of a lexicon, at some 250 bytes each.
	maxTexts = 1 << 16
	// maxWords bounds the different words in them, at some 500 bytes each with the
	// vector.
	maxWords = 1 << 14
)

// form is a word as it was written, and its stem, which depends on the language of
// the text.
type form struct{ word, stem string }

// lexicon numbers words and remembers which of them a text has: the same memories
// come into pool after pool, and cutting and stemming them is most of a close
// look. A number is good for as long as the lexicon is: when it is full, the searches
// that have it end with it and [Matcher] begins the next.
//
// The next takes over from the one before what it is asked for, so what is in use
// is not cut again. There are never more than two. An LRU would have to give the
// numbers of forgotten words anew while searches hold them. It is safe for
// concurrent use.
type lexicon struct {
	seed maphash.Seed

	mu      sync.RWMutex
	before  *lexicon // nil in the first, and in one that has a next
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

// next is an empty lexicon that takes over from l.
func (l *lexicon) next() *lexicon {
	n := newLexicon()
	n.seed, n.before = l.seed, l
	return n
}

// release forgets the lexicon before, when l has a next.
func (l *lexicon) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.before = nil
}

// entry is what a lexicon knows of a word.
type entry struct {
	form
	vector wordVector
	asked  bool
}

// entries are the words of a text, by its hash. A nil lexicon knows none.
func (l *lexicon) entries(key uint64) (found []entry, ok bool) {
	if l == nil {
		return nil, false
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	numbers, ok := l.texts[key]
	for _, n := range numbers {
		found = append(found, entry{l.forms[n], l.vectors[n], l.asked[n]})
	}
	return found, ok
}

// of returns the numbers of a text's words, which cut finds where they are not
// known. They are shared and must not be changed.
func (l *lexicon) of(text string, cut func(string) []form) []uint32 {
	key := maphash.String(l.seed, text)
	l.mu.RLock()
	known, ok := l.texts[key]
	before := l.before
	l.mu.RUnlock()
	if ok {
		return known
	}
	words, ok := before.entries(key)
	if !ok {
		for _, f := range cut(text) {
			words = append(words, entry{form: f})
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	kept := make([]uint32, len(words))
	for i, w := range words {
		n, ok := l.numbers[w.form]
		if !ok {
			n = uint32(len(l.forms))
			// A part of the text would keep all of it.
			f := form{strings.Clone(w.word), strings.Clone(w.stem)}
			l.numbers[f] = n
			l.forms, l.vectors, l.asked = append(l.forms, f), append(l.vectors, w.vector), append(l.asked, w.asked)
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
