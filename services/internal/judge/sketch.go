package judge

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/winnowhq/winnow/services/internal/judge/wording"
	"github.com/winnowhq/winnow/services/internal/vector"
)

// sketch is the signs of a vector: 32 bytes for its 1024. Vectors that are near
// agree in most of them.
type sketch [4]uint64

func sketchOf(v []float32) sketch {
	var s sketch
	for i, x := range v[:min(len(v), 256)] {
		if x > 0 {
			s[i/64] |= 1 << (i % 64)
		}
	}
	return s
}

// apart is in how many signs two sketches differ, 0–256, or less when the first
// half shows already that it is at least most.
func (s *sketch) apart(o *sketch, most int) int {
	n := bits.OnesCount64(s[0]^o[0]) + bits.OnesCount64(s[1]^o[1])
	if n >= most {
		return n
	}
	return n + bits.OnesCount64(s[2]^o[2]) + bits.OnesCount64(s[3]^o[3])
}

// sketches finds the texts of a lane that are near by meaning, by document
// number. A scan of all sketches fits into a cache (320 kB for 10,000 texts)
// where the vectors do not, and costs a tenth; what it finds is compared by the
// vectors themselves.
type sketches struct {
	signs   []sketch
	present []bool // has a vector, and was not removed
}

// add appends the next document. A nil vector is never found.
func (s *sketches) add(v []float32) {
	s.signs = append(s.signs, sketchOf(v))
	s.present = append(s.present, v != nil)
}

func (s *sketches) remove(n int32) { s.present[n] = false }

// maxApart is from how many differing signs on a text is too far to be looked
// at. Chance gives 128; a cosine of 0.6 gives about 75.
const maxApart = 84

// maxScanned is how many texts one search looks at, the newest, as the index of
// words does: a scope of any size costs some 20 µs at most.
const maxScanned = 4096

// search returns up to k documents with the fewest differing signs, newest
// first among equals.
func (s *sketches) search(v []float32, k int) []int32 {
	type pick struct {
		number int32
		apart  int
	}
	want, worst := sketchOf(v), maxApart
	picks := make([]pick, 0, k+1)
	for n := len(s.signs) - 1; n >= max(0, len(s.signs)-maxScanned); n-- {
		apart := s.signs[n].apart(&want, worst)
		if apart >= worst || !s.present[n] {
			continue
		}
		at, _ := slices.BinarySearchFunc(picks, apart+1, func(p pick, a int) int { return cmp.Compare(p.apart, a) })
		picks = slices.Insert(picks, at, pick{int32(n), apart})
		if len(picks) > k {
			picks = picks[:k]
		}
		if len(picks) == k {
			worst = picks[k-1].apart
		}
	}
	out := make([]int32, len(picks))
	for i, p := range picks {
		out[i] = p.number
	}
	return out
}

const (
	// maxSketched is how many texts the signs propose, maxMeant how many of them
	// the vectors confirm.
	maxSketched = 12
	maxMeant    = 4
	// leastMeant is the cosine below which texts are on one subject at most.
	leastMeant = 0.6
)

// closest picks the rows whose meaning is nearest to t's: paraphrases that share
// too few words for the index of words. Equal ones by id.
func (l *Lane) closest(t *wording.Text) []*row {
	if t.Vector == nil {
		return nil
	}
	type pick struct {
		row    *row
		cosine float64
	}
	picks := make([]pick, 0, maxSketched)
	for _, n := range l.meanings.search(t.Vector, maxSketched) {
		if c := vector.Cosine(t.Vector, l.numbers[n].text.Vector); c >= leastMeant {
			picks = append(picks, pick{l.numbers[n], c})
		}
	}
	slices.SortFunc(picks, func(a, b pick) int {
		return cmp.Or(cmp.Compare(b.cosine, a.cosine), cmp.Compare(a.row.ID, b.row.ID))
	})
	out := make([]*row, 0, maxMeant)
	for _, p := range picks[:min(len(picks), maxMeant)] {
		out = append(out, p.row)
	}
	return out
}
