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

// input is everything that the effect of a new session follows from.
type input struct {
	arrival
	prepared *prepared
	scope    memory.Scope
	project  string
	// earlier are texts that were recorded in the session before it arrived,
	// and that the session shows to come from outside.
	earlier []earlier
	judged  *change.Judged // the texts that earlier follows from; nil when no origin could be lowered
	now     time.Time      // UTC
	newID   func(prefix string) string
}

// decideSession returns the effect of a session that was not published before:
// its row, its trace, the event memory.session.ingested, and the review of
// texts recorded with too high an origin.
func decideSession(in input) (memory.Session, change.Set) {
	s := in.session()
	e := review.Effect{As: memory.ActorSystem, Stamp: review.Stamp{Tenant: in.who.Tenant, Now: in.now, NewID: in.newID}}
	e.Set.Sessions = []memory.Session{s}
	e.Set.Traces = []change.Trace{{SessionID: s.ID, Chunks: in.prepared.chunks}}
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

// session returns the row.
func (in *input) session() memory.Session {
	of := in.prepared.session
	s := memory.Session{
		ID: in.newID(memory.PrefixSession), Tenant: in.who.Tenant, Scope: in.scope,
		Name: cmp.Or(of.ID, in.eventID), EventID: in.eventID, Principal: in.who.ID, Highest: in.who.Highest,
		Format: string(of.Format), Agent: of.Agent, Source: label(in.msg.GetSource()), Project: label(in.project), Task: of.Task,
		Language: in.prepared.language,
		Outcome:  string(of.Outcome), OutcomeInferred: of.OutcomeInferred, OutcomeBasis: string(of.Basis),
		StartedAt: of.StartedAt, EndedAt: of.EndedAt, IngestedAt: in.now,
		Hash: in.prepared.hash, Turns: in.prepared.turns, Skipped: in.prepared.skipped, Redactions: in.prepared.redactions,
		External: in.prepared.external, Bytes: in.prepared.bytes,
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

// label returns a name given by the publisher, as a row stores it.
func label(s string) string {
	return strings.ToValidUTF8(s[:min(len(s), maxLabel)], "")
}

// note returns, for a person, what the stored session lacks and what else its
// arrival changed.
func (in *input) note() string {
	var parts []string
	report := in.prepared.session.Report
	if in.prepared.skipped > 0 {
		parts = append(parts, fmt.Sprintf("%d records could not be read", in.prepared.skipped))
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
