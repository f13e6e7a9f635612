package calibrate

import "math"

// z95 is the quantile of the normal distribution for a two-sided 95 %.
const z95 = 1.959963984540054

// Wilson returns the 95 % interval of a share that was seen in n trials (Wilson 1927).
// Unlike the normal approximation it holds for shares near 0 and 1 and for few trials,
// which is where thresholds lie. Without trials it is 0 to 1.
func Wilson(share float64, n int) (low, high float64) {
	if n == 0 {
		return 0, 1
	}
	t := float64(n)
	middle := share + z95*z95/(2*t)
	spread := z95 * math.Sqrt(share*(1-share)/t+z95*z95/(4*t*t))
	scale := 1 + z95*z95/t
	return max(0, (middle-spread)/scale), min(1, (middle+spread)/scale)
}
