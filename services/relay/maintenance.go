package relay

import (
	"context"
	"time"

	"go.uber.org/zap"

	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/telemetry"
)

const (
	sweepInterval  = time.Hour
	sweepTimeout   = 10 * time.Minute
	statusInterval = 15 * time.Second
)

// maintain applies the retention and signs heads of the audit, at once and then every
// hour, and updates the outbox's gauges, until ctx ends.
func (r *relay) maintain(ctx context.Context) {
	sweeps, statuses, heads := time.NewTicker(sweepInterval), time.NewTicker(statusInterval), time.NewTicker(headInterval)
	defer sweeps.Stop()
	defer heads.Stop()
	defer statuses.Stop()
	if r.deps.Signer == nil {
		r.log.Warn("audit.key is not set: heads of the audit are not signed, and cutting off its newest links would not be noticed")
	}
	r.sweep(ctx)
	r.signHeads(ctx)
	for {
		r.measure(ctx)
		select {
		case <-sweeps.C:
			r.sweep(ctx)
		case <-heads.C:
			r.signHeads(ctx)
		case <-statuses.C:
		case <-ctx.Done():
			return
		}
	}
}

func (r *relay) sweep(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, sweepTimeout)
	defer cancel()
	swept, err := r.deps.Store.Sweep(ctx, store.Retention(Settings.Of(r.deps)))
	if err != nil {
		if ctx.Err() == nil {
			r.log.Warn("retention is applied at the next hour", zap.Error(err))
		}
		return
	}
	for table, n := range swept {
		if n > 0 {
			r.log.Info("retention applied", zap.String("table", table), zap.Int64(telemetry.KeyCount, n))
		}
	}
}

func (r *relay) measure(ctx context.Context) {
	// After an error the gauges hold the last values.
	if s, err := r.deps.Store.OutboxStatus(ctx); err == nil {
		r.metrics.waiting.Set(float64(s.Waiting))
		r.metrics.oldest.Set(s.Oldest.Seconds())
	}
}
