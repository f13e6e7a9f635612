package page

import (
	"fmt"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// SourceOf returns in English words where a text came from.
func SourceOf(p memory.Proposal) string { return english.sourceOf(p) }

func (w *phrases) sourceOf(p memory.Proposal) string {
	text := w.origin[p.Origin] + " (" + p.Principal
	if p.SessionID != "" {
		text += fmt.Sprintf(w.session, p.SessionID)
	}
	if !p.ObservedAt.IsZero() {
		text += ", " + p.ObservedAt.Format(w.date)
	}
	if p.SeenCount > 1 {
		text += fmt.Sprintf(w.seen, p.SeenCount)
	}
	return text + ")"
}
