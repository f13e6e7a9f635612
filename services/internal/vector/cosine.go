package vector

import "math"

// Margin is how far from a threshold a cosine computed in float32 may be wrong,
// many times over. Inside it [Cosine] decides.
const Margin = 1e-4

// Cosine is the cosine of two vectors of one length, in float64 and summed from
// the first value to the last, so that it is the same wherever it is computed.
// It is 0 when one has no length.
func Cosine(a, b []float32) float64 {
	b = b[:len(a)]
	var dot, aa, bb float64
	for i, x := range a {
		// Go may fuse a product and a sum into one rounding; the conversions
		// forbid it, or two machines could disagree in the last bit.
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
