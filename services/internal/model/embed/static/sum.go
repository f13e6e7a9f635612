package static

import "math"

// Rows are added eight numbers at a time, four to a machine word in lanes of 16
// bits: about four times as fast as one by one, in plain Go on any platform.
const (
	lanes = 0x00ff00ff00ff00ff
	// bias turns an int8 into an unsigned byte: v becomes v + 128, so that a lane never
	// borrows from its neighbour.
	bias = 0x8080808080808080
	// full is how many rows a lane holds before it overflows: 257 × 255 is
	// 65535.
	full = 257
)

// sum adds rows. The zero value is empty.
type sum struct {
	even, odd [Dim / 8]uint64 // lanes, of rows since the last spill
	rows      int             // in the lanes
	total     [Dim]int32      // without the bias
}

// add adds a row of [Dim] bytes.
func (s *sum) add(row string) {
	for i := range s.even {
		b := row[i*8 : i*8+8]
		x := uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
			uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
		x ^= bias
		s.even[i] += x & lanes
		s.odd[i] += x >> 8 & lanes
	}
	if s.rows++; s.rows == full {
		s.spill()
	}
}

// spill empties the lanes into the total.
func (s *sum) spill() {
	for i := range s.even {
		for lane := range 4 {
			s.total[i*8+lane*2] += int32(uint16(s.even[i]>>(16*lane))) - int32(s.rows)*128
			s.total[i*8+lane*2+1] += int32(uint16(s.odd[i]>>(16*lane))) - int32(s.rows)*128
		}
	}
	clear(s.even[:])
	clear(s.odd[:])
	s.rows = 0
}

// unit returns the direction of the sum, nil where the sum is zero. The sum and its
// square are exact in integers (8,300 rows × 127 squared, 256 times, is below 2⁵³), so
// only the last step rounds, and equally on every machine.
func (s *sum) unit() []float32 {
	s.spill()
	var square int64
	for _, x := range s.total {
		square += int64(x) * int64(x)
	}
	if square == 0 {
		return nil
	}
	length := math.Sqrt(float64(square))
	out := make([]float32, Dim)
	for i, x := range s.total {
		out[i] = float32(float64(x) / length)
	}
	return out
}
