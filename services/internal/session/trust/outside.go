package trust

import (
	"hash/maphash"
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// How much external text of one session is held. Beyond these bounds every
// later turn is external: evicting text would let its words pass as trusted.
const (
	maxPassages  = 20_000
	maxSpecifics = 400_000
)

// maxCompared is how many passages a statement is compared with: those that
// share the most words with it. Up to this number every passage is compared.
const maxCompared = 64

// maxVisited bounds the work of finding the passages to compare.
const maxVisited = 8192

// outside is the external text of a session.
type outside struct {
	similar  Similarity
	loose    float64
	seed     maphash.Seed
	trusted  map[uint64]struct{} // specifics that were said earlier from inside
	named    map[uint64]int      // specifics that external text brought in, to its turn
	fetched  map[uint64]int      // files that something was downloaded to, to its turn
	passages []passage
	index    map[uint64][]int32 // words to passages
	full     mark               // the turn at which a bound was exceeded
}

// passage is about one sentence.
type passage struct {
	text string
	turn int
}

func newOutside(similar Similarity, loose float64) *outside {
	return &outside{
		similar: similar, loose: loose, seed: maphash.MakeSeed(),
		trusted: make(map[uint64]struct{}), named: make(map[uint64]int), fetched: make(map[uint64]int), index: make(map[uint64][]int32),
	}
}

// known stores the specifics of a text from inside. External text that repeats
// them introduces nothing new.
func (o *outside) known(text string) {
	if len(o.trusted) >= maxSpecifics {
		return // specifics beyond the bound stay untrusted
	}
	for _, name := range specifics(text, true) {
		o.trusted[o.hash(name)] = struct{}{}
	}
}

// add stores an external text.
func (o *outside) add(text string, turn int) {
	for _, name := range specifics(text, true) {
		key := o.hash(name)
		if _, before := o.trusted[key]; !before {
			o.brings(key, turn)
		}
	}
	if o.similar == nil {
		return
	}
	for _, part := range passages(text) {
		if len(o.passages) >= maxPassages {
			o.full = mark{set: true, turn: turn}
			return
		}
		n := int32(len(o.passages))
		o.passages = append(o.passages, passage{part, turn})
		for _, word := range words(part) {
			key := o.hash(word)
			o.index[key] = append(o.index[key], n)
		}
	}
}

// download stores the name of a fetched file, even if it was named before.
func (o *outside) download(file string, turn int) {
	for _, name := range []string{file, path.Base(file)} {
		name = strings.ToLower(name)
		if len(name) > 2 && !strings.HasSuffix(name, "null") && len(o.fetched) < maxSpecifics {
			o.fetched[o.hash(name)] = turn
			o.brings(o.hash(name), turn)
		}
	}
}

// touches reports whether a text names a file that was fetched, and in which turn.
func (o *outside) touches(text string) (int, bool) {
	if len(o.fetched) == 0 {
		return 0, false
	}
	for _, name := range specifics(text, false) {
		if turn, ok := o.fetched[o.hash(name)]; ok {
			return turn, true
		}
	}
	return 0, false
}

func (o *outside) brings(key uint64, turn int) {
	if _, again := o.named[key]; again {
		return
	}
	if len(o.named) >= maxSpecifics {
		o.full = mark{set: true, turn: turn}
		return
	}
	o.named[key] = turn
}

// carried reports whether a text carries external words, and from which turn.
func (o *outside) carried(text string) (Cause, int) {
	if o.full.set {
		return CauseFull, o.full.turn
	}
	for _, name := range specifics(text, false) {
		if turn, ok := o.named[o.hash(name)]; ok {
			return CauseShares, turn
		}
	}
	if o.similar == nil || len(o.passages) == 0 {
		return "", 0
	}
	for _, part := range passages(text) {
		for _, n := range o.candidates(part) {
			if p := o.passages[n]; o.similar(part, p.text) > o.loose {
				return CauseSimilar, p.turn
			}
		}
	}
	return "", 0
}

// candidates returns the passages worth comparing with a text.
func (o *outside) candidates(text string) []int32 {
	if len(o.passages) <= maxCompared {
		all := make([]int32, len(o.passages))
		for i := range all {
			all[i] = int32(i)
		}
		return all
	}
	var lists [][]int32
	for _, word := range words(text) {
		lists = append(lists, o.index[o.hash(word)])
	}
	// Rare words distinguish passages better, and a word of every passage
	// distinguishes none.
	slices.SortFunc(lists, func(a, b []int32) int { return len(a) - len(b) })
	shared, visited := make(map[int32]int), 0
	for _, list := range lists {
		if visited += len(list); visited > maxVisited && len(shared) > 0 {
			break
		}
		for _, n := range list {
			shared[n]++
		}
	}
	found := make([]int32, 0, len(shared))
	for n := range shared {
		found = append(found, n)
	}
	slices.SortFunc(found, func(a, b int32) int {
		if d := shared[b] - shared[a]; d != 0 {
			return d
		}
		return int(a - b)
	})
	return found[:min(len(found), maxCompared)]
}

func (o *outside) hash(s string) uint64 { return maphash.String(o.seed, s) }

// specifics returns the details by which a text can be recognised: names that
// machines read, addresses, quotations, numbers of three digits and more,
// versions. Of a text that was heard, the hosts of its addresses count too; of
// a text that is judged, the last parts of its paths.
func specifics(text string, heard bool) []string {
	s := memory.Extract(text)
	var names []string
	for _, d := range s.Values {
		if d.Unit != "date" && len(d.Text) > 2 {
			names = append(names, d.Text)
		}
	}
	for _, d := range s.Idents {
		if len(d.Text) < 3 {
			continue
		}
		names = append(names, strings.ToLower(d.Text))
		if base := path.Base(d.Text); base != d.Text && len(base) > 3 && !heard {
			names = append(names, strings.ToLower(base))
		}
	}
	for _, d := range s.Quotes {
		names = append(names, d.Text)
	}
	for _, d := range s.URLs {
		names = append(names, d.Text)
		if u, err := url.Parse(d.Text); heard && err == nil && u.Host != "" {
			names = append(names, strings.ToLower(u.Hostname()))
		}
	}
	return names
}

// maxPassage is the length of a passage in bytes: a page as a whole is similar
// to nothing.
const maxPassage = 400

// passages splits a text into sentences. A single word is too little to
// compare.
func passages(text string) []string {
	var parts []string
	keep := func(part string) {
		if part = strings.TrimSpace(part); len(part) > 6 && strings.ContainsAny(part, " \t") {
			parts = append(parts, part)
		}
	}
	for line := range strings.SplitSeq(text, "\n") {
		start := 0
		for i := 0; i < len(line); i++ {
			ends := strings.IndexByte(".!?;", line[i]) >= 0 && (i+1 == len(line) || line[i+1] == ' ')
			if ends || i-start > maxPassage && line[i] == ' ' {
				keep(line[start : i+1])
				start = i + 1
			}
		}
		keep(line[start:])
	}
	return parts
}

// words returns the distinct words of a text that carry meaning, by length.
func words(text string) []string {
	fields := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' })
	fields = slices.DeleteFunc(fields, func(w string) bool { return len(w) < 3 })
	slices.Sort(fields)
	return slices.Compact(fields)
}
