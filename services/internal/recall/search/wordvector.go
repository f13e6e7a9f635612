package search

import (
	"math"

	"github.com/winnowhq/winnow/services/internal/vector/dot"
)

// wordVector is the direction of a word at one byte for each value: hundreds are
// compared with each word of the query, and the ranking does not see the difference.
// The zero value is that of a word without a vector.
type wordVector struct {
	values []int8
	scale  float32 // of a value
}

// wordVectorOf converts a vector of unit length, nil for none.
func wordVectorOf(v []float32) wordVector {
	var most float32
	for _, x := range v {
		most = max(most, float32(math.Abs(float64(x))))
	}
	if most == 0 || len(v) > dot.MaxCoarse {
		return wordVector{}
	}
	w := wordVector{values: make([]int8, len(v)), scale: most / math.MaxInt8}
	for i, x := range v {
		w.values[i] = int8(math.Round(float64(x / w.scale)))
	}
	return w
}

// wide returns the vector as the left operand of a dot product, in the given buffer.
func (w wordVector) wide(space []int16) []int16 {
	space = space[:0]
	for _, x := range w.values {
		space = append(space, int16(x))
	}
	return space
}
