package search

import (
	"strings"

	"github.com/winnowhq/winnow/services/internal/language"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// kindWords are words with the kinds of answer that they stand for.
type kindWords map[string]Kinds

func wordsOfKinds(lists map[Kinds]string) kindWords {
	of := kindWords{}
	for kind, list := range lists {
		for w := range strings.FieldsSeq(list) {
			of[w] |= kind
		}
	}
	return of
}

// asksKind are words that ask for a kind wherever they stand in a question.
var asksKind = wordsOfKinds(map[Kinds]string{
	KindDate:   `wann`,
	KindPlace:  `wo wohin woher`,
	KindReason: `why warum weshalb wieso weswegen`,
	KindSpan: `duration period interval delay lifetime retention timeout age latency downtime runtime ttl expiry deadline frequency cadence
 dauer zeitraum frist intervall abstand verzögerung wartezeit laufzeit aufbewahrung aufbewahrungsfrist alter lebensdauer häufigkeit`,
	KindNumber: `number count amount share percentage size limit maximum minimum max min length width height weight speed price cost costs fee capacity
 threshold quota budget accuracy temperature rate wieviel wieviele anzahl zahl menge anteil prozent größe grenze höchstens mindestens länge breite höhe
 gewicht geschwindigkeit preis kosten gebühr kapazität schwelle genauigkeit temperatur`,
	KindVersion: `version versions release newest latest upgrade upgrading upgraded pinned versionen`,
	KindOrder:   `first last order sequence before after step steps reihenfolge zuerst zuletzt schritt schritte bevor nachdem`,
	KindCase:    `handled treated done handling umgegangen behandelt`,
	KindFailure: `error errors fail fails failed failing failure failures wrong wrongly strange odd weird problem problems trouble broken
 breaks break crash crashes crashed lost lose loses missing stops stopped stop stuck hangs slow slower dies die died empty suddenly still differ differs
 no never not nothing cannot can't doesn't don't won't isn't aren't didn't wasn't too stale false bad rejected refused
 fehler fehlt fehlen falsch kaputt nicht kein keine keinen nichts nie hängt verloren leer langsam plötzlich abbruch stürzt absturz ausfall`,
	KindSize: `biggest largest greatest smallest maximum max minimum min upper limit bound size space memory heavy disk
 größe größte größten größter speicher platz maximal höchstens mindestens grenze`,
	KindMoney: `price prices cost costs fee fees pay pays paid payment payments money charge charges charged fine fines budget deposit euro euros
 dollar dollars debt debts bill invoice refund refunds discount expensive cheap salary preis preise kosten kostet gebühr gebühren zahlen zahlt
 bezahlen bezahlt betrag beträge geld rechnung rabatt teuer billig`,
	KindPerson: `contact responsible owner phone wer wem wen wessen zuständig ansprechpartner`,
})

// asksKindFirst are words that ask for a kind where a question or its second half begins.
var asksKindFirst = wordsOfKinds(map[Kinds]string{KindDate: `when`, KindPlace: `where`, KindPerson: `who whom whose`})

// asksKindAfterWhich are words that ask for a kind after "which", "what" or a preposition.
var asksKindAfterWhich = wordsOfKinds(map[Kinds]string{
	KindDate:   `date day month year time week hour hours weekday wann welchem welcher tag tagen uhrzeit`,
	KindPlace:  `file files folder directory path page url address endpoint datei dateien ordner verzeichnis pfad seite adresse`,
	KindReason: `reason reasons cause caused purpose grund gründe ursache zweck`,
})

// asksKindAfterHow are words that ask for a kind after "how". How long something took may be
// answered by when it began.
var asksKindAfterHow = wordsOfKinds(map[Kinds]string{
	KindDate | KindSpan: `long lange`,
	KindSpan:            `soon quickly fast old fresh recent often late early frequently schnell alt bald frisch oft häufig spät früh`,
	KindSize:            `big large heavy full groß schwer voll`,
	KindNumber:          `many much big large small high low deep wide tall heavy expensive far accurate full groß hoch niedrig tief breit schwer teuer weit stark voll genau`,
})

// hasKind are words by which a text has a kind of answer.
var hasKind = wordsOfKinds(map[Kinds]string{
	KindDate: language.Months + ` ` + language.Weekdays + ` yesterday today tomorrow tonight ago last next week weekend month year morning recently since
 gestern heute morgen letzte letzten letzter nächste nächsten woche wochenende monat jahr seit kürzlich`,
	KindHour: plural(language.Weekdays) + ` weekday weekdays werktags midnight noon midday pm mitternacht mittags nachts morgens abends uhr`,
	KindHour | KindSpan: `hourly daily nightly weekly monthly quarterly yearly annually overnight
 stündlich täglich nächtlich wöchentlich monatlich jährlich`,
	KindNumber: `one two three four five six seven eight nine ten once twice several couple
 eins zwei drei vier fünf sechs sieben acht neun zehn einmal zweimal mehrere`,
	KindCase: `if when whenever unless once otherwise else until without wenn falls sobald sonst andernfalls ohne solange bis
 retries retried retry fallback skip skips skipped ignore ignores ignored park parks parked cancel cancels cancelled discard discards discarded`,
	KindFailure: `fail fails failed failing failure failures error errors crash crashes crashed crashing broke broken break breaks lost lose loses losing
 stop stops stopped stopping drop drops dropped dropping die dies died dead reject rejects rejected refuse refuses refused miss misses missed missing
 wrong stale corrupt corrupted corrupts leak leaks leaked block blocks blocked hang hangs hung stuck expire expires expired outage bug bugs defect
 fault abort aborts aborted fehler fehlt fehlte fehlgeschlagen scheitert scheiterte bricht brach abbruch stürzt ausfall fällt verloren verliert
 kaputt falsch hängt abgelaufen`,
	KindMoney:  `eur usd cent cents euro euros dollar dollars`,
	KindReason: `because due since reason cause caused causes causing therefore why weil denn damit deshalb daher wegen grund ursache`,
	KindOrder:  `first then before after last finally afterwards zuerst dann danach vor nach erst anschließend zuletzt`,
	KindPerson: `team teams lead leads manager managers owner owners admin admins administrator administrators operator operators maintainer maintainers
 engineer engineers developer developers staff department hotline person people colleague colleagues office officer head duty oncall director desk
 crew member members supervisor editor editors nurse doctor clerk leiter leitung abteilung kollege kollegen kollegin mitarbeiter verwaltung büro
 zuständig verantwortlich dienst bereitschaft redaktion hausmeister chef chefin`,
	KindRule: `no not never none nothing only cannot can't don't doesn't isn't must may always all every without except unless allowed forbidden required
 unsupported unnecessary disabled enabled kein keine keinen keiner nicht nie nur muss müssen darf dürfen immer ohne außer erlaubt verboten ausgenommen`,
})

// plural returns the words of a list with an s.
func plural(list string) string { return strings.Join(strings.Fields(list), "s ") + "s" }

var (
	// answeredByYes are words with which a question begins that is answered by yes or no.
	answeredByYes = memory.WordSet(language.EnglishAuxiliaries, language.GermanAuxiliaries, `gibt`)
	// asksCaseAfterWhat and beginsCase are words after "what", right behind it and further on, with
	// which a question asks what becomes of something.
	asksCaseAfterWhat = memory.WordSet(`happens happened if then becomes became follows passiert geschieht tun wird`)
	beginsCase        = memory.WordSet(`when if once whenever wenn falls sobald`)

	asksFurther  = memory.WordSet(`and or but since until till from by to for with of about at is are was were so then know tell find see`)
	boundsOfTime = memory.WordSet(`until till to between before after from bis zwischen nach vor`)

	unitOfTime = memory.WordSet(`ms milliseconds millisecond s sec secs second seconds min mins minute minutes h hr hrs hour hours day days week weeks month months
 year years quarter quarters sekunde sekunden minute minuten stunde stunden tag tage tagen woche wochen monat monate monaten jahr jahre jahren quartal`)
	// beforeUnit are words that make a span of a unit of time.
	beforeUnit = memory.WordSet(`one two three four five six seven eight nine ten a an per every each half few
 eins zwei drei vier fünf sechs sieben acht neun zehn ein eine einen einem einer pro jede jeden jedes jeder halbe alle`)
	unitOfSize = memory.WordSet(`ki mi gi ti b kb mb gb tb kib mib gib tib byte bytes px pixel pixels character characters zeichen kg g t m km cm mm l litre litres liter`)
	// unit are units after which a number with a dot is no version.
	unit = memory.WordSet(`% € $ EUR USD kB KB MB GB TB KiB MiB GiB M k K m km kg g t l V A W kW mm cm °C Hz kHz MHz GHz
 million billion Millionen Prozent percent points cents times`)
)
