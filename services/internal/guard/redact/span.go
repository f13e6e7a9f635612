package redact

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"

	"github.com/winnowhq/winnow/services/internal/guard/redact/plausible"
)

// shortestSecret is the length in bytes below which no rule can match.
const shortestSecret = 4

// shortestRepeat is the length in bytes from which a secret found once is
// looked for in the rest of the text. Shorter ones are often plain words.
const shortestRepeat = 10

// Ranks order rules that claim the same bytes: a rule that knows the vendor
// names the finding better than one that only saw an assignment.
const (
	rankSpecific = iota
	rankShaped
	rankGeneric
)

// span is a part of a segment claimed by a rule.
type span struct {
	rule       string
	rank       int
	start, end int
}

// repeats adds the other occurrences of the secrets found: a key that was
// recognised by its label is as secret where it stands alone.
func repeats(segment string, found []span) []span {
	index := newRepeatIndex(len(found))
	for i, sp := range found {
		index.add(core(segment[sp.start:sp.end]), i)
	}
	own := found[:len(found):len(found)]
	index.each(segment, func(id, start, end int) {
		if sp := own[id]; start < sp.start || start >= sp.end {
			found = append(found, span{rule: sp.rule, rank: sp.rank, start: start, end: end})
		}
	})
	return found
}

// resolve merges overlapping spans into their union, named by the best rule
// among those that cover most of it.
func resolve(found []span) []span {
	slices.SortFunc(found, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end),
			cmp.Compare(a.rank, b.rank), cmp.Compare(a.rule, b.rule))
	})
	out := found[:0]
	named := 0 // length of the span that gave the last union its name
	for _, sp := range found {
		if len(out) == 0 || sp.start >= out[len(out)-1].end {
			out = append(out, sp)
			named = sp.end - sp.start
			continue
		}
		last := &out[len(out)-1]
		last.end = max(last.end, sp.end)
		if length := sp.end - sp.start; sp.rank < last.rank && 2*length >= named {
			last.rule, last.rank, named = sp.rule, sp.rank, length
		}
	}
	return out
}

// core returns a secret without the punctuation around it that a rule included:
// where the secret occurs again, the punctuation differs.
func core(secret string) string { return strings.Trim(secret, "\"'`.,;:!?()[]{}<>") }

// repeatWindow is the number of bytes of a secret by which it is looked up. It is
// taken from the secret's middle, since keys of one vendor begin alike.
const repeatWindow = shortestRepeat

// maxSameWindow bounds the secrets of one window. A text with more of them was made
// to slow the search down.
const maxSameWindow = 8

// repeatIndex finds many secrets in a text in one pass, at the price of a hash
// for each byte. It is not safe for concurrent use.
type repeatIndex struct {
	windows map[uint64][]repeated
	// seen has a bit for the hashes of the windows, so that the map is asked
	// rarely: sixteen bits for each secret, a power of two of them.
	seen  []uint64
	shift int // of a hash to its bit
}

type repeated struct {
	secret string
	offset int // of the window in the secret
	id     int
}

// newRepeatIndex returns an index for so many secrets; more make it slower.
func newRepeatIndex(secrets int) *repeatIndex {
	width := max(10, bits.Len(uint(16*secrets)))
	return &repeatIndex{
		windows: make(map[uint64][]repeated, secrets),
		seen:    make([]uint64, 1<<(width-6)), shift: 64 - width,
	}
}

// add makes a secret known under the caller's id. Short ones and plain words are
// left out, and so is one that is known.
func (x *repeatIndex) add(secret string, id int) {
	if len(secret) < shortestRepeat || !plausible.Mixed(secret) {
		return
	}
	offset := (len(secret) - repeatWindow) / 2
	var h uint64
	for i := range repeatWindow {
		h = h*hashBase + uint64(secret[offset+i])
	}
	same := x.windows[h]
	if len(same) >= maxSameWindow || slices.ContainsFunc(same, func(r repeated) bool { return r.secret == secret }) {
		return
	}
	x.windows[h] = append(same, repeated{secret, offset, id})
	bit := x.bit(h)
	x.seen[bit>>6] |= 1 << (bit & 63)
}

// hashBase is the base of the rolling hash: any odd number with well mixed bits.
const hashBase = 0x9e3779b97f4a7c15

// bit returns the bit of a hash in seen.
func (x *repeatIndex) bit(h uint64) uint64 { return h * hashBase >> x.shift }

// each calls hit for every occurrence of a secret, with its id.
func (x *repeatIndex) each(text string, hit func(id, start, end int)) {
	if len(x.windows) == 0 || len(text) < repeatWindow {
		return
	}
	leaving := uint64(1)
	for range repeatWindow {
		leaving *= hashBase
	}
	var h uint64
	for i := range len(text) {
		h = h*hashBase + uint64(text[i])
		if i >= repeatWindow {
			h -= leaving * uint64(text[i-repeatWindow])
		}
		bit := x.bit(h)
		if i < repeatWindow-1 || x.seen[bit>>6]&(1<<(bit&63)) == 0 {
			continue
		}
		for _, r := range x.windows[h] {
			start := i + 1 - repeatWindow - r.offset
			if start >= 0 && strings.HasPrefix(text[start:], r.secret) {
				hit(r.id, start, start+len(r.secret))
			}
		}
	}
}
