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

// Sources of a calibration that is kept, which begin its id.
const (
	SourcePairs    = "pairs"
	SourceMemories = "memories"
)

// AnchorReport is what `winnow calibrate --from-memories --json` prints.
type AnchorReport struct {
	Model    string `json:"model"` // id of the embedder
	Source   string `json:"source"`
	Memories int    `json:"memories"` // that were looked at
	Random   int    `json:"random"`   // pairs of two of them, by chance
	Jittered int    `json:"jittered"` // pairs of one with itself, written differently
	eval.Points
	// Checked are the points on the pairs that come with Winnow.
	Checked map[string]eval.Checked `json:"checked"`
}

const (
	// maxSample is how many memories are looked at: as many texts as the random
	// pairs can hold.
	maxSample = 10_000
	// samplePage is how many rows are read at once.
	samplePage = 1000
)

// CalibrateFromMemories derives the operating points of an embedder without
// labels, from the tenant's memories in service. They sort and flag; no point is
// sure, so nobody acts on one. It stores nothing. Vectors that are kept are not
// asked for again. The same memories give the same points.
//
// The error is [calibrate.ErrPairs] where there are too few memories.
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

// scores are the similarities of the pairs of a kind.
func scores(pairs []calibrate.Pair, kind string) []float64 {
	return calibrate.Scores(slices.DeleteFunc(slices.Clone(pairs), func(p calibrate.Pair) bool { return p.Kind != kind }))
}

// sample draws texts of memories in service, each as likely as another, with the
// vector that is kept of it, nil where none is.
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

// KeepCalibration puts operating points in force for the tenant and the model.
// report is what they rest on, as JSON keeps it. It returns the calibration's id.
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
