package index

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/winnowhq/winnow/pkg/event"
	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/vector"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// points tells which memories changed, for the similarity index.
var points = bus.Durable{
	Stream:     bus.StreamMemory,
	Name:       "index",
	Filters:    []string{event.SubjectMemoryRecorded, event.SubjectMemoryArchived},
	AckWait:    60 * time.Second,
	MaxPending: 4096,
	MaxDeliver: -1, // writing a document again is harmless
}

// indexer keeps the similarity index in step with the store. Replicas share the
// work: a document's version decides which of two writes stays, not who came
// last.
//
// An event only says that a row is worth reading: what is written is the row as
// it is now, with the vector that is kept of it. What has none yet is found by
// its words at once; the keeper asks the model, and a model that is away delays
// nobody.
type indexer struct {
	worker.Deps
	pace    pace
	metrics pointMetrics
	keeper  *keeper
	// written are the generations that are written to, once one serves.
	written atomic.Pointer[generations]
	served  vector.Generation // at the last look that found one; of round alone
}

var (
	_ worker.Projection = (*indexer)(nil)
	_ worker.Runner     = (*indexer)(nil) // the keeper, beside the rounds
)

func newIndexer(deps worker.Deps, at pace) *indexer {
	x := &indexer{Deps: deps, pace: at, metrics: newPointMetrics(deps.Metrics)}
	x.keeper = newKeeper(x)
	return x
}

// Run implements [worker.Runner].
func (x *indexer) Run(ctx context.Context) error {
	x.keeper.run(ctx)
	return nil
}

// Await implements [worker.Projection]. While the index is away nothing is pulled;
// nothing is lost meanwhile, and searches read Postgres. Quiet or not, the
// generations are looked at again soon.
func (x *indexer) Await(ctx context.Context) (time.Duration, error) {
	if _, err := x.targets(ctx); err != nil {
		return 0, worker.Snooze(x.pace.retry, fmt.Errorf("the index is not there yet: %w", err))
	}
	return x.pace.look, nil
}

// Topic implements [worker.Projection]: an event is about its memory.
func (x *indexer) Topic(e worker.Event) (worker.Topic, error) {
	t, err := read(e)
	return worker.Topic{Tenant: t.tenant, Name: t.memory}, err
}

// Project implements [worker.Projection]: it writes the memories as they are now,
// to every generation.
func (x *indexer) Project(ctx context.Context, topics []worker.TopicEvents) (map[int]error, error) {
	if err := x.write(ctx, topics); err != nil {
		x.metrics.failed.Inc()
		x.written.Store(nil) // it may have been dropped, or another generation serves
		return nil, worker.Snooze(x.pace.retry, fmt.Errorf("write to the index: %w", err))
	}
	for _, t := range topics {
		for _, e := range t.Events {
			x.metrics.lag.Observe(x.Now().Sub(e.Stored).Seconds())
		}
	}
	return nil, nil
}

func (x *indexer) write(ctx context.Context, topics []worker.TopicEvents) error {
	changed := map[memory.Tenant][]string{}
	for _, t := range topics {
		changed[t.Tenant] = append(changed[t.Tenant], t.Name)
	}
	if len(changed) == 0 {
		return nil
	}
	targets, err := x.targets(ctx)
	if err != nil {
		return err
	}
	for _, open := range targets.all {
		for tenant, ids := range changed {
			docs, err := x.Truth.StoredDocs(ctx, open.Generation(), tenant, ids)
			if err != nil {
				return err
			}
			if err := open.Put(ctx, docs); err != nil {
				return err
			}
			x.keeper.expect(open.Generation(), tenant, docs)
		}
	}
	return nil
}
