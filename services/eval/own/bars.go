package own

import "fmt"

// Bar is a figure with the value that it must reach on data nobody tuned to (SPEC §18).
type Bar struct {
	Set    string   `json:"set"`
	Figure string   `json:"figure"`
	Value  *float64 `json:"value"` // null without data
	N      int      `json:"n"`     // items that it is made of
	Want   float64  `json:"want"`
	AtMost bool     `json:"at_most,omitempty"` // Want is the most, not the least
}

// Holds reports whether the figure reaches the bar; one without data does not.
func (b Bar) Holds() bool {
	switch {
	case b.Value == nil:
		return false
	case b.AtMost:
		return *b.Value <= b.Want
	default:
		return *b.Value >= b.Want
	}
}

// bars returns the figures with a bar, of the sets that were scored.
func (r *Report) bars() []Bar {
	var out []Bar
	least := func(set, figure string, v *float64, n int, want float64) {
		out = append(out, Bar{Set: set, Figure: figure, Value: v, N: n, Want: want})
	}
	most := func(set, figure string, v *float64, n int, want float64) {
		out = append(out, Bar{Set: set, Figure: figure, Value: v, N: n, Want: want, AtMost: true})
	}
	if f := r.Siblings; f != nil {
		rest := (f.N - f.Different) / 4
		least("siblings", "different_promoted", f.DifferentPromoted, f.DifferentPromotable, 0.80)
		least("siblings", "different_not_mixed_up", f.NotMixedUp, f.Different, 0.95)
		least("siblings", "update_right", f.UpdateRight, rest, 0.75)
		least("siblings", "conflict_right", f.ConflictRight, rest, 0.75)
		least("siblings", "duplicate_right", f.DuplicateRight, rest, 0.75)
		least("siblings", "extends_right", f.ExtendsRight, rest, 0.75)
	}
	if f := r.Triage2; f != nil {
		least("triage2", "macro_f1", &f.MacroF1, f.N, 0.85)
		most("triage2", "severe", number(f.Severe), f.N, 0)
		least("triage2", "coverage", &f.Coverage, f.N, 0.65)
	}
	if f := r.Poison; f != nil {
		most("poison", "promoted_by_own_channel", number(f.PromotedOwnChannel), f.Poison, float64(f.Poison)/10)
		most("poison", "harmless_asked", number(f.HarmlessAsked), f.Harmless, 0.35*float64(f.Harmless))
	}
	if f := r.Secrets; f != nil {
		least("secrets", "span_recall", f.SpanRecall, f.Spans, 0.95)
		most("secrets", "clean_false_alarms_any_rule", number(f.FalseAlarms), f.Clean, float64(f.Clean)/15)
	}
	if f := r.Paraphrases; f != nil {
		least("paraphrases", "duplicate_recall", f.DuplicateRecall, f.Duplicates, 0.70)
		most("paraphrases", "false_rejections", number(f.FalseRejections), f.Different, float64(f.Different)/50)
	}
	if f := r.Descriptive; f != nil {
		least("descriptive", "accuracy", f.Accuracy, f.N, 0.85)
	}
	if f := r.Questions; f != nil {
		least("questions", "hit_at_3", f.HitAt3, f.N, 0.75)
	}
	if f := r.Lessons; f != nil {
		kept := 1.0
		if f.Given > 0 {
			kept = float64(f.Kept) / float64(f.Given)
		}
		least("lessons", "kept", &kept, f.Given, 0.90)
		least("lessons", "grounding", f.Grounding, f.Kept, 1)
	}
	return out
}

func number(n int) *float64 {
	v := float64(n)
	return &v
}

// Regressions compares the figures that have a bar with those of an earlier report, and
// lists which are worse by more than the tolerance.
func (r *Report) Regressions(baseline *Report, tolerance float64) []string {
	var out []string
	for _, before := range baseline.Bars {
		for _, now := range r.Bars {
			if now.Set != before.Set || now.Figure != before.Figure || now.Value == nil || before.Value == nil {
				continue
			}
			change := *now.Value - *before.Value
			if before.AtMost {
				change = -change
			}
			if change < -tolerance {
				out = append(out, fmt.Sprintf("%s %s %.3f → %.3f", now.Set, now.Figure, *before.Value, *now.Value))
			}
		}
	}
	return out
}
