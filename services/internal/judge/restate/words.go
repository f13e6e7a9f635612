package restate

import (
	"slices"
	"strings"
	"sync"

	"github.com/winnowhq/winnow/services/internal/memory"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/german"
)

// auxiliaries make a passive of a participle.
var auxiliaries = memory.WordSet(`is are was were be been being get gets got wird werden wurde wurden`)

// participles are those without the common endings.
var participles = memory.WordSet(`kept sent held lost read cut put set built made found shown left thrown run told paid`)

// conjunctions begin another clause.
var conjunctions = memory.WordSet(`and but or if when while whereas because since before after until unless which who that so then und aber oder wenn weil während bevor nachdem bis sobald der die das`)

// fillers say nothing of a matter.
var fillers = memory.WordSet(`also already always yet still even just simply actually really merely way thing things case cases means mean place certain own kind side
 one ones out time place placed put comes come came goes go gets got takes take taken gives give given makes make made does let lets say says
 happens happen able possible possibly within without upon whatever whoever someone somebody anybody anyone nobody everybody everything nothing none
 per via whether latest order part hence therefore thus else than each every never
 immer auch schon noch bereits jeweils sowie dabei dafür dadurch davon darin worden geschieht findet statt erfolgt gibt lässt lassen liegt steht
 remember note careful get may might since whereas beforehand sobald ab erst stets used least exceed exceeds exceeding long whenever altogether
 laut seit vor nach shall around next later whole right away comes coming fine good simple ordinary plain respective particular any up out down
 period amount amounts process reason reasons moment value bulk role fact matter zeitraum dauer grund wert rolle
 puts afterwards thereafter then otherwise anyway hereby thereby`)

// denying words say in other words that something is not so.
var denying = memory.WordSet(`only solely alone just merely except save silent silently empty beyond instead other fail fails failed failing lack lacks lacking
 miss misses missing refuse refuses skip skips ignore ignores prevent prevents avoid avoids stop stops free less few zero hardly useless impossible unable survive survives until till rather than remain remains stay stays unchanged
 erst vor bis bleibt bleiben nur allein außer sonst fehlt fehlen fehlend leer`)

// leads are prepositions behind which who does it may stand.
var leads = memory.WordSet(`by with from through in on von durch mit`)

// measures are units with their kind and scale.
var measures = readMeasures()

type measure struct {
	kind  byte
	scale float64
}

func readMeasures() map[string]measure {
	out := map[string]measure{}
	for _, m := range []struct {
		kind  byte
		scale float64
		words string
	}{
		{'t', 0.001, "ms millisecond milliseconds millisekunde millisekunden"},
		{'t', 1, "s sec secs second seconds sekunde sekunden"},
		{'t', 60, "min mins minute minutes minuten"},
		{'t', 3600, "h hr hrs hour hours stunde stunden"},
		{'t', 86400, "d day days night nights tag tage tagen nacht nächte"},
		{'t', 7 * 86400, "week weeks woche wochen"},
		{'t', 30 * 86400, "month months monat monate monaten"},
		{'t', 90 * 86400, "quarter quarters quartal quartale"},
		{'t', 360 * 86400, "year years jahr jahre jahren"},
		{'%', 1, "% percent prozent"},
		{'m', 1e-3, "mg milligram milligrams milligramm"}, {'m', 1, "g gram grams gramm"}, {'m', 1e3, "kg kilo kilos kilogram kilograms kilogramm"}, {'m', 1e6, "t ton tons tonne tonnes tonnen"},
		{'l', 1, "mm millimetre millimetres millimeter millimeters millimetern"}, {'l', 10, "cm centimetre centimetres centimeter centimeters zentimeter zentimetern"},
		{'l', 1e6, "km kilometre kilometres kilometer kilometers kilometern"},
		{'w', 1, "w watt watts"}, {'w', 1e3, "kw kilowatt kilowatts"}, {'w', 1e6, "mw megawatt megawatts"},
		{'e', 1, "wh"}, {'e', 1e3, "kwh"}, {'e', 1e6, "mwh"}, {'e', 1e9, "gwh"},
		{'z', 1, "hz hertz"}, {'z', 1e3, "khz"}, {'z', 1e6, "mhz"}, {'z', 1e9, "ghz"},
		{'b', 1, "kb kilobyte kilobytes"}, {'b', 1000, "mb megabyte megabytes"}, {'b', 1e6, "gb gigabyte gigabytes"}, {'b', 1e9, "tb terabyte terabytes"},
		{'i', 1, "kib"}, {'i', 1024, "mib mi"}, {'i', 1024 * 1024, "gib gi"},
	} {
		for w := range strings.FieldsSeq(m.words) {
			out[w] = measure{m.kind, m.scale}
		}
	}
	return out
}

