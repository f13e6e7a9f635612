package search

import (
	"slices"
	"strings"
	"unicode"

	"github.com/winnowhq/winnow/services/internal/language"
)

// Kinds is a set of kinds of answer: those that a question asks for, those that a text has,
// or the ones that both have. A text in quite other words than the question often still has
// what was asked for: "how long until stand-in takes over" is answered by "after 18 s".
type Kinds uint16

// The kinds of answer.
const (
	KindDate    Kinds = 1 << iota // for "when": a month, a weekday, a year, "ago"
	KindHour                      // for "when" of what is done again and again: 23:15, Fridays, nightly
	KindSpan                      // for "how long", "how often": 18 s, 35 days, every week
	KindNumber                    // for "how many", "how big", "limit of"
	KindVersion                   // for "which version", "newest", "upgrade": 16.4, v3
	KindPlace                     // for "where", "which file": a path, a file or an address
	KindReason                    // for "why"
	KindOrder                     // for "first", "sequence", "before": what comes first
	KindPerson                    // for "who": a role, a team
	KindRule                      // for a question to be answered by yes or no: what is denied, due or allowed
	KindCase                      // for "what happens when", "how is it handled": a condition, a way out
	KindFailure                   // for a question that tells of trouble: what fails, stops or is lost
	KindSize                      // for "biggest", "upper limit", "memory": a number with a unit of size
	KindMoney                     // for "price", "fee", "who pays": an amount of money
	kindCount   = iota
)

// kindWeights are the weights in the order of a pool, by the bit of a kind: the reasons are
// with the others ([inTalk]). Four are those of ADR 38 and ADR 56; the others were fitted with
// all other weights held, and left out in turn, each set of questions bears them out (ADR 78,
// and for the last four ADR 91).
var kindWeights = [...]float64{1.99, 2.6, 2.4, 2.55, 2.8, 2, 1, 0.6, 1.4, 1.4, 1.4, 0.5, 1.6, 2.5}

// Every kind has a weight.
var _ = [1]struct{}{}[len(kindWeights)-kindCount]

// weight is the sum of the weights of the kinds.
func (k Kinds) weight() float64 {
	sum := 0.0
	for i, w := range kindWeights {
		if k&(1<<i) != 0 {
			sum += w
		}
	}
	return sum
}

// fewWords is the length up to which a text has a kind of answer by intent: in a longer one
// some number stands for any question, and the kind counts in proportion less.
const fewWords = 40

// sought is what a question asks for, beside its words.
type sought struct {
	kinds  Kinds
	german bool // it is asked in German
	pairs  []uint32
}

// seeks recognises the kinds of answer by the question's words, English and German.
func seeks(question string) sought {
	words := plainWords(bounded(question))
	s := sought{pairs: pairsOf(words), german: language.OfWords(words) == language.German}
	for i, w := range words {
		next := ""
		if i+1 < len(words) {
			next = words[i+1]
		}
		s.kinds |= asksKind[w]
		switch w {
		case "when", "who", "whom", "whose", "where":
			// Later in a question they join a clause: "what happens when it is full".
			if i == 0 || asksFurther[words[i-1]] {
				s.kinds |= asksKindFirst[w]
			}
		case "what", "was":
			s.kinds |= asksKindAfterWhich[next]
			if asksCaseAfterWhat[next] || i == 0 && slices.ContainsFunc(words[1:], func(w string) bool { return beginsCase[w] }) {
				s.kinds |= KindCase
			}
		case "which", "at", "in", "an", "um", "seit", "welche", "welcher", "welches", "welchem":
			s.kinds |= asksKindAfterWhich[next]
		case "how", "wie":
			s.kinds |= asksKindAfterHow[next]
			if strings.HasPrefix(next, "viel") {
				s.kinds |= KindNumber
			}
		case "far", "weit":
			if next == "back" || next == "zurück" {
				s.kinds |= KindSpan
			}
		case "time", "zeit":
			if asksForSpan(words, i) {
				s.kinds |= KindSpan
			}
		}
	}
	if len(words) > 0 && answeredByYes[words[0]] {
		s.kinds |= KindRule
	}
	if s.kinds&KindDate != 0 && s.kinds&KindSpan == 0 {
		s.kinds |= KindHour
	}
	return s
}

// asksForSpan reports whether "time" at i asks how long: "time until it is deployed", "after
// how much idle time".
func asksForSpan(words []string, i int) bool {
	return i == 0 || i+1 < len(words) && boundsOfTime[words[i+1]] ||
		slices.ContainsFunc(words[max(0, i-3):i], func(w string) bool { return w == "much" || strings.HasPrefix(w, "viel") })
}

