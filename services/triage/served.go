package triage

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/winnowhq/winnow/services/internal/judge"
	"github.com/winnowhq/winnow/services/internal/judge/wording"

	"github.com/winnowhq/winnow/services/internal/judge/lexical"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// attachServed reads what Winnow showed in the sessions of a batch and gives each
// proposal the memories that it may echo. A text that Winnow showed and that comes
// back is no confirmation, from any publisher (SPEC §7). No lock is held. Without
// sessions, or where nothing was shown, no texts are read.
func (h *handler) attachServed(ctx context.Context, tenant memory.Tenant, items []prepared) error {
	sessions := make(map[string]bool)
	for i := range items {
		if s := items[i].item.Proposal.SessionID; s != "" {
			sessions[s] = true
		}
	}
	if len(sessions) == 0 {
		return nil
	}
	shown, err := h.store.ServedIn(ctx, tenant, slices.Sorted(maps.Keys(sessions))...)
	if err != nil || len(shown) == 0 {
		return wrapServed(err)
	}
	texts, err := h.servedTexts(ctx, tenant, shown)
	if err != nil {
		return wrapServed(err)
	}
	inSession := make(map[string][]string)
	for _, s := range shown {
		inSession[s.SessionID] = append(inSession[s.SessionID], s.MemoryID)
	}
	for i := range items {
		it := &items[i].item
		for _, id := range inSession[it.Proposal.SessionID] {
			if t, ok := texts[id]; ok && mayEcho(it.Text, t.text) {
				it.Served = append(it.Served, t.entry)
			}
		}
	}
	return nil
}

func wrapServed(err error) error {
	if err != nil {
		return fmt.Errorf("triage: what was served: %w", err)
	}
	return nil
}

// servedText is a memory that was shown, with its analysed text.
type servedText struct {
	entry judge.Entry
	text  *wording.Text
}

func (h *handler) servedTexts(ctx context.Context, tenant memory.Tenant, shown []store.Served) (map[string]servedText, error) {
	ids := make(map[string]bool)
	for _, s := range shown {
		ids[s.MemoryID] = true
	}
	list, err := h.store.Memories(ctx, tenant, store.MemoryQuery{IDs: slices.Sorted(maps.Keys(ids))})
	if err != nil {
		return nil, err
	}
	out := make(map[string]servedText, len(list))
	for _, m := range list {
		out[m.ID] = servedText{judge.EntryOfMemory(m, nil), h.analyzer.Text(m.Text)}
	}
	return out, nil
}

// echoShare is the share of common words below which no text restates another.
const echoShare = 0.5

// mayEcho reports whether t shares enough words with a shown text to be an echo.
// Texts below that need no comparison in the lane.
func mayEcho(t, shown *wording.Text) bool {
	return t.Normal == shown.Normal || lexical.Near(t.Doc, shown.Doc) >= echoShare
}
