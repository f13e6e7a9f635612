package judge

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/winnowhq/winnow/services/internal/judge/wording"
	"github.com/winnowhq/winnow/services/internal/vector"
)

// sketch holds the signs of the first 256 components of a vector, in 32 bytes. Near
// vectors agree in most of them.
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

// distance returns in how many signs two sketches differ, 0–256. It stops after the
// first half when that already differs in at least limit signs.
func (s *sketch) distance(o *sketch, limit int) int {
	n := bits.OnesCount64(s[0]^o[0]) + bits.OnesCount64(s[1]^o[1])
	if n >= limit {
		return n
	}
	return n + bits.OnesCount64(s[2]^o[2]) + bits.OnesCount64(s[3]^o[3])
}

// sketches finds the texts of a lane that are near by meaning, by document number. A
// scan of all sketches fits into a CPU cache (320 kB for 10,000 texts), where the
// vectors do not, and costs a tenth. The texts that it finds are compared by the
// vectors themselves.
type sketches struct {
	signs   []sketch
	present []bool // by document: has a vector and is not removed
}

// add appends the next document. A nil vector is never found.
func (s *sketches) add(v []float32) {
	s.signs = append(s.signs, sketchOf(v))
	s.present = append(s.present, v != nil)
}

func (s *sketches) remove(n int32) { s.present[n] = false }

// maxDistance is the number of differing signs from which a text is too far to be
// compared. Chance gives 128; a cosine of 0.6 gives about 75.
const maxDistance = 84

// maxScanned is how many texts one search reads, the newest first, as in the index of
// words. So a search costs some 20 µs at most, in a scope of any size.
const maxScanned = 4096

// search returns up to k documents with the fewest differing signs, ties newest
// first.
func (s *sketches) search(v []float32, k int) []int32 {
	type pick struct {
		number   int32
		distance int
	}
	want, worst := sketchOf(v), maxDistance
	picks := make([]pick, 0, k+1)
	for n := len(s.signs) - 1; n >= max(0, len(s.signs)-maxScanned); n-- {
		distance := s.signs[n].distance(&want, worst)
		if distance >= worst || !s.present[n] {
			continue
		}
		at, _ := slices.BinarySearchFunc(picks, distance+1, func(p pick, a int) int { return cmp.Compare(p.distance, a) })
		picks = slices.Insert(picks, at, pick{int32(n), distance})
		if len(picks) > k {
			picks = picks[:k]
		}
		if len(picks) == k {
			worst = picks[k-1].distance
		}
	}
	out := make([]int32, len(picks))
	for i, p := range picks {
		out[i] = p.number
	}
	return out
}

const (
	// maxSketched is how many texts the signs propose, and maxConfirmed how many of
	// them the vectors confirm at most.
	maxSketched  = 12
	maxConfirmed = 4
	// minCosine is the cosine below which two texts are at most on one subject.
	minCosine = 0.6
)

// closest returns the rows whose vectors are nearest to t's: paraphrases that share
// too few words for the index of words. Ties are ordered by id.
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
		if c := vector.Cosine(t.Vector, l.numbers[n].text.Vector); c >= minCosine {
			picks = append(picks, pick{l.numbers[n], c})
		}
	}
	slices.SortFunc(picks, func(a, b pick) int {
		return cmp.Or(cmp.Compare(b.cosine, a.cosine), cmp.Compare(a.row.ID, b.row.ID))
	})
	out := make([]*row, 0, maxConfirmed)
	for _, p := range picks[:min(len(picks), maxConfirmed)] {
		out = append(out, p.row)
	}
	return out
}
