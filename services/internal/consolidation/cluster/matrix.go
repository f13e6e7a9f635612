package cluster

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/winnowhq/winnow/services/internal/vector"
	"github.com/winnowhq/winnow/services/internal/vector/dot"
)

// headLength is how many values of a vector are compared first. For most pairs they
// already show that the rest cannot make them similar.
const headLength = 64

// matrix holds vectors for pairwise comparison: of unit length, with the values that
// weigh most over all vectors first. Heads are stored apart from the rest, because most
// comparisons read nothing else.
type matrix struct {
	dim, head int
	heads     []float32
	rests     []float32
	lengths   []float32   // by row: how long the rest is
	given     [][]float32 // as they came, for float64
}

// newMatrix copies vectors; nil ones become rows without similar rows.
func newMatrix(vectors [][]float32) (*matrix, error) {
	m := &matrix{given: vectors}
	for _, v := range vectors {
		if m.dim = len(v); m.dim > 0 {
			break
		}
	}
	if m.head = headLength; m.dim < 2*headLength {
		m.head = m.dim
	}
	units := make([][]float32, len(vectors))
	for i, v := range vectors {
		if v == nil {
			continue
		}
		unit, err := vector.Unit(v, m.dim)
		if err != nil {
			return nil, fmt.Errorf("vector %d: %w", i, err)
		}
		units[i] = unit
	}
	m.fill(units)
	return m, nil
}

// fill permutes the values of all vectors alike, which changes no product, and splits
// them into head and rest.
func (m *matrix) fill(units [][]float32) {
	order := heaviestFirst(units, m.dim)
	m.heads = make([]float32, len(units)*m.head)
	m.rests = make([]float32, len(units)*(m.dim-m.head))
	m.lengths = make([]float32, len(units))
	for i, unit := range units {
		if unit == nil {
			continue
		}
		for to, from := range order[:m.head] {
			m.headOf(i)[to] = unit[from]
		}
		for to, from := range order[m.head:] {
			m.restOf(i)[to] = unit[from]
		}
		// The length is rounded up: a bound may be too high, never too low.
		m.lengths[i] = math.Nextafter32(float32(math.Sqrt(squared(m.restOf(i)))), 2)
	}
}

// heaviestFirst orders the dimensions by their weight over all vectors.
func heaviestFirst(units [][]float32, dim int) []int {
	weight, order := make([]float64, dim), make([]int, dim)
	for _, unit := range units {
		for d, x := range unit {
			weight[d] += float64(x) * float64(x)
		}
	}
	for d := range order {
		order[d] = d
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(weight[b], weight[a]), cmp.Compare(a, b)) })
	return order
}

func (m *matrix) rows() int { return len(m.lengths) }

func (m *matrix) headOf(i int) []float32 { return m.heads[i*m.head : (i+1)*m.head] }

func (m *matrix) restOf(i int) []float32 {
	n := m.dim - m.head
	return m.rests[i*n : (i+1)*n]
}

// reaches reports whether the cosine of two rows may be at least floor, as far as
// float32 can tell. Most pairs are rejected by their heads: the product of two rests is
// at most the product of their lengths.
func (m *matrix) reaches(i, j int, floor float32) bool {
	product := dot.Of(m.headOf(i), m.headOf(j))
	if product+m.lengths[i]*m.lengths[j] < floor {
		return false
	}
	return product+dot.Of(m.restOf(i), m.restOf(j)) >= floor
}

// cosine returns the exact cosine. It is below every threshold for rows without a
// vector.
func (m *matrix) cosine(i, j int) float64 {
	if m.given[i] == nil || m.given[j] == nil {
		return math.Inf(-1)
	}
	return vector.Cosine(m.given[i], m.given[j])
}

// floor returns the float32 cosine from which on a pair is computed in float64.
func floor(least float64) float32 { return float32(least - vector.Margin) }

func squared(v []float32) float64 {
	var s float64
	for _, x := range v {
		s += float64(x) * float64(x)
	}
	return s
}
