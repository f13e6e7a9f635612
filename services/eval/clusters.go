package eval

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/winnowhq/winnow/services/internal/consolidation/cluster"
	"github.com/winnowhq/winnow/services/internal/model/embed"
)

// ClustersOptions are the options of [Clusters].
type ClustersOptions struct {
	Embedder embed.Embedder
	// Threshold is the cosine above which two texts are similar; 0 is the cluster point
	// of the shipped calibration.
	Threshold float64
}

// ClusterItem is a text's labelled group and its computed ones.
type ClusterItem struct {
	ID       string `json:"id"`
	Cluster  string `json:"cluster"`  // labelled
	Complete int    `json:"complete"` // number of the group found by complete link
	Greedy   int    `json:"greedy"`
}

// labelledText is a line of a file of clusters.
type labelledText struct {
	ID      string `json:"id"`
	Cluster string `json:"cluster"`
	Text    string `json:"text"`
}

// errNoClusters reports a file without a group of two texts.
var errNoClusters = errors.New("no cluster of two texts in it")

// Clusters groups labelled texts as a consolidation would, by complete link and by the
// predecessors' greedy algorithm, and scores both against the labels and against no
// grouping (SPEC §18).
func Clusters(ctx context.Context, path string, opts ClustersOptions) (*ClustersReport, error) {
	texts, err := ReadLines[labelledText](path)
	if err != nil {
		return nil, fmt.Errorf("eval clusters: %w", err)
	}
	if opts.Threshold == 0 {
		shipped, err := Calibrate(ctx, ShippedPairs, opts.Embedder)
		if err != nil {
			return nil, fmt.Errorf("eval clusters: %w", err)
		}
		opts.Threshold = shipped.Cluster.Threshold
	}
	items, err := itemsOf(ctx, texts, opts.Embedder)
	if err != nil {
		return nil, fmt.Errorf("eval clusters: %w", err)
	}
	r := &ClustersReport{Suite: "clusters", N: len(texts), Embedder: opts.Embedder.ID(), Threshold: opts.Threshold, Sweep: []ClusterSweep{}}
	gold := make([]string, len(texts))
	for i, t := range texts {
		gold[i] = t.Cluster
	}
	if len(goldPairs(gold)) == 0 {
		return nil, fmt.Errorf("eval clusters: %w", errNoClusters)
	}
	complete, err := grouped(ctx, items, opts.Threshold, cluster.Find)
	if err != nil {
		return nil, fmt.Errorf("eval clusters: %w", err)
	}
	greedy, err := grouped(ctx, items, opts.Threshold, cluster.Greedy)
	if err != nil {
		return nil, fmt.Errorf("eval clusters: %w", err)
	}
	r.Metrics, r.Greedy = clusterMetrics(gold, complete), clusterMetrics(gold, greedy)
	r.Singletons = clusterMetrics(gold, alone(len(texts)))
	r.Intervals = clusterIntervals(gold, complete)
	for i, t := range texts {
		r.Items = append(r.Items, &ClusterItem{ID: t.ID, Cluster: t.Cluster, Complete: complete[i], Greedy: greedy[i]})
	}
	for _, at := range []float64{0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95} {
		found, err := grouped(ctx, items, at, cluster.Find)
		if err != nil {
			return nil, fmt.Errorf("eval clusters: %w", err)
		}
		m := clusterMetrics(gold, found)
		r.Sweep = append(r.Sweep, ClusterSweep{Threshold: at, PairwiseF1: m.PairwiseF1, B3: m.B3, Largest: m.Largest})
	}
	return r, nil
}

// itemsOf embeds the texts and does not sort: both algorithms order by id or get sorted
// input.
func itemsOf(ctx context.Context, texts []labelledText, e embed.Embedder) ([]cluster.Item, error) {
	plain := make([]string, len(texts))
	for i, t := range texts {
		plain[i] = t.Text
	}
	vectors, err := e.Embed(ctx, plain)
	if err != nil {
		return nil, err
	}
	items := make([]cluster.Item, len(texts))
	for i, t := range texts {
		items[i] = cluster.Item{ID: t.ID, Vector: vectors[i]}
	}
	return items, nil
}

// maxMembers is larger than any labelled cluster: the bound of a consolidation is not
// measured here.
const maxMembers = 100

// grouped returns the group number of each item; a single item has a number of its own.
func grouped(ctx context.Context, items []cluster.Item, threshold float64, find func(context.Context, []cluster.Item, cluster.Config) (cluster.Result, error)) ([]int, error) {
	config := cluster.DefaultConfig(threshold)
	config.MaxMembers = maxMembers
	config.Duplicate = max(config.Duplicate, (1+threshold)/2)
	// Greedy depends on the order, so it gets a reproducible one (D14).
	order := make([]int, len(items))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		switch {
		case items[a].ID < items[b].ID:
			return -1
		case items[a].ID > items[b].ID:
			return 1
		}
		return a - b
	})
	sorted := make([]cluster.Item, len(items))
	for n, i := range order {
		sorted[n] = items[i]
	}
	result, err := find(ctx, sorted, config)
	if err != nil {
		return nil, err
	}
	out := alone(len(items))
	for n, g := range result.Groups {
		for _, i := range g.Items() {
			out[order[i]] = len(items) + n
		}
	}
	return out, nil
}

// alone puts every item into a group of its own.
func alone(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}
