package wording

import (
	"hash/fnv"
	"slices"
	"strings"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// opposites are families of words that exclude each other: one family a line, its
// members separated by bars. Two texts say different things, however alike they are,
// when each has a member that the other lacks. Families are closed or nearly so
// (days, switches, directions), because a list of all differences has no end. A
// person sees what the list misses as a refused duplicate. English and German.
const opposites = `
monday mondays montag montags | tuesday tuesdays dienstag dienstags | wednesday wednesdays mittwoch mittwochs | thursday thursdays donnerstag donnerstags | friday fridays freitag freitags | saturday saturdays samstag samstags | sunday sundays sonntag sonntags
january januar | february februar | march märz | april | june juni | july juli | august | september | october oktober | november | december dezember
second seconds sekunde sekunden | minute minutes minuten | hour hours hourly stunde stunden stündlich | day days daily night nights nightly tag tage täglich nacht nachts nächtlich | week weeks weekly woche wochen wöchentlich | month months monthly monat monate monatlich | quarter quarterly quartal | year years yearly annually jahr jahre jährlich
start starts starting begin begins beginning startup beginn anfang | end ends ending finish ende schluss
first oldest erste ersten erster zuerst | last newest latest letzte letzten letzter zuletzt
on enabled enable enables active eingeschaltet aktiviert | off disabled disable disables inactive ausgeschaltet deaktiviert
include includes included including contain contains enthält enthalten | exclude excludes excluded excluding
net netto | gross brutto
server serverseitig | browser browsers | client clientseitig
shared shares share same common gemeinsam gemeinsame gemeinsamen gemeinsames | own separate dedicated eigen eigene eigenen eigener eigenes getrennt getrennte getrennten separat separaten
allow allows allowed accept accepts accepted permits permitted erlaubt akzeptiert | reject rejects rejected deny denies denied forbids refuse refuses refused abgelehnt | ignore ignores ignored skip skips skipped ignoriert überspringt übersprungen
keep keeps kept retain retains retained behält aufbewahrt | delete deletes deleted deleting remove removes removed purge purges purged gelöscht löscht entfernt
lazily lazy | eagerly eager
manually manual manuell | automatically automatic automatisch generated
synchronous synchronously synchron | asynchronous asynchronously async asynchron
public öffentlich | private privat | internal intern
success succeeds successful | failure fails failing
ascending aufsteigend | descending absteigend
production prod produktion | staging | development dev entwicklung | demo
unit | integration | e2e
csv | parquet | json | yaml | xml | avro | toml
comma commas komma | semicolon semicolons semikolon | colon colons doppelpunkt | tab tabs
rest | grpc | graphql | soap
reads read liest lesend | writes write schreibt schreibend
increase increases increased raise raised erhöht | decrease decreases decreased lower lowered reduced gesenkt verringert
minimum min mindestens | maximum max höchstens
true wahr | false falsch
north | south | east | west
improve improves improved improvement improvements gain gains verbessert verbesserung | degrade degrades degraded degradation worsen worsens worsened loss losses regression regressions verschlechtert verschlechterung
global globally | local locally
encrypted encrypts verschlüsselt | decrypted decrypts entschlüsselt plaintext
optional optionally freiwillig | mandatory required compulsory obligatory verpflichtend pflicht pflichtfeld pflichtangabe zwingend erforderlich
upload uploads uploaded | download downloads downloaded
inbound incoming eingehend | outbound outgoing ausgehend
primary | replica secondary standby
hard | soft
all every each alle jeder jede jedes jeden allen | most meisten | some manche manchen einige | any | few
always immer stets | mostly usually meist meistens | sometimes occasionally manchmal gelegentlich | rarely seldom selten
left links | right rechts
argon2 | bcrypt | scrypt
gzip | zstd | brotli | snappy
`

// pole is a member of a family of opposites.
type pole struct{ family, member int }

var poles = readOpposites(opposites)

// qualifiers are families of words of which each names an attribute of its own: one thing has
// a read timeout and a write timeout. States such as on and off, and times, are none: a thing
// has one of them.
const qualifiers = `
read reads reading lesen liest | write writes writing schreiben schreibt
upload uploads | download downloads
minimum min | maximum max
precision | recall | f1 | accuracy | auc
ingress | egress
inbound incoming | outbound outgoing
input inputs | output outputs
upstream | downstream
p50 | p90 | p95 | p99
mean | median
arrival | departure
upper | lower
source | target
send sends | receive receives
client | server
`

var attributes = readOpposites(qualifiers)

// attributeAt returns the attribute that the word at i tells from its like, a method of HTTP
// before its path among them.
func attributeAt(tokens []memory.Token, i int) (pole, bool) {
	t := tokens[i]
	if t.Class == memory.TokenWord && t.Caps && i+1 < len(tokens) && strings.HasPrefix(tokens[i+1].Value, "/") {
		if m := slices.Index(methods, t.Value); m >= 0 {
			return pole{-1, m}, true
		}
	}
	if t.Class == memory.TokenIdent && len(t.Value) > 2 && t.Value[0] == '-' {
		return pole{-2, int(hashOf(t.Value))}, true // a flag of one command
	}
	p, ok := attributes[t.Value]
	return p, ok && !t.Code
}

var methods = []string{"get", "post", "put", "patch", "delete", "head"}

func hashOf(word string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(word)) // never fails
	return h.Sum32()
}

