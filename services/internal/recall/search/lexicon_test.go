package search_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/winnowhq/winnow/services/internal/recall/search"
)

// Texts of every search are not evicted with those read once: the table is asked for
// each of their words a single time, however often the lexicon is full.
func TestWordsInUseSurviveOverflow(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	asked := map[string]int{}
	m := search.NewMatcher(search.NewAnalyzer(), func(_ context.Context, words []string) ([][]float32, error) {
		mu.Lock()
		defer mu.Unlock()
		out := make([][]float32, len(words))
		for i, w := range words {
			asked[w]++
			out[i] = []float32{1, 0}
		}
		return out, nil
	})
	const texts, wordsOfText = 160, 400 // 64,000 words: several times what fits
	last, full := 0, false
	for text := range texts {
		words := make([]string, wordsOfText)
		for i := range words {
			words[i] = fmt.Sprintf("w%dx%d", text, i)
		}
		for _, passage := range []string{strings.Join(words, " "), "Ann adopted a puppy."} {
			if _, err := m.Match(t.Context(), "Who adopted a dog?", passages(passage)); err != nil {
				t.Fatal(err)
			}
		}
		full = full || m.Words() < last
		last = m.Words()
	}
	if !full {
		t.Fatalf("%d words at once: the lexicon was never full", last)
	}
	for _, word := range []string{"adopted", "dog", "ann", "puppy"} {
		if asked[word] != 1 {
			t.Errorf("the table was asked %d times for %q, want once", asked[word], word)
		}
	}
}
