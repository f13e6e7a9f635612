package ops

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/review"
	"github.com/winnowhq/winnow/services/internal/store"
)

// Aliases for commands, which cannot import the package below.
type (
	RunUndo   = review.RunUndo
	RunUndone = review.RunUndone
)

// RunFilter selects runs; empty fields do not restrict.
type RunFilter struct {
	Scope    string
	Strategy string
	State    string
	Limit    int // default 100
}

// RunStory is a run with its steps.
type RunStory struct {
	memory.Run
	Steps []RunStep `json:"steps"`
}

// RunStep is one step with the texts that it is about.
type RunStep struct {
	memory.RunItem
	Detail  RunDetail `json:"detail"`
	Before  []RunText `json:"before"`            // its sources, as they are stored
	After   []RunText `json:"after"`             // the memories that it made or would make
	Asked   string    `json:"asked,omitempty"`   // the question's state
	Missing []string  `json:"missing,omitempty"` // ids of sources that are not stored any more
}

// RunText is one memory of a step.
type RunText struct {
	ID     string       `json:"id,omitempty"` // empty in a preview
	State  memory.State `json:"state,omitempty"`
	Title  string       `json:"title,omitempty"`
	Text   string       `json:"text"`
	Reason string       `json:"reason,omitempty"` // why it is archived
}

// RunDetail is what a step recorded about its merge, of whatever strategy.
type RunDetail struct {
	Average     float64     `json:"average_similarity,omitempty"`
	Minimum     float64     `json:"min_similarity,omitempty"`
	Why         string      `json:"why,omitempty"`
	Similarity  string      `json:"similarity,omitempty"`
	Calibration string      `json:"calibration,omitempty"`
	By          string      `json:"by,omitempty"` // id of the model, or concatenation
	Title       string      `json:"title,omitempty"`
	Text        string      `json:"text,omitempty"`
	Kept        []string    `json:"kept_verbatim,omitempty"` // details that were added word for word
	Redirected  []string    `json:"redirected,omitempty"`    // details that only the archived sources have
	Dropped     []RunRemark `json:"dropped,omitempty"`       // sentences that a gate took out
	Repaired    bool        `json:"repaired,omitempty"`
	Fallback    bool        `json:"fallback,omitempty"` // a model's text was not used

	// Of a weekly step.
	Merges   []RunMerge   `json:"merges,omitempty"`
	Archives []RunArchive `json:"archives,omitempty"`
	Refused  []RunRefused `json:"refused,omitempty"`
	Left     []RunArchive `json:"left,omitempty"` // deletions beyond the erosion budget
}

// RunRemark is a sentence of a merged text that a gate took out, and why.
type RunRemark struct {
	Sentence string `json:"sentence"`
	Rule     string `json:"rule"`
	Detail   string `json:"detail,omitempty"`
}

// RunMerge is one merge of a weekly step.
type RunMerge struct {
	MemoryID   string      `json:"memory_id,omitempty"`
	Sources    []string    `json:"sources"`
	Text       string      `json:"text"`
	Kept       []string    `json:"kept,omitempty"`
	Redirected []string    `json:"redirected,omitempty"`
	Dropped    []RunRemark `json:"dropped,omitempty"`
}

// RunArchive is a memory that a weekly step archived without a successor.
type RunArchive struct {
	ID     string `json:"id"`
	Reason string `json:"reason"`
}

// RunRefused is a suggestion of a model that was not carried out.
type RunRefused struct {
	What   string   `json:"what"`
	IDs    []string `json:"ids"`
	Reason string   `json:"reason"`
}

// Runs lists runs, the newest first.
func (o *Ops) Runs(ctx context.Context, f RunFilter) ([]memory.Run, error) {
	q := store.RunQuery{Strategy: memory.RunStrategy(f.Strategy), Newest: true, Limit: f.Limit}
	if f.Scope != "" {
		var err error
		if q.Scope, err = memory.ParseScope(f.Scope); err != nil {
			return nil, fmt.Errorf("list runs: %w", err)
		}
	}
	if f.State != "" {
		q.States = []memory.RunState{memory.RunState(f.State)}
	}
	list, err := o.Store.Runs(ctx, o.Tenant, q)
	if err != nil {
		return nil, fmt.Errorf("list runs: %w", err)
	}
	return list, nil
}

