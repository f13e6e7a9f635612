package norm

import (
	"strings"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// Signs that something happened, or happens by itself.

// pastLater reports a verb of the past in a later clause.
func (s *sentence) pastLater() bool {
	for i := s.main + 1; i < len(s.t); i++ {
		if i == s.verb {
			continue
		}
		w := s.word(i)
		if pastAuxiliary[w] && w != "could" && w != "would" || irregularPast[w] && w != "left" && w != "cut" && w != "hit" && w != "used" && w != "made" {
			return true
		}
	}
	return false
}

// since reports a time from which on something is so.
func (s *sentence) since() bool {
	i := s.phrase("since")
	if i < 0 {
		i = s.phrase("seit")
	}
	if i >= 0 && i+1 < len(s.t) {
		return true
	}
	return s.phrase("as of") >= 0 || s.phrase("up to") >= 0 || s.phrase("until") >= 0 && s.has(0, approval) < 0 && !s.universal()
}

// measure reports a measured value.
func (s *sentence) measure() bool {
	for i := range s.t {
		if digits(s.t[i]) && (s.t[i].Unit != "" && memory.IsUnit(s.t[i].Unit) || s.t[i].Unit == "%" || memory.IsUnit(s.word(i+1))) {
			return true
		}
	}
	return false
}

// digits reports a number in digits: "one" and "two" count the parts of a rule too.
func digits(t memory.Token) bool {
	spelled := t.Unit == "" && len(t.Value) < 3 && t.End-t.Start > len(t.Value)
	return t.Class == memory.TokenNumber && !spelled
}

// ability reports what is possible.
func (s *sentence) ability() bool {
	switch s.word(s.verb) {
	case "can", "could", "may", "might", "will", "would", "cannot", "can't", "won't", "kann", "können", "konnte":
		return !s.person()
	}
	return false
}

// processed reports what happens to things, as a passive that gives them no form or
// place: "messages are forwarded".
func (s *sentence) processed() bool {
	w := s.word(s.verb)
	if w != "is" && w != "are" && w != "get" && w != "gets" || s.isShaped() || s.denied() {
		return false
	}
	for i := s.verb + 1; i < len(s.t) && i < s.verb+3; i++ {
		if w := s.word(i); irregularPast[w] || strings.HasSuffix(w, "ed") && len(w) > 4 && !bans[w] || strings.HasSuffix(w, "en") && len(w) > 4 && w != "often" && w != "open" {
			return true
		}
	}
	return false
}

// names counts code, identifiers and paths.
func (s *sentence) names() int {
	n := 0
	for i := range s.t {
		if s.word(i) == "" && s.t[i].Class != memory.TokenNumber && s.t[i].Class != memory.TokenDate {
			n++
		}
	}
	return n
}

// defect reports what comes of a thing of a kind with something wrong: "a missing header will
// make the file bounce".
func (s *sentence) defect() bool {
	for i := s.main; i < s.verb && i < s.main+2; i++ {
		if defects[s.word(i)] {
			w := s.word(s.verb)
			return (effects[w] || (w == "will" || w == "would") && effects[s.word(s.verb+1)]) && !s.gate()
		}
	}
	return false
}
