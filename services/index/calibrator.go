package index

import (
	"context"

	"go.uber.org/zap"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/telemetry"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// calibrator computes the operating points of the current embedder for every tenant
// (D2). It asks the model once for each tenant, when the worker starts or a tenant is
// added.
type calibrator struct {
	worker.Deps
	done map[memory.Tenant]bool
}

func newCalibrator(deps worker.Deps) (worker.Runner, error) {
	return &calibrator{deps, map[memory.Tenant]bool{}}, nil
}

// Run implements [worker.Runner]. Without an index there is nothing to calibrate.
func (c *calibrator) Run(ctx context.Context) error {
	if c.Index == nil {
		<-ctx.Done()
		return nil
	}
	for ctx.Err() == nil {
		if err := c.look(ctx); err != nil && ctx.Err() == nil {
			c.Log.Warn("calibration is tried again later", zap.Error(err))
		}
		pause(ctx, reconcileInterval)
	}
	return nil
}

func (c *calibrator) look(ctx context.Context) error {
	tenants, err := c.Store.Tenants(ctx)
	if err != nil {
		return err
	}
	for _, tenant := range tenants {
		if c.done[tenant] {
			continue
		}
		points, made, err := c.Truth.Calibrated(ctx, tenant, c.Now())
		if err != nil {
			return err
		}
		if made {
			c.Log.Info("similarity calibrated", zap.String(telemetry.KeyTenant, string(tenant)), zap.String("model", points.Model),
				zap.Float64("duplicate", points.Duplicate), zap.Float64("cluster", points.Cluster), zap.Float64("loose", points.Loose))
		}
		c.done[tenant] = true
	}
	return nil
}
