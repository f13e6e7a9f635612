package search

import (
	"hash/maphash"
	"strings"
	"sync"
)

const (
	// maxTexts bounds the texts that are remembered, at about a kilobyte each.
	maxTexts = 1 << 14
	// maxWords bounds the different words in them, at about 100 bytes each.
	maxWords = 1 << 17
)

// lexicon remembers which words a text has: the same memories come into pool
// after pool, and cutting and stemming them is most of a close look. A full one
// is thrown away. It is safe for concurrent use.
type lexicon struct {
	seed maphash.Seed

	mu    sync.RWMutex
	texts map[uint64][]form // by hash: that two texts share one is not to be expected
	words map[string]form   // each word and stem is kept once
}

func newLexicon() *lexicon {
	return &lexicon{seed: maphash.MakeSeed(), texts: make(map[uint64][]form), words: make(map[string]form)}
}

// of returns the words of a text, which cut finds where they are not known.
func (l *lexicon) of(text string, cut func(string) []form) []form {
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
	if len(l.texts) >= maxTexts || len(l.words)+len(forms) > maxWords {
		clear(l.texts)
		clear(l.words)
	}
	kept := make([]form, len(forms))
	for i, f := range forms {
		// The stem depends on the language of the text.
		shared, ok := l.words[f.word]
		if !ok || shared.stem != f.stem {
			// A part of the text would keep all of it.
			shared = form{strings.Clone(f.word), strings.Clone(f.stem)}
			l.words[shared.word] = shared
		}
		kept[i] = shared
	}
	l.texts[key] = kept
	return kept
}
