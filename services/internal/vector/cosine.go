package vector

import "math"

// Margin is a generous bound on the error of a cosine computed in float32. Within this
// distance of a threshold [Cosine] decides.
const Margin = 1e-4

// Cosine returns the cosine of two vectors of equal length, in float64 and summed from
// the first value to the last, so that it is the same on every machine. It is 0 when
// either vector has length zero.
func Cosine(a, b []float32) float64 {
	b = b[:len(a)]
	var dot, aa, bb float64
	for i, x := range a {
		// Go may combine a product and a sum into one rounding; the conversions prevent
		// that, or two machines could differ in the last bit.
		xf, yf := float64(x), float64(b[i])
		dot += float64(xf * yf)
		aa += float64(xf * xf)
		bb += float64(yf * yf)
	}
	if aa == 0 || bb == 0 {
		return 0
	}
	return dot / math.Sqrt(aa*bb)
}
