package told

import (
	"regexp"
	"strings"

	"github.com/winnowhq/winnow/services/internal/guard/redact/material"
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
			findFirst(text, from, noun, secret, emit)
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
	assigned := text[at-1] != '*' && !strings.HasPrefix(text[at:], ":*") && setElsewhere[strings.ToLower(noun)] && strings.IndexByte(":=", strings.TrimLeft(text[at:], " \t\n")[:1][0]) >= 0
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
		case plain && w.quoted && (phrase || chosenByPeople(noun)) && plausible.Passphrase(value), said && weak && equated && chosenName(value):
			emit(w.from, w.to)
			return true
		case equated && phrase && barePhrase(text, w.from) > 0:
			emit(w.from, barePhrase(text, w.from))
			return true
		case !w.quoted && i+1 < len(words) && chosen[strings.ToLower(strings.Trim(text[words[i+1].from:words[i+1].to], ".,!"))] && secret(noun, value, stated),
			equated && w.quoted && quotedSecret(noun, value, secret), (equated || plain) && secret(noun, value, announced):
			emit(w.from, w.to)
			findSecond(text, words[i+1:], noun, secret, emit)
			return true
		case i > 0 && !w.last && fromWord[strings.ToLower(text[words[i-1].from:words[i-1].to])] && i+1 < len(words) && directs[strings.ToLower(text[words[i+1].from:words[i+1].to])] && plausible.Named(value, 2) && secret(noun, value, stated):
			emit(w.from, w.to) // "changed from … to …"
			continue
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

// fromWord lists what leads to the value that was.
var fromWord = plausible.Set("from", "von", "vom")

// joins lists what joins two values of one noun.
var joins = plausible.Set("or", "oder", "and", "und", "then", "dann", "/", "now", "jetzt")

// findSecond finds a second value behind the first: "either … or …".
func findSecond(text string, words []word, noun string, secret told, emit func(from, to int)) {
	if len(words) >= 2 && renewed[strings.ToLower(text[words[0].from:words[0].to])] {
		// "altes Passwort …, neues …"
	} else if len(words) < 2 || !joins[strings.ToLower(text[words[0].from:words[0].to])] {
		return
	}
	if w := words[1]; plausible.Named(text[w.from:w.to], 2) && secret(noun, text[w.from:w.to], stated) {
		emit(w.from, w.to)
	}
}

// renewed lists what leads to the other value of two, without a noun of its own.
var renewed = plausible.Set("new", "old", "neues", "altes", "neu", "alt", "vorher", "nachher", "before", "after")

// belongs lists what leads from a password to what it opens.
var belongs = plausible.Set("of", "for", "on", "from", "vom", "von", "des", "der", "für", "im", "am")

// chosenName reports a name with a number that somebody sets as a password: a sentence that
// states the password's value may give one that looks like a host elsewhere.
func chosenName(v string) bool {
	return len(v) >= 8 && strings.ContainsAny(v, "_.#") && plausible.Loose(v) && strings.ContainsAny(v, plausible.Digits) && !plausible.Host.MatchString(v)
}

func firstWord(s string) string {
	if i := strings.IndexAny(s, " \t\r\n.,;:"); i >= 0 {
		return s[:i]
	}
	return s
}

// chosen lists the verbs that end a German sentence whose value stands before
// them ("als Passwort habe ich … genommen").
var chosen = plausible.Set("genommen", "gesetzt", "vergeben", "gewählt", "eingetragen", "verwendet", "benutzt", "geändert", "eingestellt", "eingegeben", "zurückgesetzt", "hinterlegt", "festgelegt", "eingeben", "eintippen", "eingetippt", "verwenden", "nehmen", "benutzen", "tippen")

// chosenByPeople reports a noun for what people choose, which may be words in quotation
// marks; what a machine draws is none.
func chosenByPeople(noun string) bool {
	noun = strings.ToLower(noun)
	for _, part := range []string{"pass", "wort", "pwd", "psk", "losung"} {
		if strings.Contains(noun, part) {
			return true
		}
	}
	return noun == "pw"
}

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
var equates = plausible.Set("is", "was", "are", "were", "be", "became", "becomes", "remains", "stays", "reads", "equals", "to", "as", "been", "=", "==", ":", "->", "=>", "→", "–", "—", "it's", "it’s",
	"ist", "war", "sind", "sei", "wäre", "lautet", "lautete", "heißt", "heisst", "hiess", "hieß", "bleibt", "wurde", "auf", "als", "i.e.", "namely", "nämlich")

// directs lists those that also lead elsewhere ("renamed to", "auf 12 Zeichen"):
// what follows them must look like a password.
var directs = plausible.Set("to", "been", "as", "auf", "als", "wurde", "be", "-", "–", "—")

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
	"aktuell", "derzeit", "einfach", "wieder", "auch", "dann", "also", "momentan", "übrigens", "the", "either", "entweder", "following", "wie", "folgt", "zurzeit", "standardmäßig")

// quotedSecret is the decision for a value in quotation marks: also words, when
// they read as a passphrase.
func quotedSecret(noun, value string, secret told) bool {
	return secret(noun, value, equals) || plausible.Passphrase(value) && !bought[strings.ToLower(noun)]
}

// tellsPassword accepts what a sentence calls a password.
func tellsPassword(noun, v string, announced announcement) bool {
	v = strings.Trim(v, "\"'")
	if strings.EqualFold(noun, "pin") {
		return plausible.PIN.MatchString(v) && (announced > neighbour || noun == "PIN" && len(v) > 4) || announced == equals && plausible.Loose(v) && !plausible.Version.MatchString(v)
	}
	if joinedPhrase(v) {
		return announced == equals || announced == stated && phraseNoun[strings.ToLower(noun)]
	}
	switch announced {
	case neighbour:
		return plausible.Strict(v)
	case stated:
		return plausible.Named(v, 2)
	}
	return plausible.Loose(v)
}

// joinedPhrase reports a passphrase of at least four words with hyphens between them.
func joinedPhrase(v string) bool {
	return joinedWords.MatchString(v) && plausible.Passphrase(v)
}

var joinedWords = regexp.MustCompile(`^\p{L}\p{Ll}{1,13}(?:-\p{L}\p{Ll}{1,13}){3,9}$`)

// tellsToken accepts what a sentence calls a token: it must look random. What is bought
// (a license, a serial number) has the groups of a product key.
func tellsToken(noun, v string, announced announcement) bool {
	if bought[strings.ToLower(noun)] {
		return productKey.MatchString(v)
	}
	if plausible.UUID.MatchString(v) {
		return announced == equals
	}
	if clusterName.MatchString(v) {
		return false
	}
	return productKey.MatchString(v) || material.Groups(v) && announced == equals || plausible.Token(v) && plausible.Strict(v) && (announced == equals || len(v) >= 12 && plausible.Random(v)) && !plausible.Identifier(v, 0, 0, len(v))
}

var (
	bought = plausible.Set("serial", "license", "licence", "lizenz")
	// clusterName matches words and the drawn end that a cluster gives to names of objects.
	clusterName = regexp.MustCompile(`^[a-z]+(?:-[a-z]+)*-[a-z0-9]{4,10}$`)
	productKey  = regexp.MustCompile(`^[A-Z0-9]{4,8}(?:-[A-Z0-9]{4,8}){2,7}$`)
)
