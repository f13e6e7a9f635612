package eval

import (
	"fmt"
	"math"
	"slices"
)

// RetrievalReport is the output of `winnow eval retrieval --json`.
type RetrievalReport struct {
	Suite      string                       `json:"suite"`
	N          int                          `json:"n"` // questions with evidence
	Metrics    RetrievalMetrics             `json:"metrics"`
	Intervals  map[string]*Interval         `json:"intervals"`
	ByCategory map[string]RetrievalCategory `json:"by_category"`
	ByStore    map[string]RetrievalCategory `json:"by_store"`
	Floor      FloorCounts                  `json:"floor"`
	Embedder   string                       `json:"embedder"`
	Fusion     string                       `json:"fusion"`
	Items      []*RetrievalItem             `json:"-"`
}

// FloorCounts are what the floor of relevance emptied. An answer that is lost weighs more
// than a text that is shown in vain.
type FloorCounts struct {
	EmptiedAnswerable   int `json:"emptied_answerable"` // questions with evidence, of n
	Unanswerable        int `json:"unanswerable"`       // questions that no text answers; in no other figure
	EmptiedUnanswerable int `json:"emptied_unanswerable"`
}

// RetrievalMetrics are means over questions, each 0–1.
type RetrievalMetrics struct {
	Recall5  float64 `json:"recall_at_5"` // share of a question's evidence in the first five
	Recall10 float64 `json:"recall_at_10"`
	Recall20 float64 `json:"recall_at_20"`
	All10    float64 `json:"all_at_10"` // share of questions with all evidence in the first ten
	NDCG10   float64 `json:"ndcg_at_10"`
	MRR      float64 `json:"mrr"`
}

// RetrievalCategory are the figures of some of the questions.
type RetrievalCategory struct {
	N int `json:"n"`
	RetrievalMetrics
}

// RetrievalItem is the answer to one question.
type RetrievalItem struct {
	QID      string   `json:"qid"`
	Store    string   `json:"store"`
	Category string   `json:"category"`
	Query    string   `json:"query"`
	Evidence []string `json:"evidence"`
	Ranked   []string `json:"ranked"` // ids of documents, best first
	Recall10 float64  `json:"recall_at_10"`
	Emptied  bool     `json:"emptied,omitempty"` // by the floor of relevance
	// Pool is filled where it is asked for.
	Pool []PoolEntry `json:"pool,omitempty"`
}

func itemOf(s *retrievalStore, q retrievalQuestion, places []int) *RetrievalItem {
	it := &RetrievalItem{QID: q.id, Store: s.name, Category: q.category, Query: q.query, Evidence: append([]string{}, q.evidence...), Ranked: []string{}}
	for _, p := range places {
		it.Ranked = append(it.Ranked, s.docs[p].id)
	}
	it.Recall10 = it.recall(10)
	return it
}

// recall is the share of the evidence among the first k, 0 for a question without.
func (it *RetrievalItem) recall(k int) float64 {
	if len(it.Evidence) == 0 {
		return 0
	}
	found := 0
	for _, id := range it.Ranked[:min(k, len(it.Ranked))] {
		if slices.Contains(it.Evidence, id) {
			found++
		}
	}
	return float64(found) / float64(len(it.Evidence))
}

// ndcg is the normalised discounted gain of the first k, with the discount
// 1/log2(i+1), ranks from 1.
func (it *RetrievalItem) ndcg(k int) float64 {
	gain, ideal := 0.0, 0.0
	for i := range k {
		discount := 1 / math.Log2(float64(i+2))
		if i < len(it.Ranked) && slices.Contains(it.Evidence, it.Ranked[i]) {
			gain += discount
		}
		if i < len(it.Evidence) {
			ideal += discount
		}
	}
	return gain / ideal
}

// reciprocal is one over the rank of the first evidence, 0 when there is none.
func (it *RetrievalItem) reciprocal() float64 {
	for i, id := range it.Ranked {
		if slices.Contains(it.Evidence, id) {
			return 1 / float64(i+1)
		}
	}
	return 0
}

