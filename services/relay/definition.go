package relay

import (
	"context"
	"fmt"
	"time"

	"go.uber.org/zap"

	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// advisories is the durable of the server's advisories about deliveries that it gave
// up.
var advisories = bus.Durable{
	Stream:     bus.StreamAdvisories,
	Name:       "relay",
	Filters:    []string{">"},
	AckWait:    30 * time.Second,
	MaxPending: 64,
	// The relay retries an advisory without limit.
	MaxDeliver: -1,
}

// Definition is the relay.
var Definition = worker.Definition{
	Name:    "relay",
	Summary: "publishes committed events, keeps the dead letters complete, applies retention, signs heads of the audit",
	Durable: advisories,
	Config:  []worker.Section{Settings},
	Notices: func(deps worker.Deps) ([]worker.Notice, error) {
		return []worker.Notice{{Durable: advisories, Batch: advisoryBatch, Foreign: true, Projection: rescue{deps}}}, nil
	},
	Needs:     worker.Needs{Signer: true},
	Run:       build,
	Retention: func(all worker.Configured) store.Retention { return store.Retention(Settings.In(all)) },
}

// relay is the Runner of the leader's work: only one process does it at a time.
type relay struct {
	deps    worker.Deps
	metrics *metrics
	log     *zap.Logger
}

func build(deps worker.Deps) (worker.Runner, error) {
	metrics, err := newMetrics(deps.Metrics)
	if err != nil {
		return nil, fmt.Errorf("relay: %w", err)
	}
	return &relay{deps: deps, metrics: metrics, log: deps.Log}, nil
}

// Run implements [worker.Runner].
func (r *relay) Run(ctx context.Context) error { return r.leadLoop(ctx) }
