package ingest

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/review"
)

// input is everything that a new session's effect follows from.
type input struct {
	arrival
	kept    *kept
	scope   memory.Scope
	project string
	// earlier are texts that were recorded in the session before it came in, and
	// that it now shows to come from outside.
	earlier []earlier
	judged  *change.Judged // the texts that earlier follows from; nil when no text could be worth less
	now     time.Time      // UTC
	newID   func(prefix string) string
}

// decideSession is the effect of a session that nobody published before: its
// row, its trace, the news of it, and the review of what was recorded too
// trustingly.
func decideSession(in input) (memory.Session, change.Set) {
	s := in.session()
	e := review.Effect{As: memory.ActorSystem, Stamp: review.Stamp{Tenant: in.who.Tenant, Now: in.now, NewID: in.newID}}
	e.Set.Sessions = []memory.Session{s}
	e.Set.Traces = []change.Trace{{SessionID: s.ID, Chunks: in.kept.chunks}}
	id := in.newID(memory.PrefixEvent)
	e.Emit(id, event.SubjectSessionIngested, &winnowv1.SessionIngested{
		Id: id, SessionId: s.ID, EventId: s.EventID, Principal: s.Principal, Scope: string(s.Scope),
		Outcome: s.Outcome, OutcomeInferred: s.OutcomeInferred, Format: s.Format,
		Turns: int32(s.Turns), TurnsSkipped: int32(s.Skipped), Redactions: int32(s.Redactions), IngestedAt: timestamppb.New(s.IngestedAt),
	})
	if in.judged != nil {
		e.Set.Judged = []change.Judged{*in.judged}
	}
	for _, old := range in.earlier {
		old.rederive(&e, s)
	}
	return s, e.Set
}

// session is the row.
func (in *input) session() memory.Session {
	of := in.kept.session
	s := memory.Session{
		ID: in.newID(memory.PrefixSession), Tenant: in.who.Tenant, Scope: in.scope,
		Name: cmp.Or(of.ID, in.eventID), EventID: in.eventID, Principal: in.who.ID, Highest: in.who.Highest,
		Format: string(of.Format), Agent: of.Agent, Source: label(in.msg.GetSource()), Project: label(in.project), Task: of.Task,
		Language: in.kept.language,
		Outcome:  string(of.Outcome), OutcomeInferred: of.OutcomeInferred, OutcomeBasis: string(of.Basis),
		StartedAt: of.StartedAt, EndedAt: of.EndedAt, IngestedAt: in.now,
		Hash: in.kept.hash, Turns: in.kept.turns, Skipped: in.kept.skipped, Redactions: in.kept.redactions,
		External: in.kept.external, Bytes: in.kept.bytes,
		State: memory.SessionIngested, Note: in.note(),
	}
	if tag := in.msg.GetLanguage(); tag != "" && len(tag) <= maxTag {
		s.Language = tag
	}
	if s.EndedAt.IsZero() {
		s.EndedAt = in.at
	}
	return s
}

const (
	maxTag   = 35  // of a language, in bytes (RFC 5646)
	maxLabel = 256 // bytes of what the publisher names
)

// label is a name of the publisher's as a row holds it.
func label(s string) string {
	return strings.ToValidUTF8(s[:min(len(s), maxLabel)], "")
}

// note says, in words for a person, what of the session is not there and what
// else it changed.
func (in *input) note() string {
	var parts []string
	report := in.kept.session.Report
	if in.kept.skipped > 0 {
		parts = append(parts, fmt.Sprintf("%d records could not be read", in.kept.skipped))
	}
	if report.Truncated {
		parts = append(parts, "the trace ends in the middle of a record")
	}
	if len(report.Problems) > 0 {
		parts = append(parts, "the first problem: "+report.Problems[0].Error())
	}
	if n := len(in.earlier); n > 0 {
		parts = append(parts, fmt.Sprintf("%d texts recorded before it arrived come from outside and went back to review", n))
		if told := servedSessions(in.earlier); len(told) > 0 {
			parts = append(parts, "served in "+strings.Join(told, ", "))
		}
	}
	return strings.Join(parts, "; ")
}
