package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/winnowhq/winnow/services/internal/language"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/vector"
)

const (
	// AnalyzerID identifies all that decides the words of a text: the scanner, the stop
	// words, the stemmers, the splitting of identifiers. A change of any of them is a
	// new id and with it a new index generation.
	AnalyzerID = "bm25-1"
	// AvgLen is the length of an ordinary memory in words, the length constant of BM25.
	// Conversation turns have half of it, and are found better with this constant than
	// with their own average (recall@10 0.66 against 0.65).
	AvgLen = 24
	// MaxWords bounds the indexed words of a text, some 80 KB of prose. A text of a
	// megabyte is found by its beginning.
	MaxWords = 8192
)

// Analyzer turns a text into the words by which it is found. It caches stems and is
// safe for concurrent use.
type Analyzer struct {
	stems stemCache
}

// NewAnalyzer returns an analyzer with an empty cache.
func NewAnalyzer() *Analyzer { return &Analyzer{} }

// Terms returns the weighted tokens of a document.
func (a *Analyzer) Terms(text string) vector.Sparse {
	return vector.Weigh(a.Words(text), AvgLen)
}

// TermsOf is [Analyzer.Terms] of a text that has been scanned already.
func (a *Analyzer) TermsOf(text string, tokens []memory.Token) vector.Sparse {
	if len(text) > maxBytes || !norm.NFKC.IsNormalString(text) {
		return a.Terms(text) // what would be scanned is another text
	}
	return vector.Weigh(a.words(text, tokens), AvgLen)
}

// Query returns the tokens of a query, each once.
func (a *Analyzer) Query(text string) []uint32 {
	words := a.Words(text)
	seen := make(map[uint32]bool, len(words))
	tokens := make([]uint32, 0, len(words))
	for _, w := range words {
		if t := vector.TokenOf(w); !seen[t] {
			seen[t] = true
			tokens = append(tokens, t)
		}
	}
	return tokens
}

// Words returns the words of a text in order, at most [MaxWords]: prose without stop
// words and stemmed, identifiers whole and in their parts, dates with their month and
// year. Documents and queries are analysed alike.
func (a *Analyzer) Words(text string) []string {
	text = norm.NFKC.String(bounded(text))
	return a.words(text, memory.Scan(text))
}

func (a *Analyzer) words(text string, tokens []memory.Token) []string {
	w := writer{
		analyzer: a, text: text, language: language.Of(tokens),
		words: make([]string, 0, len(tokens)),
	}
	for _, t := range tokens {
		if w.token(t); len(w.words) >= MaxWords {
			return w.words[:MaxWords]
		}
	}
	return w.words
}

// maxBytes bounds what is scanned: [MaxWords] words of ten bytes.
const maxBytes = 10 * MaxWords

// bounded cuts a long text at maxBytes, at the start of a rune.
func bounded(text string) string {
	if len(text) <= maxBytes {
		return text
	}
	end := maxBytes
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}

// writer collects the words of one text.
type writer struct {
	analyzer *Analyzer
	text     string
	language language.Language
	words    []string
}

func (w *writer) token(t memory.Token) {
	switch t.Class {
	case memory.TokenArrow:
	case memory.TokenDate:
		w.date(t.Value)
	case memory.TokenNumber:
		w.number(t)
	case memory.TokenIdent, memory.TokenURL:
		w.name(t)
	default:
		if strings.ContainsRune(t.Value, '-') {
			w.name(t)
			return
		}
		w.word(t.Value)
	}
}

// date adds a date as day, month and year, each complete, so that "in May 2023" finds
// the eighth of May 2023. Unknown years are written as --02-05.
func (w *writer) date(value string) {
	for len(value) > 0 {
		w.add(value)
		cut := strings.LastIndexByte(value, '-')
		if cut <= 1 {
			return
		}
		value = value[:cut]
	}
}

// number adds a number without its unit, a version also by its first two parts, and the
// unit where it is a word.
func (w *writer) number(t memory.Token) {
	w.add(t.Value)
	if first, rest, ok := strings.Cut(t.Value, "."); ok {
		if second, _, more := strings.Cut(rest, "."); more {
			w.add(first + "." + second)
		}
	}
	if len(t.Unit) > 1 {
		w.word(t.Unit)
	}
}

// name adds an identifier, path or compound whole and in its parts.
func (w *writer) name(t memory.Token) {
	parts := Split(w.text[t.Start:t.End])
	if len(parts) == 1 {
		w.word(parts[0])
		return
	}
	w.add(fold(t.Value))
	for _, p := range parts {
		w.word(p)
	}
}

// word adds a word of prose, stemmed, unless it is a stop word.
func (w *writer) word(word string) {
	if language.Function(word, w.language) {
		return
	}
	var en string
	if w.language != language.German {
		en = w.analyzer.stems.of(word, language.English)
		w.add(en)
	}
	// A query of two nouns has no recognisable language, and must match documents of
	// both.
	if w.language != language.English {
		if de := w.analyzer.stems.of(word, language.German); de != en {
			w.add(de)
		}
	}
}

func (w *writer) add(word string) {
	if word != "" {
		w.words = append(w.words, word)
	}
}

// fold lower-cases a word and removes accents, so that its spelling does not matter.
func fold(word string) string {
	ascii := true
	for i := range len(word) {
		if c := word[i]; c >= utf8.RuneSelf || c >= 'A' && c <= 'Z' {
			ascii = false
			break
		}
	}
	if ascii {
		return word
	}
	var b strings.Builder
	for _, r := range norm.NFKD.String(word) {
		switch {
		case unicode.Is(unicode.Mn, r):
		case r == 'ß':
			b.WriteString("ss")
		default:
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}
