package eval

import (
	"fmt"
	"slices"
)

// TriageReport is the output of `winnow eval triage --json`. A metric without items is
// null.
type TriageReport struct {
	Suite     string                    `json:"suite"`
	N         int                       `json:"n"`
	Metrics   TriageMetrics             `json:"metrics"`
	Intervals map[string]*Interval      `json:"intervals"`
	PerReason map[string]ReasonScore    `json:"per_reason"`
	PerClass  map[string]ClassScore     `json:"per_class"`
	Items     []*TriageItem             `json:"-"`
	Confusion map[string]map[string]int `json:"confusion"` // labelled → predicted
}

// TriageMetrics are the headline figures, precision first.
type TriageMetrics struct {
	PrecisionReject  *float64 `json:"precision_auto_reject"`
	PrecisionPromote *float64 `json:"precision_auto_promote"`
	PrecisionMerge   *float64 `json:"precision_auto_merge"`
	MacroF1          float64  `json:"macro_f1"`
	Severe           int      `json:"severe"`
	Coverage         float64  `json:"coverage"`         // share not left to a person
	MergeKeepRight   *float64 `json:"merge_keep_right"` // share of merge groups whose fullest text survived
}

// ReasonScore counts the items of one labelled reason.
type ReasonScore struct {
	N     int `json:"n"`
	Right int `json:"right"`
}

// ClassScore scores one of the four actions.
type ClassScore struct {
	N         int      `json:"n"`         // labelled so
	Predicted int      `json:"predicted"` // decided so
	Right     int      `json:"right"`     // of Predicted, the labelled action or an acceptable one
	TP        int      `json:"tp"`
	FP        int      `json:"fp"`
	FN        int      `json:"fn"`
	Precision *float64 `json:"precision"`
	Recall    *float64 `json:"recall"`
	F1        float64  `json:"f1"`
}

// scoreTriage judges every item and counts. Right is the labelled action or an
// acceptable one: a true positive of the labelled class. Wrong is a false negative
// there and a false positive of the predicted class.
func scoreTriage(items []*TriageItem) *TriageReport {
	r := &TriageReport{Suite: "triage", N: len(items), PerReason: map[string]ReasonScore{}, Confusion: map[string]map[string]int{}, Items: items}
	stores := map[string][]*TriageItem{}
	for _, it := range items {
		it.Right = slices.Contains(it.accept, it.Action)
		it.Severe = slices.Contains(it.mustNot, it.Action)
		s := r.PerReason[it.Because]
		s.N++
		if it.Right {
			s.Right++
		}
		r.PerReason[it.Because] = s
		if r.Confusion[it.Expected] == nil {
			r.Confusion[it.Expected] = map[string]int{}
		}
		r.Confusion[it.Expected][it.Action]++
		stores[it.Store] = append(stores[it.Store], it)
	}
	r.PerClass = perClass(items)
	r.Metrics = metricsOf(items, r.PerClass)
	r.Intervals = intervals(stores)
	return r
}

func perClass(items []*TriageItem) map[string]ClassScore {
	out := map[string]ClassScore{}
	for _, a := range actions {
		out[a] = ClassScore{}
	}
	for _, it := range items {
		labelled, predicted := out[it.Expected], out[it.Action]
		labelled.N++
		if it.Right {
			labelled.TP++
			out[it.Expected] = labelled
			predicted = out[it.Action]
			predicted.Predicted++
			predicted.Right++
			out[it.Action] = predicted
			continue
		}
		labelled.FN++
		out[it.Expected] = labelled
		predicted = out[it.Action]
		predicted.FP++
		predicted.Predicted++
		out[it.Action] = predicted
	}
	for a, c := range out {
		// Of what was decided so: an acceptable action is a true positive of its label,
		// which says nothing of how far this action can be trusted.
		c.Precision, c.Recall = ratio(c.Right, c.Predicted), ratio(c.TP, c.TP+c.FN)
		if d := 2*c.TP + c.FP + c.FN; d > 0 {
			c.F1 = 2 * float64(c.TP) / float64(d)
		}
		out[a] = c
	}
	return out
}