func retrievalMetrics(items []*RetrievalItem) RetrievalMetrics {
	var m RetrievalMetrics
	if len(items) == 0 {
		return m
	}
	part := 1 / float64(len(items))
	for _, it := range items {
		m.Recall5 += part * it.recall(5)
		m.Recall10 += part * it.recall(10)
		m.Recall20 += part * it.recall(20)
		if it.recall(10) == 1 {
			m.All10 += part
		}
		m.NDCG10 += part * it.ndcg(10)
		m.MRR += part * it.reciprocal()
	}
	return m
}

func scoreRetrieval(all []*RetrievalItem) *RetrievalReport {
	floor, items := floorCounts(all)
	r := &RetrievalReport{Suite: "retrieval", N: len(items), Metrics: retrievalMetrics(items), Items: all, Floor: floor}
	stores := groupBy(items, func(it *RetrievalItem) string { return it.Store })
	r.ByStore = figuresOf(stores)
	r.ByCategory = figuresOf(groupBy(items, func(it *RetrievalItem) string { return it.Category }))
	groups := inOrder(stores)
	of := func(pick func(RetrievalMetrics) float64) *Interval {
		return bootstrap(groups, func(s []*RetrievalItem) (float64, bool) { return pick(retrievalMetrics(s)), len(s) > 0 })
	}
	r.Intervals = map[string]*Interval{
		"recall_at_5":  of(func(m RetrievalMetrics) float64 { return m.Recall5 }),
		"recall_at_10": of(func(m RetrievalMetrics) float64 { return m.Recall10 }),
		"ndcg_at_10":   of(func(m RetrievalMetrics) float64 { return m.NDCG10 }),
		"mrr":          of(func(m RetrievalMetrics) float64 { return m.MRR }),
	}
	return r
}

// floorCounts counts what the floor emptied, and returns the questions with evidence.
func floorCounts(all []*RetrievalItem) (c FloorCounts, answerable []*RetrievalItem) {
	for _, it := range all {
		emptied := 0
		if it.Emptied {
			emptied = 1
		}
		if len(it.Evidence) == 0 {
			c.Unanswerable++
			c.EmptiedUnanswerable += emptied
			continue
		}
		c.EmptiedAnswerable += emptied
		answerable = append(answerable, it)
	}
	return c, answerable
}

func figuresOf(groups map[string][]*RetrievalItem) map[string]RetrievalCategory {
	out := make(map[string]RetrievalCategory, len(groups))
	for name, items := range groups {
		out[name] = RetrievalCategory{N: len(items), RetrievalMetrics: retrievalMetrics(items)}
	}
	return out
}

// groupBy collects items under a name.
func groupBy[T any](items []T, name func(T) string) map[string][]T {
	out := map[string][]T{}
	for _, it := range items {
		out[name(it)] = append(out[name(it)], it)
	}
	return out
}

// inOrder returns the groups by name, so that a bootstrap is the same each time.
func inOrder[T any](groups map[string][]T) [][]T {
	names := make([]string, 0, len(groups))
	for name := range groups {
		names = append(names, name)
	}
	slices.Sort(names)
	out := make([][]T, 0, len(names))
	for _, name := range names {
		out = append(out, groups[name])
	}
	return out
}

// Figures returns the metrics that a later run must not fall below, by name.
func (r *RetrievalReport) Figures() map[string]float64 {
	m := r.Metrics
	return map[string]float64{"recall_at_5": m.Recall5, "recall_at_10": m.Recall10, "ndcg_at_10": m.NDCG10, "mrr": m.MRR}
}

// fallen returns the figures that are more than tolerance below those before.
func fallen(now, before map[string]float64, tolerance float64) []string {
	var out []string
	for name, was := range before {
		if is, ok := now[name]; !ok || is < was-tolerance {
			out = append(out, fmt.Sprintf("%s fell from %.3f to %.3f", name, was, is))
		}
	}
	slices.Sort(out)
	return out
}

// Regressions compares with an earlier report and lists the figures that fell
// by more than tolerance (0–1), and answers newly lost to the floor.
func (r *RetrievalReport) Regressions(baseline *RetrievalReport, tolerance float64) []string {
	out := fallen(r.Figures(), baseline.Figures(), tolerance)
	if now, before := r.Floor.EmptiedAnswerable, baseline.Floor.EmptiedAnswerable; now > before {
		out = append(out, fmt.Sprintf("emptied_answerable rose from %d to %d", before, now))
	}
	return out
}