// kindsOf returns the kinds of answer that a text has.
func kindsOf(text string, words []string) Kinds {
	var k Kinds
	for i, w := range words {
		if w != "may" {
			k |= hasKind[w]
		}
		switch {
		case digits(w):
			k |= KindNumber
			if len(w) == 4 { // a year
				k |= KindDate
			}
		case ordinal(w):
			k |= KindDate
		case w[0] >= '0' && w[0] <= '9' && joinedSpan(w), i > 0 && unitOfTime[w] && (digits(words[i-1]) || beforeUnit[words[i-1]]),
			(w == "times" || w == "mal") && i > 0 && (digits(words[i-1]) || beforeUnit[words[i-1]]):
			k |= KindSpan
		case w[0] >= '0' && w[0] <= '9' && unitOfSize[strings.TrimLeft(w, "0123456789")], i > 0 && unitOfSize[w] && digits(words[i-1]):
			k |= KindSize
		}
	}
	k |= kindsBetweenWords(text)
	if k&KindDate != 0 {
		k &^= KindHour // it says when by a date
	}
	return k
}

// joinedSpan reports whether a word is a number with its unit of time: 72h, 100ms.
func joinedSpan(w string) bool {
	switch strings.TrimLeft(w, "0123456789") {
	case "ms", "s", "sec", "min", "h", "hr", "d":
		return true
	}
	return false
}

// kindsBetweenWords returns the kinds of what is no word: paths, times of day, versions,
// signs of money.
func kindsBetweenWords(text string) Kinds {
	var k Kinds
	number := false // the piece before was numbers with dots
	for w := range strings.FieldsFuncSeq(text, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("`'\"()[]{}<>,;", r) }) {
		w = strings.TrimRight(w, ".:!?")
		if number && !unit[w] && !unitOfTime[w] {
			k |= KindVersion
		}
		number = false
		switch {
		case w == "":
			continue
		case w == "May": // without a capital it is a verb
			k |= KindDate
		case w[0] >= '0' && w[0] <= '9':
			number = dotted(w)
			if clock(w) {
				k |= KindHour
			}
		case w[0] == 'v' && len(w) > 1 && (dotted(w[1:]) || digits(w[1:])):
			k |= KindVersion
		}
		if isPlace(w) {
			k |= KindPlace
		}
		if strings.Contains(w, "€") || len(w) > 1 && w[0] == '$' && w[1] >= '0' && w[1] <= '9' {
			k |= KindMoney
		}
	}
	if number {
		k |= KindVersion
	}
	return k
}

// clock reports whether a piece is a time of day: 23:15.
func clock(w string) bool {
	h, m, ok := strings.Cut(w, ":")
	m, _, _ = strings.Cut(m, ":")
	return ok && len(h) <= 2 && digits(h) && len(m) == 2 && digits(m)
}

// dotted reports whether a piece is numbers with dots between them, and no date; what
// follows a letter or a dash ("1.21.0-rc1") does not matter.
func dotted(w string) bool {
	dots, last := 0, 0 // last is where the last number begins
	for i := range len(w) {
		switch {
		case w[i] == '.' && i > last:
			dots, last = dots+1, i+1
		case w[i] < '0' || w[i] > '9':
			return dots > 0 && i > last && strings.IndexByte("-+rx", w[i]) >= 0
		}
	}
	return dots > 0 && last < len(w) && (dots != 2 || len(w)-last != 4)
}

// isPlace reports whether a piece is a path, the name of a file or an address: letters
// around a slash, or an ending of one to four letters after a dot.
func isPlace(w string) bool {
	if at := strings.IndexByte(w, '/'); at >= 0 && len(w) > 3 && strings.ContainsFunc(w, unicode.IsLetter) && !strings.ContainsAny(w, "%$€") {
		return true
	}
	dot := strings.LastIndexByte(w, '.')
	end := len(w) - dot - 1
	return dot > 0 && end > 0 && end <= 4 && letters(w[dot+1:])
}

// letters reports whether a word is of lower-case letters alone.
func letters(w string) bool {
	return w != "" && strings.Trim(w, "abcdefghijklmnopqrstuvwxyz") == ""
}

func digits(w string) bool {
	for i := range len(w) {
		if w[i] < '0' || w[i] > '9' {
			return false
		}
	}
	return w != ""
}

// ordinal reports whether a word is one of 1st, 22nd and so on.
func ordinal(w string) bool {
	n := len(w) - 2
	return n > 0 && digits(w[:n]) && (w[n:] == "st" || w[n:] == "nd" || w[n:] == "rd" || w[n:] == "th")
}
