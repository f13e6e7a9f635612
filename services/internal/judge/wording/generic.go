package wording

import (
	"strings"

	"github.com/winnowhq/winnow/services/internal/judge/norm"
	"github.com/winnowhq/winnow/services/internal/language"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// quantifiers begin a sentence about every case, present and future. EN and DE.
var quantifiers = memory.WordSet(`every each all any no nobody only everyone everybody everything anything whoever jeder jede jedes alle kein keine niemand nur`)

// normVerbs make a norm of a sentence about every case: the author has not seen every
// case, so the sentence is not an observation. EN and DE.
var normVerbs = memory.WordSet(`need needs require requires get gets go goes carry carries have has use uses live lives follow follows come comes run runs pass passes
 merge merges push pushes may can include includes contain contains start starts end ends ship ships bear bears stay stays deploy deploys
 braucht brauchen benötigt benötigen bekommt bekommen hat haben steht stehen kommt kommen`)

// generic returns the word by which a text speaks about all cases instead of what was
// seen: "every endpoint needs a test", "no SQL in handlers". A text that reports an
// event is an observation all the same, and so is one that says which single thing
// does something: "only CLAUDE.md is read".
func generic(t *Text, german bool) string {
	for i, tok := range t.Tokens {
		if t.Stamps[i] {
			continue
		}
		if tok.Code || tok.Class != memory.TokenWord || !quantifiers[tok.Value] || happened(t.Tokens[i:]) {
			return ""
		}
		c := clauseAt(t.Tokens, t.Stamps, i, german)
		switch tok.Value {
		case "only", "nur":
			return c.reserved()
		case "no", "kein", "keine":
			if c.lacks() {
				return ""
			}
			return tok.Value
		}
		if c.sourced() {
			return "" // "nobody but two has a key, according to the inventory"
		}
		for j := i + 1; j < c.end && j < i+12; j++ {
			if c.at = j; c.tokens[j].Value == "has" && c.frees() {
				return "" // "nobody has to restart it"
			}
			if normVerbs[t.Tokens[j].Value] && !t.Tokens[j].Code {
				return tok.Value
			}
		}
		return ""
	}
	return ""
}

// sourced reports that the clause names where it can be looked up: "according to the log".
func (c clause) sourced() bool {
	for j := c.start; j < c.end; j++ {
		switch c.tokens[j].Value {
		case "according":
			return source(c.tokens, j, "according to")
		case "laut":
			return source(c.tokens, j, "laut")
		}
	}
	return false
}

// reserved returns the word by which "only X does Y" reserves Y to a person or a role,
// empty where it describes a thing.
func (c clause) reserved() string {
	for j := c.at + 1; j < c.end && j < c.at+8; j++ {
		t := c.tokens[j]
		if t.Code {
			continue
		}
		if norm.Person(t.Value) || t.Class == memory.TokenWord && (t.Value == "may" || t.Value == "darf" || t.Value == "dürfen") {
			return c.tokens[c.at].Value
		}
	}
	if norm.Says(c.tokens[c.at:c.end], c.german) {
		return ""
	}
	// Without a verb it is a heading for what is allowed: "only named exports".
	for j := c.at + 1; j < c.end; j++ {
		if t := c.tokens[j]; t.Class == memory.TokenWord && !t.Code && (finiteVerbs[t.Value] || germanFinite[t.Value] || evidence[t.Value] || third(t.Value) || c.predicate(j)) {
			return ""
		}
	}
	return c.tokens[c.at].Value
}

// predicate reports a word that has the ending of a verb right behind a name: "only `a.go`
// matters".
func (c clause) predicate(j int) bool {
	before, w := c.tokens[j-1], c.tokens[j].Value
	return (before.Code || before.Class == memory.TokenIdent || strings.IndexByte(before.Value, '-') > 0) && c.tokens[j].Sep == 0 && len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss")
}

// lacks reports that "no X …" says what is absent or what nobody has to do.
func (c clause) lacks() bool {
	for j := c.at + 1; j < c.end; j++ {
		switch c.tokens[j].Value {
		case "is", "are", "exists", "exist", "remains", "remain", "has", "have", "need", "ist", "sind", "bleibt", "gibt":
			if j+1 < c.end && c.tokens[j+1].Value == "allowed" {
				return false
			}
			return true
		}
	}
	return false
}

// third reports a word that looks like a verb in the third person.
func third(w string) bool {
	return len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && plainOrders[strings.TrimSuffix(w, "s")] || len(w) > 3 && nounOrders[strings.TrimSuffix(w, "s")] || len(w) > 4 && strings.HasSuffix(w, "es") && (plainOrders[strings.TrimSuffix(w, "es")] || nounOrders[strings.TrimSuffix(w, "es")])
}

// observes reports whether a text reports an event, a measure or a cause. A text
// without any of these, such as "`x` is the place for redirects", may be an opinion
// in any wording, and no list of opinions would ever be complete.
//
// It is the last gate before a promotion without a person.
func observes(t *Text) bool {
	names, strict := 0, false
	for i := range t.Tokens {
		strict = strict || isAnchor(t.Tokens[i])
	}
	for i, tok := range t.Tokens {
		if !strict && i > 0 && t.Tokens[i-1].Value == "not" && !pasts[tok.Value] {
			continue // "formats are not standardised" happened to nothing
		}
		if tok.Class == memory.TokenIdent {
			names++
		}
		switch {
		case t.Stamps[i]:
		case names == manyNames:
			return true
		case tok.Class == memory.TokenNumber, tok.Class == memory.TokenDate, tok.Class == memory.TokenArrow:
			return true
		case strings.ContainsAny(tok.Value, "0123456789"):
			return true
		case tok.Class == memory.TokenWord && !tok.Code && (evidence[tok.Value] || past(tok)):
			return true
		}
	}
	return false
}

// idle reports that a sentence of the text neither names anything nor reports an event,
// a measure or a cause, and leans on no sentence that does. A dated, named sentence does
// not carry the next one.
func idle(t *Text) bool {
	if cutOff(t) {
		return true
	}
	names := naming{tokens: t.Tokens, stamps: t.Stamps, german: t.Doc.German}
	told := make(map[string]bool) // the words of the sentences that tell something
	start := 0
	for i := 1; i <= len(t.Tokens); i++ {
		if i < len(t.Tokens) && !sentenceEnd(t.Tokens[i].Sep) {
			continue
		}
		words, tells := 0, false
		for j := start; j < i; j++ {
			tok := &t.Tokens[j]
			if t.Stamps[j] {
				continue
			}
			words++
			tells = tells || tok.Class != memory.TokenWord || evidence[tok.Value] || past(*tok) || names.anchor(j) || told[memory.Stem(tok.Value)]
			if tok.Value == "this" || tok.Value == "that" || tok.Value == "it" || tok.Value == "they" || tok.Value == "both" || tok.Value == "das" || tok.Value == "dies" || tok.Value == "es" {
				tells = tells || start > 0
			}
		}
		if words >= idleWords && !tells {
			return true
		}
		for j := start; j < i; j++ {
			if w := t.Tokens[j].Value; len(w) > 3 && !language.Function(w, language.Open) {
				told[memory.Stem(w)] = true
			}
		}
		start = i
	}
	return false
}

// idleWords is how many words make a sentence that has to tell something.
const idleWords = 4

// cutOff reports a text that stops in the middle of a sentence: its end is missing.
func cutOff(t *Text) bool {
	n := len(t.Tokens)
	if n == 0 || t.Tokens[n-1].Code || t.Tokens[n-1].Quote > 0 || t.Tokens[n-1].Class != memory.TokenWord || t.Tokens[n-1].End < len(t.Clean) {
		return false
	}
	return dangling[t.Tokens[n-1].Value]
}

// dangling are words that no sentence ends with. EN and DE.
var dangling = memory.WordSet(`and or the a an of with because und oder der die das den dem ein eine weil`)

// manyNames is how many names of files, flags and keys in one note are details of a
// thing and not an opinion of it.
const manyNames = 3

// evidence are words of time, measure and cause. EN and DE.
var evidence = memory.WordSet(`now since because until after when whenever while again already gone second seconds minute minutes hour hours hourly day days daily week weeks weekly month months year years nightly
 listens returns answers shows prints exits fails caches expires crashes hangs times throws logs emits keeps holds reads writes takes starts runs uses breaks supports lives contains defaults owns belongs serves handles weighs costs measures publishes resolves points
 seit weil nachdem jetzt nun wenn sekunden minuten stunden tage wochen monate liefert zeigt läuft liegt speichert schlägt braucht bringt nutzt`)

var pasts = memory.WordSet(`burnt learnt dealt dreamt meant spelt spilt spent bent lent slept swept crept forgot forgotten shook shaken stuck struck sang sung sank sunk sprang swam swore sworn tore torn
 woke woken wove woven froze frozen stole stolen bit bitten blew blown bled bred clung dug fed fled flung hid hidden hung paid rang rung rode ridden shone shot shrank shrunk slid sought
 sold spun strode swung understood withdrew withdrawn withstood undid overran overrode overwrote overwritten brought bought caught taught thought fought felt told said spoke spoken fallen risen written
 was were had did used verwendet genutzt got went fell took ran broke hit came became began grew rose made found left lost kept set put built sent held read wrote
 met lay led gave knew threw drew chose sat stood won cut split shut war waren hatte wurde wurden seit`)

// happened reports whether a token is a verb in the past tense.
func happened(tokens []memory.Token) bool {
	for _, t := range tokens {
		if t.Class == memory.TokenWord && !t.Code && past(t) {
			return true
		}
	}
	return false
}

func past(t memory.Token) bool {
	w := t.Value
	return pasts[w] || len(w) > 4 && strings.HasSuffix(w, "ed") || len(w) > 5 && strings.HasPrefix(w, "ge") && (strings.HasSuffix(w, "t") || strings.HasSuffix(w, "en"))
}
