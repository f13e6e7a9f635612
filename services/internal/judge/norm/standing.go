package norm

import (
	"strings"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// What stands until somebody changes it: what was agreed on a day, what only certain people do,
// what nobody does by hand, what a kind of things is called, and what is done before each of a
// kind. A machine may do the same by itself, so that each sign asks for the words by which
// people tell an order from what runs: an agreement, a person, a thing without an article.

// agreedOn reports that what the sentence says was agreed: "names are short, agreed on 3 May",
// "at the meeting it was agreed: files are called …". A price that a vendor agreed to is a fact.
func (s *sentence) agreedOn() bool {
	for i := range s.t {
		if !settled[s.word(i)] {
			continue
		}
		tail := i > 1 && s.t[i].Sep != 0
		if tail && s.tense == present && (s.generic() || s.universal() || s.we() || s.person()) {
			return true
		}
		for j := i + 1; j < len(s.t); j++ {
			if s.t[j].Sep == ':' {
				rest := parse(s.t[j:], s.german)
				return rest.tense == present && (rest.generic() || rest.universal() || rest.we())
			}
		}
	}
	return false
}

// onlyBy reports a deed that only certain people do: "only the shift leader drains nodes", "is
// used by the registrar alone". What they alone see or have is no deed.
func (s *sentence) onlyBy() bool {
	if s.tense != present {
		return false
	}
	if w := s.word(s.main); w == "only" || w == "nur" {
		v := s.word(s.verb)
		return s.verb > s.main+1 && role(s.word(s.verb-1)) && !minds[v] && !fates[v] && !havings[v] && !auxiliary[v] && !germanAuxiliary[v]
	}
	alone, by := false, false
	for i := s.verb + 1; i < len(s.t) && s.verb >= 0; i++ {
		if s.t[i].Sep != 0 {
			break
		}
		switch w := s.word(i); w {
		case "only", "exclusively", "solely", "alone", "nur", "ausschließlich", "allein", "lediglich":
			alone = true
		case "by", "von", "vom", "durch":
			for j := i + 1; j < len(s.t) && j < i+5 && s.t[j].Sep == 0; j++ {
				by = by || role(s.word(j))
			}
		}
	}
	return alone && by
}

// role reports a word for a person by what they do, also one that ends as such words do:
// "archivist", "Bereitschaftsdienst".
func role(w string) bool {
	if people[w] || ranks[w] || roles[w] || roles[strings.TrimSuffix(w, "s")] {
		return true
	}
	for _, end := range roleEndings {
		if begin, ok := strings.CutSuffix(w, end); ok && len(begin) > 2 {
			return true
		}
	}
	return false
}

// roleEndings end words for people by their work. EN and DE.
var roleEndings = []string{"keeper", "master", "leader", "officer", "manager", "engineer", "operator", "technician", "specialist", "physicist", "chemist", "archivist", "pharmacist", "librarian", "woman", "worker",
	"leiter", "leiterin", "dienst", "meister", "meisterin", "beauftragte", "beauftragten", "verantwortliche", "verantwortlichen", "führer", "wart", "kraft", "kräfte", "techniker", "ingenieur", "ärztin", "arzt", "pfleger"}

// byTwo reports what takes two persons: "are lifted by two people", "zu zweit".
func (s *sentence) byTwo() bool {
	if s.tense == past {
		return false
	}
	if s.any(0, "zu zweit", "in pairs", "with two people", "four eyes", "vier augen") {
		return true
	}
	i := s.phrase("by")
	if i < 0 {
		i = s.phrase("von")
	}
	if i < 1 || i+2 >= len(s.t) {
		return false
	}
	n := s.t[i+1].Value
	return (n == "2" || n == "two" || n == "zwei" || n == "3") && (people[s.word(i+2)] || s.word(i+2) == "different" || s.word(i+2) == "others")
}

// nothingByHand reports a tail that leaves a deed to the way before it: "…, nothing by hand".
func (s *sentence) nothingByHand() bool {
	if s.tense == past {
		return false
	}
	for i := 1; i < len(s.t); i++ {
		if w := s.word(i); s.t[i].Sep == 0 || w != "no" && w != "never" && w != "nothing" && w != "not" && w != "nichts" && w != "nie" && w != "kein" && w != "keine" && w != "nicht" {
			continue
		}
		for j := i + 1; j < len(s.t) && j < i+5 && s.t[j].Sep == 0; j++ {
			switch s.word(j) {
			case "hand":
				return s.word(j-1) == "by" || s.word(j-1) == "von"
			case "manually", "händisch", "manuell", "directly", "direkt":
				return true
			}
		}
	}
	return false
}

// called reports what things of a kind are called: "runs are labelled `run_<date>`". What a
// program calls them, it says with "by".
func (s *sentence) called() bool {
	if !s.generic() || s.tense != present || s.has(0, map[string]bool{"by": true}) > 0 {
		return false
	}
	w := s.word(s.verb)
	return (w == "is" || w == "are") && namings[s.word(s.verb+1)] && s.verb+2 < len(s.t)
}

// beforeEach reports what is done before any of a kind: "before each release the log is read",
// "vor jedem Umbau wird der Strom abgeschaltet".
func (s *sentence) beforeEach() bool {
	w := s.word(1)
	if first := s.word(0); first == "prior" && w == "to" {
		w = s.word(2)
	} else if first != "before" && first != "vor" {
		return false
	}
	if w != "each" && w != "every" && w != "any" && w != "jedem" && w != "jeder" && w != "allen" || s.tense != present {
		return false
	}
	v := s.word(s.verb)
	return v == "is" || v == "are" || v == "wird" || v == "werden"
}

// refused reports what becomes of things of a kind without a part: "patches without a test are
// not accepted", "requests without a ticket are sent back".
func (s *sentence) refused() bool {
	if s.tense != present || s.german || s.phrase("without") != s.main+1 || len(s.t) < s.main+3 || !several(s.word(s.main)) || digits(s.t[s.main]) {
		return false
	}
	for i := s.main + 2; i+1 < len(s.t); i++ {
		if w := s.word(i); w != "are" && w != "get" && w != "go" {
			continue
		}
		next, after := s.word(i+1), s.word(min(i+2, len(s.t)-1))
		return next == "not" && welcomes[after] || refusals[next] || next == "sent" && after == "back"
	}
	return false
}

var (
	settled  = memory.WordSet(`agreed settled vereinbart abgesprochen geeinigt festgelegt abgestimmt`)
	namings  = memory.WordSet(`named called labelled labeled titled entitled abbreviated prefixed suffixed numbered spelled spelt`)
	welcomes = memory.WordSet(`accepted merged reviewed approved considered admitted taken read answered processed`)
	refusals = memory.WordSet(`rejected refused returned closed declined`)
	// roles are persons by their office, as a thesaurus lists them. EN and DE.
	roles = memory.WordSet(`archivist registrar curator librarian nurse doctor physician pharmacist surgeon secretary clerk cashier accountant auditor controller treasurer lawyer notary judge
 editor journalist photographer translator proofreader teacher lecturer professor tutor examiner student trainee apprentice mechanic technician electrician plumber welder fitter foreman janitor caretaker
 master driver pilot captain skipper mate sailor docker dispatcher conductor guard porter warden ranger gardener grower farmer cook baker chef waiter tailor
 designer architect scientist researcher analyst statistician programmer tester support management security sysadmin webmaster postmaster dba supervisor inspector instructor coach trainer moderator chair chairman president director
 vet veterinarian midwife paramedic dentist therapist volunteer host organiser organizer buyer seller planner
 archivar archivarin ärztin arzt apotheker apothekerin pfleger schwester lehrkraft prüfer prüferin hausmeister hausmeisterin redakteur redakteurin buchhaltung verwaltung geschäftsführung vorstand sekretariat meister polier lotse kapitän fahrer gärtner koch bäcker`)
)
