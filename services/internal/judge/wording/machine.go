package wording

import (
	"strings"

	"github.com/winnowhq/winnow/services/internal/judge/norm"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// This file reads words of obligation and of wishing that are said of a thing which acts by
// itself, of what was seen otherwise, or by somebody outside. All of it is a habit: it is asked
// about as what is, and never promoted, because the same words about a product of the team
// would oblige.

// apparatus reports that the noun next to the verb is a program, a machine or a system of
// somebody else: "the article page prefers", "der Zähler will", "GDAL wants". Only the next
// noun counts: the service desk is no service.
func (c clause) apparatus() bool {
	if c.at > c.start && c.contrivance(c.at-1) {
		return true
	}
	// German has the subject behind the verb too: "seitdem will der Zähler …".
	return c.german && c.at+2 < c.end && articles[c.tokens[c.at+1].Value] && c.contrivance(c.at+2)
}

// contrivance reports that token i is a noun for what acts by itself, or a name in capitals
// that is no department.
func (c clause) contrivance(i int) bool {
	t := c.tokens[i]
	if norm.Person(t.Value) {
		return false
	}
	if t.Code || t.Caps && len(t.Value) > 2 && t.Class == memory.TokenWord && !departments[t.Value] || contrivances[t.Value] || devices[t.Value] || contrivances[strings.TrimSuffix(t.Value, "s")] {
		return true
	}
	if !c.german || !t.Upper {
		return false
	}
	for _, end := range germanContrivances {
		if strings.HasSuffix(t.Value, end) {
			return true
		}
	}
	return false
}

// contrivances are programs, their parts and machines, beside devices. EN.
var contrivances = memory.WordSet(`tool tools command program programme app application page script system software module function package utility plugin add-on extension widget dialog menu view ide wizard 
 terminal emulator simulator linker decoder encoder converter profiler tracker pedal debugger tracer indexer renderer validator serializer deserializer exporter
 machine robot motor engine meter counter clock timer lamp battery charger inverter relay detector gauge thermometer barometer display keyboard mouse disk drive modem antenna switch hub bus scale oven boiler compressor turbine crane
 toolchain sdk bios bootloader cartridge headset tablet phone laptop printer plotter turnstile
 vehicle car truck bike bicycle scooter elevator lift gate door drone fridge freezer refrigerator incubator centrifuge ventilator monitor analyser analyzer spectrometer microscope telescope generator transformer
 gpu cpu tpu accelerator model network tokenizer tokeniser sampler classifier container image bootstrapper watcher poller watchdog subsystem component backend frontend middleware`)

// germanContrivances end German nouns for machines and programs.
var germanContrivances = []string{
	"zähler", "scanner", "regler", "codeleser", "kartenleser", "geber", "wandler", "melder", "sensor", "fühler", "steuerung", "gerät", "rechner", "server", "dienst", "programm", "werkzeug",
	"skript", "modul", "anlage", "maschine", "automat", "kessel", "motor", "ventil", "drucker", "kamera", "waage", "uhr", "treiber", "parser", "pumpe", "heizung", "antenne", "lampe", "schalter",
	"schranke", "drehkreuz", "aufzug", "roboter", "terminal", "system", "software", "firmware", "anzeige", "bildschirm", "kompressor", "verstärker", "wechselrichter", "app",
}

// departments are people whose name is written in capitals.
var departments = memory.WordSet(`qa hr pm po ux cto ceo cfo coo ciso it ops sre dba legal pmo pr dpo dsb gf`)

// formal reports that what is wanted is a form of data, which programs want: "wants the key in
// hex", "expects 32 digits".
func (c clause) formal() bool {
	for j := c.at + 1; j < c.end; j++ {
		t := c.tokens[j]
		if encodings[t.Value] || t.Class == memory.TokenNumber && j+1 < c.end && figures[c.tokens[j+1].Value] {
			return c.at > c.start && !norm.Person(c.tokens[c.at-1].Value)
		}
	}
	return false
}

var (
	encodings = memory.WordSet(`hex hexadecimal binary octal ascii utf-8 utf-16 latin-1 base64 base32 der pem big-endian little-endian nul-terminated newline-terminated crlf lf`)
	figures   = memory.WordSet(`digits digit bytes byte bits bit characters stellen ziffern zeichen`)
)

// needsItself reports what a thing that acts by itself has to see, know or have: its need, and
// no order about what it is to do. "The linker must know all sections", but "the importer must
// log every row".
func (c clause) needsItself() bool {
	if !c.apparatus() {
		return false
	}
	for j := c.at + 1; j < c.end && j <= c.at+2; j++ {
		if needs[c.tokens[j].Value] {
			return true
		}
	}
	if !c.german {
		return false
	}
	for j := c.at + 1; j < len(c.tokens) && !sentenceEnd(c.tokens[j].Sep); j++ {
		if germanNeeds[c.tokens[j].Value] {
			return true
		}
	}
	return false
}

var (
	// needs are verbs of perceiving, knowing and having, of which nobody is told. EN.
	needs = memory.WordSet(`see find know recognise recognize have own reach hear sense warm cool wait fit stand sit`)
	// germanNeeds are their like and the adverbs of coming near.
	germanNeeds = memory.WordSet(`sehen finden kennen wissen erkennen haben erreichen hören spüren heran ran warmlaufen aufwärmen abkühlen hochfahren warten stehen`)
)

// doneByItself reports a clause behind the phrase by which it is done without anybody: "has to
// be built with X, which pip fetches by itself".
func (c clause) doneByItself() bool {
	behind := false
	for j := c.at + 1; j < len(c.tokens) && !sentenceEnd(c.tokens[j].Sep); j++ {
		switch w := c.tokens[j].Value; {
		case c.tokens[j].Sep == ',':
			behind = w == "which" || w == "die" || w == "das" || w == "der" || w == "den" || w == "was"
		case w == "not" || w == "never" || strings.HasSuffix(w, "n't") || w == "nicht" || w == "nie":
			behind = false
		case behind && (w == "itself" || w == "automatically" || w == "selbst" || w == "automatisch" || w == "selbsttätig" || w == "own" && c.tokens[j-1].Value == "its"):
			return true
		}
	}
	return false
}

// tracesBack reports that the clause behind the phrase finds in it the origin of what
// happened: "…, which is where the duplicates came from", "…, daher kamen die drei Ausfälle".
func (c clause) tracesBack() bool {
	for j := c.at + 1; j+2 < len(c.tokens) && !sentenceEnd(c.tokens[j].Sep); j++ {
		if c.tokens[j].Sep != ',' {
			continue
		}
		where := c.tokens[j].Value == "which" && (c.tokens[j+1].Value == "is" || c.tokens[j+1].Value == "was") && (c.tokens[j+2].Value == "where" || c.tokens[j+2].Value == "how")
		if where || c.german && (c.tokens[j].Value == "daher" || c.tokens[j].Value == "so") {
			for k := j + 1; k < len(c.tokens) && !sentenceEnd(c.tokens[k].Sep); k++ {
				if w := c.tokens[k].Value; w == "came" || w == "arose" || w == "got" || w == "happened" || w == "kam" || w == "kamen" || w == "entstand" || w == "entstanden" {
					return true
				}
			}
		}
	}
	return false
}

// faulty reports a "must be" with a fault that nobody asks for: what is seen is explained.
// "The valve must be stuck", "mold must be older than 2.4", "der Fühler muss defekt sein".
func (c clause) faulty() bool {
	if s := c.subject(); s.we || s.you || s.people || s.several {
		return false
	}
	if c.german {
		for j := c.at + 1; j+1 < c.end; j++ {
			if faults[c.tokens[j].Value] && c.tokens[j+1].Value == "sein" {
				return true
			}
		}
		return false
	}
	return c.at+2 < c.end && c.tokens[c.at+1].Value == "be" && c.tokens[c.at+2].Sep == 0 && faults[c.tokens[c.at+2].Value]
}

// faults are what a thing is when something is wrong with it. EN and DE.
var faults = memory.WordSet(`broken stuck stale faulty defective corrupt corrupted damaged wrong missing outdated older buggy leaky leaking loose misaligned misconfigured miscalibrated jammed clogged blocked overloaded mistaken
 defekt kaputt beschädigt falsch veraltet älter undicht lose verstopft verklemmt überlastet verstellt fehlerhaft`)

// measuredOtherwise reports an expectation beside what was measured instead: "should read 1013
// hPa, ours showed 1019", "sollte 20 Minuten dauern, unsere braucht 95".
func (c clause) measuredOtherwise() bool {
	if s := c.subject(); s.we || s.you || s.people {
		return false
	}
	expected, other := false, false
	for j := c.at + 1; j < len(c.tokens); j++ {
		t := c.tokens[j]
		if t.Sep == '.' || t.Sep == '\n' {
			break
		}
		switch {
		case t.Sep == ',' || t.Sep == ';' || t.Value == "but" || t.Value == "aber":
			other = other || expected && others[t.Value]
		case t.Class == memory.TokenNumber && other:
			return true
		}
		expected = expected || t.Class == memory.TokenNumber
	}
	return false
}

// others begin what was found instead. EN and DE.
var others = memory.WordSet(`ours mine but yet instead actually it this unsere unserer unseres meine aber tatsächlich stattdessen`)

// tallied reports that a choice of the past was counted: "preferred the grid view, 9 of 11".
func (c clause) tallied(words string) bool {
	if words != "preferred" && words != "wanted" && words != "liked" && words != "wollten" {
		return false
	}
	for j := c.at + 1; j < len(c.tokens); j++ {
		if c.tokens[j].Class == memory.TokenNumber && (c.tokens[j].Unit == "%" || j+2 < len(c.tokens) && (c.tokens[j+1].Value == "of" || c.tokens[j+1].Value == "von") && c.tokens[j+2].Class == memory.TokenNumber) {
			return true
		}
	}
	return false
}

// overtaken reports that the text goes on to tell what became of what was asked for: "asked for
// seat numbers in 2024; they have been on the sheet since May".
func (c clause) overtaken(words string) bool {
	if words != "asked for" && words != "wanted" && words != "wollte" && words != "wollten" {
		return false
	}
	for j := c.at + 1; j+1 < len(c.tokens); j++ {
		if c.tokens[j].Sep != ';' && c.tokens[j].Sep != ',' {
			continue
		}
		switch c.tokens[j].Value {
		case "they", "it", "these", "sie", "es":
		default:
			continue
		}
		switch c.tokens[j+1].Value {
		case "were", "was", "had", "shipped", "came", "arrived", "landed", "went", "followed", "got", "wurden", "wurde", "kam", "kamen":
			return true
		case "have", "has":
			return j+2 < len(c.tokens) && c.tokens[j+2].Value == "been"
		}
	}
	return false
}

// elseHappens reports one thing that has to be or do something by itself, and what else
// happens: "the pedal must rest, otherwise the display shows 0". A passive obliges those who
// do it: "must be cleaned, otherwise it drifts".
func (c clause) elseHappens() bool {
	if !c.apparatus() || quantifiers[c.tokens[c.start].Value] || c.passive() {
		return false // "the nurse must sign, otherwise the dose is locked" has a person for a subject
	}
	for j := c.at + 1; j+1 < len(c.tokens) && !sentenceEnd(c.tokens[j].Sep); j++ {
		switch c.tokens[j].Value {
		case "otherwise", "sonst", "ansonsten", "andernfalls":
		case "else", "or":
			if c.tokens[j].Value == "or" && c.tokens[j].Sep != ',' {
				continue
			}
		default:
			continue
		}
		for k := j + 1; k < len(c.tokens) && k <= j+3; k++ {
			if w := c.tokens[k].Value; w == "it" || w == "the" || w == "its" || w == "er" || w == "es" || w == "sie" || w == "der" || w == "die" || w == "das" {
				return k+1 < len(c.tokens) && !norm.Person(c.tokens[k+1].Value)
			}
		}
	}
	return false
}

// passive reports that what has to be done is done to the subject: "must be cleaned", "muss
// gereinigt werden".
func (c clause) passive() bool {
	for j := c.at + 1; j+1 < c.end; j++ {
		if c.tokens[j].Value == "be" && past(c.tokens[j+1]) || c.tokens[j+1].Value == "werden" && germanParticiple(c.tokens[j].Value) {
			return true
		}
	}
	return strings.HasSuffix(c.tokens[c.at].Value, "be") && c.at+1 < c.end && past(c.tokens[c.at+1])
}

// inverted reports a "should" that opens a condition whose consequence happens by itself:
// "should the link drop, the unit retries", "sollte das Netz ausfallen, schaltet die Box um".
func (c clause) inverted() bool {
	if c.at != c.start || c.at+1 >= len(c.tokens) || !articles[c.tokens[c.at+1].Value] {
		return false
	}
	for j := c.at + 2; j+2 < len(c.tokens) && !sentenceEnd(c.tokens[j].Sep); j++ {
		if c.tokens[j].Sep != ',' {
			continue
		}
		i := j
		if c.german {
			i++ // the verb comes first
		}
		w := c.tokens[i].Value
		if w != "it" && w != "the" && w != "er" && w != "es" && w != "der" && w != "die" && w != "das" || norm.Person(c.tokens[i+1].Value) {
			return false
		}
		for k := j; k < len(c.tokens) && !sentenceEnd(c.tokens[k].Sep); k++ {
			if v := c.tokens[k].Value; advisory[v] || v == "zu" || v == "is" && k+1 < len(c.tokens) && c.tokens[k+1].Value == "to" || v == "has" || v == "needs" || v == "braucht" || v == "wird" {
				return false
			}
		}
		return true
	}
	return false
}

// entersState reports a thing that changes its state: "goes into standby".
func (c clause) entersState() bool {
	for j := c.at + 1; j < c.end && j <= c.at+5; j++ {
		if conditionsOfThings[c.tokens[j].Value] {
			return true
		}
	}
	return c.apparatus()
}

// conditionsOfThings are states of machines and programs. EN.
var conditionsOfThings = memory.WordSet(`mode sleep standby state hibernation loop timeout fallback failsafe lockout recovery overdrive retry backoff limbo error panic shutdown saturation`)

// degrees make "strictly" say how much. EN.
var degrees = memory.WordSet(`increasing decreasing ascending descending monotonic monotonically speaking typed ordered greater smaller larger less more positive negative sequential convex`)

// stored are verbs of where a setting is. EN.
var stored = memory.WordSet(`lives sits lies survives resets persists file files key keys page pane panel screen dialog window`)

// consequent reports a "will" of a thing under a condition, which tells what it does each
// time: "if the buffer is full, the frame will be dropped".
func consequent(t *Text, at int, words string) bool {
	switch words {
	case "will be", "will run", "will switch", "will move", "will start", "will come", "will then", "will try", "will add", "will happen":
	default:
		return false
	}
	c := clauseAt(t.Tokens, t.Stamps, at, t.Doc.German)
	if s := c.subject(); s.we || s.you || s.people {
		return false
	}
	return c.before("if", "when", "whenever", "unless") || c.after("if", "whenever", "unless")
}

// embedded reports an obligation inside a clause that only picks something out, asks or gives a
// reason, so that the sentence says something else: "rows that have to be checked land in …",
// "the list shows who has to sign", "the loader is slow because it has to parse each line". A
// reason why we or people do something, and what people have to, still oblige.
func (c clause) embedded() bool {
	if c.at == c.start {
		return false
	}
	switch c.tokens[c.at-1].Value {
	case "word", "verb", "modal", "keyword", "wort":
		return c.at-1 > c.start && articles[c.tokens[c.at-2].Value] // the word itself
	case "who", "that", "which":
		return c.at-1 > c.start && !c.demands(c.at-2)
	}
	if c.tokens[c.start].Value == "whether" || c.tokens[c.start].Value == "ob" {
		return true
	}
	if s := c.subject(); s.we || s.you || s.people {
		return false
	}
	for j := c.at - 1; j > c.start && j >= c.at-6; j-- {
		switch c.tokens[j].Value {
		case "because", "weil":
			for k := c.start; k < j; k++ {
				if w := c.tokens[k].Value; w == "we" || w == "wir" || norm.Person(w) || advisory[w] {
					return false
				}
			}
			return true
		case "where", "how", "what", "when", "wo", "wie", "was", "wann":
			if tellings[c.tokens[j-1].Value] {
				return true
			}
		case "which", "whether", "welche", "welcher", "welches", "ob":
			return j+2 >= c.at || tellings[c.tokens[j-1].Value]
		}
		if c.tokens[j].Sep == ',' && (!c.german || j < c.at-1) && c.tokens[j].Value == "so" && c.at-j < 6 {
			return c.tokens[j+1].Value == "the" || c.tokens[j+1].Value == "it"
		}
	}
	return false
}

// demands reports at token i a noun or a verb of a norm, whose relative clause is the norm:
// "there is a rule that must be kept".
func (c clause) demands(i int) bool {
	switch c.tokens[i].Value {
	case "rule", "rules", "policy", "it", "require", "requires", "those", "everyone", "anyone", "all", "means", "so", "sure", "thing", "things", "one", "agreed", "decided":
		return true
	}
	return norm.Person(c.tokens[i].Value)
}

// tellings are verbs of what shows or holds an answer.
var tellings = memory.WordSet(`shows show says tells lists decides determines stores holds knows records tracks zeigt sagt bestimmt speichert weiß`)

// costs reports that the sentence goes on to tell what it takes: "has to fetch the table twice,
// which costs 40 ms".
func (c clause) costs() bool {
	if s := c.subject(); s.we || s.you || s.people || c.passive() {
		return false
	}
	for j := c.at + 1; j+1 < len(c.tokens) && !sentenceEnd(c.tokens[j].Sep); j++ {
		if c.tokens[j].Sep == ',' && c.tokens[j].Value == "which" && prices[c.tokens[j+1].Value] {
			return true
		}
		if c.german && c.tokens[j].Sep == ',' && c.tokens[j].Value == "was" {
			for k := j + 1; k < len(c.tokens) && !sentenceEnd(c.tokens[k].Sep); k++ {
				if prices[c.tokens[k].Value] {
					return true
				}
			}
		}
	}
	return false
}

// prices are verbs of what something takes. EN and DE.
var prices = memory.WordSet(`costs adds takes doubles triples slows delays wastes eats explains kostet dauert verdoppelt bremst verzögert erklärt`)

// enables reports a condition for what a thing does by itself: "must be above 20 % for the
// update to start", "muss über 20 % haben, damit das Update startet".
func (c clause) enables() bool {
	if s := c.subject(); s.we || s.you || s.people || c.passive() {
		return false
	}
	if c.tokens[c.start].Value == "for" {
		for j := c.start + 2; j < c.at && c.tokens[j].Sep == 0; j++ {
			if intransitives[c.tokens[j].Value] && c.tokens[j-1].Value == "to" {
				return true // "for the lamp to work, water must flow"
			}
		}
	}
	behind := false
	for j := c.at + 1; j < len(c.tokens) && !sentenceEnd(c.tokens[j].Sep); j++ {
		w := c.tokens[j].Value
		if intransitives[w] && c.tokens[j-1].Value == "to" && c.within("for", j-c.at) {
			return true // "for the update to start"
		}
		behind = behind || w == "for" || w == "before" || w == "damit" || w == "bevor"
		if behind && functions[w] && !norm.Person(c.tokens[j-1].Value) {
			return true
		}
	}
	return false
}

// intransitives are what machines do behind "for … to". EN.
var intransitives = memory.WordSet(`start run work load open fit succeed pass boot connect pair`)

// functions are verbs of what machines do by themselves, without an object. EN and DE.
var functions = memory.WordSet(`boot boots connect connects pair pairs ignite ignites wake wakes turns lights unlocks blinks spins
 startet anspringt hochfährt aufwacht verbindet zündet blinkt leuchtet anläuft aufleuchtet`)
