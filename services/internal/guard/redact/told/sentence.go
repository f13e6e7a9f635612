package told

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/winnowhq/winnow/services/internal/guard/redact/plausible"
)

// sentenceReach bounds how far after its noun a secret is looked for, in bytes.
const sentenceReach = 160

// maxWords bounds the words between the noun and what leads to the value.
const maxWords = 12

// told decides whether a value that a sentence gives is a secret, by how strongly the
// noun announces it.
type told func(noun, value string, announced announcement) bool

// announcement says what stands between a noun and its value.
type announcement int

const (
	neighbour announcement = iota // nothing
	stated                        // "with the password …", "changed to …", "… is the password"
	equals                        // "is", "lautet", ":"
)

// findTold returns a finder that walks the words after the noun to the end of
// the sentence. A value counts behind a word that equates ("is", "lautet", ":"),
// in quotes behind such a word, or directly behind the noun.
func findTold(secret told) func(text string, start, end int, emit func(from, to int)) {
	return func(text string, start, end int, emit func(from, to int)) {
		noun := text[start:end]
		if len(noun) < 5 && joinedBefore(text, start) || noun != "PAT" && strings.EqualFold(noun, "pat") {
			return
		}
		at := end
		for _, inflection := range []string{"es", "er", "s", "e"} {
			if strings.HasPrefix(text[at:], inflection) {
				at += len(inflection)
				break
			}
		}
		if from, to, ok := toldBefore(text, start, at); ok && secret(noun, text[from:to], stated) {
			emit(from, to)
		}
		for strings.HasPrefix(text[at:], "*") {
			at++ // **Password**: …
		}
		if strings.HasPrefix(strings.TrimLeft(text[at:min(len(text), at+8)], " \t"), "}") {
			return // {{ vault_pw }}
		}
		if at == len(text) || strings.TrimSpace(text[at:min(len(text), at+sentenceReach)]) == "" || findApposed(text, at, noun, secret, emit) {
			return
		}
		if ahead := strings.IndexByte(" \t:=\n", text[at]) >= 0 || strings.HasPrefix(text[at:], "->"); ahead && findAhead(text, start, at, noun, secret, emit) || !ahead && strings.IndexByte(",.;!?)", text[at]) < 0 {
			return
		}
		findReferred(text, at, noun, secret, emit)
	}
}

