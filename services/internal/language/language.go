package language

import (
	"strings"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// Language is the language of a text.
type Language uint8

// The languages. Open is the zero value: no function word, or as many of both.
const (
	Open Language = iota
	English
	German
)

// Count is how often the words of a text spoke for each language. The zero value is
// ready.
type Count struct{ en, de int }

// Add counts a word in lower case.
func (c *Count) Add(word string) {
	if functionEN[word] {
		c.en++
	}
	if functionDE[word] {
		c.de++
	}
	// No English word has these letters.
	if strings.ContainsAny(word, "äöüß") {
		c.de++
	}
}

// Language returns the language that more words spoke for.
func (c *Count) Language() Language {
	switch {
	case c.en > c.de:
		return English
	case c.de > c.en:
		return German
	}
	return Open
}

// Of returns the language of scanned text. Code has none.
func Of(tokens []memory.Token) Language {
	var c Count
	for i := range tokens {
		if t := &tokens[i]; t.Class == memory.TokenWord && !t.Code {
			c.Add(t.Value)
		}
	}
	return c.Language()
}

// OfWords is [Of] for words in lower case.
func OfWords(words []string) Language {
	var c Count
	for _, w := range words {
		c.Add(w)
	}
	return c.Language()
}

// Function reports whether a word in lower case is a function word of the language;
// of either one where the language is open.
func Function(word string, l Language) bool {
	switch l {
	case English:
		return functionEN[word]
	case German:
		return functionDE[word]
	}
	return functionEN[word] || functionDE[word]
}
