package wording

import (
	"strings"

	"github.com/winnowhq/winnow/services/internal/language"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// plainOrders are verbs that, at the start of a sentence, are almost always an order.
// EN and DE.
var plainOrders = memory.WordSet(`explain help suggest analyze analyse summarize summarise translate recommend compose discuss outline brainstorm teach calculate compute solve recite
 classify rank paraphrase imagine pretend act answer predict discover learn recommend elaborate illustrate invent respond obey simulate
  add append apply ask assert assign assume attach avoid avoids bind call choose close collect commit compare configure confirm consider
 consolidate convert copy create decide declare define delete delegate describe determine disable discard divide do double-check download
 edit eliminate employ enable enforce enclose ensure establish evaluate examine execute expand expect expose extend extract favor favour fetch fill find follow forget forward
 generate get give go grant guard handle have hide hold identify ignore implement include increase initialize insert inspect install invoke isolate
 keep kill leave let limit list listen load look lower maintain make manage mention merge migrate minimize monitor mount move name normalize notify
 omit open organize override pass perform pick pin place populate prefer prepare preserve prevent proceed produce propagate provide pull push put
 raise read rebase rebuild reboot recreate redirect reduce refer refrain regenerate register reject rely remind remove rename replace reply report reproduce
 require reset resolve respect respond restrict retain return reuse revert revoke rewrite rotate save scan search select send separate serve share
 skip specify split squash stay stick stop submit subscribe suppress surface swap switch sync tag take tell throw treat trim try turn type
 abandon accept acknowledge adjust adopt advance align allow anticipate approve arrange await begin bring catch clarify combine compile compress
 concatenate condense consult contain continue correct customise customize decode decrypt deduplicate defer detach develop differentiate distinguish
 distribute drain embed emit encode encrypt enter enumerate escape exclude exit explore flatten flush formulate free gather hardcode hardwire honor
 honour imply improve inform inject inline insist integrate interpret introduce investigate justify lay learn loosen maximise maximize memoize minimise
 modify narrow negotiate obtain opt persist postpone precede precompute promote protect prune qualify quit reach recheck recompile reconnect reconsider
 reformat reindex relocate rely render reopen reorder repeat rephrase rerun reserve restate restrict retain rethink retry revisit reword
 rotate sanitise sanitize secure seek serialise serialize shield ship shorten shrink simplify simulate slow stagger strip tidy tighten tolerate
 translate traverse treat truncate unify unwrap upgrade warm widen zero
 understand undo uninstall unsubscribe update upload use utilize validate verify visit wait warn watch wire wrap write`, germanOrderForms)

// germanOrderForms are those of German verbs.
const germanOrderForms = `erkläre erklärt hilf helft übersetze schlage analysiere antworte beschreibe nenne
 verwende verwendet nutze nutzt benutze benutzt setze setzt prüfe prüft starte startet vermeide vermeidet achte achtet stelle stellt füge fügt lösche löscht
 erstelle erstellt lege legt schreibe schreibt lies lest rufe ruft führe führt halte haltet lass lasst nimm nehmt gib gebt teste testet sende sendet schicke
 schickt öffne öffnet schließe schließt ändere ändert ersetze ersetzt entferne entfernt aktiviere aktiviert deaktiviere deaktiviert speichere speichert beachte beachtet testet teste plane baue baut`

var germanImperatives = memory.WordSet(germanOrderForms)

// nounOrders are orders too, except as the subject of a finite verb: "Build images on
// tag" against "Build time fell to 31 s".
var nounOrders = memory.WordSet(`access backup benchmark block boot branch break bring build bump cache cancel cap change check clean clear clone compile connect cut debug default delay deploy
 design document drain draft drop dump export fail fix flag format fork freeze group import index launch link lint lock log map mark measure mirror mock order patch
 pause ping plan point poll port print process profile prompt prune publish query queue quote rate record refactor release render repeat request restart restore
 retry review roll route run sample schedule seed set ship show shut sign sort stage stash start state step store stream stub style support test throttle trace
 track transfer transform trigger upgrade view zip test testet plane baue baut
 address archive attempt clamp contact count cover demand drill encourage estimate exercise export express factor feed focus force hash issue join
 label lift limit locate log loop mask match model note package pad parse phrase plug post prefix present print purge release repair resist restart
 resume reverse round sign sort spell stop structure substitute supply support surround swap target template tie trace track transform trigger trust
 watch weigh whitelist wire`)

// imperative returns the verb of the order that a text gives, empty for a statement.
func imperative(t *Text) string {
	tokens := t.Tokens[:application(t)]
	for i := range tokens {
		if t.Stamps[i] || tokens[i].Code && i > 0 && tokens[i-1].Code {
			continue
		}
		if !orderStart(t, i) || tokens[i].Code || tokens[i].Quote != 0 {
			continue
		}
		w := tokens[i].Value
		if skipAhead[w] && i+1 < len(tokens) {
			w = tokens[i+1].Value
			if !tokens[i+1].Code && (plainOrders[w] && !finiteNext(tokens, i+2) || nounOrders[w] && !finite(tokens, i+2)) {
				return w
			}
			continue
		}
		if labelled(tokens, i) || stated(tokens, i) || t.Doc.German && germanNoun(tokens, i) {
			continue // in German an English verb with a capital is a noun: "Export von …"
		}
		if plainOrders[w] && !finiteNext(tokens, i+1) && !nounOrders[w] || nounOrders[w] && !finite(tokens, i+1) && len(tokens) > i+1 {
			return w
		}
	}
	return germanInfinitive(tokens)
}

// skipAhead are words that may precede an order.
var skipAhead = memory.WordSet(`please always never just then also first instead finally simply kindly and bitte immer nie niemals dann zuerst only better`)

// orderStart reports whether a sentence begins at token i: after stamps, or after
// punctuation that ends a clause.
func orderStart(t *Text, i int) bool {
	if clauseStart(t.Tokens, i) {
		return true
	}
	if conditional(t, i) {
		return true
	}
	for j := i - 1; j >= 0; j-- {
		if !t.Stamps[j] {
			return false
		}
	}
	return true
}

// conditional reports that token i follows the comma that ends an opening condition:
// "When adding a model, add …".
func conditional(t *Text, i int) bool {
	if t.Tokens[i].Sep != ',' || !plainOrders[t.Tokens[i].Value] && !skipAhead[t.Tokens[i].Value] {
		return false
	}
	c := clauseAt(t.Tokens, t.Stamps, i, false)
	return conditions[c.tokens[c.start].Value]
}

var conditions = memory.WordSet(`when whenever if before after while unless once for until where wenn falls bevor nachdem sobald solange beim vor nach`)

// labelled reports that the word at i only names the number or hash behind it, or
// governs it as a noun does: "commit 3fa91c2", "build 512", "benchmark of 20 March".
func labelled(tokens []memory.Token, i int) bool {
	if i+1 >= len(tokens) {
		return false
	}
	next := tokens[i+1]
	if next.Sep == ',' && tokens[i].Upper && (next.Upper || next.Class == memory.TokenIdent) {
		return true // a list of names: "Go, Node.js and Python"
	}
	if tokens[i].Caps && next.Sep == 0 && i+2 < len(tokens) && strings.HasSuffix(next.Value, "s") && (tells[tokens[i+2].Value] || skipAhead[tokens[i+2].Value]) {
		return true // an abbreviation: "PIN blocks never leave …"
	}
	if next.Value == "of" && next.Sep == 0 {
		return true // "use of `eval`": what governs "of" is a noun
	}
	if tokens[i].Value == "consider" && (next.Value == "how" || next.Value == "what" || next.Value == "that") {
		return true // a figure of speech before a fact
	}
	if next.Class == memory.TokenNumber && tokens[i].Upper && strings.Contains(next.Value, ".") && i+2 < len(tokens) && thirdPerson(tokens[i+2]) {
		return true // "Make 4.4 shuffles …"
	}
	if tokens[i].Caps && strings.HasPrefix(next.Value, "/") {
		return true // "POST /v1/refunds allows …"
	}
	if next.Class == memory.TokenIdent && hexadecimal(next.Value) && labels[tokens[i].Value] {
		return true
	}
	if labels[tokens[i].Value] && next.Sep == 0 && identity[next.Value] {
		return true // "run id 8c1f02"
	}
	if i > 0 && tokens[i].Sep == ':' && tokens[i-1].Sep == '(' {
		return true // "(strategy: merge)"
	}
	numbered := next.Class == memory.TokenNumber && next.Unit == ""
	return numbered && next.Sep == 0 && (labels[tokens[i].Value] || nounOrders[tokens[i].Value]) && (i+2 == len(tokens) || tokens[i+2].Sep != 0 || finite(tokens, i+2))
}

// stated reports that the word at i is a noun, and the sentence a statement about it: "pass
// `licm` has run", "return rate at `rack-9` fell". Behind its noun phrase, which has no
// article of its own, stands a word that can only be a finite verb. What an order asks to be
// true has a verb too: "ensure pods are up".
func stated(tokens []memory.Token, i int) bool {
	if tokens[i].Code || clauseTaking[tokens[i].Value] {
		return false
	}
	plural, inside := false, false // inside: behind a preposition
	for j := i + 1; j < len(tokens) && j < i+12; j++ {
		t := tokens[j]
		switch {
		case t.Sep != 0:
			return false
		case t.Code || t.Class != memory.TokenWord:
		case articles[t.Value] && inside && preposed[tokens[j-1].Value]:
		case tells[t.Value], onlyFinite[t.Value] && !preposed[tokens[j-1].Value]:
			return j > i+1
		case plural && onlyFinitePlural[t.Value] && !preposed[tokens[j-1].Value]:
			return true
		case articles[t.Value] || asking[t.Value] || subordinate[t.Value] && t.Value != "for":
			return false
		case preposed[t.Value]:
			inside = true
		case !inside && j <= i+2 && strings.HasSuffix(t.Value, "s"):
			plural = true
		}
	}
	return false
}

var (
	// clauseTaking are orders that a whole sentence follows.
	clauseTaking = memory.WordSet(`ensure verify confirm assert assume check note remember see know make expect guarantee say suppose consider imagine watch wait let`)
	// tells are forms of auxiliary verbs that only a subject has.
	tells = memory.WordSet(`has had was were is are`)
	// onlyFinite are forms that are neither a plural noun nor a participle: the third person
	// of verbs that are no noun, and pasts that differ from their participle.
	onlyFinite = memory.WordSet(`finishes begins sends writes reads takes carries keeps gives brings becomes seems contains includes requires provides allows receives serves
 fetches accepts lives lies sits stands belongs goes comes gets makes says fails happens exists remains stays needs uses weighs costs holds lags consumes produces
 emits compiles depends consists applies appears expires occurs refers relies resides loses finds knows means publishes subscribes connects listens
 fell rose grew broke came went began took gave ran wrote drew drove flew knew saw shrank sank froze chose spoke stole threw tore woke became forgot
 doubled tripled quadrupled halved peaked soared surged plummeted climbed dipped stalled lagged crashed hung ceased vanished`)
	// onlyFinitePlural are base forms that follow a plural and are seldom a noun.
	onlyFinitePlural = memory.WordSet(`carry begin hold come go weigh take have lag lie live belong contain include rise fall keep become consist depend expire remain exist need use send write read run
 listen connect fail stop start end live`)
	// preposed are prepositions that may stand inside of a noun phrase.
	preposed = memory.WordSet(`of in at on for from by to near per under over between against about with`)
	// asking are words that begin a clause of their own.
	asking = memory.WordSet(`what who whom whose where how why whether as than and or so`)
)

// germanNoun reports that the word at i, with a capital, is a noun of a German sentence:
// the sentence has small words of German and none of English, and none that goes with
// orders. A German text may quote an English order.
func germanNoun(tokens []memory.Token, i int) bool {
	if !tokens[i].Upper || germanImperatives[tokens[i].Value] || i+1 < len(tokens) && germanObjects[tokens[i+1].Value] {
		return false
	}
	german := false
	for j := i + 1; j < len(tokens) && !sentenceEnd(tokens[j].Sep); j++ {
		w := tokens[j].Value
		if tokens[j].Class != memory.TokenWord || tokens[j].Code {
			continue
		}
		if germanUrging[w] || language.Function(w, language.English) && !language.Function(w, language.German) {
			return false
		}
		german = german || language.Function(w, language.German)
	}
	return german
}

// germanObjects are determiners behind which the object of an order stands: "Deploy den
// Dienst". Behind a noun stands a genitive: "Export der Kasse".
var germanObjects = memory.WordSet(`die das den dem ein eine einen einem alle allen dein deine deinen euer eure euren unser unsere unseren dies diese diesen`)

var germanUrging = memory.WordSet(`bitte nie niemals immer stets nur nicht kein keine keinen jedem jeder jedes vor bevor statt lieber`)

// thirdPerson reports a word with the ending of a verb that says what one thing does.
func thirdPerson(t memory.Token) bool {
	w := t.Value
	return t.Class == memory.TokenWord && !t.Code && t.Sep == 0 && (finiteVerbs[w] || past(t) || len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !language.Function(w, language.English))
}

// identity are nouns for what names one thing of a kind.
var identity = memory.WordSet(`id ids number no nr hash name title date message`)

// labels are nouns before a number that are orders before anything else.
var labels = memory.WordSet(`commit release tag merge issue pull build run step note`)

func hexadecimal(w string) bool { return len(w) >= 6 && strings.Trim(w, "0123456789abcdef") == "" }

// finiteNext reports whether the next word makes a verb form a noun: "Read was slow".
func finiteNext(tokens []memory.Token, i int) bool {
	return i < len(tokens) && tokens[i].Sep == 0 && finiteVerbs[tokens[i].Value]
}

// finite reports whether a finite verb follows within the clause.
func finite(tokens []memory.Token, i int) bool {
	for n := 0; i < len(tokens) && n < 8; i, n = i+1, n+1 {
		if s := tokens[i].Sep; s == '.' || s == ';' || s == '\n' {
			return false
		}
		if tokens[i].Code {
			continue
		}
		w := tokens[i].Value
		if finiteVerbs[w] || pasts[w] || len(w) > 4 && strings.HasSuffix(w, "ed") && tokens[i].Class == memory.TokenWord && n < 5 {
			return true
		}
		if subordinate[w] {
			return false
		}
	}
	return false
}

var subordinate = memory.WordSet(`before after when if unless until because that which with for without while`)

var finiteVerbs = memory.WordSet(`is are was were has had does did got went took takes now runs ran lives fell rose grew goes came comes needs uses makes made
 works gives gave keeps kept holds held puts sets hits hit writes wrote reads sends sent fails passes starts stops returns became becomes moved will would can could must should
 lies sits cost costs dropped ist sind war wurde wird hat läuft`)

// germanInfinitive returns the verb of a clause that ends in an infinitive and has no
// finite verb: "pnpm verwenden, nie npm".
func germanInfinitive(tokens []memory.Token) string {
	for i := 1; i < len(tokens); i++ {
		last := i+1 == len(tokens) || tokens[i+1].Sep != 0
		if last && germanOrders[tokens[i].Value] && !finiteBefore(tokens, i) {
			return tokens[i].Value
		}
	}
	return ""
}

func finiteBefore(tokens []memory.Token, i int) bool {
	for j := i - 1; j >= 0; j-- {
		if germanFinite[tokens[j].Value] {
			return true
		}
		if s := tokens[j+1].Sep; s == '.' || s == ';' {
			return false
		}
	}
	return false
}

var germanOrders = memory.WordSet(`verwenden nutzen benutzen setzen prüfen ausführen starten löschen vermeiden einsetzen beachten anlegen schreiben lassen halten
 eintragen ersetzen entfernen aktivieren deaktivieren aufrufen testen speichern mergen committen pushen deployen installieren hinzufügen ergänzen erweitern abfragen`)

var germanFinite = memory.WordSet(`ist sind war waren wird werden wurde wurden kann können konnte konnten hat haben hatte muss müssen soll sollen sollte darf dürfen will wollen möchte um zu lässt
 müsse müssten solle dürfe könne könnten wolle habe sei werde würde würden`)

// application returns the token at which the application part of a lesson begins:
// "Context: … Lesson: … Application: …", one label a line or all on one line.
// len(t.Tokens) for other texts. The part says how to use what was learned; its orders
// make no convention of the lesson. What it forbids or demands without exception is a
// rule there too.
func application(t *Text) int {
	learned := false
	for i := range t.Tokens {
		if !labelStart(t.Tokens, i) {
			continue
		}
		switch t.Tokens[i].Value {
		case "lesson", "lektion", "erkenntnis", "learning", "lehre":
			learned = true
		case "application", "anwendung":
			if learned {
				return i
			}
		}
	}
	return len(t.Tokens)
}

// labelStart reports whether the word at i is a label: it begins a line or a sentence, and a
// colon follows, or, of a word alone on its line, the end of the line.
func labelStart(tokens []memory.Token, i int) bool {
	if i+1 >= len(tokens) {
		return false
	}
	before, after := tokens[i].Sep, tokens[i+1].Sep
	if i == 0 || before == '\n' {
		return after == ':' || after == '\n'
	}
	return (before == '.' || before == ';') && after == ':' && tokens[i].Upper
}
