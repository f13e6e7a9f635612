package lexical

import (
	"slices"
	"strings"
	"sync"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/german"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// Term is a word of a text after stemming and joining of synonyms, as a hash.
type Term struct {
	ID     uint64
	Weight float32 // how much the word says, 0.1–2
	Value  bool    // a number, version or date
}

// Doc is a text ready for comparison. Its trigrams are made on first use, so a
// Doc is not safe for concurrent use; neither is the lane that owns it.
type Doc struct {
	Terms []Term // sorted by id, each once
	Total float32
	Words int // words that carry meaning

	values float32 // the part of Total that numbers have
	order  []Term  // the words of meaning as they were written, at most maxOrder

	raw []uint32 // every word as it was written, a wordless one marked

	source string   // the words that trigrams are made of
	grams  []uint32 // sorted character trigrams, nil until asked for
}

// Slim gives back what the analysis reserved and did not need, for a Doc that is
// kept: a quarter of it.
func (d *Doc) Slim() {
	d.Terms, d.order, d.raw = fitted(d.Terms), fitted(d.order), fitted(d.raw)
}

// fitted returns s in an array of its own length.
func fitted[T any](s []T) []T {
	if len(s) == cap(s) {
		return s
	}
	return append(make([]T, 0, len(s)), s...)
}

// Bytes estimates the memory of a slim Doc in an [Index], trigrams included.
func (d *Doc) Bytes() int {
	const (
		fixed   = 200 // the struct, its allocations and its slots in an index
		posting = 24  // a term's place in the index, with its share of the map
		term    = 16
	)
	words := max(len(d.source), len(d.grams)) // a trigram for each byte of the words
	return fixed + len(d.Terms)*(term+posting) + len(d.order)*term + len(d.raw)*4 + words*5
}

// Analyzer turns tokens into terms. It is safe for concurrent use.
type Analyzer struct {
	mu    sync.RWMutex
	stems map[string]string
}

// maxStems bounds the cache. A full one is thrown away: a word is stemmed again in
// a microsecond, while the bookkeeping of an LRU makes every analysis a quarter
// slower, and two at once more than twice.
const maxStems = 1 << 16

// NewAnalyzer returns an analyzer with an empty stem cache.
func NewAnalyzer() *Analyzer {
	return &Analyzer{stems: make(map[string]string, 1024)}
}

// Weights of terms. Names that a machine reads and numbers say most, words that
// fit any sentence least.
const (
	weightIdent   = 1.6
	weightPart    = 0.3
	weightNumber  = 1.3
	weightWord    = 1.0
	weightGeneric = 0.4
	weightFaint   = 0.15
)

// Analyze makes a Doc of scanned text. Tokens that skip marks are left out:
// observation stamps.
func (a *Analyzer) Analyze(tokens []memory.Token, skip []bool) *Doc {
	d := &Doc{Terms: make([]Term, 0, len(tokens)+4), raw: make([]uint32, 0, len(tokens))}
	de := isGerman(tokens)
	for i, t := range tokens {
		if skip != nil && skip[i] {
			continue
		}
		a.addToken(d, tokens, i, t, de)
		d.raw = append(d.raw, a.written(t, de))
	}
	d.keepOrder()
	slices.SortFunc(d.Terms, func(x, y Term) int {
		switch {
		case x.ID < y.ID:
			return -1
		case x.ID > y.ID:
			return 1
		}
		return int((y.Weight - x.Weight) * 100) // the heaviest of equals first
	})
	d.Terms = slices.CompactFunc(d.Terms, func(x, y Term) bool { return x.ID == y.ID })
	for _, t := range d.Terms {
		d.Total += t.Weight
		if t.Value {
			d.values += t.Weight
		}
	}
	d.source = source(tokens, skip)
	return d
}

func (a *Analyzer) addToken(d *Doc, tokens []memory.Token, i int, t memory.Token, de bool) {
	switch t.Class {
	case memory.TokenArrow:
	case memory.TokenNumber, memory.TokenDate:
		d.Terms = append(d.Terms, Term{ID: hash(t.Value), Weight: weightNumber, Value: true})
		if len(t.Unit) > 2 {
			d.add(a.canonical(t.Unit, de), weightWord)
		}
	case memory.TokenIdent, memory.TokenURL:
		d.add(t.Value, weightIdent)
		a.addParts(d, t, de)
	default:
		if stop[t.Value] {
			return
		}
		hyphen := strings.IndexByte(t.Value, '-') > 0
		word := t.Value // a compound is a name and equals the same in backticks
		if _, known := synonyms[word]; known || !hyphen {
			word = a.canonical(word, de)
		}
		// "stops working" is to fail.
		if word == "work" && i > 0 && a.canonical(tokens[i-1].Value, de) == "stop" {
			word = "fail"
		}
		weight := float32(weightWord)
		switch {
		case faint[word]:
			weight = weightFaint
		case generic[word]:
			weight = weightGeneric
		}
		if t.Code || t.Quote != 0 {
			weight = weightIdent
		}
		if weight > weightFaint {
			d.Words++
		}
		d.add(word, weight)
		if hyphen {
			a.addParts(d, t, de)
		}
	}
}

// wordless marks, in the lowest bit of a raw word, one that says nothing by
// itself: a stop word, or one that only obliges or marks time.
const wordless = 1

// written is the word of a token for [edited]: inflection and synonyms are
// taken off, nothing is left out.
func (a *Analyzer) written(t memory.Token, de bool) uint32 {
	word, empty := t.Value, uint32(0)
	if t.Class == memory.TokenWord && !t.Code {
		if stop[word] {
			empty = wordless
		} else if word = a.canonical(word, de); faint[word] && !marks[word] {
			empty = wordless
		}
	}
	return uint32(hash(word))&^wordless | empty
}

// marks are faint words that take the place of words of meaning: "the default
// section" against "the first section".
var marks = set(`first anoth other new current default now`)

// addParts adds the words inside an identifier: get and instance of
// getInstance. The humps were lost with the case, so parts are cut at
// punctuation only.
func (a *Analyzer) addParts(d *Doc, t memory.Token, de bool) {
	d.Words++
	parts := strings.FieldsFunc(t.Value, func(r rune) bool { return strings.ContainsRune("./_-@#:$*()\\?&=", r) })
	if len(parts) == 1 {
		// One word in backticks equals the same word without them.
		if w := a.canonical(parts[0], de); w != t.Value {
			d.add(w, weightPart)
		}
		return
	}
	for _, p := range parts {
		if len(p) > 1 {
			d.add(a.canonical(p, de), weightPart)
		}
	}
}

// maxOrder bounds the words that are aligned; longer texts are not edits of one
// another.
const maxOrder = 48

// keepOrder remembers the words as written, before they are sorted. Parts of
// identifiers and words that say little are left out.
func (d *Doc) keepOrder() {
	for _, t := range d.Terms {
		if t.Weight >= weightGeneric && len(d.order) < maxOrder {
			d.order = append(d.order, t)
		}
	}
}

func (d *Doc) add(word string, weight float32) {
	d.Terms = append(d.Terms, Term{ID: hash(word), Weight: weight})
}

// canonical stems a word and maps it to the head of its synonyms.
func (a *Analyzer) canonical(word string, de bool) string {
	key := word
	if de {
		key = "\x00" + word
	}
	a.mu.RLock()
	s, ok := a.stems[key]
	a.mu.RUnlock()
	if ok {
		return s
	}
	s = stem(word, de)
	a.mu.Lock()
	if len(a.stems) >= maxStems {
		a.stems = make(map[string]string, 1024)
	}
	a.stems[key] = s
	a.mu.Unlock()
	return s
}

// stem maps a word to its canonical form, looking for synonyms before and after
// stemming: "db" has no stem worth the name, "initialised" has.
func stem(word string, de bool) string {
	if head, ok := synonyms[word]; ok {
		return head
	}
	env := snowballstem.NewEnv(word)
	if de {
		german.Stem(env)
	} else {
		english.Stem(env)
	}
	s := env.Current()
	if head, ok := stemmedSynonyms[s]; ok {
		return head
	}
	return s
}

// isGerman counts the little words of either language; a draw is English.
func isGerman(tokens []memory.Token) bool {
	de, en := 0, 0
	for _, t := range tokens {
		if t.Class != memory.TokenWord {
			continue
		}
		if germanMarks[t.Value] {
			de++
		}
		if englishMarks[t.Value] {
			en++
		}
	}
	return de > en
}

// hash is FNV-1a.
func hash(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}

// source joins the words of meaning, for the trigrams.
func source(tokens []memory.Token, skip []bool) string {
	var b strings.Builder
	for i, t := range tokens {
		if skip != nil && skip[i] || t.Class == memory.TokenWord && stop[t.Value] {
			continue
		}
		b.WriteString(t.Value)
		b.WriteByte(' ')
	}
	return b.String()
}

// trigrams are the three-byte windows of the words, each padded by a blank, so
// that a changed ending costs little and a changed word much.
func (d *Doc) trigrams() []uint32 {
	if d.grams != nil || d.source == "" {
		return d.grams
	}
	out := make([]uint32, 0, len(d.source))
	a, b := uint32(' '), uint32(' ')
	for i := range len(d.source) {
		c := uint32(d.source[i])
		if a != ' ' || b != ' ' || c != ' ' {
			out = append(out, a<<16|b<<8|c)
		}
		a, b = b, c
	}
	slices.Sort(out)
	d.grams = fitted(slices.Compact(out))
	d.source = ""
	return d.grams
}
