package relay

import (
	"context"
	"time"

	"go.uber.org/zap"
)

// Postgres plans queries on a database that was just empty as if it still were.
// Autovacuum corrects that a minute later, when a backlog is already done. So the tables
// are analyzed at two thresholds of rows that this process published.
const (
	firstGrowth    = 1_500
	growthFactor   = 10
	lastGrowth     = firstGrowth * growthFactor
	analyzeTimeout = 30 * time.Second
)

// growth counts published rows up to the next threshold.
type growth struct {
	rows, next int
}

func newGrowth() *growth { return &growth{next: firstGrowth} }

// due adds n rows and reports whether they passed a threshold; it does so at most twice.
func (g *growth) due(n int) bool {
	g.rows += n
	if g.next > lastGrowth || g.rows < g.next {
		return false
	}
	g.next *= growthFactor
	return true
}

func (r *relay) analyze(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, analyzeTimeout)
	defer cancel()
	if err := r.deps.Store.Analyze(ctx); err != nil && ctx.Err() == nil {
		r.log.Warn("plans follow the tables' growth later", zap.Error(err))
	}
}
