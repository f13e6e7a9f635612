package worker

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"
)

// Build makes what a definition asks for, whichever of the forms it has, as one
// Runner: the pipeline of Handle or Work, one for each notice, and Run. They run
// side by side; when one of them cannot go on, all end. It connects to nothing
// yet. A drainTimeout of 0 means [DefaultDrainTimeout].
func Build(def Definition, deps Deps, drainTimeout time.Duration) (Runner, error) {
	var all together
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
			if beside, ok := n.Projection.(Runner); ok {
				all = append(all, beside)
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

// together runs several as one.
type together []Runner

// Run implements [Runner].
func (t together) Run(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	for _, r := range t {
		group.Go(func() error { return r.Run(ctx) })
	}
	return group.Wait()
}
