package subject

import (
	"slices"
	"strings"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// OtherCause reports whether two texts each name one cause, and not the same: "came from a
// stale cache", "came from a full disk". What happened once has one cause, so of two that
// are named for the same thing one is wrong. A cause is known by its last noun, which the
// other text must not have anywhere. It does not compare what was caused. It is false where
// [NamesCause] is false of either.
func OtherCause(x, y []memory.Token) bool {
	p := causeOf(x, y)
	if p == "" || hasStem(y, p) {
		return false
	}
	q := causeOf(y, x)
	return q != "" && p != q && !hasStem(x, q)
}

// NamesCause reports whether a text has a word that may stand before or behind a cause. Most
// texts have none, and need not be compared.
func NamesCause(tokens []memory.Token) bool {
	for i := range tokens {
		if w := tokens[i].Value; causes[w] || w == "because" || w == "weil" || ledBy(tokens, i) {
			return true
		}
	}
	return false
}

// ledBy reports the words before a cause at token i: "due to".
func ledBy(tokens []memory.Token, i int) bool {
	return i+1 < len(tokens) && slices.Contains(causedBy[tokens[i].Value], tokens[i+1].Value)
}

// hasStem asks for the beginning of a word first: a stem is always one.
func hasStem(tokens []memory.Token, stem string) bool {
	for i := range tokens {
		if w := tokens[i].Value; strings.HasPrefix(w, stem) && memory.Stem(w) == stem {
			return true
		}
	}
	return false
}

// causeOf returns the stem of the last noun of the cause that a text names; empty where it
// names none, or more than one. A whole sentence behind "because" is the cause only of what
// other tells, too: nearly everything has its reasons.
func causeOf(tokens, other []memory.Token) string {
	found := ""
	for i, t := range tokens {
		if t.Class != memory.TokenWord || t.Code {
			continue
		}
		head := ""
		switch {
		case ledBy(tokens, i):
			head = headAfter(tokens, i+2)
		case causes[t.Value] && !passive(tokens, i):
			head = headBefore(tokens, i)
		case (t.Value == "because" || t.Value == "weil") && i > 0 && likeEvent(tokens[:i], other):
			head = headAfter(tokens, i+1) // "because the disk was full"
		default:
			continue
		}
		if head == "" || found != "" && head != found {
			return ""
		}
		found = head
	}
	return found
}

// likeEvent reports that most of what was caused is told by the other text, too.
func likeEvent(event, other []memory.Token) bool {
	all, both := 0, 0
	for _, t := range event {
		if t.Class == memory.TokenDate || t.Class == memory.TokenWord && !t.Code && (empty[t.Value] || prepositions[t.Value] || auxiliaries[t.Value] || pronouns[t.Value]) {
			continue
		}
		all++
		if hasStem(other, memory.Stem(t.Value)) {
			both++
		}
	}
	return all > 1 && both*4 >= all*3
}

// causedBy are the words before a cause, causes the verbs behind one. EN and DE.
var (
	causedBy = phrases(`came from, comes from, come from, stemmed from, stems from, resulted from, originated from, caused by, triggered by, due to, because of, owing to,
 down to, traced to, kam von, kamen von, kam vom, lag an, lag am, lagen an, wegen eines, wegen einer, aufgrund eines, aufgrund einer, verursacht durch, ausgelöst durch, ausgelöst von`)
	causes = memory.WordSet(`caused causes triggered triggers provoked verursachte verursachten verursacht`)
)

// phrases returns the second words of phrases of two by their first.
func phrases(list string) map[string][]string {
	out := make(map[string][]string)
	for p := range strings.SplitSeq(list, ",") {
		words := strings.Fields(p)
		out[words[0]] = append(out[words[0]], words[1])
	}
	return out
}

// passive reports a participle that names no cause before it: "was caused", "verursacht
// durch".
func passive(tokens []memory.Token, i int) bool {
	if i > 0 && (beings[tokens[i-1].Value] || prepositions[tokens[i-1].Value]) {
		return true
	}
	return i+1 < len(tokens) && (tokens[i+1].Value == "by" || tokens[i+1].Value == "durch" || tokens[i+1].Value == "von")
}

// headAfter returns the stem of the last noun of the phrase that begins at i.
func headAfter(tokens []memory.Token, i int) string {
	head := ""
	for j := i; j < len(tokens) && j < i+8; j++ {
		t := tokens[j]
		switch {
		case j > i && t.Sep != 0, prepositions[t.Value] && t.Class == memory.TokenWord && j > i, t.Class == memory.TokenDate, auxiliaries[t.Value], head != "" && isVerb(t):
			return head
		case t.Class == memory.TokenWord && !t.Code && empty[t.Value], t.Class == memory.TokenNumber:
		default:
			head = memory.Stem(t.Value)
		}
	}
	return head
}

// headBefore returns the stem of the noun right before the verb at i.
func headBefore(tokens []memory.Token, i int) string {
	if i == 0 || tokens[i].Sep != 0 {
		return ""
	}
	t := tokens[i-1]
	if t.Class == memory.TokenDate || t.Class == memory.TokenNumber || t.Class == memory.TokenWord && !t.Code && (empty[t.Value] || pronouns[t.Value]) {
		return ""
	}
	return memory.Stem(t.Value)
}

// OtherEvent reports that two texts tell of two things of one kind that happened on two days: "the
// panic of 5 April", "the panic of 6 April", and two failures each of which is told with its day.
// The day of a log or a list is that of the evidence.
func OtherEvent(x, y []memory.Token) bool {
	if onDays(x, y, false) {
		return true
	}
	p, q := failedOn(x), failedOn(y)
	return p != "" && q != "" && p != q
}

// SameEvent reports that two texts tell of one thing of a kind that happened on one day.
func SameEvent(x, y []memory.Token) bool { return onDays(x, y, true) }

// onDays reports a thing of one kind that the two texts give the day of, the same or another.
func onDays(x, y []memory.Token, same bool) bool {
	for i := range x {
		kind := dayOf(x, i)
		if kind == "" {
			continue
		}
		for j := range y {
			if (x[i].Value == y[j].Value) == same && dayOf(y, j) == kind {
				return true
			}
		}
	}
	return false
}

// dayOf returns the stem of the noun whose day the date at i is: "the panic of 2026-04-05".
func dayOf(tokens []memory.Token, i int) string {
	if tokens[i].Class != memory.TokenDate || i < 2 || tokens[i].Sep != 0 || tokens[i-1].Sep != 0 {
		return ""
	}
	noun := &tokens[i-2]
	if w := tokens[i-1].Value; w != "of" && w != "vom" && w != "von" || noun.Class != memory.TokenWord || noun.Code || noun.Sep == '(' || records[noun.Value] || empty[noun.Value] || prepositions[noun.Value] {
		return ""
	}
	return memory.Stem(noun.Value)
}

// records are nouns of what is written down on a day.
var records = memory.WordSet(`log logs dump trace report export list listing config configuration inventory snapshot version state table file sheet minutes notes note
 protocol record records entry audit survey scan test tests measurement reading commit release schema index backup stand liste bericht protokoll auszug messung tabelle datei
 ausgabe fassung eintrag notiz prüfung inventur meeting print printout screenshot page as`)

// failedOn returns the day on which a text says that something was down, empty where it does not.
func failedOn(tokens []memory.Token) string {
	day, failed := "", false
	for i := range tokens {
		t := &tokens[i]
		switch {
		case t.Class == memory.TokenDate && i > 0 && (tokens[i-1].Value == "on" || tokens[i-1].Value == "am") && tokens[i].Sep == 0, t.Class == memory.TokenDate && i == 0:
			if day != "" && day != t.Value {
				return ""
			}
			day = t.Value
		case failures[t.Value] && i > 0 && pasts[tokens[i-1].Value] && t.Sep == 0:
			failed = true
		}
	}
	if !failed {
		return ""
	}
	return day
}

// failures are states that end, pasts what says that they did.
var (
	failures = memory.WordSet(`down offline unreachable unavailable out dead stuck ausgefallen offline unerreichbar gestört`)
	pasts    = memory.WordSet(`was were went war waren`)
)
