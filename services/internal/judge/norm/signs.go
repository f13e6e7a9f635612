package norm

import (
	"slices"
	"strings"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// sign is something in a sentence that speaks for a norm (weight above 0) or for a
// description.
type sign struct {
	id     string
	weight float64
	found  func(*sentence) bool
}

// bias is the score of a sentence without any sign.
const bias = -0.7

var signs = []sign{
	// Whom or what it is about.
	{"artefact", 0.75, (*sentence).artefact},
	{"any-artefact", 1.5, func(s *sentence) bool { return s.generic() && s.artefact() }},
	{"universal", 0.5, (*sentence).universal},
	{"people", 0.75, (*sentence).person},
	{"we", 1, (*sentence).we},
	{"definite", -1, (*sentence).definite},
	{"named", -0.75, (*sentence).named},

	// What is said of it.
	{"places", 1, (*sentence).places},
	{"has", -1, func(s *sentence) bool { return s.tense == present && havings[s.word(s.verb)] }},
	{"shaped", 0.25, (*sentence).isShaped},
	{"form", 1.25, (*sentence).form},
	{"denied", 0.5, (*sentence).denied},
	{"approval", 1.75, (*sentence).approved},
	{"due-in-german", 4.75, (*sentence).modalInfinitive},
	{"only-after", 0.5, (*sentence).onlyAfter},
	{"gate", 2.5, (*sentence).gate},
	{"contrast", 0.75, (*sentence).contrast},
	{"limit", 0.75, (*sentence).limit},
	{"without", 1, (*sentence).withoutIs},
	{"ban", 1.5, (*sentence).ban},
	{"per", 1.5, (*sentence).per},
	{"praise", 1, (*sentence).praises},
	{"worth", 4.5, (*sentence).evaluates},
	{"order", 2.25, (*sentence).orders},
	{"here", 1.5, (*sentence).here},
	{"agreed", 2.75, (*sentence).agreed},
	{"agreed-first", 5.5, (*sentence).agreedFirst},
	{"reserved", 5, (*sentence).reserved},
	{"form-of", 4, (*sentence).formOf},
	{"everywhere", 2, (*sentence).everywhere},
	{"new-kind", 3, (*sentence).newKind},
	{"agreed-on", 5, (*sentence).agreedOn},
	{"only-by", 4.5, (*sentence).onlyBy},
	{"by-hand", 3, (*sentence).nothingByHand},
	{"called", 2.25, (*sentence).called},
	{"before-each", 1.75, (*sentence).beforeEach},
	{"by-two", 4.5, (*sentence).byTwo},
	{"refused", 2.5, (*sentence).refused},
	{"no-exception", 3, func(s *sentence) bool {
		return s.tense != past && s.any(1, "without exception", "without exceptions", "no exceptions", "ohne ausnahme", "ausnahmslos")
	}},
	{"scheme", 0.75, (*sentence).scheme},
	{"planned", 2.25, (*sentence).planned},

	// That it happened, or happens by itself.
	{"past", -2, func(s *sentence) bool { return s.tense == past }},
	{"past-later", -1, (*sentence).pastLater},
	{"date", -0.75, func(s *sentence) bool { return s.dated }},
	{"since", -0.75, (*sentence).since},
	{"measure", -1.5, (*sentence).measure},
	{"number", -1.5, func(s *sentence) bool { return slices.ContainsFunc(s.t, digits) }},
	{"cause", -0.5, func(s *sentence) bool { return s.has(1, causes) > 0 }},
	{"sourced", -1.25, func(s *sentence) bool { return s.phrase("according to") > 0 || s.phrase("laut") > 0 }},
	{"reacts", -0.5, func(s *sentence) bool { return s.has(s.main, reacts) >= 0 }},
	{"acts", -0.25, (*sentence).acts},
	{"defect", -1.5, (*sentence).defect},
	{"processed", -1.25, (*sentence).processed},
	{"ability", -1, (*sentence).ability},
	{"code", -1, func(s *sentence) bool { return s.names() > 0 }},
	{"codes", -0.5, func(s *sentence) bool { return s.names() > 1 }},
	{"later", -1.5, func(s *sentence) bool { return s.nth > 0 }},
	{"story", -1.5, func(s *sentence) bool { return s.among > 3 }}, // a title of a long entry, or a part of it
	{"third", -0.5, func(s *sentence) bool { return s.nth > 1 }},
}

// places reports a verb that says where things are, or what they have and are called.
func (s *sentence) places() bool {
	if beginnings[s.word(s.verb)] && !prepositions[s.word(s.verb+1)] {
		return false // a key opens a vault
	}
	if w := s.word(s.verb); (w == "has" || w == "have") && s.word(s.verb+1) == "to" {
		return false
	}
	return s.tense == present && placing[s.word(s.verb)] && !s.fated()
}

// limit reports how much there may be of something.
func (s *sentence) limit() bool {
	return s.tense == present && s.any(1, "at most", "at least", "no more than", "höchstens", "mindestens")
}

// isShaped reports what form or place is given to things: "are grouped", "is kept".
func (s *sentence) isShaped() bool {
	w := s.word(s.verb)
	if w == "heißen" {
		return true
	}
	if w != "is" && w != "are" && w != "get" && w != "gets" && w != "werden" && w != "wird" {
		return false
	}
	for i := s.verb + 1; i < len(s.t) && i < s.verb+4; i++ {
		if shaped[s.word(i)] {
			return true
		}
	}
	return w[0] == 'w' && len(s.t) > 0 && germanPassive(s.word(len(s.t)-1))
}

func germanPassive(w string) bool {
	return len(w) > 5 && strings.Contains(w, "ge") && (strings.HasSuffix(w, "t") || strings.HasSuffix(w, "en"))
}

// form reports the name of a spelling, a language or a format.
func (s *sentence) form() bool {
	return slices.ContainsFunc(s.t, func(t memory.Token) bool { return !t.Code && forms[strings.ToLower(t.Value)] })
}

// denied reports what any thing of a kind is not, or does not do.
func (s *sentence) denied() bool {
	if s.tense != present || !s.generic() && !s.universal() {
		return false
	}
	for i := s.verb; i >= 0 && i < len(s.t) && i <= s.verb+3; i++ {
		w := s.word(i)
		if w == "not" || w == "no" || w == "never" || strings.HasSuffix(w, "n't") || w == "nicht" || w == "nie" || w == "kein" || w == "keine" {
			return true
		}
	}
	return false
}

// onlyAfter reports a way or a moment that is the only one.
func (s *sentence) onlyAfter() bool {
	if s.tense == past {
		return false
	}
	for i := range s.t {
		switch s.word(i) {
		case "only", "nur", "erst":
			switch s.word(i + 1) {
			case "after", "with", "through", "via", "by", "when", "once", "if", "in", "on", "from", "for", "nach", "mit", "über", "wenn", "per", "durch", "im", "with-":
				return s.generic() || s.universal() || s.artefact()
			}
			if i+1 == len(s.t) || s.t[i+1].Sep != 0 {
				return s.generic() || s.artefact() // "through the bastion only"
			}
		case "until", "unless", "bis":
			return (s.generic() || s.universal() || s.artefact()) && s.has(i, approval) > 0
		}
	}
	return false
}

// gate reports that a check stops what people do: "CI fails any PR that …".
func (s *sentence) gate() bool {
	if s.tense == past {
		return false
	}
	at := -1
	for i := 0; i < len(s.t); i++ {
		w := s.word(i)
		switch {
		case gates[w], strings.EqualFold(s.t[i].Value, "ci"), strings.EqualFold(s.t[i].Value, "codeowners"):
			at = i
		case at >= 0 && i <= at+3 && stops[w]:
			for j := i + 1; j < len(s.t); j++ {
				if w := s.word(j); w == "any" || w == "every" || w == "all" || w == "prs" || w == "pr" || w == "pull" || w == "merge" || w == "merges" || w == "commits" || w == "it" {
					return true
				}
			}
		}
	}
	return false
}

// contrast reports "X, never Y", "X, not Y", "X over Y" at the end of what is said.
func (s *sentence) contrast() bool {
	if s.tense == past {
		return false
	}
	for i := 2; i < len(s.t); i++ {
		w := s.word(i)
		if s.t[i].Sep == ',' && (w == "never" || w == "nie" || w == "not" || w == "nicht" || w == "niemals") && i+1 < len(s.t) && s.t[i+1].Class != memory.TokenNumber {
			return true
		}
	}
	return s.verb < 0 && len(s.t) < 9 && (s.phrase("over") > 0 || s.phrase("before") > 0 || s.phrase("instead of") > 0 || s.phrase("statt") > 0 || s.phrase("rather than") > 0)
}

// withoutIs reports what something without a part is not: "no merge without a ticket".
func (s *sentence) withoutIs() bool {
	if s.tense == past {
		return false
	}
	i := s.phrase("without")
	if s.german {
		if i = s.phrase("ohne"); i == 0 {
			return s.verb < 0 && s.has(1, map[string]bool{"kein": true, "keine": true}) > 0
		}
	}
	if i <= 0 {
		return false
	}
	if w := s.word(s.main); w == "no" || w == "kein" || w == "keine" || w == "nothing" || w == "never" || w == "nobody" {
		return true
	}
	return s.word(s.main) == "a" && i < s.main+4 && (s.phrase("is no") > i || s.phrase("is not") > i || s.phrase("doesn't") > i || s.phrase("does not") > i || s.phrase("isn't") > i)
}

// ban reports a word for what is not done, of things or deeds.
func (s *sentence) ban() bool {
	if s.tense == past {
		return false
	}
	for i := range s.t {
		w := s.word(i)
		if bans[w] && (s.word(i-1) == "is" || s.word(i-1) == "are" || s.word(i-1) == "not" || s.word(i-1) == "no") {
			return true
		}
	}
	return s.phrase("no place in") > 0 || s.phrase("hands off") >= 0 || s.phrase("no business") > 0 || s.phrase("no room for") >= 0 || s.phrase("not an option") > 0 || s.phrase("no excuse") > 0 || s.phrase("finger weg") >= 0
}

// evaluates reports advice: what pays, what is worth doing, what is best.
func (s *sentence) evaluates() bool {
	if s.tense == past && s.phrase("'d do well") < 0 {
		return s.phrase("you'd do well") >= 0 || s.phrase("would do well") > 0
	}
	for i := range s.t {
		w := s.word(i)
		switch {
		case worths[w]:
			return true
		case better[w] && (s.word(i+1) == "to" || i <= s.main && i+1 < len(s.t)):
			return true
		case better[w] && s.word(i-1) == "the" && (s.word(i-2) == "usually" || s.word(i-2) == "often" || s.word(i-2) == "is"):
			return true
		case w == "best" && (s.word(i-1) == "is" || s.word(i-1) == "are") && strings.HasSuffix(s.word(i+1), "ed") && s.word(i+2) != "as":
			return true // "large files are best started early"; what is best described as something is explained
		case w == "pays" && (s.word(i+1) == "to" || s.word(i+1) == "off"):
			return true
		}
	}
	return s.any(0, advices...)
}

// orders reports an imperative, at the start or behind a condition.
func (s *sentence) orders() bool {
	if s.order(s.main) {
		return true
	}
	for i := s.main + 1; i < len(s.t); i++ {
		if s.t[i].Sep == ':' && s.verb < 0 && s.order(i) {
			return true
		}
	}
	return false
}

// per reports a note that counts parts: "one class per file", "one topic each".
func (s *sentence) per() bool {
	return s.verbless() && (s.phrase("per") > 0 || s.phrase("each") > 0 || s.phrase("for anything") > 0 || s.phrase("for everything") > 0 || s.phrase("pro") > 0 || s.phrase("je") > 0)
}

// praises reports that something is good for a use: "is a good starting point".
func (s *sentence) praises() bool {
	if s.tense != present {
		return false
	}
	for i := s.verb + 1; i < len(s.t) && i <= s.verb+3; i++ {
		switch s.word(i) {
		case "good", "better", "best", "safe", "safer", "handy", "useful", "helpful", "sensible", "wise", "gut", "besser", "nützlich", "hilfreich":
			return true
		}
	}
	return false
}

// here reports that it is said of this team and place.
func (s *sentence) here() bool {
	if s.tense == past {
		return false
	}
	if s.any(0, "in this team", "in this repo", "in this project", "in this repository", "in this house", "in our team", "in our house", "in our repo", "in our repos", "in our repositories", "in our projects", "in unseren repos", "in unseren projekten", "on this team", "bei uns", "in unserem team", "as everywhere", "around here", "our way", "in diesem repo", "in diesem projekt", "im team", "for us", "in this codebase", "in our codebase") {
		return true
	}
	n := len(s.t)
	return n > 0 && (s.word(n-1) == "here" || s.word(0) == "here" && s.word(1) == "we")
}

// agreed reports that something was agreed.
func (s *sentence) agreed() bool {
	for _, p := range []string{"agreed", "by agreement", "we decided that", "as discussed", "so haben wir", "vereinbart", "festgelegt", "abgesprochen", "naming scheme", "the custom", "house style", "house rule", "that is our format", "that is our convention", "that is our rule", "that is our standard", "that is our style", "that is our practice", "that is our way", "our custom", "team rule", "decided in", "the norm", "scheme"} {
		if i := s.phrase(p); i >= 0 && (s.word(i-1) != "had" && s.word(i-2) != "had") {
			return true
		}
	}
	return false
}

// verbless reports a note in the form of a heading: "small PRs, one topic each".
func (s *sentence) verbless() bool {
	if s.verb >= 0 || len(s.t) > 14 || strings.HasSuffix(s.word(s.main), "ing") {
		return false
	}
	for i := range s.t {
		if s.t[i].Class == memory.TokenDate || s.t[i].Class == memory.TokenArrow || strings.HasSuffix(s.word(i), "ed") && i < 2 || irregularPast[s.word(i)] || s.t[i].Class == memory.TokenNumber && s.t[i].Unit != "" {
			return false
		}
	}
	return true
}

// scheme reports a label before a list: "log levels: info for …".
func (s *sentence) scheme() bool {
	for i := 1; i < len(s.t) && i < 5; i++ {
		if s.t[i].Sep == ':' {
			return several(s.word(i-1)) && artefacts[s.word(i-1)] || artefacts[s.word(i-1)] && i == 1
		}
	}
	return false
}

// planned reports a future: "in June the old sync gets switched off".
func (s *sentence) planned() bool {
	if s.tense == past || s.dated && s.has(0, months) < 0 {
		return false
	}
	if s.any(0, "next sprint", "next quarter", "next week", "next month", "next year", "next release", "goes away", "go away", "will have been", "by the end of", "at the end of", "get switched", "gets switched", "is due", "are due", "intend to", "we aim to", "aim to", "we hope to", "hope to", "on the roadmap", "up next", "disappears with", "goes with release", "from september on", "zieht um", "roadmap", "slated for", "earmarked", "scheduled for", "nächsten sprint", "nächstes jahr", "nächstes quartal", "bis ende", "ab herbst", "to come", "going to", "we're moving", "we're going", "we're planning", "we are moving", "phase out", "phases out", "fliegt raus", "steht an") {
		return true
	}
	switch s.word(0) {
	case "in", "from", "by", "ab", "im", "bis", "next", "starting", "after", "until":
		for i := 1; i < len(s.t) && i < 8; i++ {
			w := s.word(i)
			if months[w] || spans[w] || futures[w] {
				if often[s.word(i+1)] {
					return false // "in winter only the northern row …" is so each winter
				}
				return s.has(i, nows) < 0 && !s.yearBehind(i)
			}
		}
	}
	return s.has(0, futures) >= 0
}

// yearBehind reports a year, so that the time may be past.
func (s *sentence) yearBehind(i int) bool {
	return i+1 < len(s.t) && s.t[i+1].Class == memory.TokenNumber
}
