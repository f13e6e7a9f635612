package trust

import (
	"strings"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// Evidence judges, by one session, the texts that were recorded in it. It is
// the one derivation of SPEC §7, for a session that comes after the text, for a
// text that comes after the session, and for both at once. It is not safe for
// concurrent use.
type Evidence struct {
	tracker *Tracker
	persons Persons
}

// Persons calls yield for every turn of a person in a session, until yield
// returns false.
type Persons func(yield func(words string, origin memory.Origin) bool) error

// NewEvidence returns the evidence of a tracker that has assessed the whole
// session.
func NewEvidence(t *Tracker, persons Persons) *Evidence {
	return &Evidence{tracker: t, persons: persons}
}

// maxPersons bounds the words of persons that are compared with one text, in
// bytes. A person's words beyond the bound do not vouch for the text.
const maxPersons = 4 << 20

// Worth returns the authority of a text according to the session: at most an
// agent's statement, independent of what its publisher may claim, because a
// text does not vouch for itself. A text that carries words from outside is
// external, unless a person said the same. The errors are those of the
// session's Persons.
func (e *Evidence) Worth(p *memory.Proposal) (memory.Origin, error) {
	text := strings.TrimSpace(strings.Join([]string{p.Title, p.Description, p.Text}, "\n"))
	said := []Ancestor{{Text: text, Origin: min(p.Authority, memory.OriginAgent)}}
	worth := e.tracker.Authority(text, said)
	if worth > memory.OriginExternal {
		return worth, nil
	}
	rest := maxPersons
	err := e.persons(func(words string, origin memory.Origin) bool {
		said = append(said, Ancestor{Text: words, Origin: origin})
		rest -= len(words)
		return rest > 0
	})
	if err != nil {
		return 0, err
	}
	return e.tracker.Authority(text, said), nil
}

// Derive returns the authority that the session leaves a text: external or less
// where the session shows that the words came from outside, otherwise the
// text's own. It never raises an origin, and a person's text keeps its origin.
// Errors are those of [Evidence.Worth].
func (e *Evidence) Derive(p *memory.Proposal) (memory.Origin, error) {
	if !Derivable(p) {
		return p.Authority, nil
	}
	worth, err := e.Worth(p)
	if err != nil || worth > memory.OriginExternal {
		return p.Authority, err
	}
	return min(worth, p.Authority), nil
}

// Derivable reports whether a session can show that a text is worth less than it
// is taken for.
func Derivable(p *memory.Proposal) bool {
	return p.Authority > memory.OriginExternal && p.Origin != memory.OriginHuman
}
