package wording

import (
	"strings"

	"github.com/winnowhq/winnow/services/internal/judge/norm"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// Words of a norm or a wish also tell what was, what somebody else says, or what a
// machine does. The readings here need more than the words around the phrase: who it is
// about, and what the sentence goes on to tell. Where a person could take the sentence
// for a norm all the same, the reading is habit, so that it is asked about and never
// promoted.

// wish reads words of liking: "users who want X" are a group, and nobody's wish.
func (c clause) wish(words string) reading {
	if c.at == 0 {
		return obliges
	}
	if c.device() {
		return describes
	}
	if c.apparatus() || c.formal() || c.tallied(words) || c.overtaken(words) {
		return habit
	}
	if words == "preference" && articles[c.tokens[c.at-1].Value] && c.at+1 < c.end && stored[c.tokens[c.at+1].Value] {
		return habit // a setting
	}
	switch w := c.tokens[c.at-1].Value; {
	case w == "who" || w == "that" || w == "which" || w == "if" || w == "whoever":
		return describes
	case words == "will" && c.german && c.thing():
		return describes // "der Drucker will nicht drucken"
	}
	return obliges
}

// thing reports that the German word before or behind the verb has an article and is
// no person, and that the verb is denied: things refuse, and have no wishes.
func (c clause) thing() bool {
	if !c.within("nicht", 10) && !c.within("keine", 10) && !c.within("kein", 10) {
		return false
	}
	for j := max(c.start, c.at-3); j < min(c.end, c.at+3); j++ {
		switch c.tokens[j].Value {
		case "der", "die", "das":
			return j+1 < c.end && !norm.Person(c.tokens[j+1].Value)
		}
	}
	return false
}

// device reports that the subject is a program or a machine, which prefers and wants by
// its construction: "the scheduler prefers nodes in zone b".
func (c clause) device() bool {
	for j := c.at - 1; j >= c.start && j >= c.at-6; j-- {
		t := c.tokens[j]
		switch {
		case t.Code, t.Class == memory.TokenIdent, devices[t.Value] || knownTools[t.Value]:
			return true
		case norm.Person(t.Value), t.Sep != 0:
			return false
		case c.german && devices[strings.TrimSuffix(t.Value, "s")]:
			return true
		}
	}
	// German has the subject behind the verb too: "seit 2.4 bevorzugt der Scheduler …".
	return c.german && c.at+2 < c.end && (c.tokens[c.at+1].Value == "der" || c.tokens[c.at+1].Value == "die") && devices[c.tokens[c.at+2].Value]
}

// devices are programs and machines by what they do. EN and DE.
var devices = memory.WordSet(`scheduler planner optimizer optimiser compiler linter parser kernel daemon server router balancer proxy cache browser runtime formatter engine driver allocator resolver controller
 importer exporter loader bundler runner worker crawler scanner printer sensor firmware api service job query index database cluster kubelet operator-pod library plugin loader shell gateway firewall hypervisor installer updater
 algorithm heuristic client protocol standard format field form endpoint webhook pump valve thermostat camera board chip drucker kernel planer übersetzer dienst treiber verteiler leser schnittstelle sensor pumpe heizung`)

// told reports that a wish is history or was counted: "wanted lists until 2025", "asked
// for CSV, so it writes CSV", "users prefer the map: 71 % open it". "Were asked for" is
// nobody's wish.
func (c clause) told(words string) bool {
	switch words {
	case "wanted", "asked for", "asked to", "asked that", "preferred", "insisted", "wollte", "wollten":
		if words != "wanted" && c.at > c.start && passives[c.tokens[c.at-1].Value] {
			return true
		}
		return c.outcome() || c.atFirst() || c.wentOn(words)
	case "prefer", "want", "like to", "likes", "favor", "bevorzugen", "mögen", "wollen":
		return c.crowd() && c.counted()
	}
	return false
}

// atFirst reports what somebody wished at first, or got.
func (c clause) atFirst() bool {
	at := []string{"originally", "initially", "ursprünglich", "anfangs", "zunächst", "früher"}
	if c.before(at...) || c.after(at...) {
		return true
	}
	for j := c.at + 1; j+1 < c.end; j++ {
		if w := c.tokens[j].Value; (w == "and" || w == "und") && outcomes[c.tokens[j+1].Value] {
			return true
		}
	}
	return false
}

// outcomes are verbs of what became of a wish. EN and DE.
var outcomes = memory.WordSet(`got received bekam erhielt`)

var passives = memory.WordSet(`was were is are been being get gets got wurde wurden`)

// outcome reports that the sentence goes on to tell what came of it, or until when it was so.
func (c clause) outcome() bool {
	for j := c.at + 1; j < len(c.tokens) && !sentenceEnd(c.tokens[j].Sep); j++ {
		switch w := c.tokens[j].Value; w {
		case "until", "therefore", "hence", "thus", "but", "bis", "deshalb", "daher", "darum", "aber":
			return true
		case "so":
			return j+1 < len(c.tokens) && c.tokens[j+1].Value != "that"
		case "since", "seit", "now":
			if c.tokens[j].Sep == ';' {
				return true
			}
		}
	}
	return false
}

// crowd reports that the clause is about those whom nobody here speaks for.
func (c clause) crowd() bool {
	for j := c.start; j < c.at; j++ {
		if crowds[c.tokens[j].Value] && c.main(j) {
			return true
		}
	}
	return false
}

var crowds = memory.WordSet(`users customers visitors guests passengers patients students pupils readers players buyers shoppers subscribers viewers clients browsers
 nutzer kunden besucher gäste fahrgäste patienten schüler leser spieler käufer abonnenten`)

// counted reports a number in the rest of the text, with a unit or a thing behind it.
func (c clause) counted() bool {
	for j := c.at + 1; j < len(c.tokens); j++ {
		if c.tokens[j].Class == memory.TokenNumber && (c.stamps == nil || !c.stamps[j]) {
			return true
		}
	}
	return false
}

// outsider reports that the clause names somebody before the verb who makes no norms
// here: a vendor, a document, a tool.
func (c clause) outsider() bool {
	if c.at == c.start {
		return false
	}
	a := c.subject()
	w := c.tokens[c.at-1]
	return !a.we && !a.you && !a.people && w.Value != "i" && w.Value != "ich" && w.Value != "it" && (w.Class != memory.TokenWord || w.Code || len(w.Value) > 2)
}

// suffers reports that what has to be done is only waited for: "have to wait 40 s".
func (c clause) suffers() bool {
	for j := c.at + 1; j < c.end && j <= c.at+3; j++ {
		if waits[c.tokens[j].Value] {
			return true
		}
	}
	return c.german && c.end > c.at+1 && waits[c.tokens[c.end-1].Value]
}

var waits = memory.WordSet(`wait queue warten anstehen`)

// breaks reports a thing that has to be some way, and what went wrong where it was not:
// "must be an integer, a float makes it panic", "muss warmlaufen, sonst driftet sie". It
// is a property of the thing, unless it speaks of those who could follow a norm.
func (c clause) breaks() bool {
	if s := c.subject(); s.we || s.you || s.people || c.at == c.start || c.office() {
		return false
	}
	for j := c.at + 1; j < len(c.tokens) && !sentenceEnd(c.tokens[j].Sep); j++ {
		if failings[c.tokens[j].Value] {
			return !c.gatedAt(j)
		}
	}
	return false
}

// failings are what happens to a machine, EN and DE.
var failings = memory.WordSet(`panic panics panicked crash crashes crashed hangs hung fails failed breaks broke drifts drifted overheats stalls stalled refuses refused aborts aborted
 driftet stürzt hängt scheitert scheiterte bricht brach schlägt schlug verweigert`)

// stative reports a verb behind a denial that nobody can be told to leave: "do not have",
// "don't know".
func (c clause) stative() bool {
	j := c.at + 1
	for j < c.end && (c.tokens[j].Value == "not" || c.tokens[j].Value == "yet" || c.tokens[j].Value == "even") {
		j++
	}
	return j < c.end && !c.initial() && states[c.tokens[j].Value]
}

var states = memory.WordSet(`have know care matter exist need understand seem appear belong mean differ happen own contain see hear fit match`)

// reasoned reports that the clause gives a cause of what it tells.
func (c clause) reasoned() bool { return c.after("because", "since", "weil", "due") }

// experiences reports a "you" at i that stands for anybody and of whom the sentence only
// tells what happens: "you get a blank page".
func experiences(tokens []memory.Token, i int) bool {
	j := i + 1
	for j < len(tokens) && tokens[j].Sep == 0 && (ability[tokens[j].Value] || tokens[j].Value == "only" || tokens[j].Value == "always" || tokens[j].Value == "still" || tokens[j].Value == "then") {
		j++
	}
	return j < len(tokens) && tokens[j].Sep == 0 && (tokens[i].Value == "you" || tokens[i].Value == "you'll") && happens[tokens[j].Value]
}

var happens = memory.WordSet(`get see end lose notice receive land hit find wait experience`)

// source reports that the "according to" at i names what was measured or is stored, and
// nobody's word: a file, a log, a profile.
func source(tokens []memory.Token, i int, words string) bool {
	j := i + len(strings.Fields(words))
	for j < len(tokens) && tokens[j].Sep == 0 && articles[tokens[j].Value] {
		j++
	}
	if j >= len(tokens) {
		return false
	}
	t := tokens[j]
	return t.Class == memory.TokenIdent || t.Code || recorded(t.Value)
}

// recorded reports a word for what a machine wrote down, also as the last part of a compound:
// "rsync-Log", "Wartungsprotokoll".
func recorded(word string) bool {
	if i := strings.LastIndexByte(word, '-'); i >= 0 {
		word = word[i+1:]
	}
	if records[word] {
		return true
	}
	for _, w := range germanRecords {
		if len(word) > len(w)+2 && strings.HasSuffix(word, w) {
			return true
		}
	}
	return false
}

// germanRecords are the nouns of records that end German compounds.
var germanRecords = []string{"protokoll", "messung", "statistik", "logbuch", "datenblatt", "zähler", "anzeige"}

// toolSays reports a "says" behind the name of a program or a file: what it prints is
// measured, and nobody's word.
func toolSays(tokens []memory.Token, i int) bool {
	if i == 0 || tokens[i].Sep != 0 || strings.HasPrefix(tokens[i-1].Value, "@") {
		return false
	}
	return (tokens[i-1].Code || tokens[i-1].Class == memory.TokenIdent || recorded(tokens[i-1].Value)) && !norm.Person(tokens[i-1].Value)
}

// records are what somebody can look up. EN and DE.
var records = memory.WordSet(`log logs metric metrics trace traces profile profiler benchmark benchmarks measurement measurements dashboard changelog journal
 inventory register registry ledger minutes statistics stats dump config configuration counter counters monitoring graph output readout
 protokoll messung messungen datenblatt messprotokoll logs profil statistik logbuch zähler anzeige konfiguration`)

// nounHere reports that a word which could be a verb of saying or liking is a noun where
// it stands: "the claims API", "15 likes".
func nounHere(tokens []memory.Token, i int) bool {
	if i == 0 || tokens[i].Sep != 0 {
		return tokens[i].Value == "claims" // nobody is there to claim
	}
	before := tokens[i-1]
	return nounsToo[tokens[i].Value] && (articles[before.Value] || before.Class == memory.TokenNumber)
}

var nounsToo = memory.WordSet(`claims likes suits love`)

// interfaces are what "the admin" describes and is not.
var interfaces = memory.WordSet(`ui page pages panel api console app area dashboard interface frontend backend site portal endpoint port view views bundle module tool cli`)

// elsewhere reports that the "going to" at i leads to a place: "before going to Glacier".
func elsewhere(tokens []memory.Token, i int) bool {
	if i+2 >= len(tokens) {
		return false
	}
	t := tokens[i+2]
	return t.Upper || t.Code || t.Class != memory.TokenWord || articles[t.Value] || i > 0 && (tokens[i-1].Value == "before" || tokens[i-1].Value == "after" || tokens[i-1].Value == "without")
}

// judged reports that the word at i is what opinions are about: "the right way". The right
// camera and the wrong column are facts.
func judged(tokens []memory.Token, i int) bool {
	return i < len(tokens) && (judgements[tokens[i].Value] || tokens[i].Sep != 0)
}

var judgements = memory.WordSet(`choice way tool tools thing things call approach place time one ones fit direction answer decision solution abstraction level move idea trade tradeoff trade-off
 kind people balance default defaults lesson lessons question moment architecture design pattern`)

// wrongly reports that a judgement at i is part of what happened: "had the wrong label".
func wrongly(tokens []memory.Token, i int) bool {
	for j := i - 1; j >= 0 && j >= i-3 && tokens[j+1].Sep == 0; j-- {
		if tokens[j].Class == memory.TokenWord && past(tokens[j]) {
			return true
		}
	}
	return false
}

// descriptive reports that the phrase of a detector at i is no sign of what the detector
// looks for, by the words around it.
func descriptive(tokens []memory.Token, detector, i int, words string) bool {
	switch detector {
	case detReported:
		return nounHere(tokens, i) || (words == "according to" || words == "laut") && source(tokens, i, words) || (words == "says" || words == "said" || words == "sagt") && toolSays(tokens, i)
	case detPreference:
		return nounHere(tokens, i)
	case detTransient:
		return words == "going to" && elsewhere(tokens, i)
	case detOpinion:
		return nounHere(tokens, i) || (words == "the wrong" || words == "the right") && (wrongly(tokens, i) || !judged(tokens, i+2))
	case detSteering:
		if words == "instruction" || words == "instructions" {
			return i > 0 && tokens[i].Sep == 0 && (tokens[i-1].Class == memory.TokenNumber || amounts[tokens[i-1].Value]) // those of a processor are counted
		}
		return words == "the admin" && i+2 < len(tokens) && tokens[i+2].Sep == 0 && interfaces[tokens[i+2].Value]
	}
	return false
}

// amounts stand before what is counted.
var amounts = memory.WordSet(`fewer more million billion percent cpu machine arm x86 simd vector`)

// choiceLead are words before a choice that are not part of it.
var choiceLead = memory.WordSet(`remember please that this we i use prefer our team note denk merke merk dir bitte wir ich nutze nutzen verwenden`)

// choicePivot are the words between the chosen thing and the other.
var choicePivot = map[string]bool{
	"never": true, "not": true, "over": true, "instead of": true, "rather than": true,
	"nie": true, "niemals": true, "nicht": true, "kein": true, "statt": true, "anstatt": true, "anstelle von": true,
}

// choice returns the words of a bare choice between two things, such as "pnpm, never
// npm". It forbids nothing and states a preference. Longer texts are left to the
// other detectors.
func choice(t *Text) string {
	var words []string
	lead := true
	for i, tok := range t.Tokens {
		if t.Stamps[i] || tok.Quote != 0 {
			return ""
		}
		if lead && choiceLead[tok.Value] && tok.Class == memory.TokenWord {
			continue
		}
		lead = false
		words = append(words, tok.Value)
	}
	if len(words) < 3 || len(words) > 4 {
		return ""
	}
	pivot := strings.Join(words[1:len(words)-1], " ")
	if !choicePivot[pivot] {
		return ""
	}
	return strings.Join(words, " ")
}

// supposes reports that the text begins with a condition, or speaks of some things of a kind
// only: what changes then has not changed for good, or not for all.
func supposes(t *Text) bool {
	n := 0
	for i, tok := range t.Tokens {
		if t.Stamps[i] {
			continue
		}
		if n == 0 && conditionOrPart[tok.Value] || n < 5 && sizes[tok.Value] && i+1 < len(t.Tokens) && t.Tokens[i+1].Value == "than" {
			return true
		}
		if n++; n == 6 {
			break
		}
	}
	return false
}

var (
	conditionOrPart = memory.WordSet(`if whenever unless falls sofern some most many several part half`)
	sizes           = memory.WordSet(`older newer larger bigger smaller longer shorter more less fewer`)
)

// lettered reports that the text begins with one of several things that letters tell apart:
// "building C".
func lettered(t *Text) bool {
	for i := range t.Tokens[:min(len(t.Tokens), headline)] {
		if _, ok := labelAt(t.Tokens, i); ok && !t.Stamps[i] {
			return true
		}
	}
	return false
}
