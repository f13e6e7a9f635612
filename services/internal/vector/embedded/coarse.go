package embedded

import (
	"math"
	"slices"

	"github.com/winnowhq/winnow/services/internal/vector/dot"
)

const (
	// maxRow and maxAsked are the largest integers for a value of a row and of a query.
	// A query is read from cache and may be wide.
	maxRow, maxAsked = 127, 4095
	// rounding bounds the float32 error of a score and of its bound, for each
	// dimension, with vectors of unit length.
	rounding = 4.0 / (1 << 24)
)

// coarse is a block of vectors at one byte for each value. It gives an upper bound of a
// row's score from a quarter of the memory, and the bound is never too low; so a scan
// skips rows that cannot be among the best, and its answer equals that of a full scan.
type coarse struct {
	dim    int
	values []int8
	steps  []row8
}

// row8 is the quantisation of a row: each value is a whole number of steps, and lost is
// the length of all remainders.
type row8 struct{ step, lost float32 }

// coarsePays reports whether storing bytes pays.
func coarsePays(dim int) bool { return dot.CoarsePays() && dim >= 16 && dim <= dot.MaxCoarse }

func newCoarse(dim int) coarse {
	return coarse{dim: dim, values: make([]int8, blockRows*dim), steps: make([]row8, blockRows)}
}

// set writes the i-th row.
func (c *coarse) set(i int, v []float32) {
	values := c.values[i*c.dim : (i+1)*c.dim]
	step, lost, _ := whole(v, maxRow, func(j int, n float64) { values[j] = int8(n) })
	c.steps[i] = row8{float32(step), up(lost)}
}

// rough is a query in whole numbers.
type rough struct {
	values []int16
	step   float32
	length float32 // of the quantised vector
	lost   float32 // added to every bound
}

// roughOf returns a query in whole numbers, in the given space.
func roughOf(v []float32, space *[]int16) rough {
	r := rough{values: slices.Grow((*space)[:0], len(v))[:len(v)]}
	*space = r.values
	step, lost, length := whole(v, maxAsked, func(j int, n float64) { r.values[j] = int16(n) })
	// The length of a row is 1 but for rounding.
	r.step, r.length, r.lost = float32(step), up(length), up(lost*1.001+rounding*float64(len(v)))
	return r
}

// row returns the whole numbers of the i-th row.
func (c *coarse) row(i int) []int8 { return c.values[i*c.dim : (i+1)*c.dim : (i+1)*c.dim] }

// bounds returns what the product of the i-th row with a query is at least and at most,
// given that of their whole numbers.
// With v = steps + rest for both, the product is that of the steps, which is exact, and
// three products with a rest, each at most the product of the lengths.
func (c *coarse) bounds(i int, r *rough, whole int32) (least, most float32) {
	row := &c.steps[i]
	product := float32(whole) * (row.step * r.step)
	lost := row.lost*r.length + r.lost
	return product - lost, product + lost
}

// fetch has the i-th row brought from memory.
func (c *coarse) fetch(i int) { dot.Fetch(c.row(i)) }

// below is less than any bound.
const below = -8

// spread counts bounds by their size, to tell above which value so many of them lie.
type spread [2048]int32

// steps of spread are a thousandth: bounds lie in ±1, or little beyond.
const spreadSteps = 1000

func (s *spread) add(least float32) {
	s[max(0, min(len(s)-1, int(least*spreadSteps)+len(s)/2))]++
}

// floor returns a value that at least n of the bounds reach, or below where there are
// fewer.
func (s *spread) floor(n int) float32 {
	for i, more := range slices.Backward(s[1:]) {
		if n -= int(more); n <= 0 {
			// A bound that rounds to a step may be one step less.
			return float32(i+1-len(s)/2-1) / spreadSteps
		}
	}
	return below
}

// whole writes v as whole numbers of a step, the largest as most. It returns the step
// as a float32 holds it, the length of what is lost, and that of the quantised vector.
func whole(v []float32, most float64, write func(i int, n float64)) (step, lost, length float64) {
	var largest float64
	for _, x := range v {
		largest = max(largest, math.Abs(float64(x)))
	}
	if step = float64(float32(largest / most)); step == 0 {
		step = 1 // all are zero
	}
	for i, x := range v {
		n := max(-most, min(most, math.Round(float64(x)/step)))
		write(i, n)
		rest := float64(x) - n*step
		lost += rest * rest
		length += n * step * n * step
	}
	return step, math.Sqrt(lost), math.Sqrt(length)
}

// up returns the least float32 that is not smaller.
func up(x float64) float32 {
	f := float32(x)
	if float64(f) < x {
		f = math.Nextafter32(f, math.MaxFloat32)
	}
	return f
}
