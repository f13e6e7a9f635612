package eval

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/winnowhq/winnow/services/internal/consolidation"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/model/embed"
)

// ThemesReport is the output of `winnow eval clusters --json` for a folder of
// consolidations that people approved: how the groups of a plan agree with theirs.
type ThemesReport struct {
	Suite    string `json:"suite"`
	N        int    `json:"n"` // texts of all consolidations, with those that stayed
	Embedder string `json:"embedder"`
	// Metrics are over all consolidations: pairs are counted within each, and pairs of
	// groups that one lineage ties count neither way.
	Metrics ThemeMetrics `json:"metrics"`
	// Inferred counts the groups that were not labelled by the maintainers too, Batch
	// only the texts that were consolidated, without those that stayed.
	Inferred  ThemeMetrics         `json:"with_inferred_groups"`
	Batch     ThemeMetrics         `json:"without_distractors"`
	Runs      []ThemeRun           `json:"consolidations"`
	Intervals map[string]*Interval `json:"intervals"`
	Items     []*ThemeItem         `json:"-"`
}

// ThemeMetrics compare the pairs of a plan's groups with the labels, 0–1.
type ThemeMetrics struct {
	PairwiseF1        float64 `json:"pairwise_f1"`
	PairwisePrecision float64 `json:"pairwise_precision"`
	PairwiseRecall    float64 `json:"pairwise_recall"`
	Groups            int     `json:"groups"`
	Merged            int     `json:"merged_by_engine"` // groups that the engine would merge
	right, found, all int
}

// ThemeRun are the figures of one consolidation.
type ThemeRun struct {
	Batch string `json:"batch"`
	N     int    `json:"n"`
	ThemeMetrics
}

// ThemeItem is a text with its labelled group and the plan's.
type ThemeItem struct {
	ID    string `json:"id"`
	Batch string `json:"batch"`
	Label string `json:"group"` // empty: none
	Found string `json:"found"` // first member of the plan's group; empty: none
	Mode  string `json:"mode,omitempty"`
}

// themeEntry is a line of entries.jsonl or distractors.jsonl.
type themeEntry struct {
	ID            string   `json:"id"`
	Kind          string   `json:"kind"`
	Title         string   `json:"title"`
	Text          string   `json:"text"`
	Date          string   `json:"date"`
	Batch         string   `json:"batch"`
	Label         string   `json:"label"`
	Group         string   `json:"group"`
	InferredGroup string   `json:"inferred_group"`
	ActiveAfter   []string `json:"active_after"`
}

// themeGroup is a line of groups.jsonl or groups_inferred.jsonl.
type themeGroup struct {
	Group   string `json:"group"`
	Lineage string `json:"lineage"`
}

// themeData is a folder of consolidations.
type themeData struct {
	entries, stayed []themeEntry
	lineage         map[string]string
	vectors         map[string][]float32
}

// Themes plans each consolidation of a folder anew and scores the groups against those
// that people approved.
func Themes(ctx context.Context, dir string, e embed.Embedder) (*ThemesReport, error) {
	fail := func(err error) (*ThemesReport, error) { return nil, fmt.Errorf("eval clusters: %w", err) }
	data, err := readThemes(ctx, dir, e)
	if err != nil {
		return fail(err)
	}
	calibrated, err := Calibrate(ctx, ShippedPairs, e)
	if err != nil {
		return fail(err)
	}
	config := consolidation.DefaultConfig(calibrated.Cluster.Threshold, calibrated.Duplicate.Threshold, calibrated.Duplicate.Sure)
	config.WordsAlone = e.Dim() == 0
	r := &ThemesReport{Suite: "clusters", Embedder: e.ID(), Runs: []ThemeRun{}}
	score := func(total *ThemeMetrics, inferred, stayed bool) error {
		for _, batch := range data.batches() {
			pool := data.pool(batch, inferred, stayed)
			items, m, err := data.plan(ctx, pool, batch, inferred, config)
			if err != nil {
				return err
			}
			total.add(m)
			if !inferred && stayed && m.all > 0 {
				m.done()
				r.N += len(pool)
				r.Runs = append(r.Runs, ThemeRun{Batch: batch, N: len(pool), ThemeMetrics: m})
				r.Items = append(r.Items, items...)
			}
		}
		total.done()
		return nil
	}
	if err := errors.Join(score(&r.Metrics, false, true), score(&r.Inferred, true, true), score(&r.Batch, false, false)); err != nil {
		return fail(err)
	}
	r.Intervals = map[string]*Interval{"pairwise_f1": data.interval(r.Items)}
	return r, nil
}

