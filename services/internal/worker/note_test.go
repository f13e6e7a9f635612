package worker_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
	"github.com/winnowhq/winnow/services/internal/worker"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// notes is the smallest worker that has an effect: every proposal becomes a row
// and an event. Words in a proposal's text make it fail in one way or another.
func notes() worker.Definition {
	return worker.Definition{
		Name: "notes",
		Durable: bus.Durable{
			Stream: bus.StreamIntake, Name: "notes",
			Filters:    []string{event.SubjectProposalCreated, event.SubjectProposalCreated + ".>"},
			AckWait:    time.Minute,
			MaxPending: 4096, MaxDeliver: 5,
		},
		Batch: 64,
		Handle: func(d worker.Deps) (worker.Handler, error) {
			h := noteHandler{newID: d.NewID, now: d.Now, conflicts: new(atomic.Int64), snoozed: new(atomic.Bool)}
			h.conflicts.Store(3)
			return h, nil
		},
	}
}

type noteHandler struct {
	newID func(string) string
	now   func() time.Time
	// conflicts is how many more attempts at "conflict" fail with a conflict.
	conflicts *atomic.Int64
	// snoozed records that "snooze" was redelivered.
	snoozed *atomic.Bool
}

var errBug = errors.New("a bug that shows with this text")

func (h noteHandler) Prepare(_ context.Context, tenant memory.Tenant, events []worker.Event) (worker.Plan, error) {
	p := &notePlan{noteHandler: h, tenant: tenant, events: events, refused: map[int]error{}}
	p.messages = make([]*winnowv1.ProposalCreated, len(events))
	p.scopes = make([]memory.Scope, len(events))
	for i, e := range events {
		msg := new(winnowv1.ProposalCreated)
		if err := event.Unmarshal(e.Envelope, msg); err != nil {
			p.refused[i] = err
			continue
		}
		if strings.TrimSpace(msg.GetText()) == "" {
			p.refused[i] = worker.Permanent("invalid", errors.New("text: is empty; send the text that is to be remembered"))
			continue
		}
		if strings.Contains(msg.GetText(), "snooze") && h.snoozed.CompareAndSwap(false, true) {
			return nil, worker.Snooze(time.Millisecond, errors.New("come back"))
		}
		if strings.Contains(msg.GetText(), "later") && e.Attempt == 1 {
			p.refused[i] = worker.Snooze(time.Millisecond, errors.New("its lane is not there yet"))
			continue
		}
		scope, err := memory.ParseScope(msg.GetScope())
		if err != nil {
			p.refused[i] = worker.Permanent("invalid", err)
			continue
		}
		p.messages[i], p.scopes[i] = msg, scope
	}
	return p, nil
}

type notePlan struct {
	noteHandler
	tenant   memory.Tenant
	events   []worker.Event
	messages []*winnowv1.ProposalCreated
	scopes   []memory.Scope
	refused  map[int]error
}

func (p *notePlan) Scopes() []memory.Scope { return p.scopes }
func (p *notePlan) Refused() map[int]error { return p.refused }
func (p *notePlan) Done(bool)              {}

func (p *notePlan) Decide(_ context.Context, fresh []int, _ store.LaneView) (change.Set, error) {
	var set change.Set
	for _, i := range fresh {
		e, msg := p.events[i], p.messages[i]
		switch text := msg.GetText(); {
		case strings.Contains(text, "permanent"):
			return change.Set{}, worker.Permanent("bug", errBug)
		case strings.Contains(text, "panic"):
			panic(errBug)
		case strings.Contains(text, "conflict") && p.conflicts.Add(-1) >= 0:
			return change.Set{}, fmt.Errorf("stale: %w", store.ErrConflict)
		case strings.Contains(text, "unknown"):
			return change.Set{}, errBug
		case strings.Contains(text, "refused by the store"):
			msg.Text = "\x00"
		}
		id := p.newID("prop_")
		set.Proposals = append(set.Proposals, memory.Proposal{
			ID: id, Tenant: p.tenant, Scope: p.scopes[i], State: memory.ProposalNeedsReview,
			Text: msg.GetText(), Principal: e.Principal.ID, Origin: memory.OriginAgent, Authority: memory.OriginAgent,
			EventID: e.ID, CreatedAt: p.now(), LastConfirmed: p.now(), SeenCount: 1,
		})
		decided := p.newID("evt_")
		set.Events = append(set.Events, change.Event{
			ID: decided, Subject: event.SubjectProposalDecided, Type: event.TypeFor(event.SubjectProposalDecided),
			Message: &winnowv1.ProposalDecided{Id: decided, ProposalId: id, EventId: e.ID, Principal: e.Principal.ID, Scope: string(p.scopes[i])},
		})
	}
	return set, nil
}

// proposal is one event on the bare subject, in JSON.
func proposal(id, text string) bus.Outgoing {
	return bus.Outgoing{
		ID: id, Subject: event.SubjectProposalCreated,
		Data: fmt.Appendf(nil, `{"id":%q,"scope":"project:shop","text":%q}`, id, text),
	}
}

func many(n int, text string) []bus.Outgoing {
	out := make([]bus.Outgoing, n)
	for i := range out {
		out[i] = proposal(fmt.Sprintf("e%05d", i), fmt.Sprintf("%s %d", text, i))
	}
	return out
}
