package told

import (
	"regexp"
	"strings"

	"github.com/winnowhq/winnow/services/internal/guard/redact/plausible"
)

// This file finds secrets at a distance from their noun: behind a pronoun ("they changed
// the password, it's … now"), in an apposition ("the password, …, still works"), and as the
// answer to a question.

// referredReach bounds how far behind its noun a pronoun may stand, in bytes.
const referredReach = 120

// referring matches what takes a noun up again, up to where the value begins. "New" and
// "now" do so by themselves: "das neue ist …", "new one: …", "now …".
var referring = regexp.MustCompile(`(?i)(?:^|[\s,;:.(–—-])(?:` +
	`(?:it|this|that|which|mine|ours|theirs)(?:'s|’s|\s(?:is|was|became|becomes|reads|reads as|says|will be|should be|used to be))|it's|its|` +
	`(?:the |a |my |our )?(?:new|old|current|right|correct|default|usual)(?: one)?(?:\s(?:is|was|reads)|:|\s?=)|new|now|from (?:now|today) on|we (?:now )?use|to|the answer is|answer:|A:|B:|still|unchanged,|(?:just |please |then )?(?:type|enter|use|try|give it|say)|` +
	`(?:es|er|sie|dieses|dieser|das|der|welches)\s(?:ist|war|lautet|lautete|heißt|heisst|wurde)|(?:das|der|die)\s(?:neue|alte|aktuelle|richtige|gleiche|selbe|übliche|bekannte)(?:\s(?:ist|lautet|heißt|war)|[:,])|the (?:same|old|usual) (?:one|as before|as ever)[:,]|wie (?:immer|bisher|gehabt)[:,]|as (?:always|before|ever)[:,]|` +
	`(?:neu|neues|jetzt|nun|richtig|aktuell|ab (?:heute|jetzt|sofort|morgen)|seit (?:heute|gestern)|immer noch|weiterhin|nach wie vor|unverändert)(?:\s(?:ist|lautet|heißt|gilt|nehmen wir))?|wir (?:nehmen|nutzen)|Antwort:` +
	`):?\s+(?:(?:now|still|just|simply|again|currently|always|jetzt|nun|noch|wieder|einfach|das|the)\s+){0,2}(?:to\s|auf\s)?["'\x60„“]?$`)

// qualified matches a remark between a noun and its colon ("password, case-sensitive: …").
var qualified = regexp.MustCompile(`^\s?[,(][^.!?\n:]{0,40}[\p{L})]:\s["'\x60„“]?$`)

// refers reports whether the last word before a value can end what referring matches: most
// words cannot, and the expression would look at each.
func refers(head string) bool {
	head = strings.TrimRight(head, " \t\r\n")
	word := strings.ToLower(head[strings.LastIndexAny(head, " \t\n(")+1:])
	return strings.HasSuffix(word, ":") || strings.HasSuffix(word, ",") || strings.HasSuffix(word, "=") || referrers[word]
}

var referrers = plausible.Set("is", "was", "became", "becomes", "reads", "says", "as", "be", "it's", "it’s", "its", "that's", "that’s", "this", "mine's", "new", "now", "on", "use", "to", "one", "from",
	"ist", "war", "lautet", "lautete", "heißt", "heisst", "wurde", "neu", "jetzt", "nun", "richtig", "aktuell", "heute", "sofort", "morgen", "gestern", "gilt", "wir", "nehmen", "nutzen", "auf",
	"still", "just", "simply", "again", "currently", "always", "noch", "wieder", "einfach", "das", "the", "old", "current", "right", "correct", "default", "usual", "type", "enter", "try", "say", "neues", "weiterhin", "vor", "unverändert")

// asserting matches the strong ones of these, behind which a value may look like a name
// with a short number.
var asserting = regexp.MustCompile(`(?i)(?:\b(?:is|was|reads|lautet|ist|heißt|gilt|became)|'s|’s|:|=)\s+(?:(?:now|still|just|jetzt|nun|noch)\s+)?["'\x60„“]?$`)