func readThemes(ctx context.Context, dir string, e embed.Embedder) (*themeData, error) {
	d := &themeData{lineage: map[string]string{}, vectors: map[string][]float32{}}
	var err error
	if d.entries, err = ReadLines[themeEntry](filepath.Join(dir, "entries.jsonl")); err != nil {
		return nil, err
	}
	if d.stayed, err = ReadLines[themeEntry](filepath.Join(dir, "distractors.jsonl")); err != nil {
		return nil, err
	}
	for _, name := range []string{"groups.jsonl", "groups_inferred.jsonl"} {
		groups, err := ReadLines[themeGroup](filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		for _, g := range groups {
			d.lineage[g.Group] = g.Lineage
		}
	}
	all := slices.Concat(d.entries, d.stayed)
	texts := make([]string, len(all))
	for i, x := range all {
		texts[i] = embed.Text(memory.Memory{Title: x.Title, Text: x.Text})
	}
	vectors, err := e.Embed(ctx, texts)
	if err != nil {
		return nil, err
	}
	for i, x := range all {
		d.vectors[x.ID] = vectors[i]
	}
	return d, nil
}

func (d *themeData) batches() []string {
	var all []string
	for _, e := range d.entries {
		all = append(all, e.Batch)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// pool returns the texts of one consolidation: those that it archived and, with stayed,
// those that stood through it.
func (d *themeData) pool(batch string, inferred, stayed bool) []themeEntry {
	var pool []themeEntry
	for _, e := range d.entries {
		if e.Batch == batch && (inferred || e.Label != "ungrouped") {
			pool = append(pool, e)
		}
	}
	for _, e := range d.stayed {
		if stayed && slices.Contains(e.ActiveAfter, batch) {
			pool = append(pool, e)
		}
	}
	return pool
}

// plan groups a pool as a run would, and counts pairs.
func (d *themeData) plan(ctx context.Context, pool []themeEntry, batch string, inferred bool, c consolidation.Config) ([]*ThemeItem, ThemeMetrics, error) {
	candidates := make([]consolidation.Candidate, len(pool))
	items := make([]*ThemeItem, len(pool))
	byID := map[string]*ThemeItem{}
	for i, e := range pool {
		at, err := time.Parse(time.DateOnly, e.Date)
		if err != nil {
			return nil, ThemeMetrics{}, fmt.Errorf("%s: %w", e.ID, err)
		}
		candidates[i] = consolidation.Candidate{Memory: themeMemory(e, at), Vector: d.vectors[e.ID]}
		items[i] = &ThemeItem{ID: e.ID, Batch: batch, Label: e.Group}
		if inferred && e.Group == "" {
			items[i].Label = e.InferredGroup
		}
		byID[e.ID] = items[i]
	}
	plan, err := consolidation.Find(ctx, candidates, nil, c)
	if err != nil {
		return nil, ThemeMetrics{}, err
	}
	m := ThemeMetrics{Groups: len(plan.Groups)}
	for _, g := range plan.Groups {
		if g.Mode == consolidation.ModeMerge {
			m.Merged++
		}
		for _, id := range g.Sources() {
			byID[id].Found, byID[id].Mode = g.Members[0], string(g.Mode)
		}
	}
	d.count(items, &m)
	return items, m, nil
}

// themeMemory is the memory that an entry would be: a learning is a strategy.
func themeMemory(e themeEntry, at time.Time) memory.Memory {
	kind := memory.KindStrategy
	if e.Kind == "decision" {
		kind = memory.KindDecision
	}
	return memory.Memory{
		ID: e.ID, Tenant: memory.DefaultTenant, Scope: "project:eval", State: memory.StateActive, Kind: kind, Title: e.Title, Text: e.Text,
		Origin: memory.OriginAgent, Authority: memory.OriginAgent, ObservedAt: at, CreatedAt: at, Importance: 5, Confidence: 0.7,
	}
}

// count adds the pairs of the items.
func (d *themeData) count(items []*ThemeItem, m *ThemeMetrics) {
	for i, a := range items {
		for _, b := range items[:i] {
			same, found := a.Label != "" && a.Label == b.Label, a.Found != "" && a.Found == b.Found
			if found && !same && a.Label != "" && b.Label != "" && d.lineage[a.Label] == d.lineage[b.Label] {
				continue
			}
			if same {
				m.all++
			}
			if found {
				m.found++
			}
			if same && found {
				m.right++
			}
		}
	}
}

func (m *ThemeMetrics) add(o ThemeMetrics) {
	m.right, m.found, m.all = m.right+o.right, m.found+o.found, m.all+o.all
	m.Groups, m.Merged = m.Groups+o.Groups, m.Merged+o.Merged
}

func (m *ThemeMetrics) done() {
	m.PairwisePrecision, m.PairwiseRecall = share(m.right, m.found), share(m.right, m.all)
	m.PairwiseF1 = harmonic(m.PairwisePrecision, m.PairwiseRecall)
}

// interval resamples whole labelled groups: a text without one is a group of its own.
// Pairs are counted among the texts of the sample.
func (d *themeData) interval(items []*ThemeItem) *Interval {
	byLabel := map[string][]int{}
	var names []string
	for i, item := range items {
		name := item.Batch + "/" + item.Label
		if item.Label == "" {
			name = item.Batch + "//" + item.ID
		}
		if byLabel[name] == nil {
			names = append(names, name)
		}
		byLabel[name] = append(byLabel[name], i)
	}
	slices.Sort(names)
	groups := make([][]int, len(names))
	for n, name := range names {
		groups[n] = byLabel[name]
	}
	// For each text the pairs that it is part of, halves of which make the whole.
	type half struct{ right, found, all int }
	halves := make([]half, len(items))
	for i, a := range items {
		for j, b := range items {
			if i == j || a.Batch != b.Batch {
				continue
			}
			var m ThemeMetrics
			d.count([]*ThemeItem{a, b}, &m)
			halves[i].right, halves[i].found, halves[i].all = halves[i].right+m.right, halves[i].found+m.found, halves[i].all+m.all
		}
	}
	return bootstrap(groups, func(sample []int) (float64, bool) {
		var m ThemeMetrics
		for _, i := range sample {
			m.right, m.found, m.all = m.right+halves[i].right, m.found+halves[i].found, m.all+halves[i].all
		}
		m.done()
		return m.PairwiseF1, m.all > 0
	})
}

// Regressions compares with an earlier report and lists the figures that fell by more
// than tolerance (0–1).
func (r *ThemesReport) Regressions(baseline *ThemesReport, tolerance float64) []string {
	return fallen(map[string]float64{"pairwise_f1": r.Metrics.PairwiseF1}, map[string]float64{"pairwise_f1": baseline.Metrics.PairwiseF1}, tolerance)
}
