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

// lookEvery is how often the indexer asks which generations there are.
const lookEvery = 2 * time.Second

// pace is how often the indexer and its keeper do what no event asks for.
type pace struct {
	look    time.Duration // at the generations, and at what lacks a vector
	retry   time.Duration // after a failure
	compare time.Duration // everything, unasked
}

// generations are those that are written to: the one that serves, and newer
// ones, which somebody is filling. So a rebuild misses nothing that changes
// while it runs.
type generations struct {
	serving vector.Index
	all     []vector.Index
	at      time.Time
}

// targets are the generations as they were a moment ago.
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
			// What was written to the old one in the last moments before the switch
			// may be missing in this.
			x.Log.Info("another generation serves", zap.Int("generation", serves.N))
			x.keeper.compare()
		}
		x.served = serves
	}
	x.written.Store(found)
	return found, nil
}

// look opens the generations that there are. Where none serves, it makes the
// first.
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
			continue // given up meanwhile
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

// first fills generation 1 from Postgres and only then activates it: no search
// ever sees a part. What changes meanwhile waits in the stream.
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

// reconcile makes a generation hold what the source says, for every tenant.
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
	done, err := vector.Reconcile(ctx, open, tenant, truth, x.Now(), nil)
	if err != nil {
		return fmt.Errorf("fill for %s: %w", tenant, err)
	}
	x.Log.Info("index compared with the store", zap.String(telemetry.KeyTenant, string(tenant)),
		zap.Int(telemetry.KeyCount, done.Written+done.Removed))
	return nil
}
