package static

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// Adding in lanes is adding one by one, to the bit, across the overflow of a
// lane and with every row at an extreme.
func TestSumIsExact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 3*full).Draw(t, "rows")
		seed := rapid.Uint64().Draw(t, "seed")
		extreme := rapid.SampledFrom([]int{0, 127, -127, -128}).Draw(t, "extreme")
		r := rand.New(rand.NewPCG(seed, 0))
		var s sum
		var want [Dim]int64
		row := make([]byte, Dim)
		for range n {
			for i := range row {
				v := int8(r.IntN(256) - 128)
				if extreme != 0 {
					v = int8(extreme)
				}
				row[i] = byte(v)
				want[i] += int64(v)
			}
			s.add(string(row))
		}
		got := s.unit()
		var square float64
		for _, x := range want {
			square += float64(x) * float64(x)
		}
		if square == 0 {
			return
		}
		for i, x := range want {
			if float64(s.total[i]) != float64(x) || got[i] != float32(float64(x)/math.Sqrt(square)) {
				t.Fatalf("number %d is %d, want %d", i, s.total[i], x)
			}
		}
	})
}