// ordinals count what comes in order.
var ordinals = map[string]float64{
	"first": 1, "second": 2, "fourth": 4, "fifth": 5, "sixth": 6, "last": -1, "1st": 1, "2nd": 2, "3rd": 3, "4th": 4,
	"erste": 1, "ersten": 1, "erster": 1, "zweite": 2, "zweiten": 2, "zweiter": 2, "dritte": 3, "dritten": 3, "letzte": -1, "letzten": -1, "letzter": -1,
}

// comparatives make a bound with "than".
var comparatives = memory.WordSet(`more longer larger higher greater bigger less fewer shorter smaller lower mehr länger größer höher weniger kürzer kleiner`)

// fractions are parts and multiples, in words.
var fractions = map[string]float64{
	"anderthalb": 1.5, "eineinhalb": 1.5, "half": 0.5, "halb": 0.5, "halbe": 0.5, "halben": 0.5, "hälfte": 0.5, "third": 1.0 / 3, "drittel": 1.0 / 3, "viertel": 0.25,
	"double": 2, "doubled": 2, "doubles": 2, "doubling": 2, "twice": 2, "doppelt": 2, "verdoppelt": 2, "triple": 3, "tripled": 3, "thrice": 3,
}

// parts are fractions before "of": "a fifth of a second".
var parts = map[string]float64{
	"half": 0.5, "halves": 0.5, "third": 1.0 / 3, "thirds": 1.0 / 3, "quarter": 0.25, "quarters": 0.25, "fifth": 0.2, "fifths": 0.2, "sixth": 1.0 / 6, "sixths": 1.0 / 6,
	"seventh": 1.0 / 7, "eighth": 0.125, "eighths": 0.125, "ninth": 1.0 / 9, "tenth": 0.1, "tenths": 0.1, "twentieth": 0.05, "hundredth": 0.01, "thousandth": 0.001,
}

// clocks are words for a time of the day.
var clocks = map[string]string{"noon": "12:00", "midday": "12:00", "mittag": "12:00", "mittags": "12:00", "midnight": "00:00", "mitternacht": "00:00", "mitternachts": "00:00"}

// numerals are the numbers in words, EN and DE; those that [memory.Scan] reads stand here for
// compounds, since it reads no part of a word.
var numerals = readNumerals()

func readNumerals() map[string]float64 {
	out := make(map[string]float64)
	for _, list := range []string{
		"zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen",
		"null ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn",
	} {
		for n, w := range strings.Fields(list) {
			out[w] = float64(n)
		}
	}
	for _, list := range []string{"ten twenty thirty forty fifty sixty seventy eighty ninety", "zehn zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig"} {
		for n, w := range strings.Fields(list) {
			out[w] = float64(10 * (n + 1))
		}
	}
	delete(out, "ein") // an article
	return out
}

