package restate

import "strings"

// irregularVerbs are the verbs of English and German whose forms no stemmer joins: the
// infinitive and its forms, one verb a line, as a grammar's table of irregular verbs has
// them. Regular forms of such verbs are left to the stemmer.
const irregularVerbs = `
arise arose arisen
bear bore borne
beat beaten
become became
begin began begun
bend bent
bind bound
bite bit bitten
bleed bled
blow blew blown
break broke broken
breed bred
bring brought
build built
burn burnt
buy bought
catch caught
choose chose chosen
come came
creep crept
deal dealt
dig dug
draw drew drawn
drink drank drunk
drive drove driven
eat ate eaten
fall fell fallen
feed fed
feel felt
fight fought
find found
flee fled
fly flew flown
forbid forbade forbidden
forget forgot forgotten
forgive forgave forgiven
freeze froze frozen
get got gotten
give gave given
go went gone
grind ground
grow grew grown
hang hung
hear heard
hide hid hidden
hold held
keep kept
know knew known
lay laid
lead led
learn learnt
leave left
lend lent
lose lost loses losing
make made making
mean meant
meet met
mislead misled
overwrite overwrote overwritten
pay paid
rebuild rebuilt
resend resent
rewrite rewrote rewritten
ride rode ridden
ring rang rung
rise rose risen
run ran
say said
see saw seen
seek sought
sell sold
send sent
shake shook shaken
shine shone
shoot shot
show shown
shrink shrank shrunk
sing sang sung
sink sank sunk
sit sat
sleep slept
slide slid
speak spoke spoken
spend spent
spin spun
spring sprang sprung
stand stood
steal stole stolen
stick stuck
strike struck
swear swore sworn
sweep swept
swim swam swum
swing swung
take took taken
teach taught
tear tore torn
tell told
think thought
throw threw thrown
understand understood
undo undid undone
wake woke woken
wear wore worn
weave wove woven
win won
wind wound
withdraw withdrew withdrawn
write wrote written
anbieten bietet bot geboten angeboten
backen buk gebacken
beginnen begann begonnen
beißen biss gebissen
besitzen besaß besessen
betreten betrat betritt
beweisen bewies bewiesen
biegen bog gebogen
binden band gebunden
bitten bat gebeten
bleiben blieb geblieben
brechen bricht brach gebrochen
brennen brannte gebrannt
bringen brachte gebracht
denken dachte gedacht
dringen drang gedrungen
empfangen empfängt empfing
empfehlen empfiehlt empfahl empfohlen
entscheiden entschied entschieden
erhalten erhält erhielt
essen isst aß gegessen
fahren fährt fuhr gefahren
fallen fällt fiel gefallen
fangen fängt fing gefangen
finden fand gefunden
fliegen flog geflogen
fließen floss geflossen
fressen frisst fraß gefressen
frieren fror gefroren
geben gibt gab gegeben
gehen ging gegangen
gelten gilt galt gegolten
gewinnen gewann gewonnen
gießen goss gegossen
graben gräbt grub gegraben
greifen griff gegriffen
halten hält hielt gehalten
hängen hing gehangen
heben hob gehoben
heißen hieß geheißen
helfen hilft half geholfen
kennen kannte gekannt
klingen klang geklungen
kommen kam gekommen
laden lädt lud geladen
lassen lässt ließ gelassen
laufen läuft lief gelaufen
leihen lieh geliehen
lesen liest las gelesen
liegen lag gelegen
messen misst maß gemessen
nehmen nimmt nahm genommen
nennen nannte genannt
pfeifen pfiff gepfiffen
raten rät riet
reißen riss gerissen
rennen rannte gerannt
rufen rief gerufen
scheinen schien geschienen
schieben schob geschoben
schießen schoss geschossen
schlafen schläft schlief geschlafen
schlagen schlägt schlug geschlagen
schließen schloss geschlossen
schneiden schnitt geschnitten
schreiben schrieb geschrieben
schweigen schwieg geschwiegen
schwimmen schwamm geschwommen
sehen sieht sah gesehen
senden sandte gesandt gesendet
singen sang gesungen
sinken sank gesunken
sitzen saß gesessen
sprechen spricht sprach gesprochen
springen sprang gesprungen
stehen stand gestanden
stehlen stiehlt stahl gestohlen
steigen stieg gestiegen
sterben stirbt starb gestorben
stoßen stößt stieß gestoßen
streichen strich gestrichen
tragen trägt trug getragen
treffen trifft traf getroffen
treiben trieb getrieben
treten tritt trat getreten
trinken trank getrunken
tun tut tat getan
verbinden verband verbunden
vergessen vergisst vergaß vergessen
verlieren verlor verloren
vermeiden vermied vermieden
verschwinden verschwand verschwunden
wachsen wächst wuchs gewachsen
waschen wäscht wusch gewaschen
weisen wies gewiesen
werfen wirft warf geworfen
wiegen wog gewogen
wissen weiß wusste gewusst
ziehen zog gezogen
zwingen zwang gezwungen
`

// bases has the infinitive of each irregular form.
var bases = readBases()

func readBases() map[string]string {
	out := make(map[string]string)
	for line := range strings.Lines(strings.TrimSpace(irregularVerbs)) {
		forms := strings.Fields(line)
		for _, f := range forms[1:] {
			if _, taken := out[f]; !taken {
				out[f] = forms[0]
			}
		}
	}
	return out
}

// base returns the infinitive of an irregular form, a form that needs no table as it is.
func base(w string) string {
	if b, ok := bases[w]; ok {
		return b
	}
	return w
}
