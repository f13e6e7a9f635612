package triage

import (
	"context"
	"fmt"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// checkLessons reads as a claim what a proposal says of itself and only a lesson of
// Winnow's own may say: that it is a strategy, and what outcome taught it (SPEC §6).
// A strategy is recorded without a date and without a person, so a stranger's is
// judged by its text like any other. The store knows the own ones, see
// [store.Lessons]; no lock is held.
func (h *handler) checkLessons(ctx context.Context, tenant memory.Tenant, list []submission) error {
	var events []store.LessonEvent
	var of []*submission
	for i := range list {
		p := &list[i].proposal
		if p.Kind == memory.KindStrategy || p.Outcome != "" {
			events = append(events, store.LessonEvent{ID: p.EventID, Principal: p.Principal, Session: p.SessionID})
			of = append(of, &list[i])
		}
	}
	if len(events) == 0 {
		return nil
	}
	own, err := h.lessons.OwnLessons(ctx, tenant, events)
	if err != nil {
		return fmt.Errorf("triage: lessons: %w", err)
	}
	for _, i := range own {
		of[i] = nil
	}
	for _, s := range of {
		if s != nil {
			s.disown()
		}
	}
	return nil
}

// disown removes what only an own lesson may say, and counts it.
func (s *submission) disown() {
	if s.proposal.Kind == memory.KindStrategy {
		s.proposal.Kind = "" // triage recognises it from the text
		s.claims.kind++
	}
	if s.proposal.Outcome != "" {
		s.proposal.Outcome = ""
		s.claims.outcome++
	}
}