// spans are words that name an amount of time by themselves.
var spans = map[string]float64{
	"hourly": 3600, "stündlich": 3600, "daily": 86400, "täglich": 86400, "nightly": 86400, "nächtlich": 86400, "nachts": 86400,
	"weekly": 7 * 86400, "wöchentlich": 7 * 86400, "monthly": 30 * 86400, "monatlich": 30 * 86400,
	"quarterly": 90 * 86400, "yearly": 360 * 86400, "annually": 360 * 86400, "jährlich": 360 * 86400, "fortnight": 14 * 86400,
	"day": 86400, "night": 86400, "week": 7 * 86400, "month": 30 * 86400, "year": 360 * 86400, "hour": 3600, "minute": 60, "quarter": 90 * 86400,
	"tag": 86400, "nacht": 86400, "woche": 7 * 86400, "monat": 30 * 86400, "jahr": 360 * 86400, "stunde": 3600, "quartal": 90 * 86400,
}

// synonyms are words that say the same in notes about systems and work, one group a line,
// EN and DE. WordNet lacks the trade's.
const synonyms = `
memory ram arbeitsspeicher
restart reboot neustart neustarten
evict expel purge
delete remove erase wipe clear clean discard drop destroy unlink empty eliminate löschen gelöscht entfernen entfernt leeren geleert verschwinden
skip omit ignore exclude bypass überspringen übersprungen überspringt auslassen ausgelassen ignorieren ignoriert
reject refuse deny decline disallow ablehnen abgelehnt verweigern
allow permit accept tolerate erlauben erlaubt dürfen zulassen
need require demand want expect must necessary mandatory prerequisite brauchen braucht benötigt benötigen verlangt verlangen nötig erfordert
use utilise utilize employ apply rely nutzen nutzt verwenden verwendet benutzen benutzt
keep retain hold store save preserve stay remain live reside persist behalten behält aufbewahrt bleiben bleibt gespeichert speichern speichert
send ship deliver mail dispatch forward transmit post schicken schickt geschickt verschickt verschicken senden sendet gesendet versand
receive get obtain arrive bekommen bekommt erhalten erhält
begin start launch open startet starten beginnt beginnen
end finish stop halt terminate cease expire abort quit conclude enden endet beenden beendet stoppt
fail crash break die abort bounce scheitern scheitert fehlschlagen
failed failing red rot fehlgeschlagen
passed passing green grün bestanden
continue proceed resume fortfahren fortgesetzt weiterlaufen
hang stall block freeze stuck
run execute perform laufen läuft ausführen ausgeführt
write log record note enter schreiben schreibt protokolliert
read load parse lesen liest geladen laden lädt
show display render print draw list appear anzeigen angezeigt zeigt erscheinen erscheint
change edit modify alter update adjust ändern ändert geändert änderung
create make generate build produce add erstellen erstellt erzeugt anlegen
answer reply respond return give yield deliver hand report liefern liefert antwortet antworten zurückgeben
check verify validate inspect test examine prüfen geprüft prüft prüfung kontrolliert
fetch retrieve download pull obtain load holen holt geholt
move migrate transfer relocate wander verschieben verschiebt wandern verschoben umgezogen
cut truncate shorten trim kürzen gekürzt abgeschnitten
merge combine join zusammenführen zusammengeführt gemergt
pay charge bill zahlen zahlt bezahlen bezahlt
convert turn transform translate umwandeln umgerechnet
count measure reckon zählen gezählt zählung
see view notice recognise recognize detect spot sehen erkennt erkennen lesen
person people user member account somebody
customer client buyer kunde kunden
picture image photo bild bilder foto
email e-mail
document file doc datei dateien dokument
folder directory ordner verzeichnis
letter character char sign zeichen
blank space
disk drive hdd ssd
database db datenbank
machine host server box node computer rechner
job task run work
error failure exception fault fehler
queue backlog
limit cap maximum ceiling bound quota restrict obergrenze höchstens maximal
minimum least floor
twice double doubled
half halve
large big huge great bulky
small little tiny short
fast quick rapid speedy
slow long sluggish
only sole alone exclusively solely merely just nothing ausschließlich nur lediglich allein
automatic automatically itself themselves own selbst automatisch
manual hand manually
always constantly ever stets immer
immediately directly straight once instantly sofort direkt
full complete entire whole voll ganz gefüllt
empty blank missing absent lacking leer fehlt fehlen fehlend
wrong incorrect false bad
new fresh
old previous former earlier prior
equal same identical
credential secret password
token ticket
request query call hit anfrage anfragen
website site page webpage
warn warning alert alarm
hour stunde
weekend
bug defect fault
fix solve repair mend behoben gelöst
version release
default standard
branch
publish release expose
schedule plan
notify inform page tell phone call melden meldet meldung
visible shown public
private hidden internal
local own
wait pause sleep warten wartet
close shut schließen geschlossen
open unlock öffnen
lock block
order sequence
cause lead result trigger verursacht auslösen
prevent avoid stop verhindern
search look find suche
shrink downsize reduce resize verkleinern verkleinert
back restore recover wiederherstellen
copy replicate duplicate mirror backup sichern gesichert sicherung
wiegen gewogen
wickeln gewickelt
test tests
vehicle car
enter betreten betritt
leave exit depart verlassen verlässt
bin trash
separator delimiter
`

