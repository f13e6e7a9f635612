package search

import (
	"strings"
	"sync"

	"github.com/blevesearch/snowballstem"
	stemEN "github.com/blevesearch/snowballstem/english"
	stemDE "github.com/blevesearch/snowballstem/german"

	"github.com/winnowhq/winnow/services/internal/language"
)

// maxStems bounds the cache. A full cache is emptied: a word is stemmed again in a
// microsecond, and an LRU would take a lock that all searches share for every word of
// every text.
const maxStems = 1 << 16

// maxStemmed is the longest word that is stemmed, in bytes; a longer one is no word of
// a language and stays as it is.
const maxStemmed = 64

// stemCache caches stems: the words of a project repeat, and stemming is most of the
// work of analysis. The zero value is ready.
type stemCache struct {
	mu sync.RWMutex
	en map[string]string
	de map[string]string
}

// of returns the stem of a word in lower case, folded.
func (c *stemCache) of(word string, l language.Language) string {
	if len(word) > maxStemmed {
		return fold(word)
	}
	c.mu.RLock()
	s, ok := c.table(l)[word]
	c.mu.RUnlock()
	if ok {
		return s
	}
	s = stem(word, l)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.en == nil || len(c.en)+len(c.de) >= maxStems {
		c.en, c.de = make(map[string]string, 1024), make(map[string]string)
	}
	c.table(l)[strings.Clone(word)] = s
	return s
}

func (c *stemCache) table(l language.Language) map[string]string {
	if l == language.German {
		return c.de
	}
	return c.en
}

func stem(word string, l language.Language) string {
	if l == language.English {
		// "Caroline’s" and "Caroline's" are Caroline.
		word = strings.TrimSuffix(strings.ReplaceAll(word, "’", "'"), "'s")
	}
	env := snowballstem.NewEnv(word)
	if l == language.German {
		stemDE.Stem(env)
	} else {
		stemEN.Stem(env)
	}
	return fold(env.Current())
}
