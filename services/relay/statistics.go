package relay

import (
	"context"
	"time"

	"go.uber.org/zap"
)

// A database that was empty a moment ago plans as if it still were. Autovacuum
// notices a minute later; a backlog is done by then. So the first growth, by
// rows that this process published, is told at once, twice.
const (
	firstGrowth    = 1_500
	growthFactor   = 10
	lastGrowth     = firstGrowth * growthFactor
	analyzeTimeout = 30 * time.Second
)

// growth counts rows until the store should look at itself again.
type growth struct {
	rows, next int
}

func newGrowth() *growth { return &growth{next: firstGrowth} }

// due reports, at most twice, that n more rows passed a mark.
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
