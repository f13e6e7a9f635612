package search

import (
	"context"
	"hash/maphash"
	"strings"
	"sync"
)

const (
	// maxTexts bounds the texts of a lexicon. A memory of ordinary length has some 200
	// bytes of numbers and pairs, and as much in the map.
	maxTexts = 1 << 16
	// maxNumbers bounds the numbers and pairs of all texts, at four bytes each: one text
	// may have 512 of either.
	maxNumbers = 1 << 22
	// maxWords bounds the different words in them, at some 500 bytes each with the
	// vector.
	maxWords = 1 << 14
)

// form is a word as written, and its stem, which depends on the language of the text.
type form struct{ word, stem string }

// lexicon numbers words and caches which of them a text has: the same memories come
// into pool after pool, and cutting and stemming them is most of the matching. A number
// is valid as long as its lexicon: searches keep a full lexicon until they end, and
// [Matcher] begins the next.
//
// The next lexicon copies from the one before the texts that searches ask for, so texts
// in use are not cut again. There are never more than two. An LRU would have to
// reassign the numbers of evicted words while searches hold them. It is safe for
// concurrent use.
type lexicon struct {
	seed maphash.Seed

	mu      sync.RWMutex
	before  *lexicon // nil in the first lexicon, and in one that has a successor
	full    bool
	kept    int                // numbers and pairs in texts
	texts   map[uint64]cutText // by 64-bit hash; a collision is improbable enough
	numbers map[form]uint32
	forms   []form     // by number, like groups, vectors and asked
	groups  [][]uint16 // of the thesaurus
	vectors []wordVector
	asked   []bool // the table was asked for the vector
}

func newLexicon() *lexicon {
	return &lexicon{seed: maphash.MakeSeed(), texts: make(map[uint64]cutText), numbers: make(map[form]uint32)}
}

// next returns an empty lexicon that copies from l.
func (l *lexicon) next() *lexicon {
	n := newLexicon()
	n.seed, n.before = l.seed, l
	return n
}

// release drops the lexicon before l, once l has a successor.
func (l *lexicon) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.before = nil
}

// entry is a word with its vector, in a lexicon.
type entry struct {
	form
	vector wordVector
	asked  bool
}

// cutText is a text as a lexicon caches it.
type cutText struct {
	numbers []uint32 // of its words, in the lexicon
	textTraits
}

// entries returns the words and traits of a text by its hash. A nil lexicon has none.
func (l *lexicon) entries(key uint64) (found []entry, traits textTraits, ok bool) {
	if l == nil {
		return nil, traits, false
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	known, ok := l.texts[key]
	for _, n := range known.numbers {
		found = append(found, entry{l.forms[n], l.vectors[n], l.asked[n]})
	}
	return found, known.textTraits, ok
}

// of returns a text's words and traits; cut finds those of a text that is not cached.
// The slices are shared and must not be changed.
func (l *lexicon) of(text string, cut func(string) ([]form, textTraits)) cutText {
	key := maphash.String(l.seed, text)
	l.mu.RLock()
	known, ok := l.texts[key]
	before := l.before
	l.mu.RUnlock()
	if ok {
		return known
	}
	words, traits, ok := before.entries(key)
	if !ok {
		var forms []form
		forms, traits = cut(text)
		for _, f := range forms {
			words = append(words, entry{form: f})
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	numbers := make([]uint32, len(words))
	for i, w := range words {
		n, ok := l.numbers[w.form]
		if !ok {
			n = uint32(len(l.forms))
			// A substring would hold the whole text in memory.
			f := form{strings.Clone(w.word), strings.Clone(w.stem)}
			l.numbers[f] = n
			l.forms, l.vectors, l.asked = append(l.forms, f), append(l.vectors, w.vector), append(l.asked, w.asked)
			l.groups = append(l.groups, trade()[f.stem])
		}
		numbers[i] = n
	}
	made := cutText{numbers, traits}
	l.texts[key] = made
	l.kept += len(made.numbers) + len(made.pairs)
	l.full = l.full || len(l.texts) >= maxTexts || len(l.forms) >= maxWords || l.kept >= maxNumbers
	return made
}

// isFull reports that the lexicon should be replaced.
func (l *lexicon) isFull() bool {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.full
}

// look fills in the forms of words, their groups in the thesaurus and, with a table, the
// vectors that the table has. The error is that of the table.
func (l *lexicon) look(ctx context.Context, words []uint32, forms []form, groups [][]uint16, vectors []wordVector, table func(context.Context, []string) ([][]float32, error)) error {
	var missing []string
	var at []int
	l.mu.RLock()
	for i, w := range words {
		forms[i], groups[i], vectors[i] = l.forms[w], l.groups[w], l.vectors[w]
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
