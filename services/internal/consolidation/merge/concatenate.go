package merge

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/winnowhq/winnow/services/internal/judge/lexical"
	"github.com/winnowhq/winnow/services/internal/judge/subject"
	"github.com/winnowhq/winnow/services/internal/judge/wording"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// Concatenate joins the sources' own sentences without a model (S0.59): a heading, then
// a paragraph for each source. What another sentence says with every detail is left
// out. Where the rest is longer than [DefaultMaxRatio] of sources that are not short, it
// takes the sentences that carry most of the details and of the common theme. The result
// does not depend on the order of the sources.
func Concatenate(sources []Source) string {
	text, _ := shared.read(sources).concatenate(Options{})
	return text
}

// heading is S0.59's first line. A merge of short notes goes without it: it would be
// longer than what the merge saves, and title and description say the same.
func heading(n int) string { return fmt.Sprintf("## Consolidated from %d memories\n\n", n) }

// concatenate returns the text, and the sentences that it may not carry.
func (c *corpus) concatenate(o Options) (string, []Finding) {
	var dropped []Finding
	var usable []int
	for i := range c.units {
		u := &c.units[i]
		switch {
		case u.poison != "":
			dropped = append(dropped, Finding{Sentence: u.text, Rule: RulePoison, Detail: u.poison})
		case !u.frame:
			usable = append(usable, i)
		}
	}
	kept, votes := c.distinct(usable)
	if room := c.room(o); size(c.composed(kept)) > room {
		kept = c.choose(kept, votes, room)
	}
	text, room := c.composed(kept), c.share(o)
	if head := heading(len(c.sources)); strings.Contains(text, "\n") && size(text)+size(head) <= room && (room >= longRoom || len(c.lacks(c.saidBy(text))) == 0) {
		text = head + text
	}
	return text, dropped
}

// longRoom is the length from which on a heading is worth more than a detail.
const longRoom = 1000

func size(s string) int { return utf8.RuneCountInString(s) }

// composed writes units of the corpus, those of one source in one paragraph.
func (c *corpus) composed(at []int) string {
	units := make([]unit, len(at))
	for n, i := range at {
		u := c.units[i]
		u.text = u.bare()
		if n > 0 && u.marker == "" && !u.block && units[n-1].source == u.source && units[n-1].marker == "" && !units[n-1].block {
			u.line = units[n-1].line
			units[n-1].text = stopped(units[n-1].text)
		}
		units[n] = u
	}
	return compose(units)
}

// stopped ends a sentence that another one follows in the same line.
func stopped(s string) string {
	if strings.ContainsAny(s[len(s)-1:], ".!?:;,") {
		return s
	}
	return s + "."
}

// distinct returns the units that no other kept unit says, in their order, and for each
// of all units how many sources say what it says. Of two that say the same the more
// specific one stays, then the longer, then the first.
func (c *corpus) distinct(at []int) (kept []int, votes map[int]int) {
	order := slices.Clone(at)
	slices.SortStableFunc(order, func(i, j int) int {
		a, b := &c.units[i], &c.units[j]
		return cmp.Or(b.details().Len()-a.details().Len(), len(b.text)-len(a.text))
	})
	votes = map[int]int{}
	for _, i := range order {
		said := false
		for _, j := range kept {
			if c.says(&c.units[j], &c.units[i]) {
				votes[j]++
				said = true
				break
			}
		}
		if !said {
			kept = append(kept, i)
		}
	}
	slices.Sort(kept)
	return kept, votes
}

// saidShare is the share of a sentence's meaning that another one must have to say all
// of it. It is that of triage.
const saidShare = 0.80

// says reports whether b says all that a says: its words, every detail, and no other
// value or direction.
func (c *corpus) says(b, a *unit) bool {
	x, y := a.read, b.read
	if x.Normal == y.Normal {
		return true
	}
	if a.block || b.block || a.heading() != b.heading() {
		return false
	}
	s := lexical.Compare(x.Doc, y.Doc)
	if s.Forward < saidShare || x.Doc.Words < 2 || stamped(x) && !stamped(y) {
		return false
	}
	switch memory.Compare(a.details(), b.details()).Relation {
	case memory.RelationEqual, memory.RelationContained:
	default:
		return false
	}
	if one, _ := exchanged(a, b); one != "" {
		return false
	}
	return !lexical.Substituted(x.Doc, y.Doc) && !wording.Opposed(x, y) &&
		subject.Relate(x.Subject, y.Subject, x.Doc, y.Doc) != subject.Different
}

// stamped reports whether a statement has a date that says when it was seen. Such a
// date is no detail: of two dated sentences the fuller one speaks for both, with its own
// date. But a merged text must not lose the only one.
func stamped(t *wording.Text) bool { return stampsOf(t) != "" }

