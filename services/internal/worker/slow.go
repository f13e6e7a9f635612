package worker

import (
	"context"
	"fmt"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/store"
)

// concurrency returns how many batches, or slow events, this process works on at
// once.
func (p *Pipeline) concurrency() int {
	if p.work != nil {
		if p.def.Concurrency == nil {
			return 1
		}
		return max(p.def.Concurrency(p.deps), 1)
	}
	return batchConcurrency
}

// pull returns how many messages one fetch requests. A slow event is pulled only when
// a slot is free: otherwise it would wait here while another process idles.
func (p *Pipeline) pull() int {
	if p.work != nil {
		return 1
	}
	if p.overtaker != nil && p.overtaker.contended() {
		return max(p.def.Batch/overtakeShare, 1)
	}
	return p.def.Batch
}

// applyOne works on one event and commits its effect once: the inbox holds the
// event's key. No lock is held meanwhile; extendAckWait prevents a redelivery.
func (p *Pipeline) applyOne(ctx context.Context, d delivery) (fresh []int, err error) {
	worked := p.metrics.stage("work")
	set, err := Guarded(func() (change.Set, error) { return p.work.Do(ctx, d.event) })
	worked()
	if err != nil {
		return nil, fmt.Errorf("work: %w", err)
	}
	continueTraces(&set, []Event{d.event})
	p.deps.At(PointBeforeCommit)
	defer p.metrics.stage("commit")()
	done, err := Guarded(func() (bool, error) {
		return p.deps.Store.Commit(ctx, d.event.Tenant, set, store.InboxKey{Consumer: p.def.Durable.Name, Key: d.event.Key()})
	})
	if err != nil {
		return nil, fmt.Errorf("commit: %w", err)
	}
	if done {
		return nil, nil
	}
	if len(set.Events) > 0 {
		p.deps.Publisher.Wake()
	}
	return []int{0}, nil
}
