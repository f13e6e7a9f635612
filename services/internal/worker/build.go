package worker

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"
)

// Build returns one Runner for everything that a definition declares: the pipeline
// of Handle or Work, a pipeline for each notice, and Run. The parts run
// concurrently; an error of one ends all. Build opens no connection. A drainTimeout
// of 0 means [DefaultDrainTimeout].
func Build(def Definition, deps Deps, drainTimeout time.Duration) (Runner, error) {
	var all runners
	if def.Handle != nil || def.Work != nil {
		p, err := NewPipeline(def, deps, drainTimeout)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	if def.Notices != nil {
		notices, err := def.Notices(deps)
		if err != nil {
			return nil, fmt.Errorf("worker %s: %w", def.Name, err)
		}
		for _, n := range notices {
			p, err := newNotice(def, n, deps)
			if err != nil {
				return nil, err
			}
			all = append(all, p)
			if runner, ok := n.Projection.(Runner); ok {
				all = append(all, runner)
			}
		}
	}
	if def.Run != nil {
		r, err := def.Run(deps)
		if err != nil {
			return nil, fmt.Errorf("worker %s: %w", def.Name, err)
		}
		all = append(all, r)
	}
	return all, nil
}

// runners runs several Runners as one.
type runners []Runner

// Run implements [Runner].
func (t runners) Run(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	for _, r := range t {
		group.Go(func() error { return r.Run(ctx) })
	}
	return group.Wait()
}
