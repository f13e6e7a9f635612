package index

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
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
type indexer struct {
	worker.Deps
	source bus.Source
	lag    prometheus.Histogram
	failed prometheus.Counter
}

func newIndexer(deps worker.Deps) (*indexer, error) {
	source, err := deps.Source(points)
	if err != nil {
		return nil, fmt.Errorf("index: %w", err)
	}
	return &indexer{
		Deps: deps, source: source,
		lag: worker.Registered(deps.Metrics, prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "winnow_index_lag_seconds", Help: "From the moment the stream stored a change to its being found.",
			Buckets: prometheus.ExponentialBuckets(0.004, 4, 10), // 4 ms … 17 min
		})),
		failed: worker.Registered(deps.Metrics, prometheus.NewCounter(prometheus.CounterOpts{
			Name: "winnow_index_failures_total", Help: "Batches that could not be written to the index and are tried again.",
		})),
	}, nil
}

// Run implements [worker.Runner]. While the index is away nothing is fetched;
// nothing is lost meanwhile, and searches read Postgres.
func (x *indexer) Run(ctx context.Context) error {
	defer x.source.Drain()
	var open vector.Index
	for ctx.Err() == nil {
		if open == nil {
			var err error
			if open, err = x.serve(ctx); err != nil {
				x.wait(ctx, "the index is not there yet", err)
				continue
			}
		}
		messages, err := x.source.Fetch(ctx, batch)
		if err != nil {
			if ctx.Err() == nil {
				x.wait(ctx, "fetching", err)
			}
			continue
		}
		if err := x.write(ctx, open, messages); err != nil {
			x.failed.Inc()
			for _, m := range messages {
				_ = m.Retry(retryAfter) // unsettled, it comes back as well
			}
			x.wait(ctx, "writing to the index", err)
			open = nil // it may have been dropped, or another generation serves
		}
	}
	return nil
}

func (x *indexer) wait(ctx context.Context, what string, err error) {
	if ctx.Err() == nil {
		x.Log.Warn(what+": tried again", zap.Error(err))
		pause(ctx, retryAfter)
	}
}

// serve opens the generation that serves. Where there is none it makes the
// first: filled from Postgres and only then activated.
func (x *indexer) serve(ctx context.Context) (vector.Index, error) {
	g, err := x.Index.Active(ctx)
	if err == nil {
		return x.Index.Open(ctx, g)
	}
	if !errors.Is(err, vector.ErrNoGeneration) {
		return nil, err
	}
	g = x.Truth.Generation(1)
	if err := x.Index.Create(ctx, g); err != nil {
		return nil, err
	}
	open, err := x.Index.Open(ctx, g)
	if err != nil {
		return nil, err
	}
	tenants, err := x.Store.Tenants(ctx)
	if err != nil {
		return nil, err
	}
	for _, tenant := range tenants {
		done, err := vector.Reconcile(ctx, open, tenant, x.Truth.Source, x.Now(), nil)
		if err != nil {
			return nil, fmt.Errorf("fill for %s: %w", tenant, err)
		}
		x.Log.Info("index filled", zap.String(telemetry.KeyTenant, string(tenant)), zap.Int(telemetry.KeyCount, done.Written))
	}
	return open, x.Index.Activate(ctx, g)
}

// write projects the memories that the messages are about, as they are now, and
// settles the messages.
func (x *indexer) write(ctx context.Context, open vector.Index, messages []bus.Message) error {
	changed := map[memory.Tenant][]string{}
	for _, m := range messages {
		tenant, id, err := memoryOf(m)
		if err != nil {
			x.Log.Warn("an event cannot be read", zap.Error(err), zap.Uint64(telemetry.KeySequence, m.Meta().Sequence))
			_ = x.DeadLetters.Put(ctx, points.Name, m, bus.Reason{Class: "malformed", Text: err.Error()})
			continue
		}
		changed[tenant] = append(changed[tenant], id)
	}
	for tenant, ids := range changed {
		docs, err := x.Truth.Docs(ctx, open.Generation(), tenant, ids)
		if err != nil {
			return err
		}
		if err := open.Put(ctx, docs); err != nil {
			return err
		}
	}
	for _, m := range messages {
		x.lag.Observe(x.Now().Sub(m.Meta().Stored).Seconds())
		_ = m.Ack(ctx) // lost, the same document is written once more
	}
	return nil
}

// memoryOf reads which memory an event is about.
func memoryOf(m bus.Message) (memory.Tenant, string, error) {
	meta := m.Meta()
	e, err := event.Parse(m.Subject(), m.Header(), m.Data(), bus.FallbackID(meta.Stream, meta.Sequence))
	if err != nil {
		return "", "", err
	}
	var id string
	switch e.Subject {
	case event.SubjectMemoryRecorded:
		var r winnowv1.MemoryRecorded
		err = event.Unmarshal(e, &r)
		id = r.GetMemoryId()
	case event.SubjectMemoryArchived:
		var a winnowv1.MemoryArchived
		err = event.Unmarshal(e, &a)
		id = a.GetMemoryId()
	}
	if err == nil && e.Tenant == "" {
		err = errors.New("the event names no tenant")
	}
	if err == nil {
		_, err = memory.ParseID(id, memory.PrefixMemory)
	}
	return memory.Tenant(e.Tenant), id, err
}
