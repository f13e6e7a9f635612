package digest

import (
	"context"

	"github.com/winnowhq/winnow/services/internal/worker"
)

// Look is one look of a replica's clock.
func Look(ctx context.Context, deps worker.Deps) error {
	c, err := newClock(deps)
	if err != nil {
		return err
	}
	return c.(*clock).look(ctx)
}
