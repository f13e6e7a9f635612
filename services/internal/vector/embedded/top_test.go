package embedded

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The order of candidates is that of their scores, ties by id, however close scores are and
// whatever their sign.
func TestSorted(t *testing.T) {
	t.Parallel()
	near := []float64{0, math.Copysign(0, -1), 1, math.Nextafter(1, 2), math.Nextafter(1, 0), 0.5, -0.5, math.Nextafter(-0.5, 0), 37.25, math.SmallestNonzeroFloat64}
	rapid.Check(t, func(t *rapid.T) {
		scores := rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(near), rapid.Float64Range(-1, 60)), 0, 300).Draw(t, "scores")
		best := &top{limit: len(scores)}
		for i, score := range scores {
			best.rows = append(best.rows, row{id: fmt.Sprint("mem_", rapid.IntRange(0, 1<<30).Draw(t, "id"), i)})
			best.heap = append(best.heap, candidate{int32(i), score})
		}
		want := slices.Clone(best.heap)
		slices.SortFunc(want, func(a, b candidate) int {
			return cmp.Or(cmp.Compare(b.score, a.score), strings.Compare(best.rows[a.row].id, best.rows[b.row].id))
		})
		space := make([]uint64, rapid.IntRange(0, 400).Draw(t, "space"))
		if got := best.sorted(&space); !slices.Equal(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}
