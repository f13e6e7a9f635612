package search

import (
	"strings"
	"sync"

	"github.com/blevesearch/snowballstem"
	stemEN "github.com/blevesearch/snowballstem/english"
	stemDE "github.com/blevesearch/snowballstem/german"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// language decides the stop words and the stemmer of a text.
type language uint8

const (
	undecided language = iota
	english
	german
)

// languageOf counts the stop words of each language, which are so common that one
// sentence suffices. Text without any, or with as many of both, is undecided.
func languageOf(tokens []memory.Token) language {
	var c count
	for _, t := range tokens {
		if t.Class == memory.TokenWord && !t.Code {
			c.word(t.Value)
		}
	}
	return c.language()
}

// languageOfWords is [languageOf] of words in lower case.
func languageOfWords(words []string) language {
	var c count
	for _, w := range words {
		c.word(w)
	}
	return c.language()
}

// count is how often each language was recognised.
type count struct{ en, de int }

func (c *count) word(w string) {
	if stopEN[w] {
		c.en++
	}
	if stopDE[w] {
		c.de++
	}
	// No English word has these letters.
	if strings.ContainsAny(w, "äöüß") {
		c.de++
	}
}

func (c *count) language() language {
	switch {
	case c.en > c.de:
		return english
	case c.de > c.en:
		return german
	}
	return undecided
}

// stopped reports whether a word is a stop word of its language.
func stopped(word string, l language) bool {
	switch l {
	case english:
		return stopEN[word]
	case german:
		return stopDE[word]
	}
	return stopEN[word] || stopDE[word]
}

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
func (c *stemCache) of(word string, l language) string {
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

func (c *stemCache) table(l language) map[string]string {
	if l == german {
		return c.de
	}
	return c.en
}

func stem(word string, l language) string {
	if l == english {
		// "Caroline’s" and "Caroline's" are Caroline.
		word = strings.TrimSuffix(strings.ReplaceAll(word, "’", "'"), "'s")
	}
	env := snowballstem.NewEnv(word)
	if l == german {
		stemDE.Stem(env)
	} else {
		stemEN.Stem(env)
	}
	return fold(env.Current())
}
