package index

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/telemetry"
	"github.com/winnowhq/winnow/services/internal/vector"
)

// generationsInterval is how long the list of generations is cached.
const generationsInterval = 2 * time.Second

// pace holds the intervals of the work that no event triggers.
type pace struct {
	look    time.Duration // between two looks at the generations and the missing vectors
	retry   time.Duration // after a failure
	compare time.Duration // between two comparisons of everything
}

// generations holds the generations that the indexer writes to: the serving one, and
// newer ones, which a rebuild is filling. So a rebuild misses no change during its run.
type generations struct {
	serving vector.Index
	all     []vector.Index
	at      time.Time
}

// targets returns the generations to write to, cached for pace.look.
func (x *indexer) targets(ctx context.Context) (*generations, error) {
	known := x.written.Load()
	if known != nil && time.Since(known.at) < x.pace.look {
		return known, nil
	}
	found, err := x.look(ctx)
	if err != nil {
		return nil, err
	}
	if serves := found.serving.Generation(); serves != x.served {
		if x.served.N != 0 {
			// This generation may lack writes to the old one just before the switch.
			x.Log.Info("another generation serves", zap.Int("generation", serves.N))
			x.reconciler.requestCompare()
		}
		x.served = serves
	}
	x.written.Store(found)
	return found, nil
}

// look opens the generations of the index. When none serves, it creates the first.
func (x *indexer) look(ctx context.Context) (*generations, error) {
	active, err := x.Index.Active(ctx)
	if errors.Is(err, vector.ErrNoGeneration) {
		if active, err = x.first(ctx); err == nil {
			x.Log.Info("the first generation serves", zap.String("model", active.Model))
		}
	}
	if err != nil {
		return nil, err
	}
	list, err := x.Index.Generations(ctx)
	if err != nil {
		return nil, err
	}
	found := &generations{at: time.Now()}
	for _, g := range list {
		if g.N < active.N {
			continue
		}
		open, err := x.Index.Open(ctx, g)
		if errors.Is(err, vector.ErrNoGeneration) && g.N != active.N {
			continue // its rebuild was cancelled meanwhile
		}
		if err != nil {
			return nil, err
		}
		if g.N == active.N {
			found.serving = open
		}
		found.all = append(found.all, open)
	}
	if found.serving == nil {
		return nil, fmt.Errorf("%w: %d was dropped meanwhile", vector.ErrNoGeneration, active.N)
	}
	return found, nil
}

// first fills generation 1 from Postgres and then activates it, so that no search sees a
// partial index. Changes during that time wait in the stream.
func (x *indexer) first(ctx context.Context) (vector.Generation, error) {
	g := x.Truth.Generation(1)
	if err := x.Index.Create(ctx, g); err != nil {
		return g, err
	}
	open, err := x.Index.Open(ctx, g)
	if err != nil {
		return g, err
	}
	if err := x.reconcile(ctx, open, x.Truth.Stored); err != nil {
		return g, err
	}
	return g, x.Index.Activate(ctx, g)
}

// reconcile makes a generation equal to the source, for every tenant.
func (x *indexer) reconcile(ctx context.Context, open vector.Index, truth vector.Source) error {
	tenants, err := x.Store.Tenants(ctx)
	if err != nil {
		return err
	}
	for _, tenant := range tenants {
		if err := x.reconcileTenant(ctx, open, tenant, truth); err != nil {
			return err
		}
	}
	return nil
}

func (x *indexer) reconcileTenant(ctx context.Context, open vector.Index, tenant memory.Tenant, truth vector.Source) error {
	last, err := x.Truth.Last(ctx, tenant)
	if err != nil {
		return err
	}
	done, err := vector.Reconcile(ctx, open, tenant, truth, last, x.Now(), nil)
	if err != nil {
		return fmt.Errorf("fill for %s: %w", tenant, err)
	}
	x.Log.Info("index compared with the store", zap.String(telemetry.KeyTenant, string(tenant)),
		zap.Int(telemetry.KeyCount, done.Written+done.Removed))
	return nil
}
