package dot

import "unsafe"

// Of returns the inner product of the first len(a) values of both; b must be at least
// as long as a.
func Of(a, b []float32) float32 {
	b = b[:len(a)]
	n := 0
	var s float32
	if vectorised && len(a) >= 8 {
		n = len(a) &^ 7
		s = eights(&a[0], &b[0], n)
	}
	return s + plain(a[n:], b[n:])
}

// plain is the product in Go. Eight accumulators keep the adders busy: with one
// accumulator each addition waits for the one before.
func plain(a, b []float32) float32 {
	var s0, s1, s2, s3, s4, s5, s6, s7 float32
	for len(a) >= 8 && len(b) >= 8 {
		x, y := (*[8]float32)(a), (*[8]float32)(b)
		s0 += x[0] * y[0]
		s1 += x[1] * y[1]
		s2 += x[2] * y[2]
		s3 += x[3] * y[3]
		s4 += x[4] * y[4]
		s5 += x[5] * y[5]
		s6 += x[6] * y[6]
		s7 += x[7] * y[7]
		a, b = a[8:], b[8:]
	}
	s := ((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7))
	for i := range min(len(a), len(b)) {
		s += a[i] * b[i]
	}
	return s
}

// Fetch tells the processor that a row will be read soon, so that it is on its way from
// memory while others are compared: a row that does not follow the one before costs more
// to bring than to compare. It changes nothing.
func Fetch[T int8 | float32](row []T) {
	if len(row) > 0 {
		fetch((*byte)(unsafe.Pointer(unsafe.SliceData(row))))
	}
}
