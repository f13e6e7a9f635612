package worker

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"

	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/telemetry"
)

const (
	// overtakeEvery is the pause between two looks behind a flood.
	overtakeEvery = 100 * time.Millisecond
	// overtakeShare of a batch is what overtaking handles at once, and what is pulled
	// at once while somebody overtakes: others wait for at most two batches.
	overtakeShare = 4
	// contended is how long batches stay small after somebody overtook.
	contended = 10 * time.Second
	// maxPeeks bounds the requests of one look. Who is left out is first at the next.
	maxPeeks = 64
	// probe is how many of a principal's events are read to see whether the next pull
	// brings them anyway, as it does with those of the flood itself.
	probe = 8
	// maxOvertaken bounds what is remembered of events that overtook and that the
	// durable has not delivered yet.
	maxOvertaken = 100_000
)

// overtaker lets the events of principals who send little take effect before the flood
// of another that was published earlier. A durable delivers in the order of the stream,
// and an event that is handed back still counts as unsettled, so a flood longer than
// MaxPending cannot be put aside. The overtaker reads the events behind it directly and
// has them handled. When the durable delivers them at last, the inbox knows them, as
// after a redelivery; this process acknowledges without asking it.
//
// Events of one principal keep their order: they are read from its first undelivered
// one on. Without a backlog there is no request at all. It is for one goroutine, apart
// from its messages' Ack.
type overtaker struct {
	pipe    *Pipeline
	counted prometheus.Counter

	looked   time.Time
	behind   bool              // the last pull was full: more waits
	next     map[string]uint64 // by subject, the first sequence number that was not read
	overtook time.Time
	turn     int
	settled  *settledAhead
}

func newOvertaker(p *Pipeline) *overtaker {
	counted := telemetry.Registered(p.deps.Metrics, prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "winnow_events_overtook_total",
		Help: "Events that took effect before the flood of another principal that was published earlier.",
	}, []string{"service"}))
	return &overtaker{
		pipe: p, counted: counted.WithLabelValues(p.def.Name),
		next: map[string]uint64{}, settled: newSettledAhead(),
	}
}

// overtaking is an event that is handled out of turn. It is settled by being
// remembered; anything but success leaves it to its turn.
type overtaking struct {
	bus.Message
	o *overtaker
}

// Ack implements [bus.Message].
func (m overtaking) Ack(context.Context) error {
	m.o.settled.add(m.Meta().Sequence)
	m.o.counted.Inc()
	return nil
}

// batch returns the events that may overtake now, or nothing.
func (o *overtaker) batch(ctx context.Context) []bus.Message {
	now := time.Now()
	if !o.behind && !o.pipe.limits.postponing() || now.Sub(o.looked) < overtakeEvery || o.settled.full() {
		return nil
	}
	o.looked = now
	delivered, waiting, err := o.pipe.source.Waiting(ctx)
	if err != nil {
		o.pipe.log.Debug("look behind the backlog", zap.Error(err))
		return nil
	}
	o.settled.forget(delivered, o.pipe.def.Durable.MaxPending)
	var batch []bus.Message
	for _, w := range o.order(ctx, delivered, waiting) {
		batch = append(batch, o.read(ctx, w, delivered)...)
	}
	if len(batch) > 0 {
		o.overtook = now
	}
	return batch
}

// waiter is a principal whose events wait, and how many of them may go now.
type waiter struct {
	subject string
	tenant  memory.Tenant
	from    uint64
	share   int
}

// order returns whose events may go now: tenants get equal shares of a batch, and
// within one its principals do.
func (o *overtaker) order(ctx context.Context, delivered uint64, waiting []bus.Waiting) []waiter {
	fresh := make(map[string]uint64, len(waiting))
	var list []waiter
	for _, w := range waiting {
		from := max(delivered+1, o.next[w.Subject])
		fresh[w.Subject] = from
		if w.Last < from {
			continue
		}
		tenant, known := o.tenantOf(ctx, w.Subject)
		if known {
			list = append(list, waiter{subject: w.Subject, tenant: tenant, from: from})
		}
	}
	o.next = fresh
	o.turn++
	return shares(list, o.turn, max(o.pipe.def.Batch/overtakeShare, 1))
}

// tenantOf returns the tenant of a subject's principal. An unknown principal's events
// become dead letters in their turn.
func (o *overtaker) tenantOf(ctx context.Context, subject string) (memory.Tenant, bool) {
	id := o.pipe.deps.DefaultPrincipal
	for _, f := range o.pipe.def.Durable.Filters {
		if prefix, open := strings.CutSuffix(f, ">"); open && strings.HasPrefix(subject, prefix) {
			id = strings.TrimPrefix(subject, prefix)
		}
	}
	who, err := o.pipe.principals.find(ctx, id)
	return who.Tenant, err == nil
}

// shares takes at most maxPeeks of the list, in turn over the tenants and, by the
// number of the turn, within each, and divides so many events among them.
func shares(list []waiter, turn, events int) []waiter {
	byTenant := map[memory.Tenant][]waiter{}
	for _, w := range list {
		byTenant[w.tenant] = append(byTenant[w.tenant], w)
	}
	var tenants []memory.Tenant
	for t := range byTenant {
		tenants = append(tenants, t)
	}
	slices.Sort(tenants)
	tenants = rotated(tenants, turn)
	for t, of := range byTenant {
		byTenant[t] = rotated(of, turn)
	}
	var out []waiter
	for round := 0; len(out) < min(len(list), maxPeeks); round++ {
		for _, t := range tenants {
			if of := byTenant[t]; round < len(of) && len(out) < maxPeeks {
				out = append(out, of[round])
			}
		}
	}
	taken := map[memory.Tenant]int{}
	for _, w := range out {
		taken[w.tenant]++
	}
	for i := range out {
		out[i].share = max(events/len(taken)/taken[out[i].tenant], 1)
	}
	return out
}

func rotated[T any](list []T, by int) []T {
	if len(list) == 0 {
		return list
	}
	by %= len(list)
	return slices.Concat(list[by:], list[:by])
}

// read returns a waiter's events, in order. It returns none when the next pull brings
// them anyway.
func (o *overtaker) read(ctx context.Context, w waiter, delivered uint64) []bus.Message {
	found, err := o.pipe.source.Peek(ctx, w.subject, w.from, min(w.share, probe))
	if err != nil || len(found) == 0 {
		return nil
	}
	last := found[len(found)-1].Meta().Sequence
	if last <= delivered+uint64(o.pipe.def.Batch) && !o.pipe.limits.postponing() {
		return nil
	}
	if len(found) == probe && w.share > probe {
		// After an error the first ones go alone.
		more, _ := o.pipe.source.Peek(ctx, w.subject, last+1, w.share-probe)
		found = append(found, more...)
		last = found[len(found)-1].Meta().Sequence
	}
	o.next[w.subject] = last + 1
	for i, m := range found {
		found[i] = overtaking{m, o}
	}
	return found
}

// pulled notes a pull of the durable and returns the events that have not taken effect
// yet. The others are acknowledged.
func (o *overtaker) pulled(ctx context.Context, batch []bus.Message, full bool) []bus.Message {
	o.behind = full
	if o.settled.empty() {
		return batch
	}
	return slices.DeleteFunc(batch, func(m bus.Message) bool {
		if !o.settled.remove(m.Meta().Sequence) {
			return false
		}
		if err := m.Ack(ctx); err != nil {
			o.pipe.log.Debug("ack", zap.Error(err))
		}
		return true
	})
}

// contended reports whether somebody overtook a moment ago.
func (o *overtaker) contended() bool { return time.Since(o.overtook) < contended }
