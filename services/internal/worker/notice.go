package worker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"

	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/telemetry"
)

// Notice is the third form of a worker: a durable whose events only say that
// something changed, and the projection that they bring up to date. All events about
// one [Topic] cause one update. There is no inbox: an update may be repeated.
type Notice struct {
	Durable bus.Durable
	// Batch is the largest number of events of one round, 1 to 512.
	Batch int
	// Foreign marks messages that are not Winnow's events, such as the server's
	// advisories. They are not parsed: the envelope has subject and data alone.
	Foreign bool
	// Projection does the work. When it implements [Runner] as well, its Run is
	// called concurrently with the rounds.
	Projection Projection
}

// Projection is brought up to date by a notice. It never settles an event: the
// pipeline acknowledges, retries and dead-letters by the result of Project. Its
// methods are called by one goroutine, one round after the other.
type Projection interface {
	// Await is called before each round and returns the longest time that the round
	// waits for events; 0 begins the round without events. It may block to space
	// rounds. After an error nothing is pulled, and Await is called again after a
	// pause, which [Snooze] sets.
	Await(ctx context.Context) (time.Duration, error)
	// Topic returns the subject matter of an event. An event for which it returns an
	// error becomes a dead letter.
	Topic(e Event) (Topic, error)
	// Project brings the topics up to the current state. Topics may be empty: a round
	// without events is for changes that no event announces. An event is acknowledged
	// unless failed holds its topic's index or the whole round failed. Then it is
	// redelivered after a delay, which [Snooze] sets, until the durable's MaxDeliver;
	// a [Permanent] error makes it a dead letter at once. A round that the end of ctx
	// interrupts is repeated.
	Project(ctx context.Context, topics []TopicEvents) (failed map[int]error, err error)
}

// Topic names what an event is about: a scope, a memory or another thing of a
// tenant.
type Topic struct {
	Tenant memory.Tenant
	Name   string
}

// TopicEvents is a topic and the events about it, oldest first.
type TopicEvents struct {
	Topic
	Events []Event
}

// topicDeliveries is a topic with the deliveries of its events.
type topicDeliveries struct {
	TopicEvents
	deliveries []delivery
}

// newNotice returns the pipeline of a notice.
func newNotice(def Definition, n Notice, deps Deps) (*Pipeline, error) {
	if n.Batch < 1 || n.Projection == nil {
		return nil, fmt.Errorf("worker %s: a notice needs a projection and a batch of at least 1", def.Name)
	}
	// The pipeline reads its durable and its form from the definition.
	def.Durable, def.Batch, def.Handle, def.Work, def.Run = n.Durable, n.Batch, nil, nil, nil
	p := newPipeline(def, deps, 0)
	p.notice = &n
	var err error
	if p.source, err = deps.Source(n.Durable); err != nil {
		return nil, fmt.Errorf("worker %s: %w", def.Name, err)
	}
	return p, nil
}

// runNotice runs rounds until ctx ends.
func (p *Pipeline) runNotice(ctx context.Context) {
	for ctx.Err() == nil {
		wait, err := Guarded(func() (time.Duration, error) { return p.notice.Projection.Await(ctx) })
		if err == nil {
			err = p.noticeRound(ctx, p.fetchWithin(ctx, wait))
		}
		if err != nil && ctx.Err() == nil {
			p.log.Warn("the next round is later", zap.String(telemetry.KeyStream, p.def.Durable.Stream), zap.Error(err))
			pause(ctx, pauseAfter(err))
		}
	}
	p.readiness.set(errors.New("draining"))
	p.source.Drain()
}

// fetchWithin returns a batch, or nil when no event arrives within wait.
func (p *Pipeline) fetchWithin(ctx context.Context, wait time.Duration) []bus.Message {
	if wait <= 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	return p.fetch(ctx)
}

// noticeRound projects a batch and settles it. The error is that of the whole round,
// after every delivery is settled.
func (p *Pipeline) noticeRound(ctx context.Context, batch []bus.Message) error {
	defer p.extendAckWait(batch)()
	return p.project(ctx, p.coalesce(ctx, batch))
}

// coalesce groups the events of a batch by topic, in the order of arrival. A message
// that cannot be parsed becomes a dead letter.
func (p *Pipeline) coalesce(ctx context.Context, batch []bus.Message) []topicDeliveries {
	var topics []topicDeliveries
	at := make(map[Topic]int)
	for _, d := range p.decode(ctx, batch) {
		topic, err := p.topicOf(ctx, &d.event)
		switch {
		case err != nil && transient(err):
			p.retry(ctx, []delivery{d}, err)
			continue
		case err != nil:
			p.deadLetter(ctx, d, err)
			continue
		}
		i, known := at[topic]
		if !known {
			i = len(topics)
			at[topic] = i
			topics = append(topics, topicDeliveries{TopicEvents: TopicEvents{Topic: topic}})
		}
		topics[i].Events = append(topics[i].Events, d.event)
		topics[i].deliveries = append(topics[i].deliveries, d)
	}
	return topics
}

func (p *Pipeline) topicOf(ctx context.Context, e *Event) (Topic, error) {
	if !p.notice.Foreign {
		if err := p.identify(ctx, e); err != nil {
			return Topic{}, err
		}
	}
	return Guarded(func() (Topic, error) { return p.notice.Projection.Topic(*e) })
}

// project updates the topics and settles their events. A round that can never
// succeed, such as one that panics, is split in halves until the topic at fault is
// alone.
func (p *Pipeline) project(ctx context.Context, topics []topicDeliveries) error {
	round := make([]TopicEvents, len(topics))
	for i := range topics {
		round[i] = topics[i].TopicEvents
	}
	done := p.metrics.stage("project")
	failed, err := Guarded(func() (map[int]error, error) { return p.notice.Projection.Project(ctx, round) })
	done()
	switch {
	case err != nil && permanentClass(err) != "" && len(topics) > 1:
		half := len(topics) / 2
		return errors.Join(p.project(ctx, topics[:half]), p.project(ctx, topics[half:]))
	case err != nil:
		var all []delivery
		for _, h := range topics {
			all = append(all, h.deliveries...)
		}
		p.settleFailedRound(ctx, all, err)
		return err
	}
	p.deps.At(PointBeforeAck)
	// Topics often fail for one cause, such as a vault: it is logged once.
	byCause := make(map[string][]delivery)
	why := make(map[string]error)
	for i, h := range topics {
		if err := failed[i]; err != nil {
			byCause[err.Error()] = append(byCause[err.Error()], h.deliveries...)
			why[err.Error()] = err
			continue
		}
		for _, d := range h.deliveries {
			p.acknowledgeOne(ctx, d, resultOK)
		}
	}
	for text, deliveries := range byCause {
		p.settleFailedRound(ctx, deliveries, why[text])
	}
	return nil
}

// settleFailedRound settles the deliveries of an attempt without effect: a retry, or
// a dead letter when the error is permanent.
func (p *Pipeline) settleFailedRound(ctx context.Context, deliveries []delivery, err error) {
	if len(deliveries) == 0 {
		return
	}
	if permanentClass(err) == "" {
		p.retry(ctx, deliveries, err)
		return
	}
	for _, d := range deliveries {
		p.deadLetter(ctx, d, err)
	}
}

// pauseAfter returns the pause before the next round after an error.
func pauseAfter(err error) time.Duration {
	var snooze *SnoozeError
	if errors.As(err, &snooze) {
		return snooze.After
	}
	return firstRetry
}

// pause returns after d or at the end of ctx.
func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(max(d, 0))
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
