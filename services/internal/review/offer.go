package review

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// RuleTheme is the rule of decisions by which a run offers to merge memories on one
// theme. The offer is a proposal with the merged text and a link derived_from to each
// memory. A yes stores the text and archives the memories with it as their successor;
// a no leaves them as they are, and the run does not ask again.
const RuleTheme = "theme"

// sourcesOf returns the memories that an offer would merge, by id. Erased ones are
// left out.
func sourcesOf(ctx context.Context, s store.Reader, tenant memory.Tenant, offer string) ([]memory.Memory, error) {
	sources, err := SourcesOf(ctx, s, tenant, offer)
	return sources[offer], err
}

// SourcesOf returns the memories that offers would merge, by the offer and then in the
// order of their ids.
func SourcesOf(ctx context.Context, s store.Reader, tenant memory.Tenant, offers ...string) (map[string][]memory.Memory, error) {
	of := map[string][]string{} // offers by memory
	var members []string
	for page := range slices.Chunk(offers, pageSize) {
		links, err := s.Links(ctx, tenant, page...)
		if err != nil {
			return nil, err
		}
		for _, l := range links {
			if l.Kind == memory.LinkDerivedFrom && slices.Contains(page, l.From) {
				of[l.To] = append(of[l.To], l.From)
				members = append(members, l.To)
			}
		}
	}
	found, err := MemoriesOf(ctx, s, tenant, members...)
	if err != nil {
		return nil, err
	}
	all := map[string][]memory.Memory{}
	for _, id := range sorted(members) {
		for _, offer := range of[id] {
			if m, known := found[id]; known {
				all[offer] = append(all[offer], m)
			}
		}
	}
	return all, nil
}

// mergeable returns ErrState for an offer whose memories are not as they were when it
// was made: its text would bring back what was archived since.
func mergeable(p memory.Proposal, in reviewInput) error {
	if !p.Offer() {
		return nil
	}
	if in.answer.Action == ActionReplace {
		return fmt.Errorf("%w: it offers to merge memories; promote it or reject it", ErrState)
	}
	if len(in.sources) < 2 {
		return fmt.Errorf("%w: the memories that it would merge are gone; reject it", ErrState)
	}
	for _, m := range in.sources {
		if m.State != memory.StateActive {
			return fmt.Errorf("%w: %s, which it would merge, is archived (%s); reject it", ErrState, m.ID, m.ArchiveReason)
		}
	}
	return nil
}

// outdated reports whether an offer can only be rejected.
func outdated(sources []memory.Memory) bool {
	return len(sources) < 2 || slices.ContainsFunc(sources, func(m memory.Memory) bool { return m.State != memory.StateActive })
}

// merged makes m the memory that stands for the sources, and archives them.
func (e *Effect) merged(m *memory.Memory, sources []memory.Memory, decision string) {
	tags := append(slices.Clone(m.Tags), memory.TagConsolidated)
	for _, s := range sources {
		tags, m.Topics = append(tags, s.Tags...), append(m.Topics, s.Topics...)
		m.Importance = max(m.Importance, s.Importance)
	}
	m.Tags, m.Topics = sorted(tags), sorted(m.Topics)
	for _, s := range sources {
		e.Supersede(s, *m, memory.ReasonConsolidated, decision)
		e.Set.Links = append(e.Set.Links, memory.Link{Tenant: e.Tenant, From: m.ID, To: s.ID, Kind: memory.LinkConsolidates})
	}
	e.Recorded(*m, decision, ids(sources)...)
}

func ids(list []memory.Memory) []string {
	out := make([]string, len(list))
	for i, m := range list {
		out[i] = m.ID
	}
	return out
}

// Named lists memories for a person: their titles, else their first words.
func Named(list []memory.Memory) []string {
	out := make([]string, len(list))
	for i, m := range list {
		if out[i] = m.Title; out[i] == "" {
			out[i] = strings.Join(firstWords(m.Text, 6), " ")
		}
	}
	return out
}

func firstWords(text string, n int) []string {
	words := strings.Fields(text)
	if len(words) > n {
		return append(words[:n:n], "…")
	}
	return words
}
