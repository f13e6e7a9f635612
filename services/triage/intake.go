package triage

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/consolidation/topic"
	"github.com/winnowhq/winnow/services/internal/guard/redact"
	"github.com/winnowhq/winnow/services/internal/guard/redact/message"
	"github.com/winnowhq/winnow/services/internal/judge"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// Classes of proposals that can never be judged. They are the reason of the dead
// letter and a metric label.
const (
	classMalformed = "malformed"
	classVersion   = "version"
	classTooLarge  = "too_large"
	classInvalid   = "invalid"
)

// claims counts what publishers claimed and had no right to claim.
type claims struct {
	tenant     int // a tenant in the payload
	origin     int // an origin above what the principal is registered with
	confidence int // above judge.MaxConfidence
	tags       int // tags that Winnow alone sets
	kind       int // the kind of a lesson, for what no worker of ours put out as one
	outcome    int // the outcome of a lesson, likewise
}

// submission is a validated proposal: its claims are clamped, and its secrets are
// replaced. It holds nothing of the raw text.
type submission struct {
	proposal memory.Proposal
	evidence []memory.Evidence
	secrets  int // spans that were replaced
	claims   claims
}

// intake reads one event. Identity comes from the event's credential and never from
// its payload (SPEC §7). The error is a worker.PermanentError that names the field
// and the remedy.
func intake(e worker.Event, r *redact.Redactor, newID func(prefix string) string) (submission, error) {
	var msg winnowv1.ProposalCreated
	if err := event.Unmarshal(e.Envelope, &msg); err != nil {
		return submission{}, worker.Permanent(classOf(err), err)
	}
	name := msg.GetScope() // before redaction, which is for prose and not for names
	var s submission
	var err error
	if s.secrets, err = message.Proposal(r.Stream(string(e.Tenant)), &msg); err != nil {
		return submission{}, worker.Permanent(classOfShape(err), err)
	}
	scope, err := memory.ParseScope(name)
	if err != nil {
		return submission{}, worker.Permanent(classInvalid, fmt.Errorf("scope: %w", err))
	}
	if msg.GetScope() != name {
		return submission{}, worker.Permanent(classInvalid, errors.New("scope: "+redact.SecretName))
	}
	if !e.Principal.MayAct(scope) {
		return submission{}, worker.Permanent(classInvalid, e.Principal.Beyond("scope"))
	}
	kind, err := memory.ParseKind(msg.GetKind())
	if err != nil {
		return submission{}, worker.Permanent(classInvalid, fmt.Errorf("kind: %w", err))
	}
	if msg.GetTenant() != "" && msg.GetTenant() != string(e.Tenant) {
		s.claims.tenant++
	}
	origin, err := s.origin("origin", msg.GetOrigin(), e.Principal.Highest)
	if err != nil {
		return submission{}, err
	}

	id, session, seen := newID(memory.PrefixProposal), msg.GetSessionId(), observedAt(&msg)
	authority := origin
	for i, ev := range msg.GetEvidence() {
		o := origin
		if ev.GetOrigin() != "" {
			if o, err = s.origin(fmt.Sprintf("evidence[%d].origin", i), ev.GetOrigin(), e.Principal.Highest); err != nil {
				return submission{}, err
			}
		}
		// The text may repeat the words of its quoted spans, so it has their authority
		// at most.
		authority = memory.Least(authority, o)
		s.evidence = append(s.evidence, memory.Evidence{
			ID: newID(memory.PrefixEvidence), Tenant: e.Tenant, Subject: id, ProposalID: id,
			Principal: e.Principal.ID, SessionID: session, Origin: o,
			Role: ev.GetRole(), Span: ev.GetText(), ObservedAt: seen,
		})
	}
	// A reserved tag is a claim like an origin: what the publisher observed is worth
	// judging without it, whichever way it came.
	tags, reserved := memory.OwnTags(msg.GetTags())
	s.claims.tags += reserved
	topics, macros := topic.Of(topic.Text{
		Topics: msg.GetTopics(), Macros: msg.GetMacroTopics(), Tags: tags, Title: msg.GetTitle(), Body: msg.GetText(),
	})
	s.proposal = memory.Proposal{
		Topics: topics, MacroTopics: macros,
		ID: id, Tenant: e.Tenant, Scope: scope, State: memory.ProposalPending, Kind: kind,
		Section: strings.TrimSpace(msg.GetSection()), Title: msg.GetTitle(),
		Text: strings.TrimSpace(msg.GetText()), Category: msg.GetCategory(), Tags: tags,
		Description: strings.TrimSpace(msg.GetDescription()), Outcome: msg.GetOutcome(), Confidence: s.confidence(msg.GetConfidence()),
		Importance: int(msg.GetImportance()), Principal: e.Principal.ID, Origin: origin, Authority: authority,
		EventID: e.ID, SessionID: session, ObservedAt: seen,
		CreatedAt: e.Stored, SeenCount: 1, LastConfirmed: e.Stored,
	}
	return s, nil
}

// origin parses a claimed origin and clamps it to the principal's highest.
func (s *submission) origin(field, claim string, highest memory.Origin) (memory.Origin, error) {
	if claim == "" {
		return highest, nil
	}
	o, err := memory.ParseOrigin(claim)
	if err != nil {
		return 0, worker.Permanent(classInvalid, fmt.Errorf("%s: %w", field, err))
	}
	o, clamped := memory.Clamp(o, highest)
	if clamped {
		s.claims.origin++
	}
	return o, nil
}

// confidence clamps a claimed confidence to judge.MaxConfidence.
func (s *submission) confidence(claim float64) float64 {
	if claim > judge.MaxConfidence {
		s.claims.confidence++
		return judge.MaxConfidence
	}
	return claim
}

// observedAt returns when the text was observed, zero where the publisher gave no
// time. The time of publishing does not date a fact (D31).
func observedAt(msg *winnowv1.ProposalCreated) time.Time {
	if msg.GetObservedAt().IsValid() {
		return msg.GetObservedAt().AsTime()
	}
	return time.Time{}
}

// classOfShape returns the class of a proposal whose fields are invalid.
func classOfShape(err error) string {
	for _, f := range memory.Faults(err) {
		if !f.TooLarge {
			return classInvalid
		}
	}
	return classTooLarge
}

// classOf returns the class of an error of package event.
func classOf(err error) string {
	switch {
	case errors.Is(err, event.ErrVersion):
		return classVersion
	case errors.Is(err, event.ErrTooLarge):
		return classTooLarge
	default:
		return classMalformed
	}
}
