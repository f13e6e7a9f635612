package weekly

import (
	"slices"
	"strings"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// emotionCategories are categories that publishers give to feelings, in lower case.
var emotionCategories = memory.WordSet(`emotion emotions emotional feeling feelings mood moods sentiment
 gefühl gefühle gefuehl gefuehle stimmung stimmungen emotionen befinden`)

// emotionWords are words by which a text without a category states a feeling of a person.
// They are few on purpose: the list protects a young feeling from deletion and lets an old
// one be archived as faded, and a fact must not be taken for either.
var emotionWords = memory.WordSet(`feels felt feeling sad happy angry anxious lonely frustrated stressed overwhelmed excited
 worried annoyed depressed nervous upset proud
 fühlt fühle fuehlt fuehle fühlte traurig glücklich gluecklich wütend wuetend ängstlich aengstlich einsam frustriert
 gestresst überfordert ueberfordert aufgeregt besorgt genervt deprimiert nervös nervoes stolz`)

// planWords announce a goal, achievedWords say that one was reached. EN and DE.
var (
	planWords = memory.WordSet(`plans plan planning planned wants want intends intend hopes hope aims aim goal
 plant plane planen geplant möchte moechte will wollen ziel beabsichtigt hofft`)
	achievedWords = memory.WordSet(`achieved finished completed reached passed graduated done accomplished succeeded
 erreicht geschafft abgeschlossen bestanden fertig vollendet beendet absolviert gelungen`)
	// pending are words that deny an achievement beside one of its words.
	pendingWords = memory.WordSet(`not yet never nicht noch nie kein keine`)
)

// says reports whether the text has one of the words.
func says(text string, list map[string]bool) bool {
	tokens := memory.Scan(text)
	return slices.ContainsFunc(tokens, func(t memory.Token) bool {
		return t.Class == memory.TokenWord && !t.Code && t.Quote == 0 && list[t.Value]
	})
}

// isEmotion reports whether a memory states a feeling: by its category, or by its words
// where it has none. Only facts can: a rule about moods is a rule.
func isEmotion(m *memory.Memory) bool {
	if m.Kind != memory.KindFact && m.Kind != "" {
		return false
	}
	if m.Category != "" {
		return emotionCategories[strings.ToLower(strings.TrimSpace(m.Category))]
	}
	return says(textOf(m), emotionWords)
}

// statesPlan reports whether a memory states a goal that is still open.
func statesPlan(m *memory.Memory) bool {
	return m.Kind == memory.KindTask || says(textOf(m), planWords)
}

// statesAchieved reports whether a text says that something was reached, and the sentence
// does not take that back ("not yet finished").
func statesAchieved(text string) bool {
	for _, sentence := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(".!?;\n", r) }) {
		if says(sentence, achievedWords) && !says(sentence, pendingWords) {
			return true
		}
	}
	return false
}

// perfect are words that put a sentence into the past, beside English words in -ed. EN
// and DE; an unknown form only means that the plan stays a plan.
var perfect = memory.WordSet(`has have had did ran won bought moved got learnt wrote built began went swam read became sold found gave made took
 hat habe haben ist bin war lief gewann kaufte zog bekam lernte schrieb baute wurde fand machte`)

// happened reports whether a text says that something took place.
func happened(text string) bool {
	if statesAchieved(text) {
		return true
	}
	past := slices.ContainsFunc(memory.Scan(text), func(t memory.Token) bool {
		return t.Class == memory.TokenWord && t.Quote == 0 && (perfect[t.Value] || len(t.Value) > 4 && strings.HasSuffix(t.Value, "ed"))
	})
	return past && !says(text, pendingWords) && !says(text, planWords)
}

// fulfils reports whether deed says that the goal of plan was reached: it happened, and
// both name the same thing.
func fulfils(plan, deed string) bool {
	if !happened(deed) {
		return false
	}
	goal := map[string]bool{}
	for _, t := range memory.Scan(plan) {
		if content(t) {
			goal[memory.Stem(t.Value)] = true
		}
	}
	return slices.ContainsFunc(memory.Scan(deed), func(t memory.Token) bool { return content(t) && goal[memory.Stem(t.Value)] })
}

// content reports whether a token can name a goal: a name, or a longer word that is none
// of the words of plans and deeds themselves.
func content(t memory.Token) bool {
	if t.Class == memory.TokenIdent {
		return true
	}
	return t.Class == memory.TokenWord && len(t.Value) > 3 && !planWords[t.Value] && !achievedWords[t.Value] && !perfect[t.Value] && !slight[t.Value]
}

// slight are longer words that every second sentence has.
var slight = memory.WordSet(`user with that this from into about their they after before until year month week next last also
 nutzer nutzerin eine einen einem einer nach dass diese dieser seit jahr monat woche nächste naechste auch über ueber`)
