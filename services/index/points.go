package index

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"go.uber.org/zap"
	"golang.org/x/sync/errgroup"

	"github.com/winnowhq/winnow/pkg/event"
	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/telemetry"
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
	source  bus.Source
	metrics pointMetrics
	keeper  *keeper
	// written are the generations that are written to, once one serves.
	written atomic.Pointer[generations]
	served  vector.Generation // at the last look that found one; of round alone
}

func newIndexer(deps worker.Deps, at pace) (*indexer, error) {
	source, err := deps.Source(points)
	if err != nil {
		return nil, fmt.Errorf("index: %w", err)
	}
	x := &indexer{Deps: deps, pace: at, source: source, metrics: newPointMetrics(deps.Metrics)}
	x.keeper = newKeeper(x)
	return x, nil
}

// Run implements [worker.Runner].
func (x *indexer) Run(ctx context.Context) error {
	defer x.source.Drain()
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		for ctx.Err() == nil {
			x.round(ctx)
		}
		return nil
	})
	group.Go(func() error {
		x.keeper.run(ctx)
		return nil
	})
	return group.Wait()
}

// round projects what changed. While the index is away nothing is fetched;
// nothing is lost meanwhile, and searches read Postgres.
func (x *indexer) round(ctx context.Context) {
	targets, err := x.targets(ctx)
	if err != nil {
		x.wait(ctx, "the index is not there yet", err)
		return
	}
	// Quiet or not, the generations are looked at again soon.
	quiet, cancel := context.WithTimeout(ctx, x.pace.look)
	defer cancel()
	messages, err := x.source.Fetch(quiet, batch)
	if err != nil && quiet.Err() == nil {
		x.wait(ctx, "fetching", err)
		return
	}
	if err := x.write(ctx, targets.all, messages); err != nil {
		x.metrics.failed.Inc()
		for _, m := range messages {
			_ = m.Retry(x.pace.retry) // unsettled, it comes back as well
		}
		x.wait(ctx, "writing to the index", err)
		x.written.Store(nil) // it may have been dropped, or another generation serves
	}
}

func (x *indexer) wait(ctx context.Context, what string, err error) {
	if ctx.Err() == nil {
		x.Log.Warn(what+": tried again", zap.Error(err))
		pause(ctx, x.pace.retry)
	}
}

// write projects the memories that the messages are about, as they are now, and
// settles the messages.
func (x *indexer) write(ctx context.Context, targets []vector.Index, messages []bus.Message) error {
	good := make([]bus.Message, 0, len(messages))
	changed := map[memory.Tenant][]string{}
	for _, m := range messages {
		t, err := read(m)
		if err != nil {
			x.refuse(ctx, m, err)
			continue
		}
		good = append(good, m)
		if !slices.Contains(changed[t.tenant], t.memory) {
			changed[t.tenant] = append(changed[t.tenant], t.memory)
		}
	}
	for _, open := range targets {
		for tenant, ids := range changed {
			docs, err := x.Truth.KeptDocs(ctx, open.Generation(), tenant, ids)
			if err != nil {
				return err
			}
			if err := open.Put(ctx, docs); err != nil {
				return err
			}
			x.keeper.expect(open.Generation(), tenant, docs)
		}
	}
	for _, m := range good {
		x.metrics.lag.Observe(x.Now().Sub(m.Meta().Stored).Seconds())
		_ = m.Ack(ctx) // lost, the same document is written once more
	}
	return nil
}

// refuse sets a message aside that no retry makes readable.
func (x *indexer) refuse(ctx context.Context, m bus.Message, why error) {
	x.Log.Warn("an event cannot be read", zap.Error(why), zap.Uint64(telemetry.KeySequence, m.Meta().Sequence))
	if err := x.DeadLetters.Put(ctx, points.Name, m, bus.Reason{Class: "malformed", Text: why.Error()}); err != nil {
		_ = m.Retry(x.pace.retry)
		return
	}
	_ = m.Terminate(why.Error())
}
