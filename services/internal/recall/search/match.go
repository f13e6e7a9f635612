package search

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"unicode"

	"github.com/winnowhq/winnow/services/internal/language"
)

// Passage is a document as a [Matcher] reads it.
type Passage struct {
	Text string
	// Title is the title with which Text begins, empty for none.
	Title string
	// Fused is the document's fused score, 0–1.
	Fused float64
	// Around are the texts of its neighbours: see [Near].
	Around []Near
	// Memo keeps, from one search to the next, what a matcher read in Text and Title, whose
	// own it must be. Nil keeps nothing.
	Memo *atomic.Value
}

// Near is the text of a neighbour.
type Near struct {
	Text     string
	Distance int // in documents, from 1
	// At is the neighbour's place among the passages, from 1; 0 where it is none of
	// them.
	At   int
	Memo *atomic.Value // as of a [Passage]; it may be one of the same text with its title
}

// nearness is the weight of a word by the distance of the text that has it: 1 for the
// passage itself, less for its neighbours.
var nearness = [...]float64{1, 0.7, 0.4}

// sharpened returns a cosine between two words to the power of 1.5: it lets "puppy"
// answer "dog" and prevents many faint likenesses from adding up.
func sharpened(cos float64) float64 { return cos * math.Sqrt(cos) }

// Matcher scores how well a text answers each word of a query: by the same word, or by
// the nearest one in the text. One vector for a whole text blurs its words; one for
// each word does not, and over the few dozen documents of a pool it is cheap (the late
// interaction of ColBERT, Khattab and Zaharia 2020, with a static table in place of a
// model). It is safe for concurrent use.
type Matcher struct {
	analyzer *Analyzer
	table    func(context.Context, []string) ([][]float32, error) // nil for none
	lexicon  atomic.Pointer[lexicon]
	idle     sync.Pool // of empty *vocabulary: growing a new one is most of its cost
}

// NewMatcher returns a matcher. embed returns vectors of single words, from a local
// table, because a search asks for hundreds. With nil only words of one stem match.
func NewMatcher(a *Analyzer, embed func(context.Context, []string) ([][]float32, error)) *Matcher {
	m := &Matcher{analyzer: a, table: embed}
	m.lexicon.Store(newLexicon())
	return m
}

// Match returns the signs that each passage answers the query, or nil where the query
// has no word to compare. Words that few passages have weigh more. The error is that of
// embed.
func (m *Matcher) Match(ctx context.Context, query string, passages []Passage) ([]Signs, error) {
	return m.MatchIn(ctx, nil, query, passages)
}

// MatchIn is [Matcher.Match] in the given memory, where it is large enough.
func (m *Matcher) MatchIn(ctx context.Context, space []Signs, query string, passages []Passage) ([]Signs, error) {
	if len(passages) == 0 {
		return nil, nil
	}
	v := m.vocabulary()
	defer m.done(v)
	asked := v.number(v.read(query).numbers)
	if len(asked) == 0 {
		return nil, nil
	}
	c := comparison{vocabulary: v, asked: asked, seeks: seeks(query), passages: passages}
	c.readAll()
	if err := v.compare(ctx, asked); err != nil {
		return nil, fmt.Errorf("match words: %w", err)
	}
	return c.signs(space), nil
}

// cut returns the words of a text to compare, and its traits.
func (m *Matcher) cut(text string) ([]form, textTraits) {
	words := plainWords(bounded(text))
	return m.forms(words), traitsOf(text, words)
}

// forms returns the distinct words of a text without stop words, as written but for
// case: a table of vectors knows "painting" and not "paint-".
func (m *Matcher) forms(words []string) []form {
	l := language.OfWords(words)
	seen := make(map[string]bool, len(words))
	out := make([]form, 0, len(words))
	for _, w := range words {
		if len(w) < 2 || seen[w] || language.Function(w, l) {
			continue
		}
		seen[w] = true
		stemmed := l
		if l == language.Open {
			stemmed = language.English
		}
		out = append(out, form{w, m.analyzer.stems.of(w, stemmed), germanEnglish().asGerman(w, l)})
		if len(out) == maxForms {
			break
		}
	}
	return out
}

// maxForms bounds the matched words of one text.
const maxForms = 512

// plainWords splits a text at all but letters, digits and apostrophes, and at the humps
// of identifiers.
func plainWords(text string) []string {
	out := make([]string, 0, len(text)/6+1)
	start, humped := -1, false
	flush := func(end int) {
		if start < 0 {
			return
		}
		// Most words have no hump and need no runes.
		if piece := text[start:end]; humped {
			out = humps([]rune(piece), out)
		} else {
			out = append(out, strings.ToLower(piece))
		}
		start, humped = -1, false
	}
	for i, r := range text {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && r != '\'':
			flush(i)
		case start < 0:
			start = i
		case unicode.IsUpper(r):
			humped = true
		}
	}
	flush(len(text))
	return out
}
