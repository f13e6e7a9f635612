package index

import (
	"context"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/memoryfile"
	"github.com/winnowhq/winnow/services/internal/memoryfile/projection"
)

// line is how an entry of a file is recognised.
type line struct{ section, text string }

func lineOf(section, text string) line {
	return line{memoryfile.CanonicalSection(section), memoryfile.Canonical(text)}
}

// known is what stands behind the entries of a scope's files.
type known struct {
	memories []memory.Memory
	byLine   map[line]int
	byText   map[string]int
	waiting  map[string]string // proposals of people that wait for a reviewer, by text
	// redact takes out of an entry what was taken out of the stored text.
	redact func(string) string
}

func newKnown(active []memory.Memory, waiting []projection.HandWritten, redact func(string) string) known {
	k := known{memories: active, byLine: map[line]int{}, byText: map[string]int{}, waiting: map[string]string{}, redact: redact}
	for i, m := range active {
		item := memoryfile.ItemOf(m)
		l := lineOf(item.Section, item.Text)
		k.byLine[l] = i
		k.byText[l.text] = i
	}
	for _, w := range waiting {
		if w.State == memory.ProposalNeedsReview {
			k.waiting[memoryfile.Canonical(w.Text)] = w.ID
		}
	}
	return k
}

// memory finds the memory behind an entry: under its heading, else anywhere.
func (k known) memory(e memoryfile.Entry) (memory.Memory, bool) {
	l := lineOf(e.Section, k.redact(e.Text))
	i, ok := k.byLine[l]
	if !ok {
		i, ok = k.byText[l.text]
	}
	if !ok {
		return memory.Memory{}, false
	}
	return k.memories[i], true
}

// proposal finds the waiting proposal behind an entry.
func (k known) proposal(e memoryfile.Entry) (id string, ok bool) {
	id, ok = k.waiting[memoryfile.Canonical(k.redact(e.Text))]
	return id, ok
}

// known reads what stands behind the scope's files now.
func (s *scoped) known(ctx context.Context) (known, error) {
	active, err := projection.Active(ctx, s.Store, s.tenant, s.scope)
	if err != nil {
		return known{}, err
	}
	waiting, err := projection.Waiting(ctx, s.Store, s.tenant, s.scope)
	return newKnown(active, waiting, s.redact), err
}
