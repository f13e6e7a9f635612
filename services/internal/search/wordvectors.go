package search

import (
	"context"
	"sync"
)

// maxWordVectors bounds the cache, at a kilobyte a word. A full one is thrown
// away: the words of a project fit.
const maxWordVectors = 1 << 14

// wordVectors remembers vectors of single words.
type wordVectors struct {
	embed func(context.Context, []string) ([][]float32, error)

	mu    sync.RWMutex
	known map[string][]float32
}

func newWordVectors(embed func(context.Context, []string) ([][]float32, error)) *wordVectors {
	return &wordVectors{embed: embed, known: make(map[string][]float32)}
}

// of fills out, which is as long, with the vectors of words, in their order; one
// that the model does not know has none.
func (c *wordVectors) of(ctx context.Context, words []form, out [][]float32) error {
	var missing []string
	var at []int
	c.mu.RLock()
	for i, f := range words {
		v, ok := c.known[f.word]
		if !ok {
			missing, at = append(missing, f.word), append(at, i)
		}
		out[i] = v
	}
	c.mu.RUnlock()
	if len(missing) == 0 {
		return nil
	}
	vectors, err := c.embed(ctx, missing)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.known)+len(missing) > maxWordVectors {
		clear(c.known)
	}
	for i, w := range missing {
		out[at[i]] = vectors[i]
		if len(c.known) < maxWordVectors {
			c.known[w] = vectors[i]
		}
	}
	return nil
}
