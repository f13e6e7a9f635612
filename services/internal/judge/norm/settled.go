package norm

import "strings"

// What holds for all things of a kind because somebody settled it: an agreement at the head
// of the sentence, a deed kept for certain people, the form of names, and what anything new
// brings along. None has a word of obligation.

// agreedFirst reports an agreement at the head of the sentence, and what holds since: "agreed
// on 3 May: every new view starts empty".
func (s *sentence) agreedFirst() bool {
	if !settlings[s.word(0)] {
		return false
	}
	for i := range s.t {
		if w := s.word(i); s.t[i].Sep == ':' && (articlesOfOne[w] || newcomers[w] || w == "all" || w == "alle" || w == "no" || w == "kein" || w == "keine" || w == "nobody" || w == "niemand" || w == "only" || w == "nur") {
			return true
		}
	}
	return false
}

// reserved reports what only certain people may do: "is for the shift leader only".
func (s *sentence) reserved() bool {
	if s.tense == past {
		return false
	}
	for i := range s.t {
		w := s.word(i)
		if w != "for" && w != "to" && w != "für" && w != "dem" && w != "der" {
			continue
		}
		before := s.word(i - 1)
		if before != "is" && before != "are" && before != "reserved" && before != "restricted" && before != "left" && before != "open" && before != "up" && before != "ist" && before != "sind" && before != "nur" && before != "allein" {
			continue
		}
		person, alone := false, before == "reserved" || before == "restricted" || before == "nur" || before == "allein"
		for j := i + 1; j < len(s.t) && j < i+7; j++ {
			w := s.word(j)
			person = person || people[w] || people[w+"s"] || ranks[w]
			alone = alone || w == "only" || w == "alone" || w == "exclusively" || w == "vorbehalten" || w == "allein"
		}
		if person && alone {
			return true
		}
	}
	return false
}

// formOf reports the form that things of a kind have: "keys have the form type-id".
func (s *sentence) formOf() bool {
	for i := 1; i+2 < len(s.t); i++ {
		the := s.word(i + 1)
		if forming[s.word(i)] && (the == "the" || the == "die" || the == "das" || the == "den") && kindsOfForm[s.word(i+2)] {
			return several(s.word(i - 1))
		}
	}
	return false
}

// everywhere reports that it holds in all places of a kind: "in all services".
func (s *sentence) everywhere() bool {
	return s.tense == present && s.generic() && s.any(1, "in all", "across all", "in every", "everywhere", "throughout", "in allen", "in jedem", "in jeder", "überall")
}

// newKind reports what anything new of a kind brings along: "new commands come with a page".
func (s *sentence) newKind() bool {
	if s.tense != present || !newcomers[s.word(s.main)] || s.verb < 0 {
		return false
	}
	return brings[s.word(s.verb)] && s.verb <= s.main+3
}

// approved reports an approval. One in the name of a program approves nothing: "the review
// tool".
func (s *sentence) approved() bool {
	if s.tense == past {
		return false
	}
	for i := range s.t {
		if approval[s.word(i)] && (s.t[min(i+1, len(s.t)-1)].Sep != 0 || !programs[s.word(i+1)]) {
			return true
		}
	}
	return false
}

// modalInfinitive reports what is to be done in German: "sind vor der Messe zu prüfen", "ist
// bis 18 Uhr hochzuladen". What is to be seen is there for all to see.
func (s *sentence) modalInfinitive() bool {
	if !s.german || s.tense != present {
		return false
	}
	if w := s.word(s.verb); w != "ist" && w != "sind" {
		return false
	}
	end := s.verb + 1
	for end < len(s.t) && s.t[end].Sep == 0 {
		end++
	}
	w := s.word(end - 1)
	if end-1 <= s.verb+1 || perceptions[w] || !strings.HasSuffix(w, "n") || s.t[end-1].Upper {
		return false
	}
	for i := s.verb + 1; i < end; i++ {
		switch s.word(i) {
		case "kaum", "schwer", "leicht", "einfach", "gut", "schlecht", "noch", "nirgends", "nur":
			return false // how well it can be done
		}
	}
	infix := strings.Index(w, "zu")
	return s.word(end-2) == "zu" || infix > 1 && infix < len(w)-4 && separable[w[:infix]]
}
