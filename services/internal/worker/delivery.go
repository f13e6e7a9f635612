package worker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/winnowhq/winnow/pkg/event"
	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// isolateAttempt is the attempt from which on an event is handled alone. A process
// that dies costs every event of its batch an attempt. If the batch stayed
// together, one event that kills the process would exhaust the others too.
const isolateAttempt = 3

// delivery is a message and its decoded event.
type delivery struct {
	msg      bus.Message
	event    Event
	pulledAt time.Time
}

// group holds events of one tenant that are decided and committed together.
type group struct {
	tenant     memory.Tenant
	deliveries []delivery
}

func (g group) events() []Event {
	events := make([]Event, len(g.deliveries))
	for i, d := range g.deliveries {
		events[i] = d.event
	}
	return events
}

// decode returns the events of a batch. A message that can never be parsed becomes
// a dead letter and is left out.
func (p *Pipeline) decode(ctx context.Context, batch []bus.Message) []delivery {
	out := make([]delivery, 0, len(batch))
	now := time.Now()
	for _, m := range batch {
		meta := m.Meta()
		env, err := p.parse(m)
		d := delivery{msg: m, event: Event{Envelope: env, Stored: meta.Stored, Attempt: meta.Delivered}, pulledAt: now}
		if err != nil {
			p.deadLetter(ctx, d, err)
			continue
		}
		out = append(out, d)
	}
	return out
}

// parse returns the envelope of a message. A foreign message is no event: its
// envelope has the subject and the data alone.
func (p *Pipeline) parse(m bus.Message) (event.Envelope, error) {
	meta := m.Meta()
	id := bus.FallbackID(meta.Stream, meta.Sequence, meta.Stored)
	if p.notice != nil && p.notice.Foreign {
		return event.Envelope{ID: id, Subject: m.Subject(), Data: m.Data()}, nil
	}
	env, err := event.Parse(m.Subject(), m.Header(), m.Data(), id)
	if p.deps.Redactor != nil && env.ID != id {
		env.ID = p.deps.Redactor.ID(env.ID) // the publisher's choice
	}
	return env, err
}

// resolve identifies the publisher of each event and groups the events by tenant,
// in the order of arrival. Events from an unknown publisher become dead letters.
// The error is the store's.
func (p *Pipeline) resolve(ctx context.Context, deliveries []delivery) ([]group, error) {
	// All look-ups come first: one of them can fail, and a dead letter is final.
	unknown := make(map[int]error)
	for i := range deliveries {
		err := p.identify(ctx, &deliveries[i].event)
		switch {
		case err == nil:
		case asPermanent(err) != nil:
			unknown[i] = err
		default:
			return nil, fmt.Errorf("resolve principal: %w", err)
		}
	}
	var groups []group
	open := make(map[memory.Tenant]int)
	for i, d := range deliveries {
		if err := unknown[i]; err != nil {
			p.deadLetter(ctx, d, err)
			continue
		}
		if d.event.Attempt >= isolateAttempt {
			groups = append(groups, group{d.event.Tenant, []delivery{d}})
			continue
		}
		at, ok := open[d.event.Tenant]
		if !ok {
			at = len(groups)
			open[d.event.Tenant] = at
			groups = append(groups, group{tenant: d.event.Tenant})
		}
		groups[at].deliveries = append(groups[at].deliveries, d)
	}
	return groups, nil
}

// identify sets the principal and the tenant of an event. A permanent error means
// that the event has neither.
func (p *Pipeline) identify(ctx context.Context, e *Event) error {
	e.Tenant = memory.SystemTenant
	if event.Internal(e.Subject) {
		if e.Envelope.Tenant == "" {
			return Permanent(classPrincipal, errors.New("an internal event names no tenant; only Winnow's relay publishes on its subject"))
		}
		e.Tenant = memory.Tenant(e.Envelope.Tenant)
		return nil
	}
	id := e.Envelope.Principal
	if id == "" {
		id = p.deps.DefaultPrincipal
	}
	if id == "" {
		return Permanent(classPrincipal, errors.New("the subject names no principal and none is configured as the default; publish on <subject>.<principal>"))
	}
	who, err := p.principals.find(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		return Permanent(classPrincipal, fmt.Errorf("principal %q is not registered; register it with winnow principal add", id))
	}
	if err != nil {
		return err
	}
	e.Principal, e.Tenant = who, who.Tenant
	return nil
}

// removeRefused removes from the group the events that the plan refuses: they
// become dead letters, or are redelivered where the plan asks for that. It returns
// the plan's indexes of the others and their inbox items.
func (p *Pipeline) removeRefused(ctx context.Context, g *group, plan Plan) (accepted []int, items []store.Item) {
	refused, scopes := plan.Refused(), plan.Scopes()
	rest, later := make([]delivery, 0, len(g.deliveries)), make(map[error][]delivery)
	for i, d := range g.deliveries {
		switch err := refused[i]; {
		case err == nil:
		case transient(err):
			later[err] = append(later[err], d)
			continue
		default:
			p.deadLetter(ctx, d, err)
			continue
		}
		rest = append(rest, d)
		accepted = append(accepted, i)
		items = append(items, store.Item{Key: d.event.Key(), Scope: scopes[i]})
	}
	for err, deliveries := range later {
		p.retry(ctx, deliveries, err)
	}
	g.deliveries = rest
	return accepted, items
}

// decider returns the plan's decision as a function of the accepted items: the
// store counts items, the plan counts the events of its batch.
func (p *Pipeline) decider(plan Plan, accepted []int, events []Event) store.DecideFunc {
	return func(ctx context.Context, fresh []int, view store.LaneView) (change.Set, error) {
		own := make([]int, len(fresh))
		for i, item := range fresh {
			own[i] = accepted[item]
		}
		set, err := plan.Decide(ctx, own, view)
		continueTraces(&set, events)
		// Here everything is decided, the lanes are locked, nothing is written.
		p.deps.At(PointBeforeCommit)
		return set, err
	}
}
