package consolidation

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/winnowhq/winnow/services/internal/judge/wording"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/vector"
)

// ErrApart reports memories that must not become one.
var ErrApart = errors.New("these memories cannot be merged")

// Explicit returns the group of memories that a person chose (S0.69). No similarity is
// asked for, but the rules of a merge hold: two to maxMembers active memories of one
// class (D13), none of them made of another, and no pair that contradicts itself or
// makes one statement about two things. The error is ErrApart and names the pair and
// the reason.
func Explicit(candidates []Candidate, maxMembers int) (Group, error) {
	list := slices.Clone(candidates)
	slices.SortFunc(list, func(a, b Candidate) int { return strings.Compare(a.ID, b.ID) })
	list = slices.CompactFunc(list, func(a, b Candidate) bool { return a.ID == b.ID })
	if len(list) < 2 || len(list) > maxMembers {
		return Group{}, fmt.Errorf("%w: %d were given, want 2 to %d", ErrApart, len(list), maxMembers)
	}
	g := Group{Mode: ModeMerge, Average: 1, Minimum: 1, Why: fmt.Sprintf("%d memories that a person chose.", len(list))}
	words := wording.NewAnalyzer()
	texts := make([]*text, len(list))
	sum, pairs := 0.0, 0
	for i := range list {
		m := &list[i]
		if m.State != memory.StateActive {
			return Group{}, fmt.Errorf("%w: %s is archived (%s)", ErrApart, m.ID, m.ArchiveReason)
		}
		if m.Kind == memory.KindSummary || m.Kind == memory.KindSummaryArchived {
			return Group{}, fmt.Errorf("%w: %s is a topic summary; write it anew with memory_summarize", ErrApart, m.ID)
		}
		if what := differs(&list[0].Memory, &m.Memory); what != "" {
			return Group{}, fmt.Errorf("%w: %s and %s have another %s", ErrApart, list[0].ID, m.ID, what)
		}
		texts[i] = read(words, m.Text)
		g.Members = append(g.Members, m.ID)
		for j := range list[:i] {
			if madeOf(&list[j], m) {
				return Group{}, fmt.Errorf("%w: one of %s and %s was made of the other", ErrApart, list[j].ID, m.ID)
			}
			if why, differences := texts[j].apart(texts[i]); why != "" {
				return Group{}, fmt.Errorf("%w: %s and %s: %s", ErrApart, list[j].ID, m.ID, inWords(why, differences))
			}
			if len(list[j].Vector) > 0 && len(list[j].Vector) == len(m.Vector) {
				s := vector.Cosine(list[j].Vector, m.Vector)
				sum, pairs, g.Minimum = sum+s, pairs+1, min(g.Minimum, s)
			}
		}
	}
	if pairs > 0 {
		g.Average = sum / float64(pairs)
	}
	return g, nil
}

// differs names what two memories must share and do not, empty for none.
func differs(a, b *memory.Memory) string {
	x, y := classOf(a), classOf(b)
	switch {
	case x.tenant != y.tenant:
		return "tenant"
	case x.scope != y.scope:
		return "scope"
	case x.kind != y.kind:
		return "kind"
	case x.outcome != y.outcome:
		return "outcome"
	case x != y:
		return "source (trust)"
	}
	return ""
}

func inWords(why Reason, differences []string) string {
	switch {
	case why == ApartSubject:
		return "they make one statement about two things"
	case len(differences) > 0:
		return "one contradicts the other (" + strings.Join(differences, "; ") + ")"
	}
	return "one contradicts the other"
}
