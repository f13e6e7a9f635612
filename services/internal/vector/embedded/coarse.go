package embedded

import (
	"math"

	"github.com/winnowhq/winnow/services/internal/vector/dot"
)

const (
	// maxRow and maxAsked are the largest whole numbers that a value of a row and
	// of a question becomes. A question is read from cache and may be wide.
	maxRow, maxAsked = 127, 4095
	// rounding is how much the float32 arithmetic of a score and of its bound may
	// be wrong, for each dimension, with vectors of unit length.
	rounding = 4.0 / (1 << 24)
)

// coarse is a block of vectors in a byte a value. It says of a row what its score
// is at most, from a quarter of the memory, and it never says too little; so a
// scan skips what cannot be among the best, and its answer is that of a scan of
// everything.
type coarse struct {
	dim    int
	values []int8
	steps  []row8
}

// row8 is what is lost by writing a row in bytes: each value is a whole number of
// steps, and the rest of them all has a length.
type row8 struct{ step, lost float32 }

// coarsePays says whether bytes are worth keeping.
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

// rough is a question in whole numbers.
type rough struct {
	values []int16
	step   float32
	length float32 // of what the whole numbers say
	lost   float32 // what is added to every bound
}

func roughOf(v []float32) rough {
	r := rough{values: make([]int16, len(v))}
	step, lost, length := whole(v, maxAsked, func(j int, n float64) { r.values[j] = int16(n) })
	// A row's length is one but for rounding.
	r.step, r.length, r.lost = float32(step), up(length), up(lost*1.001+rounding*float64(len(v)))
	return r
}

// atMost is what the product of the i-th row with a question cannot exceed. With
// v = steps + rest for both, the product is that of the steps, which is exact,
// and three products with a rest, each at most the lengths multiplied.
func (c *coarse) atMost(i int, r *rough) float32 {
	row := c.steps[i]
	product := dot.Coarse(r.values, c.values[i*c.dim:(i+1)*c.dim])
	return float32(product)*(row.step*r.step) + row.lost*r.length + r.lost
}

// whole writes v as whole numbers of a step, the largest as most. It returns the
// step as a float32 holds it, the length of what is lost, and that of what is
// written.
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

// up rounds to a float32 that is not smaller.
func up(x float64) float32 {
	f := float32(x)
	if float64(f) < x {
		f = math.Nextafter32(f, math.MaxFloat32)
	}
	return f
}