// Run returns a run with its steps and their texts. n selects one step; 0 means all.
func (o *Ops) Run(ctx context.Context, id string, n int) (RunStory, error) {
	run, err := o.Store.Run(ctx, o.Tenant, id)
	if err != nil {
		return RunStory{}, fmt.Errorf("show %s: %w", id, err)
	}
	var items []memory.RunItem
	if n > 0 {
		items = make([]memory.RunItem, 1)
		items[0], err = o.Store.RunItem(ctx, o.Tenant, id, n)
	} else {
		items, err = o.Store.RunItems(ctx, o.Tenant, id)
	}
	if err != nil {
		return RunStory{}, fmt.Errorf("show %s: %w", id, err)
	}
	steps, err := o.steps(ctx, items)
	if err != nil {
		return RunStory{}, fmt.Errorf("show %s: %w", id, err)
	}
	return RunStory{Run: run, Steps: steps}, nil
}

// steps adds the texts to the steps of runs, with reads for all of them together.
func (o *Ops) steps(ctx context.Context, items []memory.RunItem) ([]RunStep, error) {
	steps := make([]RunStep, len(items))
	var memories, proposals []string
	for i, item := range items {
		steps[i].RunItem = item
		// What another version of a worker wrote is shown without its detail.
		_ = json.Unmarshal(item.Detail, &steps[i].Detail)
		memories = append(append(memories, item.MemoryID), item.Sources...)
		for _, m := range steps[i].Detail.Merges {
			memories = append(memories, m.MemoryID)
		}
		proposals = append(proposals, item.ProposalID)
	}
	stored, err := review.MemoriesOf(ctx, o.Store, o.Tenant, memories...)
	if err != nil {
		return nil, err
	}
	asked, err := review.ProposalsOf(ctx, o.Store, o.Tenant, proposals...)
	if err != nil {
		return nil, err
	}
	for i := range steps {
		steps[i].tell(stored, asked)
	}
	return steps, nil
}

// tell adds the texts of one step.
func (s *RunStep) tell(stored map[string]memory.Memory, asked map[string]memory.Proposal) {
	text := func(id string) (RunText, bool) {
		m, ok := stored[id]
		return RunText{ID: id, State: m.State, Title: m.Title, Text: m.Text, Reason: m.ArchiveReason}, ok
	}
	for _, id := range s.Sources {
		if t, ok := text(id); ok {
			s.Before = append(s.Before, t)
		} else {
			s.Missing = append(s.Missing, id)
		}
	}
	made := map[string]bool{}
	for _, m := range s.Detail.Merges {
		t, ok := text(m.MemoryID)
		if !ok {
			t = RunText{Text: m.Text}
		}
		made[m.MemoryID] = true
		s.After = append(s.After, t)
	}
	if t, ok := text(s.MemoryID); ok && !made[s.MemoryID] {
		s.After = append(s.After, t)
	}
	if p, ok := asked[s.ProposalID]; ok {
		s.Asked = string(p.State)
		s.After = append(s.After, RunText{ID: p.ID, Title: p.Title, Text: p.Text})
	} else if len(s.After) == 0 && s.Detail.Text != "" {
		s.After = []RunText{{Title: s.Detail.Title, Text: s.Detail.Text}}
	}
}

// UndoRun takes back a run, or one step of it; see [review.Decider.UndoRun]. A run that
// is taken back already changes nothing. When steps are committed meanwhile, the undo
// is decided again.
func (o *Ops) UndoRun(ctx context.Context, id string, u RunUndo) (RunUndone, error) {
	for try := 1; ; try++ {
		set, done, err := o.decider().UndoRun(ctx, id, u)
		if err != nil || set.Empty() {
			return done, err
		}
		_, err = o.Store.Commit(ctx, o.Tenant, set, store.InboxKey{})
		if err == nil {
			return done, nil
		}
		if !errors.Is(err, store.ErrConflict) || try == retractTries {
			return RunUndone{}, fmt.Errorf("undo %s: %w", id, err)
		}
	}
}
