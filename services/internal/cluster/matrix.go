package cluster

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/winnowhq/winnow/services/internal/dot"
	"github.com/winnowhq/winnow/services/internal/vector"
)

// headLength is how many values of a vector are looked at first. Of most pairs
// they show already that the rest cannot make them similar.
const headLength = 64

// matrix holds vectors for comparing each with each: unit length, one after the
// other, the values that weigh most over all vectors first.
type matrix struct {
	dim, head int
	values    []float32
	tails     []float32   // by row: the length of what follows the head
	given     [][]float32 // as they came, for float64
}

// newMatrix copies vectors; nil ones become rows that are similar to nothing.
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
	m.values = make([]float32, len(vectors)*m.dim)
	m.tails = make([]float32, len(vectors))
	for i, v := range vectors {
		if v == nil {
			continue
		}
		unit, err := vector.Unit(v, m.dim)
		if err != nil {
			return nil, fmt.Errorf("vector %d: %w", i, err)
		}
		copy(m.row(i), unit)
	}
	m.heaviestFirst()
	for i := range m.tails {
		// Rounded up: a bound may be too weak, never too strong.
		m.tails[i] = math.Nextafter32(float32(math.Sqrt(squared(m.row(i)[m.head:]))), 2)
	}
	return m, nil
}

func (m *matrix) rows() int { return len(m.tails) }

func (m *matrix) row(i int) []float32 { return m.values[i*m.dim : (i+1)*m.dim : (i+1)*m.dim] }

// heaviestFirst permutes the values of all rows alike, which changes no product.
func (m *matrix) heaviestFirst() {
	weight, order := make([]float64, m.dim), make([]int, m.dim)
	for i := range m.rows() {
		for d, x := range m.row(i) {
			weight[d] += float64(x) * float64(x)
		}
	}
	for d := range order {
		order[d] = d
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(weight[b], weight[a]), cmp.Compare(a, b)) })
	scratch := make([]float32, m.dim)
	for i := range m.rows() {
		row := m.row(i)
		copy(scratch, row)
		for to, from := range order {
			row[to] = scratch[from]
		}
	}
}

// reaches says whether the cosine of two rows may be at least floor, as far as
// float32 can tell. Most pairs are dismissed by their heads: the product of two
// tails is at most the product of their lengths.
func (m *matrix) reaches(i, j int, floor float32) bool {
	a, b := m.row(i), m.row(j)
	product := dot.Of(a[:m.head], b[:m.head])
	if product+m.tails[i]*m.tails[j] < floor {
		return false
	}
	return product+dot.Of(a[m.head:], b[m.head:]) >= floor
}

// cosine is exact. Rows without a vector are similar to nothing.
func (m *matrix) cosine(i, j int) float64 {
	if m.given[i] == nil || m.given[j] == nil {
		return math.Inf(-1)
	}
	return vector.Cosine(m.given[i], m.given[j])
}

// floor is what a row pair must reach in float32 to be looked at in float64.
func floor(least float64) float32 { return float32(least - vector.Margin) }

func squared(v []float32) float64 {
	var s float64
	for _, x := range v {
		s += float64(x) * float64(x)
	}
	return s
}
