package vector

import (
	"math"
	"math/bits"
	"slices"
)

// The constants of BM25, equal to those of Qdrant's own bm25 model.
const (
	bm25K1 = 1.2
	bm25B  = 0.75
)

// Weigh returns the weighted tokens of BM25 for the analysed words of a text: tf·(k1+1)
// / (tf + k1·(1−b+b·len/avgLen)). The other factor of the score, the IDF, belongs to
// the index, because it changes with every document.
//
// avgLen is a constant of the generation, in words; when it is not positive the
// length of a text does not count.
func Weigh(words []string, avgLen float64) Sparse {
	counts := make(map[uint32]int, len(words))
	for _, w := range words {
		counts[TokenOf(w)]++
	}
	relative := 1.0
	if avgLen > 0 {
		relative = float64(len(words)) / avgLen
	}
	norm := bm25K1 * (1 - bm25B + bm25B*relative)
	s := Sparse{Tokens: make([]uint32, 0, len(counts)), Weights: make([]float32, 0, len(counts))}
	for token := range counts {
		s.Tokens = append(s.Tokens, token)
	}
	slices.Sort(s.Tokens)
	for _, token := range s.Tokens {
		tf := float64(counts[token])
		s.Weights = append(s.Weights, float32(tf*(bm25K1+1)/(tf+norm)))
	}
	return s
}

// IDF returns the weight of a token in a query when df of n documents have it, as
// Qdrant computes it for a sparse vector with the IDF modifier. n counts documents with
// at least one token.
func IDF(n, df int) float64 {
	return math.Log((float64(n)-float64(df)+0.5)/(float64(df)+0.5) + 1)
}

// TokenOf returns the token of a word: |int32(murmur3_32(word))|, as in Qdrant's bm25
// model, so that either side may make it. Two words share a token about once in 2^31
// pairs.
func TokenOf(word string) uint32 {
	h := int32(murmur3(word))
	if h < 0 {
		// The least int32 has no positive counterpart; an uint32 can hold it.
		return uint32(-int64(h))
	}
	return uint32(h)
}

// murmur3 returns MurmurHash3 x86 32 with seed 0 (Austin Appleby, public domain).
func murmur3(s string) uint32 {
	const c1, c2 = 0xcc9e2d51, 0x1b873593
	var h uint32
	n := len(s)
	for ; len(s) >= 4; s = s[4:] {
		k := uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
		h ^= bits.RotateLeft32(k*c1, 15) * c2
		h = bits.RotateLeft32(h, 13)*5 + 0xe6546b64
	}
	var k uint32
	for i := len(s) - 1; i >= 0; i-- {
		k = k<<8 | uint32(s[i])
	}
	h ^= bits.RotateLeft32(k*c1, 15) * c2
	h ^= uint32(n)
	h = (h ^ h>>16) * 0x85ebca6b
	h = (h ^ h>>13) * 0xc2b2ae35
	return h ^ h>>16
}
