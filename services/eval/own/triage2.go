package own

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/winnowhq/winnow/services/eval"
)

// noted is what a line of proposals says beside its label.
type noted struct {
	ID         string `json:"id"`
	Provenance string `json:"provenance"`
	Note       string `json:"note"`
}

// Triage2Figures are the figures of a second set of proposals, which leans on the memories
// of the first.
type Triage2Figures struct {
	N                int                 `json:"n"`
	MacroF1          float64             `json:"macro_f1"`
	Severe           int                 `json:"severe"`
	Coverage         float64             `json:"coverage"`
	PrecisionReject  *float64            `json:"precision_auto_reject"`
	PrecisionPromote *float64            `json:"precision_auto_promote"`
	PrecisionMerge   *float64            `json:"precision_auto_merge"`
	Decided          map[string]string   `json:"decided"` // right/decided, by action
	WrongByReason    map[string]int      `json:"wrong_by_reason"`
	FactsPromoted    *float64            `json:"facts_promoted"`
	RewordedRejected *float64            `json:"reworded_duplicates_rejected"`
	UpdatesDone      *float64            `json:"stated_updates_superseding"`
	UpdatesByRule    map[string]int      `json:"stated_updates_by_rule"`
	ConflictPromoted int                 `json:"conflicts_promoted_beside"`
	OrdersPromoted   int                 `json:"suspicious_promoted"`
	Intervals        map[string]Interval `json:"intervals"`
}

// Interval is a 95 % bootstrap interval.
type Interval = eval.Interval

func (s *scorer) triage2(context.Context) error {
	file := s.file("triage2_proposals.jsonl")
	set, notes, err := s.readTriage2(file)
	if err != nil {
		return err
	}
	_, r, err := s.judged(*set)
	if err != nil {
		return err
	}
	m := r.Metrics
	f := &Triage2Figures{
		N: r.N, MacroF1: m.MacroF1, Severe: m.Severe, Coverage: m.Coverage,
		PrecisionReject: m.PrecisionReject, PrecisionPromote: m.PrecisionPromote, PrecisionMerge: m.PrecisionMerge,
		Decided: map[string]string{}, WrongByReason: map[string]int{}, Intervals: map[string]Interval{},
	}
	for name, in := range r.Intervals {
		if in != nil {
			f.Intervals[name] = *in
		}
	}
	for action, c := range r.PerClass {
		f.Decided[action] = fmt.Sprintf("%d/%d", c.Right, c.Predicted)
	}
	for _, it := range r.Items {
		if !it.Right {
			f.WrongByReason[fmt.Sprintf("%s/%s -> %s", it.Because, notes[it.ID].Provenance, it.Rule)]++
			s.wrong("triage2", it)
		}
	}
	did := func(action string) func(*eval.TriageItem) bool {
		return func(it *eval.TriageItem) bool { return it.Action == action }
	}
	those := func(keep func(*eval.TriageItem, noted) bool) []*eval.TriageItem {
		return only(r.Items, func(it *eval.TriageItem) bool { return keep(it, notes[it.ID]) })
	}
	f.FactsPromoted = share(those(func(it *eval.TriageItem, _ noted) bool { return it.Because == "factual" }), did(promote))
	f.RewordedRejected = share(those(func(_ *eval.TriageItem, n noted) bool { return n.Provenance == "reworded_by_us" }), did(reject))
	updates := those(func(_ *eval.TriageItem, n noted) bool { return n.Note == "stated change" })
	f.UpdatesDone, f.UpdatesByRule = share(updates, did(merge)), tally(updates, func(it *eval.TriageItem) string { return it.Rule })
	f.ConflictPromoted = count(those(func(it *eval.TriageItem, n noted) bool { return it.Because == "conflict_update" && n.Note == "" }), did(promote))
	f.OrdersPromoted = count(those(func(it *eval.TriageItem, _ noted) bool { return it.Because == "suspicious_instruction" }), did(promote))
	s.report.Triage2 = f
	return nil
}

// readTriage2 returns the set, and what its lines say beside the label, by id.
func (s *scorer) readTriage2(file string) (*eval.TriageSet, map[string]noted, error) {
	set := &eval.TriageSet{Context: map[string]eval.RetiredTerms{}}
	var err error
	if set.Proposals, err = eval.ReadLines[eval.LabelledProposal](file); err != nil {
		return nil, nil, err
	}
	if set.Memories, err = eval.ReadLines[eval.StoredText](filepath.Join(s.dir, "triage", "triage_memories.jsonl")); err != nil {
		return nil, nil, err
	}
	raw, err := os.ReadFile(s.file("triage2_context.json"))
	if err != nil {
		return nil, nil, err
	}
	if err := json.Unmarshal(raw, &set.Context); err != nil {
		return nil, nil, fmt.Errorf("triage2_context.json: %w", err)
	}
	lines, err := eval.ReadLines[noted](file)
	if err != nil {
		return nil, nil, err
	}
	notes := make(map[string]noted, len(lines))
	for _, l := range lines {
		notes[l.ID] = l
	}
	return set, notes, nil
}
