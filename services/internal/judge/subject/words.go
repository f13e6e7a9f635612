package subject

import (
	"strings"

	"github.com/winnowhq/winnow/services/internal/language"
	"github.com/winnowhq/winnow/services/internal/memory"
)

var (
	articles = memory.WordSet(language.Determiners, `sein`)

	prepositions = memory.WordSet(language.Prepositions, `instead`)

	// narrows are prepositions that say what a statement is about also when they
	// stand behind the verb.
	narrows = memory.WordSet(`of for von vom für bei beim`)

	// valuePrepositions are followed by a value.
	valuePrepositions = memory.WordSet(`to from at by with as into auf zu zum zur mit als nach via instead statt`)

	pronouns = memory.WordSet(language.Pronouns)

	// empty are words that tell no subject from another.
	empty = memory.WordSet(language.Determiners, `sein
 and or but so than then too very just also only now still already currently today yesterday again not never longer anymore always when where which who what how if while because
 und oder aber auch nur noch schon jetzt derzeit heute aktuell nicht nie immer wenn weil dass wie was wer wo sowie
 new old current currently same other default note update date dated observed measured checked verified seen
 neu neue neuer neuen alt alte alten aktuelle aktueller gleich stand gemessen geprüft gesehen`)

	// measures are nouns whose number is a value, and no name.
	measures = memory.WordSet(`port ports timeout ttl limit size version level count rate interval delay threshold weight priority about around roughly over under least most than
 exactly only nearly almost grenze größe version stufe anzahl rate abstand schwelle etwa rund knapp genau zeitlimit`)

	// editions are nouns whose version tells one thing from another.
	editions = memory.WordSet(`release milestone sprint build tag edition ausgabe veröffentlichung meilenstein stand`)

	auxiliaries = memory.WordSet(language.EnglishAuxiliaries, language.GermanAuxiliaries, `be been`)

	germanVerbs = memory.WordSet(language.GermanVerbs, language.GermanAuxiliaries)
)

// verbs are base forms of common verbs of English notes.
var verbs, inflections = englishForms(`listen run use store keep hold need take send expire retry write read serve accept return fail start stop live sit reside
 point connect belong own log report require support allow reject skip drop poll pull push fetch load save cache mount bind expose
 consume produce publish subscribe emit handle process validate check verify parse build compile deploy ship release merge close open
 time set get give make go come move switch change upgrade bump raise lower increase decrease reduce rename replace migrate update downgrade grow shrink
 cost weigh last wait end begin finish complete contain include exclude cover consist lack have refuse deny answer respond forward route
 rotate delete remove purge archive back restore copy sync replicate shard scale limit cap throttle trigger fire wake sleep crash die hang
 print show display render format sort filter search index scan encrypt sign hash compress decode encode import export call invoke
 depend rely know see expect assume prefer default fall rise work become stay remain stand lead manage maintain review approve pay earn charge bill
 authenticate authorise authorize log resolve translate map convert redirect terminate evict flush collect sample measure count add insert join lock unlock issue
 create generate contact meet park arrive draw boot host power feed drain enqueue dequeue ack block pin cut tag leave hit miss reach exceed`)

// irregular past forms.
var irregular = memory.WordSet(language.IrregularPasts, `read`)

// englishForms returns the base forms of a list, and their inflected forms.
func englishForms(list string) (base, inflected map[string]bool) {
	base, m := memory.WordSet(list), make(map[string]bool)
	for w := range base {
		switch {
		case strings.HasSuffix(w, "y") && !strings.ContainsAny(w[len(w)-2:len(w)-1], "aeiou"):
			m[w[:len(w)-1]+"ies"], m[w[:len(w)-1]+"ied"] = true, true
		case strings.HasSuffix(w, "e"):
			m[w+"s"], m[w+"d"] = true, true
		case strings.HasSuffix(w, "s"), strings.HasSuffix(w, "x"), strings.HasSuffix(w, "sh"), strings.HasSuffix(w, "ch"):
			m[w+"es"], m[w+"ed"] = true, true
		default:
			m[w+"s"], m[w+"ed"], m[w+w[len(w)-1:]+"ed"] = true, true, true
		}
	}
	m["goes"] = true
	return base, m
}

// isVerb reports a word that is a finite verb wherever it can be one. A base form
// that names a thing as often as it says what the thing does is none.
func isVerb(t memory.Token) bool {
	w := t.Value
	if germanVerbs[w] || irregular[w] {
		return !t.Upper
	}
	return finite[w] || inflections[w]
}

// finite are base forms that are seldom nouns.
var finite = memory.WordSet(`listen expire keep hold need take send retry write read live sit reside belong require allow reject accept return fail use run
 start stop store connect have consume produce contain include go come remain stay become depend rely serve fetch wait`)

// participle reports a form that may belong to the noun before it.
func participle(w string) bool { return inflections[w] && strings.HasSuffix(w, "ed") }
