package merge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/winnowhq/winnow/services/internal/judge/lexical"
	"github.com/winnowhq/winnow/services/internal/judge/subject"
	"github.com/winnowhq/winnow/services/internal/judge/wording"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// refuse returns why the sources must stay apart, or nil. The planner keeps such
// memories apart already; this is the last look before rows change, at sentences
// instead of whole texts.
func (c *corpus) refuse() *Refusal {
	if len(c.sources) < 2 {
		return &Refusal{Code: RefusedNothing, Reason: "fewer than two memories"}
	}
	if !slices.ContainsFunc(c.units, func(u unit) bool { return u.poison == "" }) {
		return &Refusal{Code: RefusedNothing, Reason: "the memories say nothing that may be carried on"}
	}
	first := &c.sources[0]
	for i := range c.sources[1:] {
		if r := mixed(first, &c.sources[i+1]); r != nil {
			return r
		}
	}
	for i := range c.units {
		for j := i + 1; j < len(c.units); j++ {
			if r := c.apart(&c.units[i], &c.units[j]); r != nil {
				return r
			}
		}
	}
	return nil
}

// mixed refuses what D13 keeps apart.
func mixed(a, b *Source) *Refusal {
	refused := func(what string) *Refusal {
		return &Refusal{Code: RefusedMixed, IDs: pair(a, b), Reason: "the memories differ in their " + what}
	}
	switch {
	case a.Tenant != b.Tenant:
		return refused("tenant")
	case a.Scope != b.Scope:
		return refused("scope")
	case a.Outcome != b.Outcome:
		return refused("outcome")
	case a.Kind != b.Kind:
		return refused("kind")
	case trust(a.Origin) != trust(b.Origin), trust(a.Authority) != trust(b.Authority):
		return refused("authority")
	}
	return nil
}

// trust is an origin as far as it separates memories: each one below first-party is one
// of its own.
func trust(o memory.Origin) memory.Origin { return min(o, memory.OriginFirstParty) }

func pair(a, b *Source) []string {
	ids := []string{a.ID, b.ID}
	slices.Sort(ids)
	return ids
}

const (
	// sameTopic is [lexical.TopicShare] for two sentences that are one, apart from a value.
	sameTopic  = 0.90
	equalTopic = 0.99
)

// apart refuses two sentences of different sources that contradict each other, that
// state the same of different things, or of which one says that the other is outdated.
func (c *corpus) apart(a, b *unit) *Refusal {
	if a.source == b.source || !a.states() || !b.states() {
		return nil
	}
	x, y := a.read, b.read
	if x.Normal == y.Normal {
		return nil
	}
	// Two notes of one statement each are compared as triage compares them. In longer
	// ones most pairs of sentences have nothing to do with each other, so that only
	// those about the same thing beyond doubt can contradict each other.
	short := c.statements[a.source] == 1 && c.statements[b.source] == 1
	if !short && (lexical.Near(x.Doc, y.Doc) < lexical.PointLoose || min(x.Doc.Words, y.Doc.Words) < 2) {
		return nil
	}
	s := lexical.Compare(x.Doc, y.Doc)
	about := s.OneMatter(min(x.Doc.Words, y.Doc.Words)) || short && s.Topic >= equalTopic
	related := subject.Relate(x.Subject, y.Subject, x.Doc, y.Doc)
	compared := memory.Compare(x.Specifics(), y.Specifics())
	refused := func(code, reason, detail string) *Refusal {
		return &Refusal{Code: code, IDs: pair(&c.sources[a.source], &c.sources[b.source]), Reason: reason, Detail: strings.Trim(fmt.Sprintf("%s: %q / %q", detail, a.text, b.text), ": ")}
	}
	if c.achieved {
		if compared.Relation == memory.RelationConflict {
			return refused(RefusedConflict, "the memories contradict each other", strings.Join(compared.Differences, "; "))
		}
		return nil
	}
	// Two sentences that differ in nothing but a number state two values of one thing,
	// unless the number is all that a short note is about.
	twin := !short && s.Topic >= equalTopic && s.Similarity > lexical.PointDuplicate
	if related == subject.Different && !twin || short && compared.Foreign {
		if short || about && c.whole(a) && c.whole(b) {
			return refused(RefusedSubject, "the memories are about different things", "")
		}
		return nil
	}
	same := related == subject.Same || s.Topic >= sameTopic && min(s.Forward, s.Backward) >= lexical.AboutShare
	if short && !about && related != subject.Same || !short && !(about && same) {
		return nil
	}
	switch {
	case compared.Relation == memory.RelationConflict:
		return refused(RefusedConflict, "the memories contradict each other", strings.Join(compared.Differences, "; "))
	case wording.Opposed(x, y):
		return refused(RefusedConflict, "the memories take opposite sides", "")
	case short && lexical.Substituted(x.Doc, y.Doc):
		return refused(RefusedConflict, "the memories are one sentence with another value", "")
	case replaces(x, y) || replaces(y, x):
		return refused(RefusedConflict, "one memory says that the other's value changed", "")
	}
	return nil
}

// whole reports whether a unit is all, or the first statement, of its source. A
// sentence about another subject deep in a longer note says nothing of the note.
func (c *corpus) whole(u *unit) bool {
	return u.order == 0 || c.units[u.order-1].source != u.source
}

// replaces reports whether x states a change away from a value that y states.
func replaces(x, y *wording.Text) bool {
	for _, t := range wording.Extract(x, wording.Given{}, nil).Transitions {
		if t.Old == "" || !y.Specifics().Names(strings.ToLower(t.Old)) || y.Specifics().Names(strings.ToLower(t.New)) {
			continue
		}
		return true
	}
	return false
}