// stampsOf returns the dates that say when a statement was seen.
func stampsOf(t *wording.Text) string {
	var out []string
	for i, tok := range t.Tokens {
		if t.Stamps[i] && tok.Class == memory.TokenDate {
			out = append(out, tok.Value)
		}
	}
	return strings.Join(out, " ")
}

// cost is the length of a unit with the blank or line break before it.
func (u *unit) cost() int { return size(u.marker) + size(u.bare()) + 2 }

// choice is a selection of units within a room.
type choice struct {
	*corpus
	room        int
	used        int
	taken       map[int]bool
	covered     map[string]bool
	represented map[int]bool
}

// choose takes units until the room is full: at each step the one that brings most for
// its length. At least one is taken, however long it is. Where the room is for one or
// two, the one that brings most comes first, because a short one would shut it out.
func (c *corpus) choose(at []int, votes map[int]int, room int) []int {
	central := c.centrality(at)
	longest := 0
	for _, i := range at {
		longest = max(longest, c.units[i].cost())
	}
	tight := room < 2*longest
	ch := choice{corpus: c, room: room, taken: map[int]bool{}, covered: map[string]bool{}, represented: map[int]bool{}}
	for {
		best, bestGain := -1, 0.0
		for n, i := range at {
			u := &c.units[i]
			details := weights(u)
			if ch.taken[i] || u.heading() || ch.used > 0 && (ch.used+ch.cost(i) > room || len(details) == 0 && u.read.Doc.Words < lexical.FewWords) {
				continue
			}
			gain := central[n] + repeated*float64(votes[i])
			for key, weight := range details {
				if !ch.covered[key] {
					gain += weight
				}
			}
			if !ch.represented[u.source] {
				gain += firstOfSource
			}
			if ch.used > 0 || !tight {
				gain /= math.Pow(float64(ch.cost(i)), lengthPower)
			}
			if gain > bestGain {
				best, bestGain = i, gain
			}
		}
		if best < 0 {
			break
		}
		ch.take(best)
	}
	return slices.Sorted(maps.Keys(ch.taken))
}

// cost is what a unit takes of the room, with the sentence before it that it leans on.
func (ch *choice) cost(i int) int {
	n := ch.units[i].cost()
	if ch.leans(i) && !ch.taken[i-1] {
		n += ch.cost(i - 1)
	}
	return n
}

func (ch *choice) take(i int) {
	if ch.leans(i) && !ch.taken[i-1] {
		ch.take(i - 1)
	}
	u := &ch.units[i]
	ch.taken[i], ch.represented[u.source] = true, true
	ch.used += u.cost()
	for key := range weights(u) {
		ch.covered[key] = true
	}
}

// leans reports whether a sentence begins with a word that stands for something in the
// one before it: "It retries three times". Alone it would speak of anything.
func (c *corpus) leans(i int) bool {
	u := &c.units[i]
	if i == 0 || u.block || u.marker != "" || len(u.read.Tokens) == 0 {
		return false
	}
	stands := slices.ContainsFunc(u.read.Tokens[:min(len(u.read.Tokens), 6)], func(t memory.Token) bool { return objects[t.Value] })
	if !stands && !pronouns[u.read.Tokens[0].Value] {
		return false
	}
	before := &c.units[i-1]
	return before.source == u.source && before.states()
}

var (
	pronouns = memory.WordSet(`it its they their this that these those he she his her then there both otherwise instead
 es sie er dies diese dieser dieses dort beide sonst stattdessen dabei dazu damit dadurch dafür daher danach`)
	objects = memory.WordSet(`them ihn ihnen`)
)

// The weights of a choice. Details count most, because they are what cannot be guessed
// again; a sentence in the middle of the theme says what the text is about; and each
// source should have a voice.
const (
	centralWeight = 2.0
	firstOfSource = 1.0
	repeated      = 2.0 // for each further source that says the same
	lengthPower   = 0.8 // below 1, so that long sentences with much in them stand a chance
)

// weights returns the details of a unit with what each is worth.
func weights(u *unit) map[string]float64 {
	out := map[string]float64{}
	for _, key := range keysOf(u.details()) {
		out[key] = 1
	}
	if u.details().Obliges() {
		out["obliges "+u.read.Normal] = 1
	}
	return out
}

// centrality returns for each unit its mean likeness to the units of other sources,
// scaled by centralWeight.
func (c *corpus) centrality(at []int) []float64 {
	out := make([]float64, len(at))
	for n, i := range at {
		sum, others := 0.0, 0
		for _, j := range at {
			if c.units[i].source != c.units[j].source {
				sum += lexical.Near(c.units[i].read.Doc, c.units[j].read.Doc)
				others++
			}
		}
		if others > 0 {
			out[n] = centralWeight * sum / float64(others)
		}
	}
	return out
}
