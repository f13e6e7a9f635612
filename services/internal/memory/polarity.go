package memory

import "strings"

// modal is the set of obligations that a text states.
type modal uint8

const (
	modalMust modal = 1 << iota
	modalShould
	modalMay
	modalNever
)

func (m modal) count() int {
	n := 0
	for ; m != 0; m &= m - 1 {
		n++
	}
	return n
}

func (m modal) String() string { return strings.Join(m.names(), ", ") }

func (m modal) names() []string {
	var names []string
	for i, name := range []string{"must", "should", "may", "never"} {
		if m&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return names
}

// wordModals are single words that oblige, advise, allow or forbid. "can" and
// "will" are omitted, because they describe more often than they allow.
var wordModals = map[string]modal{
	"must": modalMust, "shall": modalMust, "always": modalMust, "mandatory": modalMust, "required": modalMust, "requires": modalMust,
	"needs": modalMust, "need": modalMust, "muss": modalMust, "müssen": modalMust, "immer": modalMust, "zwingend": modalMust,
	"pflicht": modalMust, "pflichtfeld": modalMust, "pflichtangabe": modalMust, "verpflichtend": modalMust, "compulsory": modalMust, "obligatory": modalMust, "stets": modalMust, "needed": modalMust, "require": modalMust,
	"should": modalShould, "ought": modalShould, "recommended": modalShould, "sollte": modalShould, "sollten": modalShould, "empfohlen": modalShould,
	"may": modalMay, "might": modalMay, "optional": modalMay, "optionally": modalMay, "allowed": modalMay, "permitted": modalMay,
	"darf": modalMay, "dürfen": modalMay, "erlaubt": modalMay, "könnte": modalMay,
	"never": modalNever, "forbidden": modalNever, "prohibited": modalNever, "nie": modalNever, "niemals": modalNever, "verboten": modalNever,
}

// phraseModals returns the obligations of two words: "has to", "every time".
func phraseModals(tokens []Token) modal {
	var m modal
	for i := 1; i < len(tokens); i++ {
		a, b := tokens[i-1].Value, tokens[i].Value
		switch {
		case b == "to" && (a == "has" || a == "have" || a == "had"):
			if !frees(tokens, i-1) {
				m |= modalMust
			}
		case a == "every" && b == "time", a == "jedes" && b == "mal":
			m |= modalMust
		}
	}
	return m
}

// negates reports whether the word w negates a statement.
func negates(w string) bool {
	switch w {
	case "not", "no", "never", "none", "nothing", "without", "cannot", "neither", "nor", "nobody", "unless", "lacks", "lack", "lacking",
		"nicht", "nie", "niemals", "ohne", "nichts", "weder", "niemand":
		return true
	}
	return strings.HasSuffix(w, "n't") || strings.HasSuffix(w, "n’t") || strings.HasPrefix(w, "kein") && len(w) <= 7
}

// Negates reports whether a word, in lower case, negates a statement.
func Negates(word string) bool { return negates(word) }

// contrasts reports whether token i is the second word of "rather than" or
// "instead of", which deny the words that follow.
func contrasts(tokens []Token, i int) bool {
	if i == 0 {
		return false
	}
	a, b := tokens[i-1].Value, tokens[i].Value
	return a == "rather" && b == "than" || a == "instead" && b == "of" || a == "statt" && b == "dessen"
}

// failsNear reports whether the sentence of token i states a failure. A "without" or
// "unless" then names a requirement.
func failsNear(tokens []Token, i int) bool {
	return failsBefore(tokens, i) || (i == 0 || tokens[i].Sep != 0) && failsBehind(tokens, i)
}

// failsBehind reports whether the sentence that token i begins states a failure.
func failsBehind(tokens []Token, i int) bool {
	for j := i + 1; j < len(tokens) && j < i+12; j++ {
		if s := tokens[j].Sep; s == '.' || s == ';' || s == '\n' {
			return false
		}
		if a, ok := axes[tokens[j].Value]; ok && a == failing || breaks[Stem(tokens[j].Value)] {
			return true
		}
	}
	return false
}

func failsBefore(tokens []Token, i int) bool {
	for j := i - 1; j >= 0 && j >= i-4; j-- {
		if a, ok := axes[tokens[j].Value]; ok && a == failing || breaks[Stem(tokens[j].Value)] {
			return true
		}
		if s := tokens[j+1].Sep; s == '.' || s == ';' || s == '\n' {
			return false
		}
	}
	return false
}

var breaks = WordSet(`break crash hang abort refus panic`)

// boundWord is the word of a side that a denied comparative states.
const boundWord = "no more than"

// bounds returns the word of the bound that a denied comparative at token i means: "most"
// for "no more than", "least" for "not less than"; empty for any other negation.
func bounds(tokens []Token, i int) string {
	if !negates(tokens[i].Value) {
		return ""
	}
	for j := i + 1; j+1 < len(tokens) && j <= i+4 && tokens[j].Sep == 0; j++ {
		if next := tokens[j+1].Value; next != "than" && next != "als" {
			continue
		}
		switch tokens[j].Value {
		case "more", "longer", "larger", "higher", "mehr", "länger", "größer", "höher":
			return "most"
		case "less", "fewer", "shorter", "smaller", "lower", "weniger", "kürzer", "kleiner":
			return "least"
		}
	}
	return ""
}

// bounded reports whether the comparative at token i belongs to such a bound.
func bounded(tokens []Token, i int) bool {
	if i+1 == len(tokens) || tokens[i+1].Value != "than" && tokens[i+1].Value != "als" {
		return false
	}
	for j := i - 1; j >= 0 && j >= i-4; j-- {
		if bounds(tokens, j) != "" {
			return true
		}
		if tokens[j+1].Sep != 0 {
			return false
		}
	}
	return false
}

// notOnly reports whether token i begins "not only X but Y" or "not just X", which
// negate nothing.
func notOnly(tokens []Token, i int) bool {
	if i+1 >= len(tokens) {
		return false
	}
	switch tokens[i+1].Value {
	case "only", "just", "merely", "nur":
		return true
	}
	return false
}

// negatedWord returns the stem of the word that a negation denies: the next word
// of content in the clause, else the last one before the negation.
func negatedWord(tokens []Token, i int) string {
	for j := i + 1; j < len(tokens) && j <= i+5; j++ {
		if s := tokens[j].Sep; s == '.' || s == ';' || s == '\n' {
			break
		}
		if t := tokens[j]; !fillers[t.Value] && !negates(t.Value) {
			if t.Class == TokenWord {
				return Stem(t.Value)
			}
			return t.Value
		}
	}
	for j := i - 1; j >= 0 && j >= i-4; j-- {
		if t := tokens[j]; !fillers[t.Value] && !negates(t.Value) {
			if t.Class == TokenWord {
				return Stem(t.Value)
			}
			return t.Value
		}
	}
	return ""
}

// side is one end of an axis, such as "after" of before and after. On the axis of
// order a side has the words to its left and right, so that "A before B" equals "B
// after A".
type side struct {
	axis        int
	positive    bool
	word        string
	left, right string
}

// first returns the words on the axis of order, the earlier one in time first.
func (s side) first() (string, string) {
	if s.positive {
		return s.left, s.right
	}
	return s.right, s.left
}

type axisEnd struct {
	axis     int
	positive bool
}

// orderAxis is before and after: the only axis whose ends can be swapped
// together with their arguments.
const orderAxis = 0

// addAxis is what was added and what was removed.
const addAxis = 2

// antonyms lists the axes: each line is a pair of groups with opposite meanings,
// and the words of a group mean the same end. EN and DE.
var antonyms = [...][2]string{
	orderAxis: {"before vor bevor vorher prior precedes", "after nach nachdem nachher follows"},
	{"enabled enable enables enabling aktiviert aktivieren eingeschaltet", "disabled disable disables disabling deaktiviert deaktivieren ausgeschaltet"},
	addAxis: {"added add adds adding hinzugefügt", "removed remove removes removing entfernt deleted deletes delete deleting dropped drops"},
	{"increased increase increases raised erhöht gestiegen grew rose", "decreased decrease decreases reduced lowered gesenkt verringert fell shrank"},
	{"more mehr", "less fewer weniger"},
	{"higher above over über höher", "lower below under unter niedriger"},
	{"faster schneller", "slower langsamer"},
	{"larger bigger größer longer länger", "smaller kleiner shorter kürzer"},
	{"allow allows allowed erlaubt permits accepts", "deny denies denied verboten forbids rejects rejected refuses blocked"},
	{"true wahr", "false falsch"},
	{"synchronous synchronously sync synchron", "asynchronous asynchronously async asynchron"},
	{"first erste ersten zuerst", "last letzte letzten zuletzt"},
	{"minimum min least mindestens", "maximum max most höchstens"},
	{"open opens opened offen geöffnet", "closed close closes geschlossen"},
	{"passes passing passed pass works working succeeds successful bestanden grün green", "fails failing failed fail broken schlägt rot red"},
	{"internal internally intern interne", "external externally extern externe"},
	{"public öffentlich", "private privat"},
	{"includes include included including", "excludes exclude excluded excluding"},
	{"inside within innerhalb", "outside außerhalb"},
	{"with mit", "without ohne"},
	{"on an", "off aus"},
	{"latest newest neueste", "oldest älteste"},
	{"ascending aufsteigend", "descending absteigend"},
	{"started starts start startet", "stopped stops stop stoppt"},
	{"mutable", "immutable"},
	{"sequential sequentially sequentiell serial", "parallel concurrently concurrent"},
	{"manual manually manuell", "automatic automatically automatisch"},
	{"always immer", "never nie niemals"},
	{"up hoch", "down runter"},
	{"required mandatory compulsory obligatory pflicht pflichtfeld pflichtangabe verpflichtend", "optional optionally freiwillig"},
	{"left links", "right rechts"},
	{"valid gültig", "invalid ungültig"},
	{"active aktiv", "inactive inaktiv"},
	{"available verfügbar", "unavailable"},
	{"locally local lokal", "remotely remote entfernten"},
	{"same gleiche gleichen", "different unterschiedliche andere"},
	{"supported unterstützt", "unsupported deprecated"},
	{"read reads lesen", "write writes schreiben"},
	{"old alte alten", "new neue neuen"},
	{"production prod produktion", "staging"},
	{"case-sensitive", "case-insensitive"},
	{"strict streng", "lenient"},
	{"single einzelne", "multiple mehrere"},
	{"encrypted verschlüsselt", "unencrypted plaintext unverschlüsselt"},
	{"default", "custom"},
	{"kept keeps keep retained retains preserved preserves survives behalten bleibt", "lost loses lose discarded discards forgotten vanishes verloren verworfen"},
	{"shown shows visible displayed sichtbar", "hidden hides invisible unsichtbar"},
	{"used genutzt", "unused ignored ignores ungenutzt"},
	{"shared gemeinsam", "separate separately isolated getrennt"},
	{"static statisch", "dynamic dynamisch"},
	{"eager eagerly", "lazy lazily"},
	{"online", "offline"},
	{"stable stabil", "unstable flaky instabil"},
	{"reversible", "irreversible"},
	{"present exists existing vorhanden", "missing absent fehlt"},
	{"safe sicher", "unsafe dangerous unsicher"},
	{"cached", "uncached"},
	{"blocking", "nonblocking non-blocking"},
	{"relative", "absolute"},
	{"temporary temporarily vorübergehend", "permanent permanently dauerhaft"},
	{"client client-side", "server server-side"},
	{"explicit explicitly", "implicit implicitly"},
	{"success erfolg", "failure fehlschlag"},
	{"input eingabe", "output ausgabe"},
	{"upstream", "downstream"},
	{"early earlier früh", "late later spät"},
	{"direct directly", "indirect indirectly"},
	{"stateless", "stateful"},
	{"empty leer", "full voll"},
	{"upper uppercase", "lowercase"},
	{"known bekannt", "unknown unbekannt"},
	{"recursive recursively", "flat"},
	{"only nur lediglich", "also auch additionally"},
	{"once einmal", "repeatedly wiederholt"},
}

var axes = buildAxes()

// gradual axes have a middle, or name two things that may both hold: what is not more
// need not be less, and what is not read may be written.
var gradual = WordSet(`before more higher faster larger added increased first minimum up old read left upper client input production single latest early default always only once started locally upstream`)

// complementary reports whether one end of an axis denied is the other end: what is not
// enabled is disabled.
func complementary(axis int) bool {
	return !gradual[strings.Fields(antonyms[axis][0])[0]]
}

// failing is the end that means a failure, neverAxis the axis of always and never.
var (
	failing   = axes["fails"]
	neverAxis = axes["never"].axis
	withAxis  = axes["without"].axis
	// switchAxis is on and off, whose words are prepositions in most sentences.
	switchAxis = axes["on"].axis
)

// switched reports whether the "on" or "off" at token i is a state: at the end of its
// clause, or before words that only say when, where or why. "Runs on the host", "moved off
// the host" and the article "an" are none.
func switched(tokens []Token, i int) bool {
	if i+1 == len(tokens) || tokens[i+1].Sep != 0 {
		return true
	}
	next := tokens[i+1]
	return next.Class == TokenWord && !next.Code && whereabouts[next.Value] || next.Class == TokenDate
}

var whereabouts = WordSet(`by since for in again until till at during when while and or but because as after before if unless only everywhere now
 seit für bis bei im beim während wenn und oder aber weil nach vor falls nur jetzt standardmäßig`)

func buildAxes() map[string]axisEnd {
	m := make(map[string]axisEnd, 256)
	for axis, ends := range antonyms {
		for i, words := range ends {
			for _, w := range strings.Fields(words) {
				if _, taken := m[w]; !taken {
					m[w] = axisEnd{axis: axis, positive: i == 0}
				}
			}
		}
	}
	return m
}

// neighbours returns the words that a word of order relates: the nearest
// identifier on each side, else the nearest word of content.
func neighbours(tokens []Token, i int) (left, right string) {
	pick := func(from, step int) string {
		word := ""
		for n, j := 0, from; j >= 0 && j < len(tokens) && n < 6; n, j = n+1, j+step {
			t := tokens[j]
			if t.Class == TokenIdent {
				return t.Value
			}
			if word == "" && t.Class == TokenWord && !fillers[t.Value] {
				word = Stem(t.Value)
			}
			edge := t
			if step > 0 && j+1 < len(tokens) {
				edge = tokens[j+1]
			}
			if s := edge.Sep; s == '.' || s == ';' || s == '\n' {
				break
			}
		}
		return word
	}
	return pick(i-1, -1), pick(i+1, 1)
}

// fillers are words without content. The search for the word that a number, a
// negation or a direction refers to skips fillers. EN and DE.
var fillers = WordSet(`a an the this that these those it its is are was were be been being am to of in on at by for with
 from as and or but so than then too very just also any all some each every only own more most much many any longer yet
 still already now there here when where which who whom what how why if while do does did done has have had having will
 would can could may might must shall should need needs only exactly about into over under after before per via
 our your their his her my we you they he she i me us them
 der die das den dem des ein eine einer eines einem einen und oder aber ist sind war waren sein wird werden wurde wurden
 zu zum zur im am auf für von vom mit bei aus als auch nur noch schon mehr sehr so dass wenn weil wie was wer wo
 hat haben hatte kann können muss müssen soll sollte darf es er sie wir ihr ich man sich nach vor bis über unter`)

// Negations returns the stems of the words that the text denies, sorted; a negation
// that denies no word is an empty stem.
func (s *Specifics) Negations() []string {
	out := make([]string, len(s.negated))
	for i, d := range s.negated {
		out[i] = d.Text
	}
	return out
}

// Denies reports whether the text denies a word, given by its stem.
func (s *Specifics) Denies(stem string) bool { return denies(s, stem) }

// Duties names what the text obliges, advises, allows or forbids: a subset of must,
// should, may and never, in this order.
func (s *Specifics) Duties() []string { return s.modals.names() }

// IsMeasure reports whether u is a unit that changes a number's meaning, such as ms or
// %. The word that happens to follow a number is none.
func IsMeasure(u string) bool { return isMeasure(u) }

// IsUnit reports whether a word, in lower case, is a unit in any of its forms: minutes, s.
func IsUnit(word string) bool {
	_, known := scales[unitOf(Stem(word))]
	return known || isMeasure(word)
}

// Opposite reports whether two words, in lower case, are opposite ends of one axis, such
// as before and after.
func Opposite(a, b string) bool {
	x, known := axes[a]
	y, other := axes[b]
	return known && other && x.axis == y.axis && x.positive != y.positive
}

// Sided reports whether a word is the opposite of any, as by [Opposite].
func Sided(word string) bool {
	_, ok := axes[word]
	return ok
}
