package search

import (
	"slices"

	"github.com/winnowhq/winnow/services/internal/vector"
)

// Places numbers documents by their rows in an index, from 0 in the order of Add. A search
// finds hundreds of documents several times over, and by an id each time costs ten times as
// much. The zero value is empty.
type Places struct {
	by   []int32 // place plus one, by row
	rows []int32
}

// AllInRows reports whether all hits have a row, so that rows tell documents apart.
func AllInRows(hits []vector.Hit) bool {
	for i := range hits {
		if hits[i].Row <= 0 {
			return false
		}
	}
	return true
}

// Add returns the place of a row, a new one if need be. row is at least 1.
func (p *Places) Add(row int32) (place int, known bool) {
	if at := p.At(row); at >= 0 {
		return at, true
	}
	if more := int(row) + 1 - len(p.by); more > 0 {
		p.by = slices.Grow(p.by, more)[:int(row)+1]
	}
	p.rows = append(p.rows, row)
	p.by[row] = int32(len(p.rows))
	return len(p.rows) - 1, false
}

// At returns the place of a row, or -1.
func (p *Places) At(row int32) int {
	if row < 0 || int(row) >= len(p.by) {
		return -1
	}
	return int(p.by[row]) - 1
}

// Len is how many documents have a place.
func (p *Places) Len() int { return len(p.rows) }

// Clear forgets all documents and keeps the memory.
func (p *Places) Clear() {
	for _, row := range p.rows {
		p.by[row] = 0
	}
	p.rows = p.rows[:0]
}
