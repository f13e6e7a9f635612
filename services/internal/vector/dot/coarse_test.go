package dot

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// Every length, from any offset in memory, is exact, in both implementations and at the
// ends of the range.
func TestCoarseIsExact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.OneOf(rapid.IntRange(0, 300), rapid.Just(MaxCoarse)).Draw(t, "length")
		offset := rapid.IntRange(0, 9).Draw(t, "offset")
		extreme := rapid.Bool().Draw(t, "extreme")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		a, b := make([]int16, n+offset)[offset:], make([]int8, n+9)
		for i := range b {
			b[i] = int8(r.IntN(255) - 127)
			if extreme {
				b[i] = -127
			}
		}
		var want int64
		for i := range a {
			a[i] = int16(r.IntN(2*4095+1) - 4095)
			if extreme {
				a[i] = 4095
			}
			want += int64(a[i]) * int64(b[i])
		}
		for way, got := range map[string]int32{"Coarse": Coarse(a, b), "plain": plainCoarse(a, b[:n])} {
			if int64(got) != want {
				t.Fatalf("%s: %d, want %d (%d values)", way, got, want, n)
			}
		}
	})
}

// Four at once are what each is alone, and nothing beyond the four vectors is read into a
// sum.
func TestFourCoarseIsCoarseOfEach(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.OneOf(rapid.IntRange(0, 300), rapid.Just(MaxCoarse)).Draw(t, "length")
		offset := rapid.IntRange(0, 9).Draw(t, "offset")
		extreme := rapid.Bool().Draw(t, "extreme")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 2))
		a := make([]int16, n)
		for i := range a {
			if a[i] = int16(r.IntN(2*4095+1) - 4095); extreme {
				a[i] = -4095
			}
		}
		var b [4][]int8
		for k := range b {
			b[k] = make([]int8, n+offset+16)[offset:]
			for i := range b[k] {
				if b[k][i] = int8(r.IntN(255) - 127); extreme {
					b[k][i] = 127
				}
			}
		}
		got := [4]int32{1, 2, 3, 4} // what is there before does not count
		FourCoarse(a, b[0], b[1], b[2], b[3], &got)
		for k := range b {
			if want := Coarse(a, b[k]); got[k] != want {
				t.Fatalf("vector %d: %d, want %d (%d values)", k, got[k], want, n)
			}
		}
	})
}

func TestFourCoarseShorterPanics(t *testing.T) {
	t.Parallel()
	for k := range 4 {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("reading beyond vector %d went unnoticed", k)
				}
			}()
			var sums [4]int32
			b := [4][]int8{make([]int8, 16), make([]int8, 16), make([]int8, 16), make([]int8, 16)}
			b[k] = b[k][:8:8]
			FourCoarse(make([]int16, 16), b[0], b[1], b[2], b[3], &sums)
		}()
	}
}

// BenchmarkCoarse reads as many vectors as BenchmarkOf.
func BenchmarkCoarse(b *testing.B) {
	const rows, dim = 10_000, 256
	query, values := make([]int16, dim), make([]int8, rows*dim)
	for i := range values {
		values[i] = int8(i % 127)
		query[i%dim] = int16(i % 4095)
	}
	b.Run("four", func(b *testing.B) {
		b.SetBytes(rows * dim)
		var sums [4]int32
		for b.Loop() {
			for i := 0; i < rows; i += 4 {
				v := values[i*dim:]
				FourCoarse(query, v[:dim], v[dim:2*dim], v[2*dim:3*dim], v[3*dim:4*dim], &sums)
			}
		}
	})
	for way, f := range map[string]func([]int16, []int8) int32{"fast": Coarse, "plain": plainCoarse} {
		b.Run(way, func(b *testing.B) {
			b.SetBytes(rows * dim)
			var sum int32
			for b.Loop() {
				for i := range rows {
					sum += f(query, values[i*dim:(i+1)*dim])
				}
			}
		})
	}
}
