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
type form struct {
	word, stem string
	german     uint16 // in the dictionary, for a word of a German text
}

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
	mark *byte // of this lexicon alone: what is kept elsewhere of its numbers is valid beside it

	mu      sync.RWMutex
	before  *lexicon // nil in the first lexicon, and in one that has a successor
	full    bool
	kept    int                 // numbers and pairs in texts
	texts   map[uint64]*cutText // by 64-bit hash; a collision is improbable enough
	numbers map[form]uint32
	names   map[string]uint32 // of words and stems, so that both are compared as numbers
	spelt   []string          // by name
	forms   []form            // by number, like words
	words   []entry
}

func newLexicon() *lexicon {
	return &lexicon{
		seed: maphash.MakeSeed(), mark: new(byte), texts: make(map[uint64]*cutText), numbers: make(map[form]uint32), names: make(map[string]uint32),
	}
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

// entry is a word in a lexicon, in as little memory as can be: a search compares a
// thousand of them. Once asked for, it never changes.
type entry struct {
	wordVector
	name, stem uint32 // names of the word and of its stem
	group      uint32 // among the lists of groups of the thesaurus, 0 for none
	german     uint16 // in the dictionary, 0 for no German word
	english    uint16 // the same for an English one
	asked      bool   // the table was asked for the vector
}

// known is a word with its entry, on its way to the next lexicon.
type known struct {
	form
	entry
}

// cutText is a text as a lexicon caches it. It is shared and must not be changed.
type cutText struct {
	numbers []uint32 // of its words, in the lexicon
	textTraits
}

// entries returns the words and traits of a text by its hash. A nil lexicon has none.
func (l *lexicon) entries(key uint64) (found []known, traits textTraits, ok bool) {
	if l == nil {
		return nil, traits, false
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	cut, ok := l.texts[key]
	if !ok {
		return nil, traits, false
	}
	for _, n := range cut.numbers {
		found = append(found, known{l.forms[n], l.words[n]})
	}
	return found, cut.textTraits, true
}

// of returns the words and traits of a text; cut finds those of one that is not cached, and
// those of one in the lexicon before are copied.
func (l *lexicon) of(text string, cut func(string) ([]form, textTraits)) *cutText {
	key := maphash.String(l.seed, text)
	l.mu.RLock()
	made, ok := l.texts[key]
	before := l.before
	l.mu.RUnlock()
	if ok {
		return made
	}
	words, traits, ok := before.entries(key)
	if !ok {
		var forms []form
		forms, traits = cut(text)
		for _, f := range forms {
			words = append(words, known{form: f})
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if made, ok := l.texts[key]; ok { // by a search beside this one
		return made
	}
	made = &cutText{make([]uint32, len(words)), traits}
	for i := range words {
		made.numbers[i] = l.number(&words[i])
	}
	l.texts[key] = made
	l.kept += len(made.numbers) + len(made.pairs)
	l.full = l.full || len(l.texts) >= maxTexts || len(l.words) >= maxWords || l.kept >= maxNumbers
	return made
}

// number returns the number of a word, a new one if need be. The caller holds the lock.
func (l *lexicon) number(w *known) uint32 {
	n, ok := l.numbers[w.form]
	if ok {
		return n
	}
	n = uint32(len(l.words))
	one := entry{wordVector: w.wordVector, asked: w.asked, group: trade().of[w.form.stem]}
	one.german, one.english = w.form.german, germanEnglish().english[w.form.stem]
	f := form{german: w.form.german}
	f.word, one.name = l.name(w.word)
	f.stem, one.stem = l.name(w.form.stem)
	l.numbers[f] = n
	l.forms, l.words = append(l.forms, f), append(l.words, one)
	return n
}

// name returns a text of the lexicon's own and its number.
func (l *lexicon) name(s string) (string, uint32) {
	if n, ok := l.names[s]; ok {
		return l.spelt[n], n
	}
	// A substring would hold the whole text in memory.
	n := uint32(len(l.spelt))
	s = strings.Clone(s)
	l.spelt = append(l.spelt, s)
	l.names[s] = n
	return s, n
}

// isFull reports that the lexicon should be replaced.
func (l *lexicon) isFull() bool {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.full
}

// written returns the words of these numbers as they stood in a text.
func (l *lexicon) written(numbers []uint32) []string {
	words := make([]string, len(numbers))
	l.mu.RLock()
	defer l.mu.RUnlock()
	for i, n := range numbers {
		words[i] = l.forms[n].word
	}
	return words
}

// look returns all words, by number. Those of the given numbers have, with a table, the
// vectors that the table has, and only those may be read. The error is that of the table.
func (l *lexicon) look(ctx context.Context, numbers []uint32, table func(context.Context, []string) ([][]float32, error)) ([]entry, error) {
	var missing []string
	var at []uint32
	l.mu.RLock()
	words := l.words
	if table != nil {
		for _, n := range numbers {
			if !words[n].asked {
				missing, at = append(missing, l.forms[n].word), append(at, n)
			}
		}
	}
	l.mu.RUnlock()
	if len(missing) == 0 {
		return words, nil
	}
	made, err := table(ctx, missing)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, n := range at {
		if w := &l.words[n]; !w.asked { // else a search beside this one did, and others read it
			w.wordVector, w.asked = wordVectorOf(made[i]), true
		}
	}
	return l.words, nil
}
