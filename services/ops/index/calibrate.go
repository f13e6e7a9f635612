package index

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/winnowhq/winnow/services/eval"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/model/embed"
	"github.com/winnowhq/winnow/services/internal/recall/calibrate"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/ops"
)

// Sources of a stored calibration, which begin its id.
const (
	SourcePairs    = "pairs"
	SourceMemories = "memories"
)

// AnchorReport is what `winnow calibrate --from-memories --json` prints.
type AnchorReport struct {
	Model    string `json:"model"` // id of the embedder
	Source   string `json:"source"`
	Memories int    `json:"memories"` // sampled
	Random   int    `json:"random"`   // random pairs of two memories
	Jittered int    `json:"jittered"` // pairs of a memory with a rewritten copy of itself
	eval.Points
	// Checked holds the points on the pairs that ship with Winnow.
	Checked map[string]eval.Checked `json:"checked"`
}

const (
	// maxSample bounds the sampled memories: as many texts as the random pairs
	// need.
	maxSample = 10_000
	// samplePage is the number of rows of one read.
	samplePage = 1000
)

// CalibrateFromMemories derives the operating points of an embedder from the
// tenant's active memories, without labels. The points sort and flag; no point
// is sure, so no worker acts on one. The function stores nothing and does not
// ask the model for stored vectors. The same memories give the same points.
//
// The error is [calibrate.ErrPairs] when there are too few memories.
func CalibrateFromMemories(ctx context.Context, o *ops.Ops, e embed.Embedder) (*AnchorReport, error) {
	known, err := sample(ctx, o, e)
	if err != nil {
		return nil, fmt.Errorf("calibrate from memories: %w", err)
	}
	texts := make([]string, 0, len(known))
	for text := range known {
		texts = append(texts, text)
	}
	random, jittered := calibrate.Draw(texts)
	r := &AnchorReport{Model: e.ID(), Source: SourceMemories, Memories: len(texts), Random: len(random), Jittered: len(jittered)}
	pairs, err := eval.Measure(ctx, slices.Concat(random, jittered), e, known)
	if err != nil {
		return nil, fmt.Errorf("calibrate from memories: %w", err)
	}
	if r.Points, err = calibrate.Anchors(scores(pairs, calibrate.KindRandom), scores(pairs, calibrate.KindExact)); err != nil {
		return nil, fmt.Errorf("calibrate %s from %d memories: %w", e.ID(), len(texts), err)
	}
	r.Checked, err = eval.CheckShipped(ctx, r.Points, e)
	return r, err
}

// scores returns the similarities of the pairs of a kind.
func scores(pairs []calibrate.Pair, kind string) []float64 {
	return calibrate.Scores(slices.DeleteFunc(slices.Clone(pairs), func(p calibrate.Pair) bool { return p.Kind != kind }))
}

// sample returns the texts of random active memories, each equally likely, with
// the stored vector or nil.
func sample(ctx context.Context, o *ops.Ops, e embed.Embedder) (map[string][]float32, error) {
	var drawn []store.IndexRow
	rng := rand.New(rand.NewPCG(1, 2))
	seen := 0
	for q := (store.IndexQuery{Model: e.ID(), Limit: samplePage}); ; {
		rows, err := o.Truth.Store.IndexRows(ctx, o.Tenant, q)
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			if row.State != memory.StateActive {
				continue
			}
			seen++
			if len(drawn) < maxSample {
				drawn = append(drawn, row)
			} else if at := rng.IntN(seen); at < maxSample {
				drawn[at] = row
			}
		}
		if len(rows) < samplePage {
			break
		}
		q.After = rows[len(rows)-1].ID
	}
	known := make(map[string][]float32, len(drawn))
	for i := range drawn {
		known[embed.Text(drawn[i].Memory)] = drawn[i].Vector
	}
	return known, nil
}

// KeepCalibration stores operating points, which are then in force for the
// tenant and the model, and returns the calibration's id. report is their
// derivation, stored as JSON.
func KeepCalibration(ctx context.Context, o *ops.Ops, model, source string, p eval.Points, report any) (string, error) {
	kept, err := json.Marshal(report)
	if err != nil {
		return "", fmt.Errorf("keep calibration: %w", err)
	}
	now := o.Now().UTC().Truncate(time.Microsecond)
	c := store.Calibration{
		ID: source + "-" + now.Format("20060102T150405.000000Z"), Model: model, Source: source, At: now, Report: kept,
		Duplicate: p.Duplicate.Threshold, Cluster: p.Cluster.Threshold, Loose: p.Loose.Threshold,
	}
	if err := o.Truth.Store.PutCalibration(ctx, o.Tenant, c); err != nil {
		return "", fmt.Errorf("keep calibration: %w", err)
	}
	return c.ID, nil
}
