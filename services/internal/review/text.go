package review

import (
	"context"
	"errors"
	"unicode/utf8"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// TextOf is the text of a memory or proposal; empty for other ids, such as a
// line of a boot file, and for what is gone by retention.
func TextOf(ctx context.Context, s store.Reader, tenant memory.Tenant, id string) (string, error) {
	switch prefix, _ := memory.ParseID(id, memory.PrefixMemory, memory.PrefixProposal); prefix {
	case memory.PrefixMemory:
		m, err := s.Memory(ctx, tenant, id)
		return m.Text, unlessGone(err)
	case memory.PrefixProposal:
		p, err := s.Proposal(ctx, tenant, id)
		return p.Text, unlessGone(err)
	}
	return "", nil
}

func unlessGone(err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	return err
}

// clip cuts a text to so many bytes, at a character's end.
func clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	cut := most - len("…")
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}
