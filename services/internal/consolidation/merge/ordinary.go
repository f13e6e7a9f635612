package merge

import (
	"strings"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// ordinary reports whether a word may stand in a merged text although no source has
// it. Such words join what the sources say; none of them names a thing, a value, a
// direction or a state, so that a sentence cannot be turned by one. Any other word that
// the sources lack is taken for a name.
func ordinary(word string, german bool) bool {
	if german {
		return germanOrdinary[memory.Stem(word)] || englishOrdinary[memory.Stem(word)]
	}
	return englishOrdinary[memory.Stem(word)]
}

var englishOrdinary, germanOrdinary = stems(english), stems(german)

func stems(list string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		set[memory.Stem(w)] = true
		set[w] = true
	}
	return set
}

const english = `
 about according accordingly across additional adopt affect again against aim along alone among amount appear applicable apply approach appropriate approximately arise aspect associated
 based basic basis because become behave behavior behaviour benefit best better both bring broad
 care carry case cases cause caution certain choice circumstance clear clearly combine come common commonly compare complete concern condition confirm consequence consequently consider consideration consist consistent consistently contain context contribute correct cover critical current currently
 deal decide decision demand depend describe design detail determine differ directly discuss due during
 effect effective effectively efficient either element encounter ensure entire entry especially essential establish even eventually every evidence exact exactly example exist expect experience explain extent
 face fact factor feature find focus follow form found frequent frequently full fully further furthermore
 gain general generally give given good group
 handle happen having help hence here highlight hold how however
 idea identify illustrate impact imply important improve include including indicate individual information insight instance instead intend involve issue item itself
 keep key kind know known
 lead learn learned lesson let lesson likely list look
 made main mainly make manner many matter mean meaning means mention merely method moreover multiple mostly
 namely need nature necessary note notable notably noted number
 observation observe obtain occur offer often order original originate otherwise outcome overall own
 part particular particularly pattern perform place play point possible potential potentially practice prefer present prevent previous primarily primary principle prior probably problem proceed process produce project properly prove provide purpose put
 question quite
 range rather reach real really reason reasonable recall recommend reflect refer regard regarding related relation relevant rely remain remember report represent require respective respectively response result reveal
 safe same see seem several share show shown significant significantly similar similarly simple simply since situation solution solve some source specific specifically state statement step still strategy subject such suggest suitable sum summary support sure
 take taken task technique tend term theme therefore thing this those though through throughout thus time together topic toward treat true try turn type typical typically
 understand understanding unless until use used useful using usual usually
 value various vary via view
 want way well what whenever where whereas whereby whether which while whole why within word work worth
 yield`

const german = `
 abhängig abhängt allgemein allerdings also ansatz anwenden anwendung art aspekt auch aufgabe aufgrund auswirkung außerdem
 bedeutet bedingung beachten beispiel beim bereits beruht beschreibt besonders bestehen besteht bestimmt betreffen betrifft bewirkt bezieht bleibt
 dabei dadurch dafür daher damit danach daraus darin darüber davon dazu deshalb details dient ding durch
 ebenso eigenschaft einsatz einzeln entsprechend entsteht entweder ergibt erfahrung erfordert ergebnis erkenntnis erreicht erscheint ersichtlich etwa
 fall falls folge folgt folglich führt führen für
 ganz geeignet gemeinsam genau gesamt geschieht gewährleistet gibt gilt grund grundsätzlich gruppe
 halten handelt helfen hilft hinweis häufig
 immerhin information insbesondere insgesamt
 jedoch jeweils jeweilig
 kommt konsequenz kontext
 lage lassen lässt lehre lösung
 machen macht maßnahme meist meistens merkmal methode mittels muster möglich
 nachdem nämlich notwendig nutzen nutzt nützlich
 obwohl oft
 praxis problem prinzip punkt
 rahmen regel relevant
 sache sicherstellen sichergestellt sinnvoll situation sobald sofern sogar somit sonst sowie sowohl stelle strategie stützt
 teil thema tritt typisch
 umgang umsetzung ursache ursprünglich
 verhalten verhindert vermeiden vermeidet verschiedene verursacht vorgehen vorgang
 weg weise weiterhin weitere welche wert wesentlich wichtig wirkt während
 zeigt zudem zugleich zusammen zusammenfassung zusammenhang zudem zweck zusätzlich`
