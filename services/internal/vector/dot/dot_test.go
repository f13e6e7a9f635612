package dot

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// Every length, from any offset in memory, agrees with float64, in both
// implementations.
func TestAgreesWithFloat64(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 300).Draw(t, "length")
		offset := rapid.IntRange(0, 9).Draw(t, "offset")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		a, b := make([]float32, n+offset)[offset:], make([]float32, n+9)
		for i := range b {
			b[i] = float32(r.NormFloat64())
		}
		var want, size float64
		for i := range a {
			a[i] = float32(r.NormFloat64())
			want += float64(a[i]) * float64(b[i])
			size += math.Abs(float64(a[i]) * float64(b[i]))
		}
		for way, got := range map[string]float32{"Of": Of(a, b), "plain": plain(a, b[:n])} {
			if math.Abs(float64(got)-want) > 1e-6*(size+1) {
				t.Fatalf("%s: %v, want %v (%d values)", way, got, want, n)
			}
		}
	})
}

func TestShorterSecondPanics(t *testing.T) {
	t.Parallel()
	defer func() {
		if recover() == nil {
			t.Error("reading beyond the second vector went unnoticed")
		}
	}()
	Of(make([]float32, 16), make([]float32, 8))
}

// BenchmarkOf reads ten thousand vectors of 256, the tenant size of the requirements.
func BenchmarkOf(b *testing.B) {
	const rows, dim = 10_000, 256
	values := make([]float32, rows*dim)
	for i := range values {
		values[i] = float32(i%13) / 13
	}
	for way, f := range map[string]func(a, b []float32) float32{"fast": Of, "plain": plain} {
		b.Run(way, func(b *testing.B) {
			b.SetBytes(rows * dim * 4)
			var sum float32
			for b.Loop() {
				for i := range rows {
					sum += f(values[:dim], values[i*dim:(i+1)*dim])
				}
			}
		})
	}
}
