package page

import (
	"fmt"
	"strings"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// SourceOf returns in English words where a text came from.
func SourceOf(p memory.Proposal) string { return english.sourceOf(p) }

func (w *phrases) sourceOf(p memory.Proposal) string {
	// A question of the engine's own has no publisher.
	about := ""
	if p.Principal != "" {
		about = ", " + p.Principal
	}
	if p.SessionID != "" {
		about += fmt.Sprintf(w.session, p.SessionID)
	}
	if !p.ObservedAt.IsZero() {
		about += ", " + p.ObservedAt.Format(w.date)
	}
	if p.SeenCount > 1 {
		about += fmt.Sprintf(w.seen, p.SeenCount)
	}
	if about == "" {
		return w.origin[p.Origin]
	}
	return w.origin[p.Origin] + " (" + strings.TrimPrefix(about, ", ") + ")"
}
