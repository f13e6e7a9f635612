package review

import (
	"context"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// TextOf is the text of a memory or proposal; empty for other ids, such as a
// line of a boot file.
func TextOf(ctx context.Context, s store.Reader, tenant memory.Tenant, id string) (string, error) {
	switch prefix, _ := memory.ParseID(id, memory.PrefixMemory, memory.PrefixProposal); prefix {
	case memory.PrefixMemory:
		m, err := s.Memory(ctx, tenant, id)
		return m.Text, err
	case memory.PrefixProposal:
		p, err := s.Proposal(ctx, tenant, id)
		return p.Text, err
	}
	return "", nil
}
