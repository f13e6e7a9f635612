package trigger

import (
	"context"
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// Status is what there is to say about the consolidation of a scope (S0.67).
type Status struct {
	Scope     memory.Scope `json:"scope"`
	Memories  int          `json:"memory_count"`
	Threshold int          `json:"memory_count_threshold"`
	Window    string       `json:"window"`
	LastRun   time.Time    `json:"last_run,omitzero"`
	Running   string       `json:"running,omitempty"` // id of the run that has not ended
	// Needed says that the next memory of the scope begins a run by itself.
	Needed         bool   `json:"needed"`
	Recommendation string `json:"recommendation"`
	Provider       string `json:"embedding_provider"`
	Warning        string `json:"warning,omitempty"`
}

// countedMost bounds the memories that a status counts.
const countedMost = 1_000_000

// Status returns the status of a scope's consolidation by similarity.
func (a *Asker) Status(ctx context.Context, tenant memory.Tenant, scope memory.Scope, p Provider) (Status, error) {
	f, err := a.Facts(ctx, tenant, scope, memory.RunSimilar, countedMost)
	if err != nil {
		return Status{}, err
	}
	s := Status{
		Scope: scope, Memories: f.Active, Threshold: a.Config.Count, Window: a.Config.Window.String(), LastRun: f.Last,
		Provider: p.ID, Warning: p.warning(),
	}
	if f.Running {
		open, err := a.Open(ctx, tenant, scope, memory.RunSimilar)
		if err != nil {
			return Status{}, err
		}
		s.Running = open.ID
	}
	should := a.Config.Should(f, 0)
	s.Needed = should.Needed
	s.Recommendation = recommend(f, should)
	return s, nil
}

// recommend returns what to do, in one sentence.
func recommend(f Facts, should Answer) string {
	switch {
	case f.Running:
		return "Nothing to do: a run is under way."
	case should.Needed:
		return "Consolidate: " + should.Reason + "."
	}
	return "Nothing to do: " + should.Reason + "."
}
