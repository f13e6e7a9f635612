package report

import (
	"encoding/json"
	"fmt"

	"github.com/winnowhq/winnow/services/internal/consolidation"
	"github.com/winnowhq/winnow/services/internal/consolidation/merge"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// Detail is what a step's row says beside its result: why the sources belong together,
// and once it is taken, the text that stands for them and how it differs from theirs.
type Detail struct {
	Members     []string `json:"members"`          // ids of the different texts
	Copies      []string `json:"copies,omitempty"` // ids of those that repeat a member
	Average     float64  `json:"average_similarity"`
	Minimum     float64  `json:"min_similarity"`
	Why         string   `json:"why,omitempty"`
	Similarity  string   `json:"similarity,omitempty"` // what compared: embedding or lexical
	Calibration string   `json:"calibration,omitempty"`
	Mode        string   `json:"mode"`

	By          string          `json:"by,omitempty"` // id of the model, or concatenation
	Title       string          `json:"title,omitempty"`
	Description string          `json:"description,omitempty"`
	Text        string          `json:"text,omitempty"`
	Confidence  float64         `json:"confidence,omitempty"`
	Kept        []string        `json:"kept_verbatim,omitempty"` // details that were added word for word
	Redirected  []string        `json:"redirected,omitempty"`    // details that only the archived sources have
	Dropped     []merge.Finding `json:"dropped,omitempty"`       // sentences that the gate took out
	Repaired    bool            `json:"repaired,omitempty"`
	Fallback    bool            `json:"fallback,omitempty"` // a model's text was not used
}

// Fill adds the merged text.
func (d *Detail) Fill(m merge.Merged) {
	d.By, d.Title, d.Description, d.Text, d.Confidence = m.By, m.Title, m.Description, m.Text, m.Confidence
	d.Kept, d.Redirected, d.Dropped, d.Repaired, d.Fallback = m.Kept, m.Redirected, m.Dropped, m.Repaired, m.Fallback
}

// Group returns the planned group.
func (d *Detail) Group() consolidation.Group {
	return consolidation.Group{
		Members: d.Members, Copies: d.Copies, Mode: consolidation.Mode(d.Mode), Average: d.Average, Minimum: d.Minimum, Why: d.Why,
	}
}

// Planned returns the step of a group as it is planned.
func Planned(run memory.Run, n int, g consolidation.Group, similarity, calibration string) (memory.RunItem, error) {
	item := memory.RunItem{
		Tenant: run.Tenant, RunID: run.ID, N: n, Action: memory.ActionMerge, State: memory.ItemPlanned, Sources: g.Sources(),
	}
	if g.Mode == consolidation.ModeTheme {
		item.Action = memory.ActionOffer
	}
	var err error
	item.Detail, err = json.Marshal(Detail{
		Members: g.Members, Copies: g.Copies, Average: g.Average, Minimum: g.Minimum, Why: g.Why, Mode: string(g.Mode),
		Similarity: similarity, Calibration: calibration,
	})
	if err != nil {
		return item, fmt.Errorf("detail of step %d: %w", n, err)
	}
	return item, nil
}

// DetailOf returns the detail of a step, zero for a step without one.
func DetailOf(item memory.RunItem) (Detail, error) {
	var d Detail
	if len(item.Detail) == 0 {
		return d, nil
	}
	if err := json.Unmarshal(item.Detail, &d); err != nil {
		return d, fmt.Errorf("detail of step %d: %w", item.N, err)
	}
	return d, nil
}
