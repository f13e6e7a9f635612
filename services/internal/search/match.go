package search

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/winnowhq/winnow/services/internal/dot"
	"github.com/winnowhq/winnow/services/internal/vector"
)

// Passage is a document as a [Matcher] reads it.
type Passage struct {
	Text string
	// Around are the texts beside it, if any: see [Near].
	Around []Near
}

// Near is a text beside a passage.
type Near struct {
	Text     string
	Distance int // in documents, from 1
}

// nearness is what a word is worth that stands in a neighbour instead of in the
// passage itself, by distance.
var nearness = [...]float64{1, 0.7, 0.4}

// sharpened is a cosine between two words to the power of 1.5: it lets "puppy"
// answer "dog" and keeps many faint likenesses from adding up.
func sharpened(cos float64) float64 { return cos * math.Sqrt(cos) }

// Matcher asks of every word of a query how well a text answers it: by the same
// word, or by the nearest one that it has. One vector for a whole text blurs
// what each word says; one a word does not, and over the few dozen documents of
// a pool it is cheap (the late interaction of ColBERT, Khattab and Zaharia 2020,
// with a static table in place of a model). It is safe for concurrent use.
type Matcher struct {
	analyzer *Analyzer
	vectors  *wordVectors
	texts    *lexicon
	idle     sync.Pool // of *vocabulary, empty: growing one anew is most of its work
}

// NewMatcher returns a matcher. embed gives vectors of single words: that of a
// local table, because a search asks for hundreds. With nil only words of one
// stem answer each other.
func NewMatcher(a *Analyzer, embed func(context.Context, []string) ([][]float32, error)) *Matcher {
	m := &Matcher{analyzer: a, texts: newLexicon()}
	if embed != nil {
		m.vectors = newWordVectors(embed)
	}
	return m
}

// Match returns for each passage how well it answers the query, 0–1. Words that
// few passages have weigh more. It fails only as embed fails.
func (m *Matcher) Match(ctx context.Context, query string, passages []Passage) ([]float64, error) {
	out := make([]float64, len(passages))
	asked := m.forms(query)
	if len(asked) == 0 || len(passages) == 0 {
		return out, nil
	}
	v := m.vocabulary()
	defer m.done(v)
	texts := make([][]int, len(passages))
	for i, p := range passages {
		texts[i] = v.read(p.Text)
	}
	total := 0.0
	weights := v.weigh(asked, texts)
	for _, w := range weights {
		total += w
	}
	// Neighbours come after the weights: a word is not common for standing in
	// the neighbourhood of many passages.
	around := make([][][]int, len(passages))
	for i, p := range passages {
		for _, n := range p.Around {
			around[i] = append(around[i], v.read(n.Text))
		}
	}
	like, err := v.likeness(ctx, asked)
	if err != nil {
		return nil, fmt.Errorf("match words: %w", err)
	}
	for i, p := range passages {
		for q, weight := range weights {
			best := strongest(like[q], texts[i])
			for n, near := range p.Around {
				if near.Distance < len(nearness) && near.Distance > 0 {
					best = max(best, nearness[near.Distance]*strongest(like[q], around[i][n]))
				}
			}
			out[i] += weight / total * best
		}
	}
	return out, nil
}

// strongest is the greatest likeness among the words of a text.
func strongest(like []float64, words []int) float64 {
	best := 0.0
	for _, w := range words {
		best = max(best, like[w])
	}
	return best
}

// form is a word as it was written, and its stem.
type form struct{ word, stem string }

// forms are the different words of a text that say something, as written but
// for case: a table of vectors knows "painting" and not "paint-".
func (m *Matcher) forms(text string) []form {
	words := plainWords(bounded(text))
	l := languageOfWords(words)
	seen := make(map[string]bool, len(words))
	out := make([]form, 0, len(words))
	for _, w := range words {
		if len(w) < 2 || seen[w] || stopped(w, l) {
			continue
		}
		seen[w] = true
		stemmed := l
		if l == undecided {
			stemmed = english
		}
		out = append(out, form{w, m.analyzer.stems.of(w, stemmed)})
		if len(out) == maxForms {
			break
		}
	}
	return out
}

// maxForms bounds the words of one text that are matched.
const maxForms = 512

// plainWords cuts at everything but letters, digits and apostrophes, and at the
// humps of identifiers.
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

// vocabulary numbers the words of one search.
type vocabulary struct {
	matcher *Matcher
	index   map[string]int
	forms   []form
	texts   map[string][]int
	numbers []int // of all texts, one after the other
	like    []float64
	near    [][]float32 // vectors of the forms
}

// vocabulary returns an empty one, to be given back by done.
func (m *Matcher) vocabulary() *vocabulary {
	if v, ok := m.idle.Get().(*vocabulary); ok {
		return v
	}
	return &vocabulary{matcher: m, index: make(map[string]int), texts: make(map[string][]int)}
}

func (m *Matcher) done(v *vocabulary) {
	clear(v.index)
	clear(v.texts)
	clear(v.forms) // the strings are not its own
	clear(v.near)
	v.forms, v.numbers, v.near = v.forms[:0], v.numbers[:0], v.near[:0]
	m.idle.Put(v)
}

// read returns the numbers of a text's words. A text that is both a passage and
// a neighbour is read once.
func (v *vocabulary) read(text string) []int {
	if known, ok := v.texts[text]; ok {
		return known
	}
	known := v.matcher.texts.of(text, v.matcher.forms)
	from := len(v.numbers)
	for _, f := range known {
		n, ok := v.index[f.word]
		if !ok {
			n = len(v.forms)
			v.index[f.word] = n
			v.forms = append(v.forms, f)
		}
		v.numbers = append(v.numbers, n)
	}
	words := v.numbers[from:len(v.numbers):len(v.numbers)]
	v.texts[text] = words
	return words
}

// weigh is the IDF of the asked words among the texts.
func (v *vocabulary) weigh(asked []form, texts [][]int) []float64 {
	weights := make([]float64, len(asked))
	for q, a := range asked {
		df := 0
		for _, words := range texts {
			for _, w := range words {
				if v.forms[w].stem == a.stem {
					df++
					break
				}
			}
		}
		weights[q] = vector.IDF(len(texts), df)
	}
	return weights
}

// likeness of each asked word to each word that was read, 0–1. It is the
// vocabulary's and good until that is given back.
func (v *vocabulary) likeness(ctx context.Context, asked []form) ([][]float64, error) {
	n := len(v.forms)
	v.like = slices.Grow(v.like[:0], len(asked)*n)[:len(asked)*n]
	clear(v.like)
	like := make([][]float64, len(asked))
	for q := range asked {
		like[q] = v.like[q*n : (q+1)*n]
	}
	ours := make([][]float32, len(asked))
	v.near = slices.Grow(v.near[:0], n)[:n]
	theirs := v.near
	if v.matcher.vectors != nil {
		if err := v.matcher.vectors.of(ctx, asked, ours); err != nil {
			return nil, err
		}
		if err := v.matcher.vectors.of(ctx, v.forms, theirs); err != nil {
			return nil, err
		}
	}
	for q, a := range asked {
		va := ours[q]
		for w := range v.forms {
			f := &v.forms[w]
			switch vf := theirs[w]; {
			case va != nil && vf != nil:
				if cos := float64(dot.Of(va, vf)); cos > 0 {
					like[q][w] = sharpened(min(cos, 1))
				}
				if a.word == f.word {
					like[q][w] = 1
				}
			case a.stem == f.stem || a.word == f.word:
				like[q][w] = 1
			}
		}
	}
	return like, nil
}
