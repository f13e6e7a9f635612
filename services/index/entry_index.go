package index

import (
	"context"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/memoryfile"
	"github.com/winnowhq/winnow/services/internal/memoryfile/projection"
)

// entryKey identifies an entry of a file.
type entryKey struct{ section, text string }

func entryKeyOf(section, text string) entryKey {
	return entryKey{memoryfile.CanonicalSection(section), memoryfile.Canonical(text)}
}

// entryIndex finds the memories and proposals of a scope's entries.
type entryIndex struct {
	memories []memory.Memory
	byKey    map[entryKey]int
	byText   map[string]int
	waiting  map[string]string // people's proposals that wait for a reviewer, by text
	// redact removes secrets from an entry as they were removed from the stored text.
	redact func(string) string
}

func newEntryIndex(active []memory.Memory, waiting []projection.HandWritten, redact func(string) string) entryIndex {
	k := entryIndex{memories: active, byKey: map[entryKey]int{}, byText: map[string]int{}, waiting: map[string]string{}, redact: redact}
	for i, m := range active {
		item := memoryfile.ItemOf(m)
		l := entryKeyOf(item.Section, item.Text)
		k.byKey[l] = i
		k.byText[l.text] = i
	}
	for _, w := range waiting {
		if w.State == memory.ProposalNeedsReview {
			k.waiting[memoryfile.Canonical(w.Text)] = w.ID
		}
	}
	return k
}

// memory returns the memory of an entry: under its heading, or else under any.
func (k entryIndex) memory(e memoryfile.Entry) (memory.Memory, bool) {
	l := entryKeyOf(e.Section, k.redact(e.Text))
	i, ok := k.byKey[l]
	if !ok {
		i, ok = k.byText[l.text]
	}
	if !ok {
		return memory.Memory{}, false
	}
	return k.memories[i], true
}

// proposal returns the waiting proposal of an entry.
func (k entryIndex) proposal(e memoryfile.Entry) (id string, ok bool) {
	id, ok = k.waiting[memoryfile.Canonical(k.redact(e.Text))]
	return id, ok
}

// entryIndex returns the index of the scope's current memories and waiting proposals.
func (s *scoped) entryIndex(ctx context.Context) (entryIndex, error) {
	active, err := projection.Active(ctx, s.Store, s.tenant, s.scope)
	if err != nil {
		return entryIndex{}, err
	}
	waiting, err := projection.Waiting(ctx, s.Store, s.tenant, s.scope)
	return newEntryIndex(active, waiting, s.redact), err
}
