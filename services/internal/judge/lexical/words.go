package lexical

import (
	"strings"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/german"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// stop are words that no comparison reads. Negations, directions and modal verbs are
// among them, because the specifics guard compares those, and better.
var stop = memory.WordSet(`a an the this that these those it its is are was were be been being am to of in on at by for with from as and or
 but so than then too very just also any all some each every own do does did done has have had having will would can could may
 might shall into onto over under about there here when where which who whom what how why if while via per our your their
 his her my we you they he she i me us them not no never cannot can't don't doesn't isn't won't longer anymore yet still
 already now gets got get such up out off before after once twice both either exactly only
 der die das den dem des ein eine einer eines einem einen und oder aber ist sind war waren sein wird werden wurde wurden zu zum
 zur im am an auf für von vom mit bei aus als auch nur noch schon so dass wenn weil wie was wer wo hat haben hatte kann können
 es er sie wir ihr ich man sich nach vor bis über unter nicht kein keine keinen keiner nie niemals ohne mehr sehr diese dieser
 dieses jede jeder jedes um ins beim bereits jetzt`)

// faint words oblige or mark time; the specifics guard compares what they mean.
var faint = memory.WordSet(`must always need requir mandatori every time should ever whenev muss immer stet soll sollt müss together alongsid first
 anoth other exact actual realli simpli now new current zusammen erst default`)

// generic words fit any sentence about software.
var generic = memory.WordSet(`use run make set work thing way case happen go come see let want mean call allow support provid contain give take put
 chang follow pass file code project now new instead ensur cause due result lead come indic benutz mach setz gib geh
 accept hook line help show live stand kommt lieg datei projekt`)

// synonymGroups are words that replace each other in notes about software. The first
// word of a group is its head. EN and DE. The list is small on purpose: every pair was
// seen in paraphrases, and the specifics guard still reads the words themselves.
var synonymGroups = []string{
	"config configuration configurations configured configure settings setting konfiguration konfigurationen einstellung einstellungen",
	"remove removed removes removing delete deleted deletes deleting drop dropped drops dropping eliminate eliminated eliminates discard entfernen entfernt löschen gelöscht",
	"create created creates creating initialize initialized initializes initializing initialise initialised init instantiate instantiated initialization generate generated generates erstellen erstellt anlegen angelegt erzeugen erzeugt",
	"fail fails failed failing failure break breaks broke broken breaking crash crashes crashed scheitert scheitern fehlschlagen kaputt abstürzt",
	"error errors exception exceptions fehler ausnahme",
	"fix fixed fixes fixing solve solved solves resolve resolved resolves repair repaired behoben beheben gelöst",
	"pass passes passed passing hand hands handed handing übergeben übergibt reicht",
	"throw throws throwing thrown raise raises raised raising wirft geworfen",
	"char chars character characters zeichen",
	"param params parameter parameters argument arguments arg args",
	"dir dirs directory directories folder folders verzeichnis verzeichnisse ordner",
	"repo repos repository repositories",
	"function functions func funcs method methods methode funktion",
	"database databases db dbs datenbank datenbanken",
	"env environment environments umgebung",
	"app apps application applications anwendung",
	"auth authentication authenticate authenticates authenticated authentifizierung",
	"dependency dependencies dep deps abhängigkeit abhängigkeiten",
	"kubernetes k8s", "postgres postgresql", "javascript js", "typescript ts", "docs documentation dokumentation",
	"start starts started starting launch launches launched boot boots booting starten startet gestartet",
	"stop stops stopped stopping halt halts terminate terminates terminated stoppt beendet",
	"show shows shown display displays displayed render renders rendered print prints printed zeigt anzeigen",
	"fetch fetches fetched retrieve retrieves retrieved retrieval load loads loaded loading lädt geladen holt abgerufen",
	"store stores stored storing save saves saved saving persist persists persisted speichert speichern gespeichert abgelegt",
	"check checks checked checking verify verifies verified verifying validate validates validated validation prüfen prüft geprüft",
	"wrong incorrect incorrectly wrongly falsch falsche",
	"missing absent lacking lacks fehlt fehlen fehlend",
	"permit permits permitted allow allows allowed erlaubt erlauben",
	"send sends sent sending emit emits emitted publish publishes published schickt gesendet senden",
	"keep keeps kept retain retains retained behält behalten aufbewahrt",
	"use uses used using utilize utilizes utilise employ employs follow follows rely relies verwenden verwendet nutzt nutzen benutzt benutzen",
	"message messages msg nachricht nachrichten",
	"request requests req anfrage anfragen", "response responses antwort antworten",
	"live lives located resides sits liegt liegen",
	"hardcode hardcodes hardcoded hard-coded hard-codes hard-wired",
	"register registers registered registering registration registriert registrieren",
	"automatic automatically auto automatisch",
	"max maximum höchstens at-most", "min minimum mindestens at-least",
	"handle handles handled process processes processed verarbeitet",
	"deploy deploys deployed deployment deployments rollout ausgerollt",
	"upgrade upgraded upgrades bump bumped bumps aktualisiert",
	"switch switched switches move moved moves migrate migrated migrates migration umgestellt umgezogen",
	"require requires required need needs needed must mandatory benötigt braucht",
	"clean cleans cleanup clean-up purge purges",
	"large big huge groß große", "quick fast schnell", "slow slowly langsam",
	"restart restarts restarted restarting neustart neugestartet",
	"occur occurs occurred happen happens happened", "detect detects detected discover discovers discovered found find finds",
	"return returns returned returning yields liefert",
	"replace replaces replaced replacing swap swaps swapped substitute ersetzt ersetzen",
	"call calls called calling invoke invokes invoked invoking ruft aufruf aufgerufen",
	"customer customers client clients kunde kunden",
	"wait waits waiting block blocks wartet",
	"credential credentials secret secrets password passwords zugangsdaten",
	"test tests testing tested", "parallel concurrently concurrent",
	"limit limits limited cap caps capped grenze begrenzt",
	"write writes writing written schreibt schreiben", "read reads reading liest lesen",
	"run runs running ran execute executes executed executing läuft ausgeführt",
	"nightly night nächtlich nachts", "daily day täglich", "weekly week wöchentlich",
	"trigger triggers triggered fires fire fired auslöst",
	"share shares shared common gemeinsam geteilt",
	"ignore ignores ignored skip skips skipped ignoriert übersprungen",
	"build builds building built compile compiles compiled", "cluster clusters",
	"connect connects connection connections verbindung verbindungen",
	"image images img", "user users benutzer nutzer", "server servers host hosts",
	"remain remains remained remaining stay stays stayed bleibt bleiben", "begin begins began begun beginnt",
	"obtain obtains obtained receive receives received", "alter alters altered modify modifies modified", "select selects selected choose chooses chosen pick picks picked",
	"prevent prevents prevented avoid avoids avoided", "combine combines combined join joins joined", "prove proves proven proof",
	"identify identifies identified", "refer refers referred point points", "enough sufficient suffices genügt", "impossible unable",
	"serve serves served", "visible seen sees see", "finish finishes finished complete completes completed ends end",
	"mode modus", "key keys schlüssel", "limit limits", "timeout timeouts zeitüberschreitung",
}

var synonyms, stemmedSynonyms = buildSynonyms()

// buildSynonyms maps every word of a group, and its stems in both languages, to
// the head of the group.
func buildSynonyms() (words, stems map[string]string) {
	words, stems = make(map[string]string), make(map[string]string)
	for _, group := range synonymGroups {
		list := strings.Fields(group)
		for _, w := range list {
			words[w] = list[0]
			for _, f := range []func(*snowballstem.Env) bool{english.Stem, german.Stem} {
				env := snowballstem.NewEnv(w)
				f(env)
				if _, taken := stems[env.Current()]; !taken {
					stems[env.Current()] = list[0]
				}
			}
		}
	}
	return words, stems
}