// groups are the groups of a word, by the word and by its stems.
var groups = readGroups()

func readGroups() map[string][]int {
	out := make(map[string][]int)
	n := 0
	for line := range strings.Lines(strings.TrimSpace(synonyms)) {
		w := strings.Fields(line)
		for _, x := range w {
			for _, s := range []string{x, stem(x, false), stem(x, true)} {
				if !slices.Contains(out[s], n) {
					out[s] = append(out[s], n)
				}
			}
		}
		n++
	}
	return out
}

// stem returns the stem of a word, which the words of one scope ask for again and again.
func stem(w string, de bool) string {
	key := stemKey{w, de}
	stems.RLock()
	s, ok := stems.of[key]
	stems.RUnlock()
	if ok {
		return s
	}
	key.word = strings.Clone(w) // the word is often a part of a text
	env := snowballstem.NewEnv(key.word)
	if de {
		german.Stem(env)
	} else {
		english.Stem(env)
	}
	s = env.Current()
	stems.Lock()
	defer stems.Unlock()
	if len(stems.of) >= maxStems {
		clear(stems.of)
	}
	stems.of[key] = s
	return s
}

type stemKey struct {
	word   string
	german bool
}

// maxStems bounds the known stems, to some 1.5 MB. When there are more they are forgotten:
// to find one again takes a microsecond.
const maxStems = 1 << 14

var stems = struct {
	sync.RWMutex
	of map[stemKey]string
}{of: make(map[stemKey]string)}

// oneStem reports two words of one stem. A stem begins with the letter of its word, so most
// words are told apart without it, which takes memory.
func oneStem(x, y string) bool {
	if x != "" && y != "" && x[0] != y[0] && unsigned(x[0]) && unsigned(y[0]) {
		return false
	}
	return stem(x, false) == stem(y, false)
}

// unsigned reports a letter without a sign, or a digit: the stemmer takes an apostrophe away.
func unsigned(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// contraries are groups of synonyms that say opposite things, by a word of each.
var contraries = readContraries(`keep delete, allow reject, begin end, continue end, open close, show hide, increase reduce, fix break, enable disable, full empty, public private,
 fast slow, large small, old new, write read, lock unlock, automatic manual, pass fail, always never, enter leave`)

func readContraries(list string) map[[2]int]bool {
	out := make(map[[2]int]bool)
	for p := range strings.SplitSeq(list, ",") {
		w := strings.Fields(p)
		for _, x := range groups[w[0]] {
			for _, y := range groups[w[1]] {
				out[[2]int{x, y}], out[[2]int{y, x}] = true, true
			}
		}
	}
	return out
}

// groupsOf returns the groups that a word belongs to.
func groupsOf(w string, de bool) []int {
	if g, ok := groups[w]; ok {
		return g
	}
	return groups[stem(w, de)]
}
