package weekly

import (
	"encoding/json"
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// Log is the row that S1.19 asks for each user and run. The run's totals hold the same
// figures.
type Log struct {
	UserID  string `json:"user_id"` // the scope, such as user:anna
	Before  int    `json:"before_count"`
	After   int    `json:"after_count"`
	Deleted int    `json:"deleted_count"` // archived without a successor
	Merged  int    `json:"merged_count"`  // memories that were merged into others
	Created int    `json:"created_count"` // memories that they were merged into

	Refused   int       `json:"refused_count"`
	Left      int       `json:"left_to_a_person"` // deletions beyond the erosion budget
	PutOff    int       `json:"put_off_count"`    // deletions that wait for the next run to say the same
	OverLimit bool      `json:"over_limit"`
	At        time.Time `json:"timestamp"`
}

// Log returns the outcome's row. After = Before − Deleted − Merged + Created (S1.21).
func (out *Outcome) Log(scope memory.Scope, now time.Time) Log {
	l := Log{
		UserID: string(scope), Before: out.Before, After: out.After, Deleted: len(out.Archives), Created: len(out.Merges),
		Refused: len(out.Refused), Left: len(out.Left), PutOff: len(out.PutOff), OverLimit: out.OverLimit, At: now,
	}
	for _, m := range out.Merges {
		l.Merged += len(m.Sources)
	}
	return l
}

// itemDetail is the detail of the run's item: everything that a person needs to judge it.
type itemDetail struct {
	Log
	Merges   []mergeDetail `json:"merges,omitempty"`
	Archives []Archive     `json:"archives,omitempty"`
	Refusals []Refused     `json:"refused,omitempty"`
	LeftOver []Archive     `json:"left,omitempty"`
	Delayed  []Archive     `json:"put_off,omitempty"`
}

type mergeDetail struct {
	MemoryID   string   `json:"memory_id,omitempty"` // empty in a dry run
	Sources    []string `json:"sources"`
	Text       string   `json:"text"`
	Category   string   `json:"category,omitempty"`
	Importance int      `json:"importance"`
	Achieved   bool     `json:"achieved,omitempty"`
	Kept       []string `json:"kept,omitempty"`
	Redirected []string `json:"redirected,omitempty"`
	Dropped    any      `json:"dropped,omitempty"`
}

func (out *Outcome) detail(scope memory.Scope, now time.Time, made []string) json.RawMessage {
	d := itemDetail{Log: out.Log(scope, now), Archives: out.Archives, Refusals: out.Refused, LeftOver: out.Left, Delayed: out.PutOff}
	for i, m := range out.Merges {
		row := mergeDetail{
			Text: m.Merged.Text, Category: m.Category, Importance: m.Importance, Achieved: m.Achieved,
			Kept: m.Merged.Kept, Redirected: m.Merged.Redirected,
		}
		if len(m.Merged.Dropped) > 0 {
			row.Dropped = m.Merged.Dropped
		}
		if i < len(made) {
			row.MemoryID = made[i]
		}
		for j := range m.Sources {
			row.Sources = append(row.Sources, m.Sources[j].ID)
		}
		d.Merges = append(d.Merges, row)
	}
	raw, err := json.Marshal(d)
	if err != nil {
		return nil // strings and numbers always encode
	}
	return raw
}
