package told

import (
	"regexp"
	"strings"

	"github.com/winnowhq/winnow/services/internal/guard/redact/plausible"
)

// This file reads what stands before a noun: a value ("… is the password"), or words
// that lead to one behind it ("log in with the password …").

// firstOfTwo matches the first of two values before a noun: "try …, then … (passwords of …)".
var firstOfTwo = regexp.MustCompile(`(?i)(?:^|[\s(:])["'\x60„“]?([^\s"'\x60„“”]{6,60}?)["'\x60“”]?,?\s(?:or|oder|then|dann|and|und|new|neu|now|jetzt)(?:\sis|\sist)?:?\s["'\x60„“]?$`)

// findFirst finds a value before the one that stands before its noun.
func findFirst(text string, before int, noun string, secret told, emit func(from, to int)) {
	base := max(0, before-90)
	if m := firstOfTwo.FindStringSubmatchIndex(text[base:before]); m != nil {
		if from, to := trimValue(text, base+m[2], base+m[3]); plausible.Named(text[from:to], 3) && secret(noun, text[from:to], stated) {
			emit(from, to)
		}
	}
}

// led reports whether what stands before a noun says that its value follows: "log in
// with the password …", "mit dem Kennwort …", ", pw …", or the beginning of a line.
func led(text string, start int) bool {
	head := text[max(0, start-60):start]
	for _, r := range []string{"-", "\u00a0"} {
		head = strings.TrimSuffix(head, r)
	}
	return leading.MatchString(head)
}

// leading matches the words before a noun that lead to its value.
var leading = regexp.MustCompile(`(?i)(?:^|[\n,;:(\[/|>*#]\s{0,3}|\s[-–—]\s|\b(?:with|using|via|by|takes?|wants?|accepts?|has|had|have|needs?|uses?|enter|type|try|set|say|send|give|gives|entered|typed|tried|used|mit|per|über|gilt|hat|hatte|nutzt|nimmt|verlangt|will|braucht|verwendet|benutzt|funktioniert|nehmen|eingeben|jetzt|and|und|or|oder|Q:|what's|whats|heres|here's)\s)` +
	`(?:(?:the|a|an|its|his|her|their|our|my|your|new|old|same|current|temporary|default|initial|dem|das|die|der|den|neue[nsm]?|alte[nsm]?|gleiche[nsm]?|man|seit|heute|gestern|bis|[A-Z][a-zäöü]+|service|login|admin|root|master|wifi|user|api|access)\s){0,3}[\p{L}\d]*-?$`)

// toldBefore returns the value that a sentence gives before its noun: "… is the
// password", "use … as password", "… ist das Passwort".
func toldBefore(text string, start, end int) (from, to int, ok bool) {
	base := max(0, start-160)
	if bracketEnds.MatchString(text[end:min(len(text), end+60)]) {
		// "… opens with X (supervisor password)"
		if m := inBrackets.FindStringSubmatchIndex(text[base:start]); m != nil {
			return base + m[2], base + m[3], true
		}
	}
	first := leadsToNoun(text[base:start])
	if first < 0 {
		return 0, 0, false
	}
	if end < len(text) && text[end] == ' ' && plausible.Describes.MatchString(firstWord(text[end+1:min(len(text), end+30)])) {
		return 0, 0, false
	}
	base += first
	m := valueFirst.FindStringSubmatchIndex(text[base:start])
	if m == nil {
		return 0, 0, false
	}
	from, to = trimValue(text, base+m[2], base+m[3])
	return from, to, true
}

// leadsToNoun returns where in the text before a noun the first match of valueFirst can
// begin, negative when there is none: at the blank before the word before an "is" and
// its like, which stands among the last words. Most nouns have none, and the expression
// would try each byte before them.
func leadsToNoun(head string) int {
	first, end := -1, len(head)
	for end > 0 && !blank(head[end-1]) {
		end-- // the first part of a compound
	}
	for range wordsToNoun {
		for end > 0 && blank(head[end-1]) {
			end--
		}
		at := end
		for at > 0 && !blank(head[at-1]) {
			at--
		}
		if at == 0 {
			break // without a word before it
		}
		if n := end - at; n <= len("waſ") && leads(head[at:end]) {
			first = at
		}
		end = at
	}
	if first < 0 {
		return -1
	}
	for range 2 { // the value, and a pronoun behind it
		for first > 0 && blank(head[first-1]) {
			first--
		}
		for first > 0 && !blank(head[first-1]) {
			first--
		}
	}
	return max(0, first-1)
}

// wordsToNoun is how many words valueFirst reads at most before the noun: the one that
// leads to it, an adverb of two words, an article and two adjectives.
const wordsToNoun = 6

func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' }

// leads reports whether a word is one of those between value and noun in valueFirst.
func leads(word string) bool {
	if word == "=" {
		return true
	}
	for _, w := range []string{"is", "was", "as", "ist", "war", "als"} {
		if strings.EqualFold(word, w) {
			return true
		}
	}
	return false
}

// bracketEnds matches the end of a bracket that says whose the password is.
var bracketEnds = regexp.MustCompile(`^(?:s|er)?(?:\s(?:of|for|vom|von|für|am|im)\s[^()\n]{1,40})?\)`)

var inBrackets = regexp.MustCompile(`\s["'\x60„“]?([^\s"'\x60„“”()]{6,60})["'\x60“”]?\s+\((?:[A-Za-z-]{2,20} ){0,3}$`)

var valueFirst = regexp.MustCompile(`(?i)(?:^|[\s(])["'\x60„“]?([^\s"'\x60„“”]{6,100})["'\x60“”]?(?:\s(?:that|this|which|das|dies|es))?\s+(?:is|was|as|ist|war|als|=)\s+(?:still |now |jetzt |noch |immer noch )?(?:the |its |their |my |our |a |your |das |mein |unser |ihr |dem |ein )?(?:[A-Za-z-]{1,20} ){0,2}(?:\p{L}{2,20}-?)?$`)
