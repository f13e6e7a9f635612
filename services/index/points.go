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

// points delivers the changes of memories to the similarity index.
var points = bus.Durable{
	Stream:     bus.StreamMemory,
	Name:       "index",
	Filters:    []string{event.SubjectMemoryRecorded, event.SubjectMemoryArchived, event.SubjectSignalRecorded},
	AckWait:    60 * time.Second,
	MaxPending: 4096,
	MaxDeliver: -1, // writing a document again is harmless
}

// indexer updates the similarity index from the store. Replicas share the work: of two
// writes the one with the higher document version stays, in any order of arrival.
//
// An event only names a row to read. The indexer writes the current row with its stored
// vector. A row without a vector is found by its words at once; the reconciler requests
// the vector, so an unavailable model delays no event.
type indexer struct {
	worker.Deps
	pace       pace
	metrics    pointMetrics
	reconciler *reconciler
	// written holds the generations to write to, once one serves.
	written atomic.Pointer[generations]
	served  vector.Generation // the last known serving one; used by the rounds alone
}

var (
	_ worker.Projection = (*indexer)(nil)
	_ worker.Runner     = (*indexer)(nil) // the keeper, beside the rounds
)

func newIndexer(deps worker.Deps, at pace) *indexer {
	x := &indexer{Deps: deps, pace: at, metrics: newPointMetrics(deps.Metrics)}
	x.reconciler = newReconciler(x)
	return x
}

// Run implements [worker.Runner].
func (x *indexer) Run(ctx context.Context) error {
	x.reconciler.run(ctx)
	return nil
}

// Await implements [worker.Projection]. While the index is unavailable nothing is pulled;
// nothing is lost meanwhile, and searches read Postgres. With or without events, the
// generations are listed again after pace.look.
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

// Project implements [worker.Projection]: it writes the current memories to every
// generation.
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
			x.reconciler.expect(open.Generation(), tenant, docs)
		}
	}
	return nil
}
