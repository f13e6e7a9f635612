package wording

import (
	"slices"

	"github.com/winnowhq/winnow/services/internal/language"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// restricting words narrow a statement to a part: "only the plugin component".
var restricting = memory.WordSet(`only solely exclusively except alone nur lediglich ausschließlich außer`)

// Turns reports whether the text says that a state ended or came back: "is back",
// "no longer", "it had been off until then". EN and DE.
//
// Such a text shares nearly all words with the statement that it overturns, so that
// similarity takes it for a repeat.
func (t *Text) Turns() bool { return t.stance().ends || t.stance().returns }

// SaysNow reports whether the text says that it is so now: "now", "as of today". Beside
// an older text with another value that is the word of a change. EN and DE.
func (t *Text) SaysNow() bool { return t.stance().now }

// Switches reports whether the text tells that something was turned on or off, and not only
// that it is. EN and DE.
func (t *Text) Switches() bool { return t.stance().switches }

// switchesAt reports whether the words at i tell of a switch that was turned.
func switchesAt(words []string, i int) bool {
	if i+1 == len(words) {
		return false
	}
	switch words[i] {
	case "turned", "switched":
		return words[i+1] == "on" || words[i+1] == "off"
	case "was", "were", "got":
		switch words[i+1] {
		case "enabled", "disabled", "activated", "deactivated":
			return true
		}
	case "wurde", "wurden":
		return slices.ContainsFunc(words[i+1:], func(w string) bool {
			return w == "eingeschaltet" || w == "ausgeschaltet" || w == "aktiviert" || w == "deaktiviert"
		})
	}
	return false
}

// nowAt reports whether the word at i says that something is so now.
func nowAt(words []string, i int) bool {
	switch words[i] {
	case "now", "nowadays", "jetzt", "nun", "nunmehr", "inzwischen", "mittlerweile", "neuerdings", "meanwhile":
		return true
	case "today":
		return i > 1 && words[i-1] == "of" && words[i-2] == "as"
	}
	return false
}

// Altered reports whether exactly one of two texts turns a state, or exactly one
// restricts what it says, plans it, leaves it open, or tells of the past. Neither then repeats the other, however alike they are. Who
// denies the same in other words turns it too ("no longer used", "unused now"), and who
// says "A, without B" restricts to A.
//
// b is the stored text: a name that only a lacks makes it a wider statement where it speaks
// of every case.
func Altered(a, b *Text) bool {
	x, y := a.stance(), b.stance()
	switch {
	case x.returns != y.returns && !repeatsAgain(x.words, y.words) && !repeatsAgain(y.words, x.words), x.excepts != y.excepts:
		return true
	case x.planned != y.planned, x.unsure != y.unsure, x.past && y.lasts(), y.past && x.lasts():
		return true
	case limited(x.words, y.words), universal(x.words) && !universal(y.words) && unnamed(b.Specifics(), a.Specifics()):
		return true
	case x.ends && !y.ends && !y.past && !b.Specifics().DeniesAny(), y.ends && !x.ends && !x.past && !a.Specifics().DeniesAny():
		return true
	case x.restricts == y.restricts:
		return false
	case x.restricts:
		return len(b.Specifics().Negations()) == 0
	}
	return len(a.Specifics().Negations()) == 0
}

// returnsAt reports whether the words at i say that a state came back or was another
// one. "Back" alone does not: most programs fall back or call back.
func returnsAt(words []string, i int) bool {
	before := func(among ...string) bool { return i > 0 && slices.Contains(among, words[i-1]) }
	switch words[i] {
	case "back":
		return before("is", "are", "was", "were", "came", "comes")
	case "been":
		return before("had")
	case "then":
		return before("until")
	case "dahin":
		return before("bis")
	case "again", "wieder":
		return true
	}
	return false
}

// exceptsAt reports whether the word at i leaves something out of all: "every node except
// the first".
func exceptsAt(words []string, i int) bool {
	next := func(w string) bool { return i+1 < len(words) && words[i+1] == w }
	switch words[i] {
	case "except", "excepting", "barring", "excluding", "außer", "ausgenommen", "abzüglich":
		return !slices.ContainsFunc(words[:i], memory.Negates)
	case "apart", "aside", "abgesehen":
		return (next("from") || next("von")) && !slices.ContainsFunc(words, memory.Negates)
	case "exception", "ausnahme":
		return i > 0 && (next("of") || next("von") || next("der") || next("des")) && !slices.ContainsFunc(words, memory.Negates)
	case "but":
		return slices.ContainsFunc(words[max(0, i-6):i], func(w string) bool { return quantifiers[w] && !memory.Negates(w) && w != "only" && w != "nur" })
	}
	return false
}

// endsAt reports whether the words at i say that a state ended.
func endsAt(words []string, i int) bool {
	before := func(among ...string) bool { return i > 0 && slices.Contains(among, words[i-1]) }
	switch words[i] {
	case "longer":
		return before("no", "any")
	case "mehr":
		return before("nicht", "kein", "keine", "keinen")
	case "anymore":
		return true
	case "used":
		// "…, which used to be nearest": what is over stands behind what is so now.
		return i > 3 && i+1 < len(words) && words[i+1] == "to" && before("which", "it", "this", "they")
	case "more":
		return before("any")
	}
	return false
}

// restrictsAt reports whether the word at i narrows the statement. "Only after", "only
// once" set a condition, which every wording of it has.
func restrictsAt(words []string, i int) bool {
	if !restricting[words[i]] {
		return false
	}
	if (words[i] == "except" || words[i] == "außer") && !slices.ContainsFunc(words[:i], memory.Negates) {
		return false // "everybody except X" leaves X out, and restricts to nobody
	}
	for _, w := range words[i+1 : min(len(words), i+5)] {
		if conditionStarts[w] {
			return false
		}
	}
	return true
}

var conditionStarts = memory.WordSet(`after once when if until before while nachdem wenn falls sobald bis bevor`)

// OneOfTwo reports whether the stored text has two numbers for one thing and the
// proposal has only one of them: "pnpm 9 read a lockfile of pnpm 8" is no evidence
// for "built with pnpm 8", because nothing says which of the two is meant.
func OneOfTwo(proposal, stored *memory.Specifics) bool {
	for i, v := range stored.Values {
		if v.Slot == "" || v.Unit == "date" || !hasValue(proposal, v) {
			continue
		}
		for j, w := range stored.Values {
			if j != i && w.Unit != "date" && w.Slot == v.Slot && w.Text != v.Text && !hasValue(proposal, w) {
				return true
			}
		}
	}
	return false
}

// underway returns the verb of a dated note that says only what is being done and how far it is:
// "2026-08-26: benchmarking the new nodes, two of five clips are through".
func underway(t *Text) string {
	start := 0
	for start < len(t.Tokens) && t.Stamps[start] {
		start++
	}
	if start == 0 || start+2 >= len(t.Tokens) || !going(withoutSep(t.Tokens[start])) || !articles[t.Tokens[start+1].Value] {
		return ""
	}
	end := start + 1
	for ; end < len(t.Tokens) && t.Tokens[end].Sep == 0; end++ {
		if w := t.Tokens[end]; finiteVerbs[w.Value] || thirdPerson(w) && end > start+2 && end+1 < len(t.Tokens) && t.Tokens[end+1].Sep == 0 && (articles[t.Tokens[end+1].Value] || t.Tokens[end+1].Class == memory.TokenNumber) {
			return "" // "caching the wheels saves 40 s"
		}
	}
	if end == len(t.Tokens) {
		return t.Tokens[start].Value
	}
	for j := end; j < len(t.Tokens); j++ {
		w := t.Tokens[j]
		if stages[w.Value] || w.Class == memory.TokenNumber && j+2 < len(t.Tokens) && t.Tokens[j+1].Value == "of" && t.Tokens[j+2].Class == memory.TokenNumber {
			return t.Tokens[start].Value
		}
		if past(w) {
			return ""
		}
	}
	return ""
}

// stages say how far something is. EN.
var stages = memory.WordSet(`through left remaining remain remains outstanding pending still unfinished done next`)

func withoutSep(t memory.Token) memory.Token {
	t.Sep = 0
	return t
}

// due reports that something is to happen at a time to come: "is to get a third node in autumn".
// What "is to be" done somewhere obliges, and a goal that "is to reduce the load" has no time.
func due(tokens []memory.Token, i int) bool {
	if i+2 >= len(tokens) || tokens[i+1].Value != "to" || tokens[i+2].Value == "be" || tokens[i+2].Class != memory.TokenWord {
		return false
	}
	for j := i + 3; j < len(tokens) && !sentenceEnd(tokens[j].Sep); j++ {
		if to := tokens[j-1].Value; comings[tokens[j].Value] && (to == "in" || to == "by" || to == "from" || to == "this" || to == "next" || to == "until") {
			return true
		}
	}
	return false
}

// issued reports a "will" of a version or a release that is to come: "version 3 will drop it".
func issued(tokens []memory.Token, i int) bool {
	for j := i - 1; j >= 0 && j >= i-3; j-- {
		if issues[tokens[j].Value] {
			return j == 0 || tokens[j].Sep != 0 || articles[tokens[j-1].Value] || tokens[j-1].Value == "next"
		}
		if tokens[j].Sep != 0 {
			return false
		}
	}
	return false
}

var (
	comings = memory.WordSet(language.Months, language.Weekdays, language.Seasons, `week month quarter year sprint release q1 q2 q3 q4`)
	issues  = memory.WordSet(`version release update milestone sprint iteration edition revision`)
)
