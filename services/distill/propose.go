package distill

import (
	"fmt"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/judge/lexical"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/session/extract"
	"github.com/winnowhq/winnow/services/internal/session/trust"
)

// effect returns the change set of a distilled session: its row, and one
// proposal event for each lesson.
func (w *work) effect(s extract.Session, l lessons) (change.Set, error) {
	now := w.Now().UTC().Truncate(time.Microsecond)
	set := change.Set{SessionUpdates: []change.SessionUpdate{{
		ID: s.ID, State: memory.SessionDistilled, DistilledAt: now, Distiller: l.distiller, Prompt: l.prompt,
		Extracted: len(l.kept), Ungrounded: l.ungrounded, Note: l.note,
	}}}
	if len(l.kept) == 0 {
		return set, nil
	}
	subject, err := event.SubjectFor(event.SubjectProposalCreated, s.Principal)
	if err != nil {
		return set, fmt.Errorf("propose in the name of the session's publisher: %w", err)
	}
	for _, p := range extract.Proposals(s, l.kept, w.judge(s)) {
		if p.Kind == memory.KindStrategy { // of the session's outcome, whatever the answer says
			p.Confidence = w.learning.Initial(s.Outcome)
		}
		msg := proposed(s, p, l)
		set.Events = append(set.Events, change.Event{
			ID: msg.GetId(), Subject: subject, Type: event.TypeFor(event.SubjectProposalCreated), Message: msg,
		})
	}
	return set, nil
}

// judge returns the authority of the session's texts. It reads the session as
// ingest did, with the origin of every turn as ingest stored it.
func (w *work) judge(s extract.Session) extract.Authority {
	return extract.Trusting(s, trust.Options{Config: w.trust, Similar: w.words.Alike(), Loose: lexical.PointLoose})
}

// proposed returns a lesson as a proposal event. The id follows from the
// session, so that a session distilled twice proposes nothing twice. The origin
// is a claim that can only lower what the publisher may say.
func proposed(s extract.Session, p extract.Proposal, l lessons) *winnowv1.ProposalCreated {
	msg := &winnowv1.ProposalCreated{
		Id: fmt.Sprintf("%s/%d", s.ID, p.N), Scope: string(s.Scope), Project: s.Project, SessionId: s.Name,
		Kind: string(p.Kind), Title: p.Title, Description: p.Description, Text: p.Text, Tags: p.Tags,
		Outcome: p.Outcome, Confidence: p.Confidence,
		Origin: p.Authority.String(), Source: "winnow-distill " + l.distiller, Language: s.Language,
	}
	if seen := seenAt(s.Session); !seen.IsZero() {
		msg.ObservedAt = timestamppb.New(seen)
	}
	for _, span := range p.Spans {
		msg.Evidence = append(msg.Evidence, &winnowv1.Evidence{
			Text: span.Text, Role: string(span.Role), Origin: span.Origin.String(), Ref: span.Ref,
		})
	}
	return msg
}

// seenAt returns when a session's lessons were observed (D31): at its end, or
// at its arrival where no end was stated.
func seenAt(s memory.Session) time.Time {
	if s.EndedAt.IsZero() {
		return s.IngestedAt
	}
	return s.EndedAt
}
