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
	runs := runsOf(y)
	copied, end := 0, 0 // end is the place behind the last copied word
	for i := 0; i+copiedRun <= len(x); i++ {
		if runs.has([copiedRun]uint32(x[i : i+copiedRun])) {
			copied += i + copiedRun - max(i, end)
			end = i + copiedRun
		}
	}
	return float64(copied) / float64(len(x))
}

// runs are the runs of words of a text: searched as they stand where they are few, as in
// nearly every text, else in a map.
type runs struct {
	words  []uint32
	sought map[[copiedRun]uint32]bool // nil where they are few
}

// fewRuns is how many words are searched without a map, which takes longer to make.
const fewRuns = 64

func runsOf(words []uint32) runs {
	r := runs{words: words}
	if len(words) > fewRuns {
		r.sought = make(map[[copiedRun]uint32]bool, len(words))
		for j := 0; j+copiedRun <= len(words); j++ {
			r.sought[[copiedRun]uint32(words[j:j+copiedRun])] = true
		}
	}
	return r
}

func (r *runs) has(run [copiedRun]uint32) bool {
	if r.sought != nil {
		return r.sought[run]
	}
	for j := 0; j+copiedRun <= len(r.words); j++ {
		if r.words[j] == run[0] && [copiedRun]uint32(r.words[j:j+copiedRun]) == run {
			return true
		}
	}
	return false
}
