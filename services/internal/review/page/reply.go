package page

import (
	"fmt"
	"strings"
)

// Choice is a yes or a no.
type Choice string

// The choices. To an item, yes and no answer the question "shall this text be
// stored?", whatever was recommended; to a spot check, "was it right to store
// it?".
const (
	Yes Choice = "y"
	No  Choice = "n"
)

// Base is a reply's answer to every item that it does not name.
type Base string

// The bases.
const (
	BaseNone        Base = ""      // the items stay open
	BaseRecommended Base = "ok"    // as recommended; items without a recommendation stay open
	BaseYes         Base = "all y" // all are stored
	BaseNo          Base = "all n" // none is stored
)

// Reply is a parsed reply, before it is matched with a digest.
type Reply struct {
	Code    string // of the digest, in capitals; empty when none was written
	Base    Base
	Answers []Answer // by number, ascending
	Spots   []Answer // the same for spot checks; without texts
	Later   bool     // alone: everything stays open
	Undo    bool     // alone: take the last answer back
}

// Answer is a reply's answer to one number.
type Answer struct {
	Number int // 1 to 99
	Choice Choice
	Text   string // to be stored instead, as it was written; empty for the item's own
}

// String returns the canonical form, which Parse reads as the same reply.
func (r Reply) String() string {
	var first, lines []string
	if r.Code != "" {
		first = append(first, r.Code)
	}
	switch {
	case r.Later:
		first = append(first, "later")
	case r.Undo:
		first = append(first, "undo")
	case r.Base != BaseNone:
		first = append(first, string(r.Base))
	}
	except := r.Base != BaseNone
	for _, a := range r.Answers {
		if a.Text != "" {
			lines = append(lines, fmt.Sprintf("%d: %s", a.Number, a.Text))
			continue
		}
		if except {
			first, except = append(first, "except"), false
		}
		first = append(first, a.name(""))
	}
	for _, a := range r.Spots {
		first = append(first, a.name("p"))
	}
	if len(first) > 0 {
		lines = append([]string{strings.Join(first, " ")}, lines...)
	}
	return strings.Join(lines, "\n")
}

func (a Answer) name(prefix string) string { return fmt.Sprintf("%s%d%s", prefix, a.Number, a.Choice) }
