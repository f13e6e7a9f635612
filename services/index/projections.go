package index

import (
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// projections run side by side: a vault that cannot be written does not keep
// anybody from finding what is new, nor the other way round.
type projections []worker.Runner

func newProjections(deps worker.Deps) (worker.Runner, error) {
	return newProjectionsAt(deps, pace{look: lookEvery, retry: retryAfter, compare: compareEvery})
}

// newProjectionsAt is newProjections with another pace of the similarity index.
func newProjectionsAt(deps worker.Deps, at pace) (worker.Runner, error) {
	files, err := newProjector(deps)
	if err != nil {
		return nil, err
	}
	all := projections{files}
	if deps.Index != nil {
		index, err := newIndexer(deps, at)
		if err != nil {
			return nil, err
		}
		all = append(all, index, &calibrator{deps, map[memory.Tenant]bool{}})
	}
	return all, nil
}

// Run implements [worker.Runner].
func (p projections) Run(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	for _, r := range p {
		group.Go(func() error { return r.Run(ctx) })
	}
	return group.Wait()
}