// findAhead walks the words behind a noun and reports whether it found the secret.
func findAhead(text string, start, at int, noun string, secret told, emit func(from, to int)) bool {
	equated, weak, plain, of, said := false, false, true, false, false
	assigned := setElsewhere[strings.ToLower(noun)] && strings.IndexByte(":=", strings.TrimLeft(text[at:], " \t\n")[:1][0]) >= 0
	phrase := phraseNoun[strings.ToLower(noun)]
	several := assigned && (text[at-1] == 's' || strings.HasSuffix(strings.ToLower(noun), "wörter"))
	as := alsNoun.MatchString(text[max(0, start-30):start])
	words := sentenceWords(text, at, min(len(text), at+sentenceReach))
	for i, w := range words {
		value := text[w.from:w.to]
		announced := equals
		switch {
		case !equated && plain && drawnOrSigned(value) && led(text, start):
			announced = stated
		case !equated:
			announced = neighbour
		case weak:
			announced = stated
		}
		switch {
		case several && plausible.Named(value, 3) && secret(noun, value, stated):
			emit(w.from, w.to) // "passwords: router …, switch …"
			continue
		case assigned && !(w.quoted && plausible.Passphrase(value)):
			// Assignments have rules of their own, which know code.
		case plain && w.quoted && phrase && plausible.Passphrase(value), said && weak && equated && chosenName(value):
			emit(w.from, w.to)
			return true
		case equated && phrase && barePhrase(text, w.from) > 0:
			emit(w.from, barePhrase(text, w.from))
			return true
		case !w.quoted && i+1 < len(words) && chosen[strings.ToLower(strings.Trim(text[words[i+1].from:words[i+1].to], ".,!"))] && secret(noun, value, stated),
			equated && w.quoted && quotedSecret(noun, value, secret), (equated || plain) && secret(noun, value, announced):
			emit(w.from, w.to)
			return true
		}
		// "The password was set to …", not "the password policy was set to …".
		word := strings.ToLower(strings.Trim(value, ",;()"))
		if i == 0 && describing[word] && !w.colon {
			return true
		}
		of = of || i == 0 && belongs[word]
		said = said && (equates[word] || adverbs[word]) || (i == 0 || of) && (word == "was" || word == "is" || word == "wurde" || word == "ist")
		switch {
		case w.colon || equates[word]:
			equated, weak = true, directs[word]
		case equated && adverbs[word]:
		default:
			equated = false
		}
		plain = plain && (timely[word] || as && choosing[word])
		if w.last {
			return false
		}
	}
	return false
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

// belongs lists what leads from a password to what it opens.
var belongs = plausible.Set("of", "for", "on", "from", "vom", "von", "des", "der", "für", "im", "am")

// chosenName reports a name with a number that somebody sets as a password: a sentence that
// states the password's value may give one that looks like a host elsewhere.
func chosenName(v string) bool {
	return len(v) >= 8 && strings.ContainsAny(v, "_.#") && plausible.Loose(v) && strings.ContainsAny(v, plausible.Digits) && !plausible.Host.MatchString(v)
}

// toldBefore returns the value that a sentence gives before its noun: "… is the
// password", "use … as password", "… ist das Passwort".
func toldBefore(text string, start, end int) (from, to int, ok bool) {
	base := max(0, start-160)
	if end < len(text) && text[end] == ')' {
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
	return base + m[2], base + m[3], true
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
	for first > 0 && blank(head[first-1]) {
		first--
	}
	for first > 0 && !blank(head[first-1]) {
		first--
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

var inBrackets = regexp.MustCompile(`\s["'\x60„“]?([^\s"'\x60„“”()]{6,60})["'\x60“”]?\s+\((?:[A-Za-z-]{2,20} ){0,3}$`)

var valueFirst = regexp.MustCompile(`(?i)(?:^|[\s(])["'\x60„“]?([^\s"'\x60„“”]{6,100})["'\x60“”]?\s+(?:is|was|as|ist|war|als|=)\s+(?:still |now |jetzt |noch |immer noch )?(?:the |its |their |my |our |a |your |das |mein |unser |ihr |dem |ein )?(?:[A-Za-z-]{1,20} ){0,2}(?:\p{L}{2,20}-?)?$`)

func firstWord(s string) string {
	if i := strings.IndexAny(s, " \t\r\n.,;:"); i >= 0 {
		return s[:i]
	}
	return s
}

// chosen lists the verbs that end a German sentence whose value stands before
// them ("als Passwort habe ich … genommen").
var chosen = plausible.Set("genommen", "gesetzt", "vergeben", "gewählt", "eingetragen", "verwendet", "benutzt", "geändert", "eingestellt", "eingegeben", "zurückgesetzt", "hinterlegt", "festgelegt")

// phraseNoun lists the nouns whose value may be words without quotation marks.
var phraseNoun = plausible.Set("passphrase", "pass phrase", "losung", "schlüsselsatz")

// barePhrase returns where a passphrase of at least four words that begins at an
// offset ends with the sentence, 0 when there is none.
func barePhrase(text string, from int) int {
	rest := text[from:min(len(text), from+120)]
	if i := strings.IndexAny(rest, "\r\n.,;("); i >= 0 {
		rest = rest[:i]
	}
	rest = strings.TrimRight(rest, " \t")
	if strings.Count(rest, " ") < 3 || !plausible.Passphrase(rest) {
		return 0
	}
	return from + len(rest)
}

// equates lists the words after which a value stands. A colon does as well.
var equates = plausible.Set("is", "was", "are", "were", "be", "became", "becomes", "remains", "reads", "equals", "to", "as", "=", "==", ":", "->", "=>", "→", "–", "—", "it's", "it’s",
	"ist", "war", "sind", "wäre", "lautet", "lautete", "heißt", "heisst", "hiess", "hieß", "bleibt", "wurde", "auf", "als", "i.e.", "namely", "nämlich")

// directs lists those that also lead elsewhere ("renamed to", "auf 12 Zeichen"):
// what follows them must look like a password.
var directs = plausible.Set("to", "as", "auf", "als", "wurde", "be", "-", "–", "—")

// timely lists the adverbs that alone may stand between a noun and its value.
var timely = plausible.Set("now", "still", "again", "jetzt", "nun", "noch", "wieder")

// alsNoun matches a noun that names a use ("als Passwort nehmen wir …"), choosing the words
// between it and the value.
var (
	alsNoun  = regexp.MustCompile(`(?i)\bals\s(?:\p{L}+\s)?[\p{L}-]*$`)
	choosing = plausible.Set("verwenden", "verwende", "verwendet", "nehmen", "nehme", "nutzen", "nutze", "benutzen", "haben", "habe", "hat", "wir", "ich", "er", "sie", "man", "bitte", "gilt", "wurde", "dient", "steht")
)

// setElsewhere lists the nouns whose assignments have rules of their own.
var setElsewhere = plausible.Set("password", "passwd", "passwort", "kennwort", "passphrase", "pwd", "passcode", "pw", "psk", "pin", "secret", "token", "api key", "api-key", "apikey", "access key", "access-key", "license key")

// adverbs lists what may stand between such a word and the value.
var adverbs = plausible.Set("now", "still", "again", "currently", "always", "just", "simply", "really", "set", "changed", "reset", "back", "jetzt", "nun", "noch", "immer", "weiterhin",
	"aktuell", "derzeit", "einfach", "wieder", "auch", "dann", "also", "momentan", "übrigens", "the", "following", "wie", "folgt", "zurzeit", "standardmäßig")

// word is a word of a sentence, without the punctuation around it.
type word struct {
	from, to int
	quoted   bool // stood in quotation marks, of any number of words
	colon    bool // a colon follows
	last     bool // the sentence ends here
}

// sentenceWords returns the words of text[from:to] up to the end of the sentence, at
// most maxWords. What stands in quotation marks is one word.
func sentenceWords(text string, from, to int) []word {
	var out []word
	for at := from; at < to && len(out) < maxWords; {
		switch c := text[at]; {
		case c == ' ' || c == '\t' || c == '*':
			at++
			continue
		case c == '\n' || c == '\r':
			// A value may stand on the next line behind a colon only.
			if len(out) > 0 && !out[len(out)-1].colon || strings.HasPrefix(text[at:], "\n\n") {
				return out
			}
			at++
			continue
		case c == ':' && (at+1 >= len(text) || strings.IndexByte(" \t\n\r", text[at+1]) >= 0):
			out = append(out, word{from: at, to: at + 1, colon: true})
			at++
			continue
		case c == '=':
			out = append(out, word{from: at, to: at + 1})
			at++
			continue
		}
		if strings.HasPrefix(text[at:], "->") || strings.HasPrefix(text[at:], "=>") {
			out = append(out, word{from: at, to: at + 2})
			at += 2
			continue
		}
		if open, size, end := quotation(text, at, to); open {
			out = append(out, word{from: at + size, to: end, quoted: true})
			_, size = utf8.DecodeRuneInString(text[end:])
			at = end + size
			continue
		}
		end := at
		for end < len(text) && end < at+256 && strings.IndexByte(" \t\r\n", text[end]) < 0 {
			end++
		}
		w := word{from: at, to: end}
		trimmed := strings.TrimRight(text[at:end], ".,;:)]}>\"'`*")
		if rest := text[at+len(trimmed) : end]; rest != "" {
			w.colon = strings.HasSuffix(rest, ":")
			w.last = strings.Contains(rest, ".") && !strings.HasSuffix(rest, ":") || strings.Contains(rest, ";")
			w.to = at + len(trimmed)
		}
		for w.from < w.to && strings.IndexByte("([{\"'`", text[w.from]) >= 0 {
			w.from++
		}
		if w.from < w.to {
			out = append(out, w)
		}
		at = end
	}
	return out
}

// quotation reports whether a quotation of at most 120 bytes on one line begins
// at a byte, the length of its opening mark, and where its closing mark begins.
func quotation(text string, at, limit int) (open bool, size, end int) {
	r, size := utf8.DecodeRuneInString(text[at:])
	closing, ok := closes[r]
	if !ok {
		return false, 0, 0
	}
	rest := text[at+size : min(len(text), at+size+120, limit+60)]
	for i, c := range rest {
		if c == '\n' {
			return false, 0, 0
		}
		if i > 0 && strings.ContainsRune(closing, c) {
			return true, size, at + size + i
		}
	}
	return false, 0, 0
}

// closes maps opening quotation marks to the marks that may close them.
var closes = map[rune]string{'"': `"`, '\'': `'`, '`': "`", '„': "“”\"", '“': "”“\"", '‚': "‘'", '‘': "’'", '«': "»", '»': "«", '”': "”"}

// joinedBefore reports whether a letter or digit stands before a short noun, so
// that it is the end of another word ("spin", "gpw").
func joinedBefore(text string, start int) bool {
	r, _ := utf8.DecodeLastRuneInString(text[:start])
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

// quotedSecret is the decision for a value in quotation marks: also words, when
// they read as a passphrase.
func quotedSecret(noun, value string, secret told) bool {
	return secret(noun, value, equals) || plausible.Passphrase(value) && !bought[strings.ToLower(noun)]
}

// tellsPassword accepts what a sentence calls a password.
func tellsPassword(noun, v string, announced announcement) bool {
	if strings.EqualFold(noun, "pin") {
		return plausible.PIN.MatchString(v) && (announced > neighbour || noun == "PIN" && len(v) > 4) || announced == equals && plausible.Loose(v) && !plausible.Version.MatchString(v)
	}
	switch announced {
	case neighbour:
		return plausible.Strict(v)
	case stated:
		return plausible.Named(v, 2)
	}
	return plausible.Loose(v)
}

// tellsToken accepts what a sentence calls a token: it must look random. What is bought
// (a license, a serial number) has the groups of a product key.
func tellsToken(noun, v string, announced announcement) bool {
	if bought[strings.ToLower(noun)] {
		return productKey.MatchString(v)
	}
	return productKey.MatchString(v) || plausible.Token(v) && plausible.Strict(v) && (announced == equals || len(v) >= 12 && plausible.Random(v)) && !plausible.Identifier(v, 0, 0, len(v))
}

var (
	bought     = plausible.Set("serial", "license", "licence", "lizenz")
	productKey = regexp.MustCompile(`^[A-Z0-9]{4,8}(?:-[A-Z0-9]{4,8}){2,7}$`)
)
