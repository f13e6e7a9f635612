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

// suspect is the delivery from which on an event is handled alone. A process
// that dies takes a whole batch's try with it; were they delivered together
// again and again, one event that kills the process would exhaust them all.
const suspect = 3

// delivery is a message and the event in it.
type delivery struct {
	msg   bus.Message
	event Event
	taken time.Time // when it was pulled
}

// group is events of one tenant, decided and committed together.
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

// decode reads subjects and headers. Messages that can never be read become
// dead letters and are left out.
func (p *Pipeline) decode(ctx context.Context, batch []bus.Message) []delivery {
	out := make([]delivery, 0, len(batch))
	now := time.Now()
	for _, m := range batch {
		meta := m.Meta()
		env, err := p.parse(m)
		d := delivery{msg: m, event: Event{Envelope: env, Stored: meta.Stored, Attempt: meta.Delivered}, taken: now}
		if err != nil {
			// A type that was not understood is a publisher's text, not a label.
			d.event.Type = ""
			p.bury(ctx, d, err)
			continue
		}
		out = append(out, d)
	}
	return out
}

// parse reads subject and headers, of what is an event at all.
func (p *Pipeline) parse(m bus.Message) (event.Envelope, error) {
	meta := m.Meta()
	id := bus.FallbackID(meta.Stream, meta.Sequence, meta.Stored)
	if p.notice != nil && p.notice.Foreign {
		return event.Envelope{ID: id, Subject: m.Subject(), Data: m.Data()}, nil
	}
	return event.Parse(m.Subject(), m.Header(), m.Data(), id)
}

// resolve finds out who published each event and sorts them by tenant, in the
// order of arrival. Events of nobody become dead letters. The error is the
// store's.
func (p *Pipeline) resolve(ctx context.Context, deliveries []delivery) ([]group, error) {
	// All look-ups come first: they can fail, and what is buried stays buried.
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
			p.bury(ctx, d, err)
			continue
		}
		if d.event.Attempt >= suspect {
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

// identify finds out who published an event and whose it is. A permanent error
// says that it is nobody's.
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

// sortOut takes out of the group what the plan refuses: as dead letters, or for
// another delivery where the plan asks for that. It returns the plan's indexes of
// the rest and their inbox items.
func (p *Pipeline) sortOut(ctx context.Context, g *group, plan Plan) (kept []int, items []store.Item) {
	refused, scopes := plan.Refused(), plan.Scopes()
	rest, later := make([]delivery, 0, len(g.deliveries)), make(map[error][]delivery)
	for i, d := range g.deliveries {
		switch err := refused[i]; {
		case err == nil:
		case transient(err):
			later[err] = append(later[err], d)
			continue
		default:
			p.bury(ctx, d, err)
			continue
		}
		rest = append(rest, d)
		kept = append(kept, i)
		items = append(items, store.Item{Key: d.event.Key(), Scope: scopes[i]})
	}
	for err, deliveries := range later {
		p.retry(ctx, deliveries, err)
	}
	g.deliveries = rest
	return kept, items
}

// decider is the plan's decision in terms of the items that were kept.
func (p *Pipeline) decider(plan Plan, kept []int) store.DecideFunc {
	return func(ctx context.Context, fresh []int, view store.LaneView) (change.Set, error) {
		own := make([]int, len(fresh))
		for i, item := range fresh {
			own[i] = kept[item]
		}
		set, err := plan.Decide(ctx, own, view)
		// Everything is decided, the lanes are locked, nothing is written.
		p.deps.At(PointBeforeCommit)
		return set, err
	}
}
