package consolidate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/winnowhq/winnow/services/internal/consolidation"
	"github.com/winnowhq/winnow/services/internal/consolidation/trigger"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// gathered is what a plan is made from.
type gathered struct {
	candidates []consolidation.Candidate
	active     int // memories of the scope, those that take no part included
	config     consolidation.Config
	// calibration is the id of the operating points, empty where words alone are
	// compared.
	calibration string
}

// gather reads the active memories of a run's scope with their vectors, and the
// operating points of the embedding model.
func (w *work) gather(ctx context.Context, run memory.Run) (gathered, error) {
	var g gathered
	var err error
	if g.config, g.calibration, err = w.points(ctx, run); err != nil {
		return g, err
	}
	rows, err := w.rows(ctx, run)
	if err != nil {
		return g, err
	}
	ids := make([]string, 0, len(rows))
	for i := range rows {
		ids = append(ids, rows[i].ID)
	}
	usage, err := w.Store.Usage(ctx, run.Tenant, ids...)
	if err != nil {
		return g, fmt.Errorf("usage: %w", err)
	}
	g.active = len(rows)
	g.candidates = make([]consolidation.Candidate, 0, len(rows))
	for i := range rows {
		g.candidates = append(g.candidates, consolidation.Candidate{Memory: rows[i].Memory, Vector: rows[i].Vector, Usage: usage[rows[i].ID]})
	}
	if err = w.madeOf(ctx, run, g.candidates); err != nil {
		return g, err
	}
	if g.config.Offered, err = w.offered(ctx, run); err != nil {
		return g, err
	}
	// What a person takes back is not done again.
	undone, err := w.Store.TakenBack(ctx, run.Tenant, run.Scope)
	if err != nil {
		return g, fmt.Errorf("undone steps: %w", err)
	}
	for _, item := range undone {
		g.config.Undone = append(g.config.Undone, item.Sources)
	}
	return g, nil
}

// madeOf notes of each consolidated memory which memories it was made of: it is never
// merged with them again (D13).
func (w *work) madeOf(ctx context.Context, run memory.Run, candidates []consolidation.Candidate) error {
	at := map[string]int{}
	var made []string
	for i := range candidates {
		if slices.Contains(candidates[i].Tags, memory.TagConsolidated) {
			at[candidates[i].ID] = i
			made = append(made, candidates[i].ID)
		}
	}
	if len(made) == 0 {
		return nil
	}
	links, err := w.Store.Links(ctx, run.Tenant, made...)
	if err != nil {
		return fmt.Errorf("links: %w", err)
	}
	for _, l := range links {
		if i, ok := at[l.From]; ok && l.Kind == memory.LinkConsolidates {
			candidates[i].Sources = append(candidates[i].Sources, l.To)
		}
	}
	return nil
}

// pageSize is how many rows are read at once.
const pageSize = 2000

// rows reads the active memories of the scope. A vector that is not stored yet is made
// where that costs nothing; otherwise its memory waits for the next run (S0.54).
func (w *work) rows(ctx context.Context, run memory.Run) ([]store.IndexRow, error) {
	q := store.IndexQuery{Changed: map[memory.Scope]int64{run.Scope: 0}, Limit: pageSize}
	if run.Strategy == memory.RunExplicit {
		q = store.IndexQuery{IDs: run.Options.IDs}
	}
	var active []store.IndexRow
	for {
		page, err := w.Truth.Rows(ctx, run.Tenant, q)
		if err != nil {
			return nil, fmt.Errorf("memories of %s: %w", run.Scope, err)
		}
		for i := range page {
			if page[i].State == memory.StateActive && page[i].Scope == run.Scope {
				active = append(active, page[i])
			}
		}
		if q.Limit == 0 || len(page) < q.Limit {
			return active, nil
		}
		q.After = page[len(page)-1].ID
	}
}

// points returns what is similar for a run: the number that it names, else the calibrated
// point (D2).
func (w *work) points(ctx context.Context, run memory.Run) (consolidation.Config, string, error) {
	if w.Truth == nil {
		return consolidation.Config{}, "", errors.New("no index is configured, and a run needs its vectors")
	}
	calibration, _, err := w.Truth.Calibrated(ctx, run.Tenant, w.Now())
	if err != nil {
		return consolidation.Config{}, "", fmt.Errorf("calibration: %w", err)
	}
	sure, err := trigger.Sure(calibration)
	if err != nil {
		return consolidation.Config{}, "", err
	}
	o := run.Options
	c := consolidation.DefaultConfig(calibration.Cluster, calibration.Duplicate, sure)
	c.WordsAlone = w.Truth.Embedder.Dim() == 0
	if err := w.config.Allows(run, calibration.Cluster); err != nil {
		return consolidation.Config{}, "", fmt.Errorf("%w: %w", errOptions, err)
	}
	if given := o.Threshold; given > 0 {
		c.Threshold, c.Given = given, true
	}
	if o.MinCluster > 0 {
		c.MinCluster = o.MinCluster
	}
	c.MaxClusters, c.MaxMemories = o.MaxClusters, o.MaxMemories
	c.Now, c.MaxAge = w.Now(), time.Duration(o.MaxAgeDays)*24*time.Hour
	if o.Clustering == clusteringGreedy || o.Clustering == "" && w.config.Clustering == clusteringGreedy {
		c.Clustering = consolidation.ClusteringGreedy
	}
	return c, calibration.ID, nil
}

// compared names what compared the memories, as decisions say it.
func (g gathered) compared() string {
	if g.config.WordsAlone {
		return "lexical"
	}
	return "embedding"
}

// notAlike is the reason of a group that somebody named and that D13 forbids.
const notAlike = "the memories are not of one scope, kind, outcome and trust"

// alike reports whether the memories of a group may be merged at all.
func (g gathered) alike(group consolidation.Group) bool {
	sources := group.Sources()
	var list []consolidation.Candidate
	for _, c := range g.candidates {
		if slices.Contains(sources, c.ID) {
			list = append(list, c)
		}
	}
	return consolidation.Alike(list)
}
