package worker

import (
	"context"
	"fmt"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/store"
)

// hands is how many batches, or slow events, this process has in hand at most.
func (p *Pipeline) hands() int {
	if p.work != nil {
		if p.def.Hands == nil {
			return 1
		}
		return max(p.def.Hands(p.deps), 1)
	}
	return hands
}

// pull is how many messages one fetch takes. A slow event is never pulled
// before there is a hand for it: it would wait here while others idle.
func (p *Pipeline) pull() int {
	if p.work != nil {
		return 1
	}
	return p.def.Batch
}

// applyOne works on one event and commits what came of it, once: the inbox
// holds the event's key. Nothing is locked while it works; the server is told
// meanwhile that the event is in hand.
func (p *Pipeline) applyOne(ctx context.Context, d delivery) (fresh []int, err error) {
	worked := p.metrics.stage("work")
	set, err := Guarded(func() (change.Set, error) { return p.work.Do(ctx, d.event) })
	worked()
	if err != nil {
		return nil, fmt.Errorf("work: %w", err)
	}
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
