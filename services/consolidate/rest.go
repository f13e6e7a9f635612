package consolidate

import (
	"cmp"
	"slices"
	"time"

	"github.com/winnowhq/winnow/services/internal/worker"
)

// longestBurst is how long a scope may be written without a pause before its count is
// looked at all the same.
const longestBurst = 5 * time.Minute

// countWait is how long the counter waits for events when no scope is to be looked at.
const countWait = 5 * time.Second

// resting are the scopes that got memories and are looked at when they rest. A run in
// the middle of a burst would compare a part of it, compete with the proposals that are
// still to be judged for the scope's lock, and use up the window: the rest of the burst
// would be compared a day later. Not safe for concurrent use.
type resting struct {
	rest   time.Duration // since the last memory; 0 waits for nothing
	scopes map[worker.Topic]burst
}

// burst is when a scope got memories since it was last looked at.
type burst struct{ first, last time.Time }

func newResting(rest time.Duration) *resting {
	return &resting{rest: rest, scopes: map[worker.Topic]burst{}}
}

// note records that a scope got memories.
func (r *resting) note(t worker.Topic, now time.Time) {
	b, known := r.scopes[t]
	if !known {
		b.first = now
	}
	b.last = now
	r.scopes[t] = b
}

// at returns when a scope is looked at if it gets no further memory.
func (r *resting) at(b burst) time.Time {
	rested, longest := b.last.Add(r.rest), b.first.Add(longestBurst)
	if longest.Before(rested) {
		return longest
	}
	return rested
}

// due removes and returns the scopes that rest, ordered by tenant and name.
func (r *resting) due(now time.Time) []worker.Topic {
	return r.remove(func(b burst) bool { return !r.at(b).After(now) })
}

// all removes and returns every scope, ordered by tenant and name.
func (r *resting) all() []worker.Topic {
	return r.remove(func(burst) bool { return true })
}

func (r *resting) remove(which func(burst) bool) []worker.Topic {
	var out []worker.Topic
	for t, b := range r.scopes {
		if which(b) {
			out = append(out, t)
			delete(r.scopes, t)
		}
	}
	slices.SortFunc(out, func(a, b worker.Topic) int {
		return cmp.Or(cmp.Compare(a.Tenant, b.Tenant), cmp.Compare(a.Name, b.Name))
	})
	return out
}

// wait returns how long the counter may wait for events: until the next scope is due,
// and countWait at most.
func (r *resting) wait(now time.Time) time.Duration {
	wait := countWait
	for _, b := range r.scopes {
		wait = min(wait, max(0, r.at(b).Sub(now)))
	}
	return wait
}
