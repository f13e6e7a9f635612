package indexing

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/recall/calibrate"
	"github.com/winnowhq/winnow/services/internal/store"
)

// sourceShipped is the source of a calibration that was derived from the pairs that
// come with Winnow.
const sourceShipped = "pairs that come with Winnow"

// Calibrated returns the calibration in force for the embedder. For a tenant without
// one it is derived from the pairs that come with Winnow and stored, so that a new
// model is calibrated from its first day (D2); made reports that. Points that those
// pairs do not support are marked as unsure in its report: they may flag and never act.
func (t *Truth) Calibrated(ctx context.Context, tenant memory.Tenant, now time.Time) (c store.Calibration, made bool, err error) {
	model := t.Embedder.ID()
	c, err = t.Store.Calibration(ctx, tenant, model)
	if !errors.Is(err, store.ErrNotFound) {
		return c, false, err
	}
	texts, err := calibrate.Shipped()
	if err != nil {
		return c, false, err
	}
	result, err := t.calibrate(ctx, texts)
	if err != nil {
		return c, false, fmt.Errorf("calibrate %s: %w", model, err)
	}
	c = store.Calibration{
		ID: "shipped-" + now.UTC().Format(time.DateOnly), Model: model, Source: sourceShipped, At: now.UTC().Truncate(time.Microsecond),
		Duplicate: result.Duplicate.Threshold, Cluster: result.Cluster.Threshold, Loose: result.Loose.Threshold,
	}
	if c.Report, err = json.Marshal(result); err != nil {
		return c, false, fmt.Errorf("calibrate %s: %w", model, err)
	}
	return c, true, t.Store.PutCalibration(ctx, tenant, c)
}

func (t *Truth) calibrate(ctx context.Context, texts []calibrate.Text) (calibrate.Result, error) {
	var vectors [][]float32
	if t.Embedder.Dim() > 0 {
		both := make([]string, 0, 2*len(texts))
		for _, pair := range texts {
			both = append(both, pair.A, pair.B)
		}
		var err error
		if vectors, err = t.Embedder.Embed(ctx, both); err != nil {
			return calibrate.Result{}, err
		}
	}
	pairs, err := calibrate.Measure(texts, vectors)
	if err != nil {
		return calibrate.Result{}, err
	}
	return calibrate.Calibrate(pairs)
}
