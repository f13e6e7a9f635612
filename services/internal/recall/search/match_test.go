package search_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/winnowhq/winnow/services/internal/model/embed/static"
	"github.com/winnowhq/winnow/services/internal/recall/search"
)

func passages(texts ...string) []search.Passage {
	out := make([]search.Passage, len(texts))
	for i, text := range texts {
		out[i].Text = text
	}
	return out
}

func TestMatchByMeaningOfWords(t *testing.T) {
	t.Parallel()
	m := search.NewMatcher(search.NewAnalyzer(), static.New().Embed)
	got, err := m.Match(t.Context(), "Who adopted a puppy?", passages(
		"Last week Ann adopted a dog from the shelter.",
		"The release job runs the migrations.",
		"Ann adopted a puppy.",
	))
	if err != nil {
		t.Fatal(err)
	}
	if !(got[2] > got[0] && got[0] > got[1]) || got[2] < 0.999 {
		t.Errorf("got %.3f; want the puppy, then the dog, then the job", got)
	}
}

// Without a table words of one stem answer each other.
func TestMatchWithoutVectors(t *testing.T) {
	t.Parallel()
	m := search.NewMatcher(search.NewAnalyzer(), nil)
	got, err := m.Match(t.Context(), "connection pools", passages("The pool of connections is small.", "A pool.", "Nothing."))
	if err != nil {
		t.Fatal(err)
	}
	if got[0] != 1 || got[2] != 0 || !(got[1] > 0 && got[1] < 1) {
		t.Errorf("got %v", got)
	}
}

// A word that a neighbour says counts less than one of the passage itself.
func TestMatchReadsNeighbours(t *testing.T) {
	t.Parallel()
	m := search.NewMatcher(search.NewAnalyzer(), nil)
	texts := passages("Yes, in June.", "Yes, in June.", "Yes, in June.", "The marathon!")
	texts[1].Around = []search.Near{{Text: "Did you run the marathon?", Distance: 1}}
	texts[2].Around = []search.Near{{Text: "Did you run the marathon?", Distance: 2}, {Text: "marathon", Distance: 9}}
	got, err := m.Match(t.Context(), "marathon", texts)
	if err != nil {
		t.Fatal(err)
	}
	if !(got[3] > got[1] && got[1] > got[2] && got[2] > got[0]) || got[0] != 0 {
		t.Errorf("got %v, want the closer the more", got)
	}
}

// The cache of texts is bounded, and replacing it changes no answer, also while other
// searches run.
func TestMatchRemembersWithinBounds(t *testing.T) {
	t.Parallel()
	m := search.NewMatcher(search.NewAnalyzer(), static.New().Embed)
	match := func() []float64 {
		got, err := m.Match(t.Context(), "Who adopted a puppy?", passages("Ann adopted a dog.", "A puppy was adopted.", "The job."))
		if err != nil {
			t.Error(err)
		}
		return got
	}
	want := match()
	var filling sync.WaitGroup
	for part := range 4 {
		filling.Go(func() {
			for text := range 40 {
				words := make([]string, 400)
				for i := range words {
					words[i] = fmt.Sprintf("w%dx%dx%d", part, text, i)
				}
				if _, err := m.Match(t.Context(), words[0], passages(strings.Join(words, " "))); err != nil {
					t.Error(err)
				}
				if got := match(); !slices.Equal(got, want) {
					t.Errorf("after %d texts %v, before %v", text, got, want)
				}
			}
		})
	}
	filling.Wait()
	if n := m.Words(); n == 0 || n > 45_000 {
		t.Errorf("%d of 64,000 words are remembered", n)
	}
}

func TestMatchOfNothing(t *testing.T) {
	t.Parallel()
	m := search.NewMatcher(search.NewAnalyzer(), static.New().Embed)
	for _, query := range []string{"", "the of and", "?!"} {
		got, err := m.Match(t.Context(), query, passages("The pool."))
		if err != nil || len(got) != 1 || got[0] != 0 {
			t.Errorf("%q: %v, %v", query, got, err)
		}
	}
	if got, err := m.Match(t.Context(), "pool", nil); err != nil || len(got) != 0 {
		t.Errorf("no passages: %v, %v", got, err)
	}
}

func TestMatchReportsAFailingTable(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	m := search.NewMatcher(search.NewAnalyzer(), func(context.Context, []string) ([][]float32, error) { return nil, broken })
	if _, err := m.Match(t.Context(), "pool", passages("The pool.")); !errors.Is(err, broken) {
		t.Errorf("error %v, want the table's", err)
	}
}
