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

// Notice is the third form: a durable whose events only say that something
// changed, and what is brought up to date because of them. Events about one
// [Topic] are one piece of work, however many they are. There is no inbox: doing
// the work again is harmless.
type Notice struct {
	Durable bus.Durable
	// Batch is the most events of one round, 1 to 512.
	Batch int
	// Foreign says that the messages are not Winnow's events but, for instance, the
	// server's notes. They are not parsed: the envelope has subject and data alone.
	Foreign bool
	// Projection does the work. When it implements [Runner] as well, that runs
	// beside the rounds.
	Projection Projection
}

// Projection is what a notice brings up to date. It never settles an event: the
// pipeline acknowledges, retries and dead-letters by what Project returns. Its
// methods are called by one goroutine, one round after the other.
type Projection interface {
	// Await is called before each round and returns how long the round waits for
	// events at most. It may block to keep rounds apart, and 0 begins the round
	// without events. After an error nothing is pulled; Await is called again after
	// a pause, which [Snooze] sets.
	Await(ctx context.Context) (time.Duration, error)
	// Topic returns what an event is about. Nothing helps an event that it refuses:
	// the event becomes a dead letter.
	Topic(e Event) (Topic, error)
	// Project brings the topics up to date, as everything is now. Topics may be
	// empty: a round in which nothing was heard is for what no event tells. An
	// event is acknowledged unless its topic, by index, is in failed or the round
	// failed as a whole; then it comes back after a delay, which [Snooze] sets,
	// until the durable's MaxDeliver. A [Permanent] error makes a dead letter of it
	// at once. A round that is cut short by the end of ctx is made again.
	Project(ctx context.Context, topics []Told) (failed map[int]error, err error)
}

// Topic is what an event is about: something of a tenant by name, such as a scope
// or a memory.
type Topic struct {
	Tenant memory.Tenant
	Name   string
}

// Told is a topic and the events that tell of it, oldest first.
type Told struct {
	Topic
	Events []Event
}

// heard is a topic with the deliveries of its events.
type heard struct {
	Told
	deliveries []delivery
}

// newNotice builds the pipeline of a notice.
func newNotice(def Definition, n Notice, deps Deps) (*Pipeline, error) {
	if n.Batch < 1 || n.Projection == nil {
		return nil, fmt.Errorf("worker %s: a notice needs a projection and a batch of at least 1", def.Name)
	}
	// What the pipeline knows of its durable, it knows from the definition.
	def.Durable, def.Batch, def.Handle, def.Work, def.Run = n.Durable, n.Batch, nil, nil, nil
	p := newPipeline(def, deps, 0)
	p.notice = &n
	var err error
	if p.source, err = deps.Source(n.Durable); err != nil {
		return nil, fmt.Errorf("worker %s: %w", def.Name, err)
	}
	return p, nil
}

// runNotice makes rounds until ctx ends.
func (p *Pipeline) runNotice(ctx context.Context) {
	for ctx.Err() == nil {
		wait, err := Guarded(func() (time.Duration, error) { return p.notice.Projection.Await(ctx) })
		if err == nil {
			err = p.noticeRound(ctx, p.hear(ctx, wait))
		}
		if err != nil && ctx.Err() == nil {
			p.log.Warn("the next round is later", zap.String(telemetry.KeyStream, p.def.Durable.Stream), zap.Error(err))
			rest(ctx, pauseAfter(err))
		}
	}
	p.readiness.set(errors.New("draining"))
	p.source.Drain()
}

// hear pulls a batch, or returns nothing when it was quiet for the wait.
func (p *Pipeline) hear(ctx context.Context, wait time.Duration) []bus.Message {
	if wait <= 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	return p.fetch(ctx)
}

// noticeRound takes a batch to its effect and settles it. The error is that of the
// round as a whole, after everything is settled.
func (p *Pipeline) noticeRound(ctx context.Context, batch []bus.Message) error {
	defer p.keepInHand(batch)()
	return p.project(ctx, p.coalesce(ctx, batch))
}

// coalesce reads a batch and sorts it by topic, in the order of arrival. What
// cannot be read becomes a dead letter.
func (p *Pipeline) coalesce(ctx context.Context, batch []bus.Message) []heard {
	var topics []heard
	at := make(map[Topic]int)
	for _, d := range p.decode(ctx, batch) {
		topic, err := p.topicOf(ctx, &d.event)
		switch {
		case err != nil && transient(err):
			p.retry(ctx, []delivery{d}, err)
			continue
		case err != nil:
			p.bury(ctx, d, err)
			continue
		}
		i, known := at[topic]
		if !known {
			i = len(topics)
			at[topic] = i
			topics = append(topics, heard{Told: Told{Topic: topic}})
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

// project has topics brought up to date and settles their events. A round that can
// never succeed, such as one that panics, is tried in halves until the topic that
// is to blame stands alone.
func (p *Pipeline) project(ctx context.Context, topics []heard) error {
	told := make([]Told, len(topics))
	for i := range topics {
		told[i] = topics[i].Told
	}
	done := p.metrics.stage("project")
	failed, err := Guarded(func() (map[int]error, error) { return p.notice.Projection.Project(ctx, told) })
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
		p.giveUpRound(ctx, all, err)
		return err
	}
	p.deps.At(PointBeforeAck)
	// Topics often fail of one thing, such as a vault: that is said once.
	together := make(map[string][]delivery)
	why := make(map[string]error)
	for i, h := range topics {
		if err := failed[i]; err != nil {
			together[err.Error()] = append(together[err.Error()], h.deliveries...)
			why[err.Error()] = err
			continue
		}
		for _, d := range h.deliveries {
			p.acknowledgeOne(ctx, d, resultOK)
		}
	}
	for text, deliveries := range together {
		p.giveUpRound(ctx, deliveries, why[text])
	}
	return nil
}

// giveUpRound ends a try that brought no effect.
func (p *Pipeline) giveUpRound(ctx context.Context, deliveries []delivery, err error) {
	if len(deliveries) == 0 {
		return
	}
	if permanentClass(err) == "" {
		p.retry(ctx, deliveries, err)
		return
	}
	for _, d := range deliveries {
		p.bury(ctx, d, err)
	}
}

// pauseAfter is how long the next round waits after an error.
func pauseAfter(err error) time.Duration {
	var snooze *SnoozeError
	if errors.As(err, &snooze) {
		return snooze.After
	}
	return firstRetry
}

// rest waits for d or the end of ctx.
func rest(ctx context.Context, d time.Duration) {
	t := time.NewTimer(max(d, 0))
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
