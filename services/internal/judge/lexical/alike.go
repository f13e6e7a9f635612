package lexical

import (
	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// maxAlike bounds the analysed texts that one comparison caches; the least recently
// used is evicted.
const maxAlike = 4096

// docCache analyses texts and caches the results. Not safe for concurrent use.
type docCache struct {
	analyzer *Analyzer
	docs     *simplelru.LRU[string, *Doc]
}

func newDocCache(a *Analyzer) *docCache {
	docs, _ := simplelru.NewLRU[string, *Doc](maxAlike, nil) // fails only for a size below one
	return &docCache{analyzer: a, docs: docs}
}

// read returns an analysed text.
func (a *docCache) read(text string) *Doc {
	if d, ok := a.docs.Get(text); ok {
		return d
	}
	clean := memory.Clean(text)
	tokens := memory.Scan(clean)
	d := a.analyzer.Analyze(tokens, memory.Stamps(clean, tokens))
	a.docs.Add(text, d)
	return d
}

// Alike returns a function that compares texts of one session by their words: 0–1,
// and 0 for pairs that are certainly below PointLoose. Each sentence from outside is
// compared with many others, so each text is analysed once and cached. The function
// is not safe for concurrent use; the analyzer is.
func (a *Analyzer) Alike() func(x, y string) float64 {
	texts := newDocCache(a)
	return func(x, y string) float64 {
		a, b := texts.read(x), texts.read(y)
		// Most pairs share so few words that trigrams cannot bring them to the point.
		if Near(a, b) < PointLoose/2 {
			return 0
		}
		return Compare(a, b).Similarity
	}
}
