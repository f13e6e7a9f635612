package worker

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"go.uber.org/zap"

	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/telemetry"
)

// acknowledge settles a committed group. fresh lists the events that took effect now;
// the others had taken effect before. A lost ack costs a redelivery without effect.
func (p *Pipeline) acknowledge(ctx context.Context, g group, fresh []int) {
	took := make([]bool, len(g.deliveries))
	for _, i := range fresh {
		took[i] = true
	}
	if again := len(g.deliveries) - len(fresh); again > 0 {
		// Rare. After a crash it shows an operator that the inbox worked.
		p.log.Info("events had taken effect before", zap.Int(telemetry.KeyDuplicates, again))
	}
	for i, d := range g.deliveries {
		result := resultDuplicate
		if took[i] {
			result = resultOK
		}
		p.acknowledgeOne(ctx, d, result)
	}
}

func (p *Pipeline) acknowledgeOne(ctx context.Context, d delivery, result string) {
	// Counted before the ack, so that a test that sees the ack finds it counted.
	p.metrics.settled(d, result)
	if err := d.msg.Ack(ctx); err != nil {
		p.log.Debug("ack", zap.Error(err))
	}
}

// settleFailed settles an attempt at one event without effect: the event is
// redelivered, or becomes a dead letter when no further attempt can help.
func (p *Pipeline) settleFailed(ctx context.Context, d delivery, err error) {
	if permanentClass(err) == "" {
		p.retry(ctx, []delivery{d}, err)
		return
	}
	p.deadLetter(ctx, d, err)
}

// retry returns events to the server for redelivery. The last delivery that the
// server would grant is not used: a dead letter with the reason is worth more.
func (p *Pipeline) retry(ctx context.Context, deliveries []delivery, err error) {
	if errors.Is(err, context.Canceled) || ctx.Err() != nil {
		// This process is stopping; nothing is wrong with the events.
		for _, d := range deliveries {
			p.nak(d, time.Duration(rand.Int64N(int64(returnSpread))))
		}
		return
	}
	most := p.def.Durable.MaxDeliver
	// A notice may be retried without limit: its work can be done at any later time.
	endless := p.notice != nil && most < 0
	if most <= 0 {
		most = defaultMaxDeliver
	}
	// During an outage every event fails; events are returned as often as the server
	// allows.
	if unavailable(err) {
		// No more events are pulled until the outage ends.
		p.readiness.set(err)
	} else {
		most--
	}
	var snooze *SnoozeError
	errors.As(err, &snooze)
	for _, d := range deliveries {
		switch {
		case d.event.Attempt >= most && !endless:
			p.deadLetter(ctx, d, Permanent(classExhausted, err))
		case snooze != nil:
			p.nak(d, jitter(snooze.After))
		default:
			p.nak(d, retryDelay(d.event.Attempt))
		}
	}
	p.log.Warn("events are tried again later", zap.Int(telemetry.KeyCount, len(deliveries)), traceFields(deliveries), zap.Error(err))
}

func (p *Pipeline) nak(d delivery, delay time.Duration) {
	if _, ahead := d.msg.(overtaking); ahead {
		return // the durable still delivers it
	}
	p.metrics.settled(d, resultRetry)
	if err := d.msg.Retry(delay); err != nil {
		// An unsettled event is redelivered after AckWait.
		p.log.Debug("nak", zap.Error(err))
	}
}

// deadLetter stores a dead letter for an event that can never be handled and then
// terminates its delivery. A crash in between stores the same letter again, and the
// stream deduplicates it.
func (p *Pipeline) deadLetter(ctx context.Context, d delivery, cause error) {
	if _, ahead := d.msg.(overtaking); ahead {
		return // the durable still delivers it, and then it becomes a letter once
	}
	class := permanentClass(cause)
	if class == "" {
		class = classInvalid
	}
	// A reason quotes the wrong field, which may hold a secret, and is shown in logs,
	// advisories and screens.
	text, _ := p.deps.Redactor.Text(string(memory.SystemTenant), cause.Error())
	reason := bus.Reason{Class: class, Text: text}
	meta := d.msg.Meta()
	if err := p.deps.DeadLetters.Put(ctx, p.def.Durable.Name, d.msg, reason); err != nil {
		p.log.Warn("a dead letter could not be stored, the event is tried again", zap.Error(err))
		p.nak(d, retryDelay(d.event.Attempt))
		return
	}
	p.metrics.settled(d, resultDeadLetter)
	if err := d.msg.Terminate(reason.Class + ": " + reason.Text); err != nil {
		p.log.Debug("terminate", zap.Error(err))
	}
	p.log.Warn("dead letter", zap.String(telemetry.KeyReason, class),
		zap.String(telemetry.KeyStream, meta.Stream), zap.Uint64(telemetry.KeySequence, meta.Sequence),
		zap.Int(telemetry.KeyAttempt, meta.Delivered), traceField(d.event), zap.String(telemetry.KeyError, text))
}

// extendAckWait marks the batch as in progress at every third of AckWait, so that the
// server does not redeliver it. The returned function ends that.
func (p *Pipeline) extendAckWait(batch []bus.Message) (stop func()) {
	wait := p.def.Durable.AckWait
	if wait <= 0 {
		wait = 30 * time.Second // the server's default
	}
	done := make(chan struct{})
	go func() {
		beat := time.NewTicker(wait / 3)
		defer beat.Stop()
		for {
			select {
			case <-beat.C:
				for _, m := range batch {
					// It fails for messages that are already settled; nothing is lost.
					_ = m.InProgress()
				}
			case <-done:
				return
			}
		}
	}()
	return func() { close(done) }
}
