package eval

import "slices"

// ClustersReport is the output of `winnow eval clusters --json`.
type ClustersReport struct {
	Suite      string               `json:"suite"`
	N          int                  `json:"n"`
	Threshold  float64              `json:"threshold"`
	Metrics    ClusterMetrics       `json:"metrics"` // complete link
	Intervals  map[string]*Interval `json:"intervals"`
	Greedy     ClusterMetrics       `json:"greedy"`
	Singletons ClusterMetrics       `json:"all_singletons"` // doing nothing
	Sweep      []ClusterSweep       `json:"sweep"`          // complete link at other thresholds
	Embedder   string               `json:"embedder"`
	Items      []*ClusterItem       `json:"-"`
}

// ClusterMetrics compare groups with labels, each 0–1 but for the counts.
type ClusterMetrics struct {
	PairwiseF1        float64 `json:"pairwise_f1"`
	PairwisePrecision float64 `json:"pairwise_precision"`
	PairwiseRecall    float64 `json:"pairwise_recall"`
	// B3 is the F1 of B³ over texts that share their label with others: over all texts
	// it would overrate doing nothing.
	B3          float64 `json:"b3_nonsingleton"`
	B3Precision float64 `json:"b3_nonsingleton_precision"`
	B3Recall    float64 `json:"b3_nonsingleton_recall"`
	B3All       float64 `json:"b3_all"`
	Groups      int     `json:"groups"` // of two texts or more
	// Largest is the share of all texts in the largest group, which shows chaining.
	Largest float64 `json:"largest_cluster_share"`
}

// ClusterSweep are the figures at one threshold.
type ClusterSweep struct {
	Threshold  float64 `json:"threshold"`
	PairwiseF1 float64 `json:"pairwise_f1"`
	B3         float64 `json:"b3_nonsingleton"`
	Largest    float64 `json:"largest_cluster_share"`
}

// goldPairs returns the sizes of the labels with two texts or more.
func goldPairs(gold []string) map[string]int {
	sizes := map[string]int{}
	for _, g := range gold {
		sizes[g]++
	}
	for g, n := range sizes {
		if n < 2 {
			delete(sizes, g)
		}
	}
	return sizes
}

// cell is the texts of one label in one group.
type cell struct {
	gold  string
	found int
}

func clusterMetrics(gold []string, found []int) ClusterMetrics {
	labels, groups, cells := map[string]int{}, map[int]int{}, map[cell]int{}
	for i, g := range gold {
		labels[g]++
		groups[found[i]]++
		cells[cell{g, found[i]}]++
	}
	var m ClusterMetrics
	both, inGold, inFound := 0, 0, 0
	for _, n := range cells {
		both += n * (n - 1) / 2
	}
	for _, n := range labels {
		inGold += n * (n - 1) / 2
	}
	largest := 0
	for _, n := range groups {
		inFound += n * (n - 1) / 2
		largest = max(largest, n)
		if n > 1 {
			m.Groups++
		}
	}
	m.PairwisePrecision, m.PairwiseRecall = share(both, inFound), share(both, inGold)
	m.PairwiseF1 = harmonic(m.PairwisePrecision, m.PairwiseRecall)
	m.Largest = share(largest, len(gold))
	var n, p, r, allP, allR float64
	for i, g := range gold {
		shared := float64(cells[cell{g, found[i]}])
		precision, recall := shared/float64(groups[found[i]]), shared/float64(labels[g])
		allP, allR = allP+precision, allR+recall
		if labels[g] > 1 {
			n, p, r = n+1, p+precision, r+recall
		}
	}
	if n > 0 {
		m.B3Precision, m.B3Recall = p/n, r/n
		m.B3 = harmonic(m.B3Precision, m.B3Recall)
	}
	if t := float64(len(gold)); t > 0 {
		m.B3All = harmonic(allP/t, allR/t)
	}
	return m
}

func share(part, of int) float64 {
	if of == 0 {
		return 0
	}
	return float64(part) / float64(of)
}

func harmonic(a, b float64) float64 {
	if a+b == 0 {
		return 0
	}
	return 2 * a * b / (a + b)
}

// clusterIntervals resamples whole labels. Two draws of one label count as two labels
// and two groups.
func clusterIntervals(gold []string, found []int) map[string]*Interval {
	byLabel := map[string][]int{}
	var names []string
	for i, g := range gold {
		if byLabel[g] == nil {
			names = append(names, g)
		}
		byLabel[g] = append(byLabel[g], i)
	}
	slices.Sort(names)
	groups := make([][]int, len(names))
	for n, name := range names {
		groups[n] = byLabel[name]
	}
	return map[string]*Interval{"b3_nonsingleton": bootstrap(groups, func(sample []int) (float64, bool) {
		return b3Of(sample, gold, found)
	})}
}

// b3Of returns B³ on the texts of a sample, with precision and recall as in the whole.
func b3Of(sample []int, gold []string, found []int) (float64, bool) {
	labels, groups, cells := map[string]int{}, map[int]int{}, map[cell]int{}
	for i, g := range gold {
		labels[g]++
		groups[found[i]]++
		cells[cell{g, found[i]}]++
	}
	var n, p, r float64
	for _, i := range sample {
		if labels[gold[i]] < 2 {
			continue
		}
		shared := float64(cells[cell{gold[i], found[i]}])
		n, p, r = n+1, p+shared/float64(groups[found[i]]), r+shared/float64(labels[gold[i]])
	}
	if n == 0 {
		return 0, false
	}
	return harmonic(p/n, r/n), true
}

// Regressions compares with an earlier report and lists the figures that fell
// by more than tolerance (0–1).
func (r *ClustersReport) Regressions(baseline *ClustersReport, tolerance float64) []string {
	of := func(m ClusterMetrics) map[string]float64 {
		return map[string]float64{"pairwise_f1": m.PairwiseF1, "b3_nonsingleton": m.B3}
	}
	return fallen(of(r.Metrics), of(baseline.Metrics), tolerance)
}
