package embedtest

import (
	"context"
	"errors"
	"math"
	"regexp"
	"sync"
	"testing"

	"github.com/winnowhq/winnow/services/internal/model/embed"
)

// Run checks an embedder with a model against the contract of [embed.Embedder].
func Run(t *testing.T, e embed.Embedder) {
	t.Helper()
	t.Run("identity", func(t *testing.T) {
		t.Parallel()
		if !regexp.MustCompile(`^[a-z0-9.-]+$`).MatchString(e.ID()) {
			t.Errorf("id %q", e.ID())
		}
		if e.Dim() <= 0 {
			t.Errorf("dimension %d", e.Dim())
		}
	})
	t.Run("unit vectors in order", func(t *testing.T) {
		t.Parallel()
		all := vectors(t, e, texts)
		for i, text := range texts {
			if len(all[i]) != e.Dim() || math.Abs(length(all[i])-1) > 1e-5 {
				t.Errorf("%q: %d numbers of length %v", text, len(all[i]), length(all[i]))
			}
			if one := vectors(t, e, texts[i:i+1])[0]; Distance(one, all[i]) > tolerance {
				t.Errorf("%q alone and among others: distance %v", text, Distance(one, all[i]))
			}
		}
		if Distance(all[0], all[1]) < 1e-3 {
			t.Error("two unlike texts have one vector")
		}
	})
	t.Run("blank texts have no vector", func(t *testing.T) {
		t.Parallel()
		got := vectors(t, e, []string{"", texts[0], " \n\t", texts[1]})
		if got[0] != nil || got[2] != nil {
			t.Error("a blank has a vector")
		}
		want := vectors(t, e, texts[:2])
		if Distance(got[1], want[0]) > tolerance || Distance(got[3], want[1]) > tolerance {
			t.Error("a blank moved its neighbours")
		}
	})
	t.Run("no texts", func(t *testing.T) {
		t.Parallel()
		if got := vectors(t, e, nil); len(got) != 0 {
			t.Errorf("%d vectors", len(got))
		}
	})
	t.Run("vectors are the caller's", func(t *testing.T) {
		t.Parallel()
		first := vectors(t, e, texts[:1])[0]
		clear(first)
		if length(vectors(t, e, texts[:1])[0]) == 0 {
			t.Error("a caller's change came back")
		}
	})
	t.Run("concurrent callers", func(t *testing.T) {
		t.Parallel()
		want := vectors(t, e, texts)
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				got, err := e.Embed(t.Context(), texts)
				if err != nil {
					t.Errorf("embed: %v", err)
					return
				}
				for i := range got {
					if Distance(got[i], want[i]) > tolerance {
						t.Errorf("%q: another vector under concurrency", texts[i])
					}
				}
			})
		}
		wg.Wait()
	})
	t.Run("cancelled", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := e.Embed(ctx, texts); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v, want that of the context", err)
		}
	})
}

// tolerance is the rounding that a remote model may have between two calls.
const tolerance = 1e-4

// texts for which every model has a vector.
var texts = []string{
	"The build fails when the cache folder is read-only.",
	"We moved to Lisbon in May 2023.",
	"Größe des Verbindungspools: 8",
	"`make lint` needs golangci-lint v2.1.0 🚀 日本",
}

// Distance is the Euclidean distance of two vectors; infinite when their
// dimensions differ.
func Distance(a, b []float32) float64 {
	if len(a) != len(b) {
		return math.Inf(1)
	}
	var sum float64
	for i := range a {
		d := float64(a[i]) - float64(b[i])
		sum += d * d
	}
	return math.Sqrt(sum)
}

func length(v []float32) float64 {
	return Distance(v, make([]float32, len(v)))
}

func vectors(t *testing.T, e embed.Embedder, texts []string) [][]float32 {
	t.Helper()
	got, err := e.Embed(t.Context(), texts)
	if err != nil {
		t.Fatalf("embed: %v", err)
	}
	if len(got) != len(texts) {
		t.Fatalf("%d vectors for %d texts", len(got), len(texts))
	}
	return got
}
