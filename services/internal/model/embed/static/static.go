package static

import (
	"context"
	_ "embed" // the table
	"fmt"
	"sync"

	"github.com/winnowhq/winnow/services/internal/language"
	"github.com/winnowhq/winnow/services/internal/model/embed"
)

const (
	// ID names the table. A change of any byte needs a new revision, because old and
	// new vectors must never be compared.
	ID = "static-minilm-l6-256-int8-r1"
	// Dim is the length of a vector.
	Dim = 256
	// MaxTokens bounds the tokens of a text, about 40 KB of English. A mean over more
	// tokens adds no information, and a text of a megabyte must not hold up the texts
	// behind it.
	MaxTokens = 8192
)

// table holds one row of int8 for each token of the vocabulary, in its order. Their
// common scale cancels when a mean is normalised to length 1, so it is not stored.
//
//go:embed table.bin
var table string

// Embedder is the built-in embedder: no key, no network, no settings. Making one is
// free; the vocabulary is indexed at the first text (some milliseconds, 3 MB).
type Embedder struct {
	load func() (*vocabulary, error)
}

var _ embed.Embedder = (*Embedder)(nil)

// New returns an embedder over the table in this binary.
func New() *Embedder {
	return &Embedder{load: sync.OnceValues(load)}
}

func load() (*vocabulary, error) {
	v := newVocabulary(language.Vocabulary)
	if len(table) != v.size()*Dim {
		return nil, fmt.Errorf("static embedder: %d bytes of rows for %d tokens: %w", len(table), v.size(), embed.ErrInvalid)
	}
	return v, nil
}

// ID implements [embed.Embedder].
func (*Embedder) ID() string { return ID }

// Dim implements [embed.Embedder].
func (*Embedder) Dim() int { return Dim }

// Embed implements [embed.Embedder]. A vector is nil where the vocabulary has no word
// of the text: blanks, most emoji, some scripts. Equal texts have equal vectors to the
// bit, on every platform. The only error is that of ctx.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	v, err := e.load()
	if err != nil {
		return nil, err
	}
	out := make([][]float32, len(texts))
	rows := make([]int32, 0, 256)
	for i, text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		rows = tokens(v, text, rows[:0])
		out[i] = mean(rows)
	}
	return out, nil
}

// tokens appends the rows of a text, at most [MaxTokens] and the rest of its last word;
// unknown words become [unknown].
func tokens(v *vocabulary, text string, rows []int32) []int32 {
	words(text, func(word []byte) bool {
		rows = v.spell(word, rows)
		return len(rows) < MaxTokens
	})
	return rows
}

// mean returns the direction of the sum of rows: a row's length is its weight.
func mean(rows []int32) []float32 {
	var s sum
	for _, row := range rows {
		if row != unknown {
			s.add(table[int(row)*Dim:][:Dim])
		}
	}
	return s.unit()
}
