package lexical

import "github.com/winnowhq/winnow/services/internal/memory"

// maxAlike bounds the analysed texts that one comparison remembers. A full memory
// is thrown away.
const maxAlike = 4096

// Alike compares texts of one session by their words: 0–1, 0 for what is
// certainly below PointLoose. Every sentence from outside is compared with many
// others, so each is taken apart once and remembered. What it returns is not safe
// for concurrent use; the analyzer is.
func (a *Analyzer) Alike() func(x, y string) float64 {
	docs := make(map[string]*Doc)
	read := func(text string) *Doc {
		if d, ok := docs[text]; ok {
			return d
		}
		if len(docs) >= maxAlike {
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
		if Near(a, b) < PointLoose/2 {
			return 0
		}
		return Compare(a, b).Similarity
	}
}
