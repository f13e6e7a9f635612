package relay

import (
	"context"
	"fmt"
	"time"

	"go.uber.org/zap"
	"golang.org/x/sync/errgroup"

	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// advisories is the safety net's durable: notes about deliveries that the
// server gave up.
var advisories = bus.Durable{
	Stream:     bus.StreamAdvisories,
	Name:       "relay",
	Filters:    []string{">"},
	AckWait:    30 * time.Second,
	MaxPending: 64,
	// The net itself never gives up.
	MaxDeliver: -1,
}

// Definition is the relay.
var Definition = worker.Definition{
	Name:    "relay",
	Summary: "publishes committed events, keeps the dead letters complete, applies retention",
	Durable: advisories,
	Config:  []worker.Section{Settings},
	Run:     build,
}

// relay is the Runner. Everything in it runs until ctx ends; what needs to be
// done by one process only is done by the one that leads.
type relay struct {
	deps    worker.Deps
	notes   bus.Source
	metrics *metrics
	log     *zap.Logger
}

func build(deps worker.Deps) (worker.Runner, error) {
	notes, err := deps.Source(advisories)
	if err != nil {
		return nil, fmt.Errorf("relay: %w", err)
	}
	metrics, err := newMetrics(deps.Metrics)
	if err != nil {
		return nil, fmt.Errorf("relay: %w", err)
	}
	return &relay{deps: deps, notes: notes, metrics: metrics, log: deps.Log}, nil
}

// Run implements [worker.Runner].
func (r *relay) Run(ctx context.Context) error {
	var g errgroup.Group
	g.Go(func() error { return r.takeTurns(ctx) })
	g.Go(func() error { return r.rescue(ctx) })
	return g.Wait()
}
