package store

import (
	"context"
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// Runs reads the runs of consolidation, and what decides whether a run is due. The
// runs themselves are written by [Committer], as part of a change set.
type Runs interface {
	// Run returns one run or ErrNotFound.
	Run(ctx context.Context, tenant memory.Tenant, id string) (memory.Run, error)
	// Runs lists runs in the order of their ids, oldest first (newest first with
	// q.Newest), at most q.Limit (default 100).
	Runs(ctx context.Context, tenant memory.Tenant, q RunQuery) ([]memory.Run, error)
	// RunItem returns one step of a run or ErrNotFound.
	RunItem(ctx context.Context, tenant memory.Tenant, runID string, n int) (memory.RunItem, error)
	// RunItems lists the steps of a run by number, all of them. An unknown run has
	// none.
	RunItems(ctx context.Context, tenant memory.Tenant, runID string) ([]memory.RunItem, error)
	// RunProgress counts the steps of a run by state.
	RunProgress(ctx context.Context, tenant memory.Tenant, runID string) (map[memory.RunItemState]int, error)
	// ItemsOf lists the steps that have one of these memories among their sources, or
	// as the memory that they made, by run and number. Steps of dry runs are among
	// them.
	ItemsOf(ctx context.Context, tenant memory.Tenant, memories ...string) ([]memory.RunItem, error)
	// TakenBack lists the undone steps of a scope's runs, by run and number. The next
	// run keeps their sources apart.
	TakenBack(ctx context.Context, tenant memory.Tenant, scope memory.Scope) ([]memory.RunItem, error)
	// LastRun returns when the last run of a scope and strategy ended, or zero. Dry and
	// failed runs do not count; an undone run does.
	LastRun(ctx context.Context, tenant memory.Tenant, scope memory.Scope, strategy memory.RunStrategy) (time.Time, error)
	// ActiveCount counts the active memories of a scope, up to atMost + 1, and reads no
	// more rows than that: a result above atMost says "more than atMost" (S0.61).
	ActiveCount(ctx context.Context, tenant memory.Tenant, scope memory.Scope, atMost int) (int, error)
	// Eroded counts the memories of a scope that automation archived after a time
	// (exclusive) and that no memory succeeds: the spent part of the erosion budget
	// (D10). What was restored since does not count.
	Eroded(ctx context.Context, tenant memory.Tenant, scope memory.Scope, since time.Time) (int, error)
	// Usage counts how often each memory was served, in any session. A memory that
	// never was is not in the result.
	Usage(ctx context.Context, tenant memory.Tenant, memories ...string) (map[string]int, error)
}

// RunQuery selects runs; zero fields do not restrict.
type RunQuery struct {
	IDs      []string // as in DecisionQuery
	Scope    memory.Scope
	Strategy memory.RunStrategy
	States   []memory.RunState
	// EndedAfter selects runs that ended after a time (exclusive).
	EndedAfter time.Time
	After      string // id; exclusive
	Newest     bool
	Limit      int
}
