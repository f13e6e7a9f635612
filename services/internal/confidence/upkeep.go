package confidence

import (
	"math"
	"time"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// RolledUp returns the change that turns signals into sums (S4.27). states are those of
// the signals' memories. No memory changes: its confidence is the same before and after.
func RolledUp(signals []memory.Signal, states map[string]State, now time.Time) change.Set {
	var set change.Set
	touched := map[string]map[string]bool{}
	for _, s := range signals {
		states[s.MemoryID] = states[s.MemoryID].RollUp([]memory.Signal{s}, now)
		if touched[s.MemoryID] == nil {
			touched[s.MemoryID] = map[string]bool{}
		}
		touched[s.MemoryID][s.Principal] = true
		set.DroppedSignals = append(set.DroppedSignals, s.ID)
	}
	for id, principals := range touched {
		for _, a := range states[id].Old {
			if principals[a.Principal] {
				set.Aggregates = append(set.Aggregates, a)
			}
		}
	}
	return set
}

// least is the smallest change of a confidence that is written: less is rounding.
const least = 1e-9

// Refresh lets the evidence of a ledger decay and computes its confidence with the
// present weights (D22, S4.27). It adds to the recorder's set what changed, and reports
// whether anything did. Memories that are out of service stay as they are.
func (r *Recorder) Refresh(l *Ledger, now time.Time) bool {
	if l.Memory.State != memory.StateActive || !l.Known() {
		return false
	}
	state, decayed := r.Config.Decay(l.State, now)
	l.State = state
	score := r.Config.Confidence(l.State, ComputeWeights(l.Weights))
	if !decayed && math.Abs(score-l.Memory.Confidence) < least {
		return false
	}
	if decayed {
		r.Set.Aggregates = append(r.Set.Aggregates, l.Old...)
	}
	l.Memory.Confidence = score
	r.keep(l)
	return true
}

// Prunable reports whether a memory may be archived for its confidence (D22): it is
// below the threshold after enough signals. One that a person put back needs as many
// new signals again.
func (c Config) Prunable(l *Ledger) bool {
	return l.Memory.State == memory.StateActive && l.Known() && l.Memory.Confidence < c.PruneThreshold &&
		l.Learned.Signals-l.Learned.Pruned >= c.PruneSignals
}
