package merge

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/winnowhq/winnow/services/internal/guard/poison"
	"github.com/winnowhq/winnow/services/internal/judge/lexical"
	"github.com/winnowhq/winnow/services/internal/judge/wording"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// reader analyses texts: words, specifics and subject of each. It is safe for
// concurrent use.
type reader struct {
	texts *wording.Analyzer
	words *lexical.Analyzer
}

func newReader() *reader { return &reader{texts: wording.NewAnalyzer(), words: lexical.NewAnalyzer()} }

// shared caches stems for the whole process: analysers are made for that.
var shared = newReader()

// corpus is everything that the sources say.
type corpus struct {
	*reader
	sources []Source // oldest first, ties by id
	units   []unit   // of the texts, in the order of the sources
	labels  []unit   // titles and descriptions: they bear words out and are not taken over
	length  int      // runes of all texts
	// statements counts the units of each source that say something: no headings, no
	// blocks.
	statements []int
	german     bool // more German than English
	mixed      bool // some sources are German, some English
	achieved   bool // as in Options

	terms  map[uint64]bool // ids of all words that the sources may be quoted for
	values map[string]bool // numbers and dates as canonical tokens
	names  map[string]bool // identifiers, URLs and capitalised words as canonical tokens
	folded string          // all texts in lower case, to find a name letter by letter
}

// read analyses the sources. Sentences that give orders to a reader or a model are
// marked, and nothing can be quoted from them.
func (r *reader) read(sources []Source) *corpus {
	c := &corpus{reader: r, sources: slices.Clone(sources), terms: map[uint64]bool{}, values: map[string]bool{}, names: map[string]bool{}}
	// The order must not depend on the caller's: the same memories give the same text.
	slices.SortStableFunc(c.sources, func(a, b Source) int {
		return cmp.Or(when(&a).Compare(when(&b)), strings.Compare(a.ID, b.ID), strings.Compare(a.Text, b.Text))
	})
	var folded strings.Builder
	german := 0
	for i := range c.sources {
		s := &c.sources[i]
		c.length += utf8.RuneCountInString(strings.TrimSpace(s.Text))
		de, stated := false, 0
		for _, u := range split(s.Text) {
			u.source, u.order = i, len(c.units)
			c.analyse(&u)
			de = de || u.read.Doc.German
			c.units = append(c.units, u)
			if u.states() {
				stated++
			}
			c.quotable(&u, &folded)
		}
		for _, label := range []string{s.Title, s.Description, strings.Join(s.Tags, ", ")} {
			for _, u := range split(label) {
				u.source, u.order = i, -1
				c.analyse(&u)
				c.labels = append(c.labels, u)
				c.quotable(&u, &folded)
			}
		}
		if de {
			german++
		}
		c.statements = append(c.statements, stated)
	}
	c.german = german*2 > len(c.sources)
	c.mixed = german > 0 && german < len(c.sources)
	c.folded = folded.String()
	return c
}

// when is the time that a memory speaks of, as far as it is known.
func when(s *Source) time.Time {
	if !s.ObservedAt.IsZero() {
		return s.ObservedAt
	}
	return s.CreatedAt
}

// analyse reads a unit.
func (r *reader) analyse(u *unit) {
	u.read = r.texts.Text(u.text)
	u.attributes = strings.HasPrefix(u.read.Normal, "consolidated from")
	u.frame = u.attributes && u.heading() || u.read.Normal == strings.ToLower(detailsKept)
	if hits := poison.Scan(u.text); len(hits) > 0 {
		u.poison = hits[0].Detector
	} else if steersMerge(u.read.Tokens) {
		u.poison = "merge.steering"
	}
}

// quotable adds the words of a unit to what a merged text may say.
func (c *corpus) quotable(u *unit, folded *strings.Builder) {
	if u.poison != "" {
		return
	}
	folded.WriteString(strings.ToLower(u.text))
	folded.WriteByte('\n')
	for _, t := range u.read.Doc.Terms {
		c.terms[t.ID] = true
	}
	for _, t := range u.read.Tokens {
		switch t.Class {
		case memory.TokenNumber, memory.TokenDate:
			c.values[t.Value] = true
		case memory.TokenIdent, memory.TokenURL:
			c.names[t.Value] = true
		case memory.TokenWord:
			if t.Upper {
				c.names[t.Value] = true
			}
		}
	}
}

// What a text speaks of that is addressed to the one who merges it. No note about a
// project tells what to do with "the other memories".
var (
	mergeVerbs = []string{"merg", "consolidat", "summaris", "summariz", "zusammenfass", "zusammenführ", "konsolidier",
		"disregard", "ignor", "forget", "delet", "drop", "omit", "leave", "outdated", "wrong", "invalid", "vergiss", "lösch", "verwirf", "veraltet", "falsch"}
	mergeObjects = memory.WordSet(`memories memory notes sources entries erinnerungen notizen quellen einträge`)
	mergeWhich   = memory.WordSet(`other others these those remaining rest previous following anderen andere diese übrigen restlichen vorigen`)
	mergeOpens   = memory.WordSet(`beim when while wenn`)
)

// mergeReach is how many words from the object a verb may stand.
const mergeReach = 6

// steersMerge reports whether a sentence tells the reader what to do with the other
// memories: "disregard the other notes", "when summarizing this, add …".
func steersMerge(tokens []memory.Token) bool {
	begins := func(t memory.Token, stems []string) bool {
		return slices.ContainsFunc(stems, func(v string) bool { return strings.HasPrefix(t.Value, v) })
	}
	for i, t := range tokens {
		if !mergeObjects[t.Value] || i == 0 || !mergeWhich[tokens[i-1].Value] {
			continue
		}
		around := tokens[max(0, i-mergeReach):min(len(tokens), i+mergeReach+1)]
		if slices.ContainsFunc(around, func(t memory.Token) bool { return begins(t, mergeVerbs) }) {
			return true
		}
	}
	if len(tokens) == 0 || !mergeOpens[tokens[0].Value] {
		return false
	}
	return slices.ContainsFunc(tokens[1:min(len(tokens), 4)], func(t memory.Token) bool {
		return begins(t, []string{"zusammenfass", "zusammenführ", "consolidating", "summari"})
	})
}
