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
