package store

import (
	"context"
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// Signals reads what was learned of memories. Signals themselves are written by
// [Committer], as part of a change set.
type Signals interface {
	// Standings returns what was learned of each memory, in one snapshot. A memory
	// without a signal is not in the result.
	Standings(ctx context.Context, tenant memory.Tenant, memories ...string) (map[string]Standing, error)
	// Signals lists stored signals in the order of time and id, oldest first, at most
	// q.Limit (default 100).
	Signals(ctx context.Context, tenant memory.Tenant, q SignalQuery) ([]memory.Signal, error)
	// ProjectWeights returns what was learned of the types of signals in these scopes:
	// increments of the prior. A scope without feedback is not in the result.
	ProjectWeights(ctx context.Context, tenant memory.Tenant, scopes ...memory.Scope) (map[memory.Scope]memory.ProjectWeights, error)
	// Uncounted lists rows of the served log that no change set has counted yet,
	// oldest first, at most limit.
	Uncounted(ctx context.Context, tenant memory.Tenant, limit int) ([]Served, error)
	// LearnedPage lists the memories that had a signal, active and archived, in the
	// order of their ids after an id (exclusive), at most limit.
	LearnedPage(ctx context.Context, tenant memory.Tenant, after string, limit int) ([]memory.Memory, error)
}

// Standing is what was learned of one memory.
type Standing struct {
	memory.Learned
	Old    []memory.SignalAggregate // rolled up, by principal
	Recent []memory.SignalAggregate // sums of the stored signals, by principal
}

// SignalQuery selects signals; zero fields do not restrict.
type SignalQuery struct {
	Memories  []string
	Principal string
	Before    time.Time // exclusive
	Limit     int
}
