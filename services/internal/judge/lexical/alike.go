package lexical

import (
	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// maxAlike bounds the analysed texts that one comparison remembers; the least
// recently used is forgotten.
const maxAlike = 4096

// alike compares texts and remembers how each is taken apart. It is not safe for
// concurrent use.
type alike struct {
	analyzer *Analyzer
	docs     *simplelru.LRU[string, *Doc]
}

func newAlike(a *Analyzer) *alike {
	docs, _ := simplelru.NewLRU[string, *Doc](maxAlike, nil) // fails only for a size below one
	return &alike{analyzer: a, docs: docs}
}

// read returns a text taken apart.
func (a *alike) read(text string) *Doc {
	if d, ok := a.docs.Get(text); ok {
		return d
	}
	clean := memory.Clean(text)
	tokens := memory.Scan(clean)
	d := a.analyzer.Analyze(tokens, memory.Stamps(clean, tokens))
	a.docs.Add(text, d)
	return d
}

// Alike compares texts of one session by their words: 0–1, 0 for what is
// certainly below PointLoose. Every sentence from outside is compared with many
// others, so each is taken apart once and remembered. What it returns is not safe
// for concurrent use; the analyzer is.
func (a *Analyzer) Alike() func(x, y string) float64 {
	texts := newAlike(a)
	return func(x, y string) float64 {
		a, b := texts.read(x), texts.read(y)
		// Most pairs share so few words that no trigrams bring them to the point.
		if Near(a, b) < PointLoose/2 {
			return 0
		}
		return Compare(a, b).Similarity
	}
}
