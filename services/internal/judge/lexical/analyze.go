package lexical

import (
	"slices"
	"strings"
	"sync"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/german"

	"github.com/winnowhq/winnow/services/internal/language"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// Term is the hash of a word after stemming and synonyms.
type Term struct {
	ID     uint64
	Weight float32 // how much meaning the word carries, 0.1–2
	Value  bool    // a number, version or date
}

// Doc is a text analysed for comparison. Its trigrams are computed on first use, so a
// Doc is not safe for concurrent use; neither is the lane that owns it.
type Doc struct {
	Terms []Term // sorted by id, each once
	Total float32
	Words int // words that carry meaning
	// German says that the text has more of the little words of German than of
	// English.
	German bool

	values float32 // weight of the numbers in Total
	order  []Term  // words of meaning in their order in the text, at most maxOrder

	raw []uint32 // every word in its order in the text, marked where wordless

	source string   // the words that trigrams are computed from
	grams  []uint32 // sorted character trigrams, nil until asked for
}

// Slim releases spare capacity of the analysis, about a quarter of a Doc, before the
// Doc is stored.
func (d *Doc) Slim() {
	d.Terms, d.order, d.raw = fitted(d.Terms), fitted(d.order), fitted(d.raw)
}

// fitted returns s in an array of exactly its length.
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
		posting = 24  // a term in the index, with its share of the map
		term    = 16
	)
	words := max(len(d.source), len(d.grams)) // a trigram for each byte of the words
	return fixed + len(d.Terms)*(term+posting) + len(d.order)*term + len(d.raw)*4 + words*5
}

// Analyzer turns tokens into terms. Safe for concurrent use.
type Analyzer struct {
	mu    sync.RWMutex
	stems map[string]string
}

// maxStems bounds the cache of stems. A full cache is dropped: stemming a word again
// takes a microsecond, while the bookkeeping of an LRU makes every analysis a quarter
// slower, and two concurrent ones more than twice.
const maxStems = 1 << 16

// NewAnalyzer returns an analyzer with an empty stem cache.
func NewAnalyzer() *Analyzer {
	return &Analyzer{stems: make(map[string]string, 1024)}
}

// Weights of terms. Identifiers and numbers carry most meaning, and words that fit any
// sentence carry least.
const (
	weightIdent   = 1.6
	weightPart    = 0.3
	weightNumber  = 1.3
	weightWord    = 1.0
	weightGeneric = 0.4
	weightFaint   = 0.15
)

// Analyze makes a Doc of scanned text. Tokens marked in skip, observation stamps, are
// left out.
func (a *Analyzer) Analyze(tokens []memory.Token, skip []bool) *Doc {
	d := &Doc{Terms: make([]Term, 0, len(tokens)+4), raw: make([]uint32, 0, len(tokens))}
	de := language.Of(tokens) == language.German
	d.German = de
	unit := -1 // the token that was read as the unit of the number before it
	for i, t := range tokens {
		if skip != nil && skip[i] {
			continue
		}
		if memory.CountsNothing(tokens, i) {
			d.raw = append(d.raw, uint32(hash(t.Value))|wordless)
			continue
		}
		if amount, next := memory.Amount(tokens, i); amount != "" {
			// Half by its amount, half by its digits: "from 7 to 21 days" names no unit at 7.
			d.Terms = append(d.Terms, Term{ID: hash(t.Value), Weight: weightNumber / 2, Value: true}, Term{ID: hash(amount), Weight: weightNumber / 2, Value: true})
			d.raw = append(d.raw, uint32(hash(amount))&^wordless)
			unit = i + next
			continue
		}
		if i == unit {
			continue
		}
		a.addToken(d, tokens, i, t, de)
		d.raw = append(d.raw, a.written(t, de))
	}
	d.recordOrder()
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

// wordless is the lowest bit of a raw word. It marks a word without meaning of its
// own: a stop word, or one that only obliges or marks time.
const wordless = 1

// written returns the word of a token for [edited]. Inflection and synonyms are
// removed, and no word is left out.
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

// marks are faint words that can replace words of meaning: "the default section"
// against "the first section".
var marks = memory.WordSet(`first anoth other new current default now`)

// addParts adds the words inside an identifier, such as pool and size of pool_size.
// It cuts at punctuation only, because the case that marks words in getInstance is
// lost.
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

// maxOrder bounds the words that are aligned. Longer texts are not edits of one
// another.
const maxOrder = 48

// recordOrder records the words in their order in the text, before Terms is sorted.
// Parts of identifiers and words of little meaning are left out.
func (d *Doc) recordOrder() {
	for _, t := range d.Terms {
		if t.Weight >= weightGeneric && len(d.order) < maxOrder {
			d.order = append(d.order, t)
		}
	}
}

func (d *Doc) add(word string, weight float32) {
	d.Terms = append(d.Terms, Term{ID: hash(word), Weight: weight})
}

// canonical returns the stem of a word, or the head of its synonyms.
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

// stem returns the canonical form of a word. It looks for synonyms before and after
// stemming: "db" has no useful stem, "initialised" has.
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

// hash returns the FNV-1a hash of s.
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

// trigrams returns the three-byte windows of the words, each padded by a blank, so
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

// ID returns the id that [Analyzer.Analyze] gives a word of a text: by its stem
// and synonym, or as it is written when it is an identifier or a compound.
// german is [Doc.German] of the text.
func (a *Analyzer) ID(word string, ident, german bool) uint64 {
	if _, known := synonyms[word]; !ident && (known || strings.IndexByte(word, '-') <= 0) {
		word = a.canonical(word, german)
	}
	return hash(word)
}
