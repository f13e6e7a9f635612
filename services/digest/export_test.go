package digest

import (
	"context"

	"github.com/winnowhq/winnow/services/internal/worker"
)

// Look runs one check of a replica's clock.
func Look(ctx context.Context, deps worker.Deps) error {
	c, err := newClock(deps)
	if err != nil {
		return err
	}
	return c.(*clock).look(ctx)
}

// LookForNobody is [Look] without a configured reviewer.
func LookForNobody(ctx context.Context, deps worker.Deps) error {
	r, err := newClock(deps)
	if err != nil {
		return err
	}
	c := r.(*clock)
	c.asking.Reviewer = ""
	return c.look(ctx)
}
