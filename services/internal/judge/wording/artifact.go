package wording

import (
	"strings"
	"unicode"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// editVerbs are verbs in the form of an order that edit a document. Alone they prove
// nothing: "Replace sleeps with testing/synctest" is advice. The object decides. EN
// and DE.
var editVerbs = memory.WordSet(`add append insert put place move replace expand extend consolidate merge combine update rewrite rephrase reword change
 edit modify remove delete drop split condense shorten trim summarize summarise incorporate include record file store save rename reorder integrate fold
 collapse mark revise amend prepend attach link tidy dedupe deduplicate relocate swap correct clarify augment supplement tweak adjust strike group
 note log write list create promote demote unify join tack nest carry slot reformat restructure reorganize reorganise refresh annotate
 füge ergänze ergänzen hinzufügen einfügen anfügen ersetze ersetzen erweitere erweitern verschiebe verschieben fasse zusammenfassen lösche streiche streichen aktualisiere
 aktualisieren ändere ändern überarbeite überarbeiten trage eintragen nimm aufnehmen hänge anhängen setze schreibe umschreiben kürze kürzen präzisiere
 vereinheitliche übernimm übernehmen notiere vermerke korrigiere verbinde kombiniere`)

// strongObjects are parts of a memory file, and of little else.
var strongObjects = memory.WordSet(`section sections subsection entry entries bullet bullets heading headings paragraph memory.md claude.md agents.md learnings.md lessons.md
 decisions.md memories.md notes.md memory-file bullet-point bullet-points sub-bullet sub-bullets
 abschnitt abschnitts abschnitte eintrag einträge eintrags stichpunkt stichpunkte aufzählungspunkt aufzählungspunkte überschrift absatz rubrik unterpunkt unterpunkte gedächtnisdatei`)

// weakObjects are parts of a memory file or of something else; they count only beside
// a heading.
var weakObjects = memory.WordSet(`list lists text line lines note notes table item items block part wording file memory fact point points rule lesson
 liste listen zeile zeilen notiz notizen tabelle punkt punkte text teil formulierung datei regel`)

// deictic words refer to the text itself or to its surroundings.
var deictic = memory.WordSet(`this these it them following above below dies diese dieses diesen folgendes folgende folgenden obige obigen`)

// placeWords are prepositions that say where in the document the text should go.
var placeWords = memory.WordSet(`after before under below above into to in within at beneath underneath beside with over as from next
 nach vor unter unterhalb oberhalb in zu bei an hinter mit unterm ins zum zur`)

// noteHeads begin an edit without a verb: "New bullet for …:".
var noteHeads = [][]string{
	{"new", "entry"}, {"new", "bullet"}, {"new", "section"}, {"additional", "bullet"}, {"suggested", "edit"}, {"suggested", "addition"}, {"suggested", "change"},
	{"proposed", "addition"}, {"proposed", "edit"}, {"proposed", "change"}, {"addition", "to"}, {"addendum", "to"}, {"replacement", "for"}, {"updated", "entry"}, {"updated", "bullet"}, {"edit", "to"}, {"update", "to"},
	{"neuer", "eintrag"}, {"neuer", "punkt"}, {"neuer", "abschnitt"}, {"neuer", "stichpunkt"}, {"vorgeschlagene", "änderung"}, {"ergänzung", "zu"}, {"ergänzung", "zum"}, {"ersatz", "für"}, {"nachtrag", "zu"}, {"nachtrag", "zum"},
}

// definite reports whether token j names a certain part of the file: "the section on
// tests", "these two bullets", "section Tests". An order about any section is advice
// to the writer.
func definite(tokens []memory.Token, j int) bool {
	if j+1 < len(tokens) && tokens[j+1].Sep == 0 && (tokens[j+1].Upper || tokens[j+1].Quote > 0) {
		return true
	}
	if strings.HasSuffix(tokens[j].Value, ".md") {
		return j <= 2
	}
	for k := j - 1; k > 0 && k >= j-4; k-- {
		if determiners[tokens[k].Value] || tokens[k].Class == memory.TokenNumber {
			return true
		}
	}
	return j == 1
}

var determiners = memory.WordSet(`the this these those both last previous following existing den die das dem diesen diese dieses dieser beiden im beide letzten`)

// about are prepositions that lead to the subject of an entry, or to its content.
var about = memory.WordSet(`about on of for regarding concerning with by mentioning über zu von mit für`)

// preposition returns the nearest preposition before j, at most three tokens back.
func preposition(tokens []memory.Token, j int) string {
	for k := j - 1; k > 0 && k >= j-3; k-- {
		if w := tokens[k].Value; about[w] || placeWords[w] {
			return w
		}
	}
	return ""
}

// begins are words after which the entry itself begins.
var begins = memory.WordSet(`with by mit as`)

// artifact returns the words by which a text tells an editor of the memory file what
// to do with an entry (S3.11), empty for other texts. It reads the order only, up to
// the first colon or quotation, and not the entry after it.
func artifact(t *Text) string {
	tokens := t.Tokens
	i := 0
	for i < len(tokens) && (t.Stamps[i] || tokens[i].Value == "please" || tokens[i].Value == "bitte" || tokens[i].Value == "then" || tokens[i].Value == "also" || tokens[i].Value == "and") {
		i++
	}
	if i >= len(tokens) || tokens[i].Code {
		return ""
	}
	for _, head := range noteHeads {
		if follows(tokens[i:], head) && colonWithin(tokens[i:], 10) > 0 {
			return strings.Join(head, " ")
		}
	}
	if at, ok := placedOrder(tokens[i:]); ok {
		if i+at+1 < len(tokens) && tokens[i+at+1].Sep == ':' {
			return clip(strings.TrimSpace(t.Clean[tokens[i].Start:tokens[i+at].End]), 60)
		}
		i += at
	} else if !editVerbs[tokens[i].Value] {
		return ""
	}
	return editOrder(t.Clean, tokens[i:])
}

// placedOrder reads "In section X, add …", "Under X: add …", "Unter X einfügen: …"
// and returns the index of the verb.
func placedOrder(tokens []memory.Token) (int, bool) {
	switch tokens[0].Value {
	case "in", "under", "below", "to", "within", "after", "unter", "im", "zum", "nach", "zur":
	default:
		return 0, false
	}
	for i := 1; i < len(tokens) && i < 9; i++ {
		if tokens[i].Class == memory.TokenIdent && !strings.HasSuffix(tokens[i].Value, ".md") {
			return 0, false
		}
		named := strongObjects[tokens[i-1].Value] || i > 1 && strongObjects[tokens[1].Value] || strongObjects[tokens[min(2, len(tokens)-1)].Value] || tokens[1].Upper || tokens[1].Quote > 0
		if editVerbs[tokens[i].Value] && named && (tokens[i].Sep != 0 || isGermanInfinitive(tokens[i].Value)) {
			return i, true
		}
	}
	return 0, false
}

func isGermanInfinitive(w string) bool {
	return strings.HasSuffix(w, "fügen") || strings.HasSuffix(w, "nehmen") || strings.HasSuffix(w, "tragen") || strings.HasSuffix(w, "ergänzen")
}

// editOrder returns the words of an order that begins with an edit verb, empty when
// its object is not a part of a memory file.
func editOrder(text string, tokens []memory.Token) string {
	end := colonWithin(tokens, 14)
	colon := end > 0
	if !colon {
		end = min(len(tokens), 12)
	}
	strong, weak, point, heading, place := false, false, false, false, false
	for j := 1; j < end; j++ {
		t := tokens[j]
		if j > 1 && t.Sep == '.' { // the order ends with its sentence
			end = j
			break
		}
		name := strings.Trim(t.Value, "*")
		switch {
		case strongObjects[name]:
			strong = strong || colon || definite(tokens, j)
		case t.Class == memory.TokenIdent && (t.Code || !t.Upper || strings.ContainsAny(t.Value, "./_")):
			if (strong || weak && heading) && begins[tokens[j-1].Value] { // "Update the Key Files list with `x`": the entry has begun
				end = j
				break
			}
			if strong && about[preposition(tokens, j)] { // "the entry about `x`": the name only says which
				continue
			}
			return "" // the object is a file or a name of the code
		case weakObjects[name]:
			weak = true
			heading = heading || t.Upper || t.Quote > 0 // a section may be called "Notes"
		case deictic[t.Value]:
			point = true
		case placeWords[t.Value] && !t.Upper:
			place = true
		case (t.Upper || t.Quote > 0) && t.Class == memory.TokenWord:
			heading = true
		}
	}
	cue := strings.TrimSpace(text[tokens[0].Start:tokens[end-1].End])
	switch {
	case strong:
	case colon && place && heading:
	case colon && point && (place || weak):
	case weak && heading && (place || colon):
	case point && place && heading:
	default:
		return ""
	}
	return clip(cue, 60)
}

// colonWithin returns the index of the token after the first colon within the first n
// tokens, or 0.
func colonWithin(tokens []memory.Token, n int) int {
	for j := 1; j < len(tokens) && j <= n; j++ {
		if tokens[j].Sep == ':' {
			return j
		}
	}
	return 0
}

// clip shortens s to n bytes, at a blank where possible.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	cut := strings.LastIndexFunc(s[:n], unicode.IsSpace)
	if cut < n/2 {
		cut = n
		for cut > 0 && s[cut]&0xC0 == 0x80 {
			cut--
		}
	}
	return s[:cut] + "…"
}
