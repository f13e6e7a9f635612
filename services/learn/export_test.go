package learn

import (
	"context"

	"github.com/winnowhq/winnow/services/internal/worker"
)

// Look does once what the loop does at each tick.
func Look(ctx context.Context, d worker.Deps) error {
	return (&loop{Deps: d, config: Settings.Of(d)}).look(ctx)
}