// findReferred looks for a value behind a pronoun in the noun's sentence or the next one.
func findReferred(text string, at int, noun string, secret told, emit func(from, to int)) bool {
	rest := text[at:min(len(text), at+referredReach)]
	if i := strings.Index(rest, "\n\n"); i >= 0 {
		rest = rest[:i]
	}
	quotes := quoted(rest)
	if !quotes && !drawnOrSigned(rest) || describing[strings.ToLower(firstWord(strings.TrimLeft(rest, " \t")))] {
		return false
	}
	if quotes && quotedPhrase(text, at, noun, emit) {
		return true
	}
	sentences := 0
	for from := 0; from < len(rest) && sentences < 2; {
		for from < len(rest) && blank(rest[from]) {
			from++
		}
		to := from
		for to < len(rest) && !blank(rest[to]) {
			to++
		}
		if to == len(rest) && at+to < len(text) { // cut by the reach
			for at+to < len(text) && !blank(text[at+to]) {
				to++
			}
		}
		start, end := trimValue(text, at+from, at+to)
		if end-start >= 6 && refers(text[at:at+from]) && drawnOrSigned(text[start:end]) && plausible.Named(text[start:end], 2) {
			if head := text[at : at+from]; qualified.MatchString(head) || referring.MatchString(head) && breaks.MatchString(head) {
				announced := stated
				if asserting.MatchString(head) {
					announced = equals
				}
				if secret(noun, text[start:end], announced) {
					emit(start, end)
					return true
				}
			}
		}
		if end := at + to; strings.IndexByte(".!;", text[end-1]) >= 0 {
			sentences++
		}
		from = to
	}
	return false
}

// phraseBehind matches words in quotation marks behind a pronoun that takes a noun up again.
var phraseBehind = regexp.MustCompile("^[^\"„“`\\n]{0,60}?[,;:.–—-]\\s(?i:it is|it's|it reads|that is|which is|es ist|sie ist|sie lautet|es lautet|er lautet|lautet|nämlich|namely):? [\"„“`]([^\"„“”`\\n]{12,100})[\"“”`]")

// quoted reports whether a text holds a mark that opens a quotation.
func quoted(text string) bool {
	return strings.IndexByte(text, '"') >= 0 || strings.IndexByte(text, '`') >= 0 || strings.Contains(text, "„") || strings.Contains(text, "“")
}

// quotedPhrase finds a passphrase behind a pronoun: "… asks for a passphrase, it is "…"".
func quotedPhrase(text string, at int, noun string, emit func(from, to int)) bool {
	rest := text[at:min(len(text), at+referredReach+60)]
	if !chosenByPeople(noun) {
		return false
	}
	m := phraseBehind.FindStringSubmatchIndex(rest)
	if m == nil || !plausible.Passphrase(rest[m[2]:m[3]]) {
		return false
	}
	emit(at+m[2], at+m[3])
	return true
}

// drawnOrSigned reports whether a text holds a byte that words do not, or a group of
// letters between hyphens: without one it holds no password, and no expression is tried.
func drawnOrSigned(v string) bool {
	return strings.ContainsAny(v, plausible.Digits+"!#$%&*+=?^~|@") || strings.Contains(v, "§") || strings.Contains(v, "€") || strings.Count(v, "-") >= 3 || plausible.Mixed(v)
}

// breaks matches what parts the clause that names a secret from the one that takes it up.
var breaks = regexp.MustCompile(`[,;:.!?(\n]|\s[–—-]\s|\b(?:to|auf|und|and)\s`)

// trimValue narrows a word to what stands between quotation marks and punctuation.
func trimValue(text string, from, to int) (int, int) {
	for from < to {
		if i := strings.IndexByte("([{\"'`*", text[from]); i >= 0 {
			from++
			continue
		}
		if s := text[from:to]; strings.HasPrefix(s, "„") || strings.HasPrefix(s, "“") {
			from += len("„")
			continue
		}
		break
	}
	for to > from {
		if strings.IndexByte(".,;:)]}\"'`*", text[to-1]) >= 0 {
			to--
			continue
		}
		if s := text[from:to]; strings.HasSuffix(s, "“") || strings.HasSuffix(s, "”") {
			to -= len("“")
			continue
		}
		break
	}
	return from, to
}

// apposed matches a value between commas, in brackets, or behind a question mark, right
// behind its noun.
var apposed = regexp.MustCompile(`^(?:,\s["'\x60]?([^\s,"'\x60]{6,60})["'\x60]?(?:,|$|[.)]?(?:\n|$))|\s?[(\[]["'\x60]?([^\s"'\x60()\[\]]{6,60})["'\x60]?[)\]]|\?\s(?:[A-Z]\w{0,15}:\s)?["'\x60]?([^\s"'\x60]{6,60})["'\x60]?[.!]?(?:\s|$))`)

// findApposed looks for a value right behind its noun, where punctuation parts them.
func findApposed(text string, at int, noun string, secret told, emit func(from, to int)) bool {
	if at == len(text) || strings.IndexByte(",?([ ", text[at]) < 0 {
		return false
	}
	m := apposed.FindStringSubmatchIndex(text[at:min(len(text), at+90)])
	for g := 2; g < len(m); g += 2 {
		if m[g] < 0 {
			continue
		}
		from, to := trimValue(text, at+m[g], at+m[g+1])
		if v := text[from:to]; secret(noun, v, stated) && (plausible.Named(v, 3) || text[at] == '?') && (text[at] != ',' || len(noun) > 2) {
			emit(from, to)
			return true
		}
	}
	return false
}
