package search

import (
	"slices"
	"strings"
	"sync"

	"github.com/winnowhq/winnow/services/internal/language"
)

// tradeLikeness is how much two words of one group of the thesaurus resemble each other,
// 0–1: more than most neighbours in the table of vectors, less than the same word.
const tradeLikeness = 0.6

// thesaurus has groups of words that people who write software exchange for each other, a
// group a line, English and German (ADR 56). The table of vectors is of everyday English:
// there a spec is no test, a module no component, and a German word is spelt from pieces. A
// word may be in several groups. They are the trade's general vocabulary, but whoever wrote
// them had read the fifty questions of the development data, so the gain on those is no
// measure of it. A word that is only sometimes exchanged for the others of its group does
// little harm, because it is only a likeness.
const thesaurus = `
argument parameter param arg option übergabewert
function method routine procedure subroutine func funktion methode
class type klasse typ
instance object copy instanz objekt exemplar kopie
variable field property attribute member feld eigenschaft attribut
error exception failure fault defect fehler ausnahme störung
bug defect fault issue problem fehler mangel
crash outage failure abort absturz ausfall
warning notice hint caution warnung hinweis
throw raise emit werfen auslösen
fail break crash abort scheitern fehlschlagen abbrechen
catch handle process treat abfangen behandeln verarbeiten
test spec check testcase prüfung
suite tests specs testlauf
verify check validate confirm assert inspect examine ensure test prüfen überprüfen verifizieren kontrollieren bestätigen sicherstellen testen
mock fake stub dummy double attrappe
pass succeed green bestehen durchlaufen erfolgreich grün
create make build generate produce construct instantiate erstellen erzeugen anlegen bauen generieren
recreate rebuild restore regenerate renew wiederherstellen erneuern
delete remove drop erase purge wipe discard eliminate löschen entfernen verwerfen beseitigen
clear reset empty flush clean wipe cleanup leeren zurücksetzen bereinigen aufräumen
add append insert include register attach hinzufügen ergänzen einfügen anhängen registrieren
registry catalogue directory index register verzeichnis
change modify edit alter update adjust amend ändern geändert anpassen bearbeiten aktualisieren modifizieren änderung
rename umbenennen
move relocate shift verschieben verlegen umziehen
copy duplicate clone replicate kopieren duplizieren
start launch begin boot initialise startup starten beginnen anlaufen hochfahren
stop halt terminate kill end quit exit shutdown stoppen anhalten beenden
run execute invoke call perform trigger fire ausführen aufrufen laufen durchführen
restart reboot reload neustart neustarten
install setup provision installieren einrichten
configure setup set configuration config settings setting konfigurieren konfiguration einstellung einstellungen
initialize initialise initialization init setup prepare bootstrap vorbereiten initialisieren einrichtung
hook callback handler listener trigger
upgrade update bump migrate migration aktualisieren umstellung umstieg migrieren
version release edition ausgabe veröffentlichung
publish release ship announce veröffentlichen ausliefern
deploy rollout ship deployment ausrollen bereitstellen auslieferung
revert rollback undo zurückrollen rückgängig
restore recover wiederherstellen
backup snapshot dump sicherung
save store persist write record keep speichern sichern ablegen aufbewahren
load read fetch get retrieve obtain lookup laden lesen holen abrufen
send transmit deliver submit post senden schicken übermitteln
pass hand thread forward transfer übergeben weiterreichen durchreichen
receive accept empfangen erhalten annehmen
find search look locate query lookup finden suchen abfragen
show display print list output view anzeigen zeigen ausgeben auflisten
hide mask conceal verbergen ausblenden
file document datei dokument
folder directory dir path ordner verzeichnis pfad
line row zeile
text string message wording label zeichenkette meldung nachricht
key identifier id name token kennung schlüssel bezeichner
module component plugin package library extension addon unit modul komponente paket bibliothek erweiterung baustein
dependency requirement library abhängigkeit
code source program implementation quellcode programm quelltext
script program tool utility skript werkzeug programm
command instruction befehl anweisung kommando
order sequence ordering reihenfolge abfolge
queue backlog warteschlange
job task work ticket aufgabe auftrag
worker process daemon service prozess dienst
server host machine node box rechner knoten maschine
client consumer caller verbraucher aufrufer
user person account customer member subscriber nutzer benutzer anwender konto kunde mitglied
team group crew mannschaft gruppe
owner maintainer responsible inhaber verantwortlich zuständig
developer programmer engineer coder entwickler programmierer
assistant agent bot ai ki assistent
database db store datastore datenbank speicher
table relation tabelle
cache buffer zwischenspeicher puffer
memory ram arbeitsspeicher
disk drive volume storage platte laufwerk
network connection link netz netzwerk verbindung
address url link endpoint adresse
password passphrase secret credential passwort kennwort geheimnis zugangsdaten
login signin authentication logon anmeldung anmelden
permission access right privilege authorization berechtigung zugriff recht rechte
encrypt encryption cipher crypto verschlüsselung verschlüsseln
certificate cert zertifikat
limit maximum max cap bound ceiling quota threshold under höchstens grenze obergrenze schwelle
minimum min least mindestens minimal
timeout deadline expiry zeitlimit frist
retry again repeat attempt wiederholen versuch erneut
delay wait latency pause verzögerung warten wartezeit
fast quick speed performance rapid throughput schnell geschwindigkeit leistung tempo
slow sluggish degradation langsam
size length width volume größe länge umfang
characters chars letters zeichen
number count amount total quantity anzahl menge zahl
several multiple many various mehrere viele
cost price fee pricing plan tier kosten preis gebühr tarif
expensive costly pricey teuer
year yearly annual annually yr jahr jährlich
month monthly mo monat monatlich
week weekly woche wöchentlich
day daily tag täglich
schedule cron timer zeitplan
before previously earlier former formerly prior old previous vorher früher zuvor bisher
after afterwards later now today since subsequently nach danach nachher jetzt heute inzwischen
first initially initial begin beginning start zuerst erste anfang zunächst
last final latest end letzte zuletzt ende
always every each constantly immer stets jedes
never not niemals nie
mistake slip wrong incorrect blunder pitfall error fehler irrtum falsch
correct right proper valid richtig korrekt gültig
cause reason why because due root ursache grund weil
fix solve repair resolve solution remedy workaround beheben lösen reparieren lösung behebung
benefit advantage gain improvement profit vorteil nutzen gewinn verbesserung
drawback disadvantage downside overhead cost nachteil mehraufwand
improve better enhance ease easier simpler cleaner verbessern besser einfacher leichter
reduce reduction shrink decrease lower cut fewer less saving reduzieren verringern senken weniger kürzen ersparnis
increase raise grow more higher bump erhöhen steigern vergrößern anheben wachsen
difficult hard complex complicated elaborate schwer schwierig komplex aufwendig
easy simple straightforward einfach leicht
needed required necessary must mandatory nötig notwendig erforderlich pflicht
optional voluntary freiwillig
obsolete deprecated outdated legacy unnecessary needless superfluous veraltet überholt überflüssig unnötig
missing absent lacking gone fehlen fehlend fehlt
exist present available vorhanden existieren
available public live open released verfügbar öffentlich erreichbar
enable activate aktivieren einschalten
disable deactivate deaktivieren abschalten ausschalten
allow permit enabled erlauben zulassen
forbid prohibit deny ban block reject refuse verbieten ablehnen sperren verweigern
translate translation translator localization i18n language locale übersetzung übersetzen sprache
documentation docs manual readme guide handbook instructions dokumentation anleitung handbuch
log logging journal record protokoll protokollieren
monitor observe watch metric alert überwachen überwachung beobachten metrik alarm
summary digest overview abstract zusammenfassung überblick
announcement announce post notice news ankündigung mitteilung
meeting call appointment besprechung termin
website site page homepage seite webseite
picture image photo bild foto
default standard fallback preset vorgabe voreinstellung
hardcode hardcoded fixed hardwired constant fest konstant
shared common singleton single global gemeinsam geteilt
automatic automatically auto automatisch selbsttätig
manual manually händisch manuell
incremental incrementally gradual gradually step stepwise schrittweise
exactly strictly precisely genau strikt
parallel concurrent simultaneously gleichzeitig
lock mutex sperre
branch fork zweig
merge join combine unify zusammenführen vereinen
commit checkin einchecken
repository repo archive repositorium
review approve inspect begutachten freigeben
request ask anfrage anfordern
response reply answer antwort
layer level tier stage ebene schicht stufe
interface api schnittstelle
environment env umgebung
region zone location place site standort ort
isolate separate split trennen isolieren
depend rely abhängen
finished done success complete completed fertig erledigt abgeschlossen
`

// groups are the groups of the thesaurus that stems are in.
type groups struct {
	of    map[string]uint32 // of a stem, its list
	lists [][]uint16        // ascending; none first
}

// trade returns the groups of the thesaurus.
var trade = sync.OnceValue(func() groups {
	t := groups{of: map[string]uint32{}, lists: [][]uint16{nil}}
	n := uint16(0)
	for line := range strings.Lines(thesaurus) {
		n++
		for w := range strings.FieldsSeq(line) {
			for _, l := range []language.Language{language.English, language.German} {
				s := stem(w, l)
				at, ok := t.of[s]
				if !ok {
					at = uint32(len(t.lists))
					t.of[s], t.lists = at, append(t.lists, nil)
				}
				if !slices.Contains(t.lists[at], n) {
					t.lists[at] = append(t.lists[at], n)
				}
			}
		}
	}
	return t
})

// exchanged reports whether two words share a group; both lists are ascending.
func exchanged(a, b []uint16) bool {
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			return true
		case a[i] < b[j]:
			i++
		default:
			j++
		}
	}
	return false
}
