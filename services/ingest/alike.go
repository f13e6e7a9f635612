package ingest

import (
	"github.com/winnowhq/winnow/services/internal/lexical"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/trust"
)

// maxDocs bounds the analysed texts that one session remembers. A full cache is
// thrown away.
const maxDocs = 4096

// alike is a similarity by words for one session: every sentence from outside is
// compared with many others, so it is taken apart once. It is not safe for
// concurrent use.
func alike(a *lexical.Analyzer) trust.Similarity {
	docs := make(map[string]*lexical.Doc)
	read := func(text string) *lexical.Doc {
		if d, ok := docs[text]; ok {
			return d
		}
		if len(docs) >= maxDocs {
			clear(docs)
		}
		clean := memory.Clean(text)
		tokens := memory.Scan(clean)
		d := a.Analyze(tokens, memory.Stamps(clean, tokens))
		docs[text] = d
		return d
	}
	return func(x, y string) float64 {
		a, b := read(x), read(y)
		// Most pairs share so few words that no trigrams bring them to the point.
		if lexical.Near(a, b) < lexical.PointLoose/2 {
			return 0
		}
		return lexical.Compare(a, b).Similarity
	}
}
