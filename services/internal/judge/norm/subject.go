package norm

import (
	"strings"

	"github.com/winnowhq/winnow/services/internal/language"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// Whom or what a sentence is about.

// generic reports a subject without an article or with one for any of its kind.
func (s *sentence) generic() bool {
	w := s.word(s.main)
	switch w {
	case "only":
		if next := s.word(s.main + 1); next == "" || articles[next] {
			return false // "only the key of …" is one thing
		}
	case "a", "an", "ein", "eine":
		return s.tense != past
	case "new", "old", "generated", "public", "private", "neue", "big", "small", "long", "each", "every", "any", "all", "no", "jede", "jeder", "jedes", "alle", "kein", "keine":
		return s.head >= 0 && s.tense != past
	case "":
		return false
	}
	if articles[w] || pronouns[w] || prepositions[w] || s.german && s.verb == s.main {
		return false
	}
	return s.head >= 0 && s.verb > s.head && (s.german || several(s.word(s.head)) || artefacts[s.word(s.head)]) && s.tense != past
}

// artefact reports a subject that a team makes.
func (s *sentence) artefact() bool {
	if s.head >= 0 && !s.t[s.head].Code && artefacts[s.t[s.head].Value] {
		return true
	}
	if s.german && s.head >= 0 {
		w := s.word(s.head)
		for _, end := range []string{"datei", "dateien", "daten", "namen", "tests", "zweige", "skripte", "klassen", "fehler"} {
			if strings.HasSuffix(w, end) {
				return true
			}
		}
	}
	// Verbless: "Small PRs, one topic each".
	return s.verbless() && s.has(0, artefacts) >= 0
}

// universal reports every case.
func (s *sentence) universal() bool {
	if s.fated() {
		return false
	}
	switch s.word(s.main) {
	case "every", "each", "any", "all", "no", "nobody", "everyone", "everybody", "anyone", "whoever", "anything", "everything", "nothing", "jede", "jeder", "jedes", "alle", "kein", "keine", "niemand", "wer", "ohne":
		return s.tense != past
	}
	return s.tense != past && (s.phrase("any") > 0 || s.phrase("every") > 0 || s.phrase("each") > 0 || s.phrase("per") > 0)
}

// person reports that people are obliged.
func (s *sentence) person() bool {
	if s.fated() {
		return false
	}
	return s.tense != past && (people[s.word(s.head)] || people[s.word(s.main)] || s.verb > 0 && people[s.word(s.verb-1)])
}

// fated reports what people know, or what follows for whoever does something: "nobody
// knows", "wer … startet, bekommt Fehler 3".
func (s *sentence) fated() bool {
	if quantifierPronoun[s.word(s.main)] && minds[s.word(s.verb)] && s.has(s.verb, bans) < 0 {
		return true
	}
	switch s.word(s.main) {
	case "wer", "whoever", "anyone", "anybody", "everybody", "everyone":
		i := s.has(s.main, fates)
		return i > 0 && s.has(i, approval) < 0 || s.has(s.main, concessions) > 0
	}
	return false
}

// we reports what we do.
func (s *sentence) we() bool {
	i := s.main
	if w := s.word(i); w == "our" || w == "unser" || w == "unsere" {
		return s.tense == present
	}
	if s.tense != present || s.word(s.verb) == "have" || s.word(s.verb) == "haben" || s.word(s.verb) == "had" {
		return false
	}
	return s.word(s.verb-1) == "we" || s.word(s.verb+1) == "wir" || s.word(s.verb-1) == "wir"
}

// definite reports one thing that is known.
func (s *sentence) definite() bool {
	switch s.word(s.main) {
	case "the", "this", "that", "its", "der", "die", "das", "dieser", "diese", "dieses":
		return !people[s.word(s.head)]
	case "only", "nur":
		return !s.person() // one thing is picked out: "only works with …"
	}
	return false
}

// named reports one thing that has a name and does something: "Redis evicts keys".
func (s *sentence) named() bool {
	if s.tense != present || s.head < 0 || s.head >= s.verb || s.plural || auxiliary[s.word(s.verb)] || gates[s.t[s.head].Value] || s.we() {
		return false
	}
	t := s.t[s.head]
	if s.german && !t.Caps && !t.Code && t.Class == memory.TokenWord {
		return false // every noun of German has a capital
	}
	return t.Caps || t.Code || t.Class == memory.TokenIdent || t.Upper && !language.Known(t.Value) || t.Upper && s.head == s.main && s.verb == s.head+1 && !artefacts[t.Value] && !people[t.Value]
}

// acts reports what a thing does by itself: no place, name or form is given to it.
func (s *sentence) acts() bool {
	w := s.word(s.verb)
	return s.tense == present && w != "" && !auxiliary[w] && !germanAuxiliary[w] && !placing[w] && !stops[w] && !s.we() && !s.person()
}