func metricsOf(items []*TriageItem, classes map[string]ClassScore) TriageMetrics {
	m := TriageMetrics{
		PrecisionReject: classes[actionReject].Precision, PrecisionPromote: classes[actionPromote].Precision,
		PrecisionMerge: classes[actionMerge].Precision, MergeKeepRight: keepRight(items),
	}
	decided := 0
	for _, it := range items {
		if it.Severe {
			m.Severe++
		}
		if it.Action != actionReview {
			decided++
		}
	}
	for _, a := range actions {
		m.MacroF1 += classes[a].F1 / float64(len(actions))
	}
	if len(items) > 0 {
		m.Coverage = float64(decided) / float64(len(items))
	}
	return m
}

// keepRight returns the share of merge groups in which the fullest text is active and
// every other one was merged or rejected.
func keepRight(items []*TriageItem) *float64 {
	right := map[string]bool{}
	for _, it := range items {
		if it.group == "" {
			continue
		}
		gone := it.Rule == "absorbed" || it.Action == actionReject || it.Rule == "merge" && it.Action == actionMerge && it.role == "discard"
		ok := gone == (it.role == "discard")
		if before, seen := right[it.group]; seen {
			ok = ok && before
		}
		right[it.group] = ok
	}
	n := 0
	for _, ok := range right {
		if ok {
			n++
		}
	}
	return ratio(n, len(right))
}

func ratio(n, of int) *float64 {
	if of == 0 {
		return nil
	}
	v := float64(n) / float64(of)
	return &v
}

// intervals resamples whole stores, because items of one store are alike.
func intervals(stores map[string][]*TriageItem) map[string]*Interval {
	names := make([]string, 0, len(stores))
	for name := range stores {
		names = append(names, name)
	}
	slices.Sort(names)
	groups := make([][]*TriageItem, 0, len(names))
	for _, name := range names {
		groups = append(groups, stores[name])
	}
	precision := func(action string) func([]*TriageItem) (float64, bool) {
		return func(items []*TriageItem) (float64, bool) {
			p := perClass(items)[action].Precision
			if p == nil {
				return 0, false
			}
			return *p, true
		}
	}
	return map[string]*Interval{
		"precision_auto_reject":  bootstrap(groups, precision(actionReject)),
		"precision_auto_promote": bootstrap(groups, precision(actionPromote)),
		"precision_auto_merge":   bootstrap(groups, precision(actionMerge)),
		"macro_f1": bootstrap(groups, func(items []*TriageItem) (float64, bool) {
			return metricsOf(items, perClass(items)).MacroF1, true
		}),
	}
}

// Regressions compares with an earlier report and lists the metrics that fell
// by more than tolerance (0–1); more severe errors always count.
func (r *TriageReport) Regressions(baseline *TriageReport, tolerance float64) []string {
	var out []string
	check := func(name string, now, before *float64) {
		if before != nil && (now == nil || *now < *before-tolerance) {
			out = append(out, fmt.Sprintf("%s fell from %.3f to %s", name, *before, shown(now)))
		}
	}
	check("precision_auto_reject", r.Metrics.PrecisionReject, baseline.Metrics.PrecisionReject)
	check("precision_auto_promote", r.Metrics.PrecisionPromote, baseline.Metrics.PrecisionPromote)
	check("precision_auto_merge", r.Metrics.PrecisionMerge, baseline.Metrics.PrecisionMerge)
	check("macro_f1", &r.Metrics.MacroF1, &baseline.Metrics.MacroF1)
	if r.Metrics.Severe > baseline.Metrics.Severe {
		out = append(out, fmt.Sprintf("severe errors rose from %d to %d", baseline.Metrics.Severe, r.Metrics.Severe))
	}
	return out
}