// poleOf returns the pole of a word. What is said "per-instance" is each one's own.
func poleOf(word string) (pole, bool) {
	if strings.HasPrefix(word, "per-") {
		word = "own"
	}
	p, ok := poles[word]
	return p, ok
}

func readOpposites(lines string) map[string]pole {
	out := make(map[string]pole)
	for family, line := range strings.Split(strings.TrimSpace(lines), "\n") {
		for member, words := range strings.Split(line, "|") {
			for _, w := range strings.Fields(words) {
				out[w] = pole{family, member}
			}
		}
	}
	return out
}

// plainTools are tools whose names are ordinary words.
var plainTools = memory.WordSet(`make node metro spark flux expo realm`)

// sameTool maps the names of one tool to one name.
var sameTool = map[string]string{"postgresql": "postgres", "k8s": "kubernetes", "kubectl": "kubernetes", "golang": "go"}

// pivots are words whose two sides are not interchangeable: the sentence says which
// thing is on which side. A negative pivot is its positive one read backwards: "x
// before y" is "y after x".
var pivots = map[string]pivot{
	"before": {"order", 1}, "prior": {"order", 1}, "vor": {"order", 1}, "bevor": {"order", 1}, "ehe": {"order", 1}, "then": {"order", 1},
	"after": {"order", -1}, "afterwards": {"order", -1}, "soon": {"order", -1},
	"nach": {"order", -1}, "nachdem": {"order", -1}, "danach": {"order", -1}, "sobald": {"order", -1},
	"over": {"over", 1}, "than": {"than", 1}, "by": {"by", 1}, "durch": {"by", 1},
	"because": {"cause", 1}, "due": {"cause", 1}, "weil": {"cause", 1}, "wegen": {"cause", 1}, "aufgrund": {"cause", 1},
	"makes": {"cause", -1}, "made": {"cause", -1}, "causes": {"cause", -1}, "caused": {"cause", -1}, "leads": {"cause", -1}, "led": {"cause", -1},
	"macht": {"cause", -1}, "verursacht": {"cause", -1}, "führt": {"cause", -1}, "führte": {"cause", -1},
	"therefore": {"cause", -1}, "hence": {"cause", -1}, "deshalb": {"cause", -1}, "daher": {"cause", -1},
	"instead": {"instead", 1}, "statt": {"instead", 1}, "anstatt": {"instead", 1}, "anstelle": {"instead", 1},
}

type pivot struct {
	name      string
	direction int
}

// slight words occur on both sides of any pivot.
var slight = memory.WordSet(`the a an and or is are was were be been has have had to of in on at for with from as it its that this we our you
 der die das den dem des ein eine einen einem und oder ist sind war wird werden wurde wurden hat haben zu im am in auf für mit von es wir`)
