package lexical

// copiedRun is how many words in a row make a copy, and fewRaw the fewest words of a
// text whose runs prove anything.
const (
	copiedRun = 3
	fewRaw    = 8
)

// Short reports whether one of two texts is too short for its runs of words to prove anything.
func Short(a, b *Doc) bool { return min(len(a.raw), len(b.raw)) < fewRaw }

// Copied returns the share of a's words, stop words among them, that stand in runs of
// three or more which b has too: 0–1. It is 1 where either text is too short to tell.
func Copied(a, b *Doc) float64 {
	x, y := a.raw, b.raw
	if min(len(x), len(y)) < fewRaw {
		return 1
	}
	runs := make(map[[copiedRun]uint32]bool, len(y))
	for j := 0; j+copiedRun <= len(y); j++ {
		runs[[copiedRun]uint32(y[j:j+copiedRun])] = true
	}
	copied, end := 0, 0 // end is the place behind the last copied word
	for i := 0; i+copiedRun <= len(x); i++ {
		if runs[[copiedRun]uint32(x[i:i+copiedRun])] {
			copied += i + copiedRun - max(i, end)
			end = i + copiedRun
		}
	}
	return float64(copied) / float64(len(x))
}
