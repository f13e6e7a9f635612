package similar_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/winnowhq/winnow/services/internal/judge/lexical"
	"github.com/winnowhq/winnow/services/internal/judge/similar"
	"github.com/winnowhq/winnow/services/internal/model/embed/static"
)

// between reads and compares two texts, with vectors of the static table.
func between(t *testing.T, a, b string) similar.Features {
	t.Helper()
	vectors, err := static.New().Embed(t.Context(), []string{a, b})
	if err != nil {
		t.Fatal(err)
	}
	words := lexical.NewAnalyzer()
	return similar.Between(similar.Read(words, a, vectors[0]), similar.Read(words, b, vectors[1]))
}

// D3: an edited fact has a higher cosine than a paraphrase, and must have a lower
// score.
func TestEditIsLessAlikeThanParaphrase(t *testing.T) {
	t.Parallel()
	const fact = "The nightly job times out after 45 minutes."
	edited := between(t, fact, "The nightly job times out after 90 minutes.")
	paraphrase := between(t, fact, "After 45 minutes the job of the night is given up.")
	if edited.Cosine <= paraphrase.Cosine {
		t.Fatalf("the case is no case: cosine %.3f edited, %.3f paraphrased", edited.Cosine, paraphrase.Cosine)
	}
	if e, p := similar.Score(edited), similar.Score(paraphrase); e >= p {
		t.Errorf("edited %.3f, paraphrased %.3f; want the paraphrase to be more alike", e, p)
	}
	if !edited.Conflict || edited.Missing == 0 {
		t.Errorf("edited: %+v, want a conflict", edited)
	}
}

func TestWithoutVectorsWordsDecide(t *testing.T) {
	t.Parallel()
	words := lexical.NewAnalyzer()
	read := func(s string) similar.Text { return similar.Read(words, s, nil) }
	same := similar.Between(read("Preise werden in Cent gespeichert."), read("Preise werden in Cent gespeichert"))
	other := similar.Between(read("Preise werden in Cent gespeichert."), read("The gateway speaks gRPC."))
	if same.Embedded || similar.Score(same) <= similar.Score(other) {
		t.Errorf("same %v (%.3f), other %v (%.3f)", same, similar.Score(same), other, similar.Score(other))
	}
}

// A similarity never lowers the score, and a difference never raises it.
func TestScoreIsMonotone(t *testing.T) {
	t.Parallel()
	share := rapid.Float64Range(0, 1)
	rapid.Check(t, func(t *rapid.T) {
		f := similar.Features{
			Cosine: share.Draw(t, "cosine"), Embedded: rapid.Bool().Draw(t, "embedded"),
			Lexical: share.Draw(t, "lexical"), Missing: share.Draw(t, "missing"),
		}
		s := similar.Score(f)
		if s < 0 || s > 1 || math.IsNaN(s) {
			t.Fatalf("score %v", s)
		}
		up, down := f, f
		up.Lexical += 0.1
		up.Cosine += 0.1
		down.Missing += 0.1
		down.Conflict = true
		if similar.Score(up) < s || similar.Score(down) > s {
			t.Fatalf("%+v: %v, more alike %v, less alike %v", f, s, similar.Score(up), similar.Score(down))
		}
	})
}
