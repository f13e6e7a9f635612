package relay

import (
	"context"

	"go.uber.org/zap"

	"github.com/winnowhq/winnow/services/internal/worker"
)

// SignHeads is one round of the leader's hourly signing.
func SignHeads(ctx context.Context, deps worker.Deps) {
	(&relay{deps: deps, log: zap.NewNop()}).signHeads(ctx)
}
