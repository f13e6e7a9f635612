package index

import (
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/memoryfile"
	"github.com/winnowhq/winnow/services/internal/poison"
)

// handPlan is what an edit of a file by hand comes to.
type handPlan struct {
	Proposed []memoryfile.Entry // judged like anything that a person says
	Edited   []handEdited       // reworded where they stand
	Archived []string           // memories whose line is gone
	Withheld int                // lines that are gone and come back: too many at once
}

// handEdited is a memory that a person gave other words or another heading.
type handEdited struct {
	ID, Text, Section string
}

// A person takes out a line or two; a file that lost more than this, and more
// than a fifth of what it had, was truncated, emptied or merged badly.
const (
	fewRemoved   = 5
	removedShare = 5
)

// decideHand reads an edit. A new line is a proposal. A line with other words
// edits its memory, unless it now says what somebody should do: whoever can
// write a file is not proven to be a person, and a new rule takes a look. A line
// that is gone archives its memory, which can be undone.
func decideHand(c memoryfile.Changes, known map[string]memory.Memory) handPlan {
	plan := handPlan{Proposed: c.Added}
	for _, changed := range c.Changed {
		m, ok := known[memoryfile.Canonical(changed.Before.Text)]
		if !ok || mustBeJudged(m, changed.After.Text) {
			plan.Proposed = append(plan.Proposed, changed.After)
			continue
		}
		plan.Edited = append(plan.Edited, handEdited{m.ID, changed.After.Text, changed.After.Section})
	}
	for _, gone := range c.Removed {
		if m, ok := known[memoryfile.Canonical(gone.Text)]; ok {
			plan.Archived = append(plan.Archived, m.ID)
		}
	}
	if n := len(plan.Archived); n > fewRemoved && n*removedShare > len(known) {
		plan.Archived, plan.Withheld = nil, n
	}
	return plan
}

// mustBeJudged reports new words for a memory that are more than a correction.
func mustBeJudged(m memory.Memory, text string) bool {
	if m.Kind == memory.KindRule || m.Kind == memory.KindConvention {
		return true
	}
	return memory.Extract(text).Obliges() && !memory.Extract(m.Text).Obliges() || len(poison.Scan(text)) > 0
}

// proposed is a hand-written entry on its way to triage, in the vault's name.
func proposed(at place, id string, e memoryfile.Entry, seen time.Time) change.Event {
	if !e.ObservedAt.IsZero() {
		seen = e.ObservedAt
	}
	return change.Event{
		ID: id, Subject: event.SubjectProposalCreated + "." + memory.VaultPrincipal(at.tenant), Type: event.TypeFor(event.SubjectProposalCreated),
		Message: &winnowv1.ProposalCreated{
			Id: id, Scope: string(at.scope), Text: e.Text, Section: e.Section, Origin: memory.OriginHuman.String(),
			ObservedAt: timestamppb.New(seen), Source: "vault",
		},
	}
}
