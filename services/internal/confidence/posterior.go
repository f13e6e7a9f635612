package confidence

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// Window is how long signals stay rows before they become sums (S4.25).
const Window = 30 * 24 * time.Hour

// State is everything that the confidence of a memory follows from.
type State struct {
	Learned memory.Learned // the zero value before the first signal
	// Old are the rolled-up signals, Recent the sums of the rows since then. Each has
	// at most one entry of a principal.
	Old, Recent []memory.SignalAggregate
}

// Known reports whether the memory ever had a signal.
func (s State) Known() bool { return s.Learned.MemoryID != "" }

// Posterior are the parameters of the Beta distribution of a memory's worth.
type Posterior struct{ Alpha, Beta float64 }

// Score returns the mean, 0–1.
func (p Posterior) Score() float64 { return p.Alpha / (p.Alpha + p.Beta) }

// Prior returns the distribution of a memory without signals: the strength k in
// imaginary signals, the initial confidence as its mean (D20). k = 2 and 0.5 give the
// seed's Beta(1,1).
func (c Config) Prior(initial float64) Posterior {
	return Posterior{Alpha: initial * c.PriorStrength, Beta: (1 - initial) * c.PriorStrength}
}

// Posterior returns the distribution after the signals of s (S4.26).
func (c Config) Posterior(s State, w Weights) Posterior {
	p := c.Prior(s.Learned.Initial)
	for _, a := range c.counted(s.principals()) {
		p.Alpha += a.ExplicitPos*w.Explicit + a.UsagePos*w.Usage + a.OutcomePos*w.Outcome
		p.Beta += a.ExplicitNeg*w.Explicit + a.UsageNeg*w.Usage + a.OutcomeNeg*w.Outcome
	}
	return p
}

// mostUsage is how many whole usage signals about one memory count, of all principals
// together. To be shown is no merit: a search shows what is near, good or bad, and
// without this bound whatever is shown often would come to be trusted (S4.8). With one,
// use confirms a memory once, and feedback and outcomes say the rest.
const mostUsage = 1

// counted returns the sums as far as they count: within the bound of each principal, and
// usage within that of all.
func (c Config) counted(list []memory.SignalAggregate) []memory.SignalAggregate {
	out, usage := make([]memory.SignalAggregate, len(list)), 0.0
	for i := range list {
		out[i] = c.bounded(list[i])
		usage += out[i].UsagePos + out[i].UsageNeg
	}
	if usage > mostUsage {
		for i := range out {
			out[i].UsagePos *= mostUsage / usage
			out[i].UsageNeg *= mostUsage / usage
		}
	}
	return out
}

// Confidence returns the confidence of a memory after the signals of s, 0–1.
func (c Config) Confidence(s State, w Weights) float64 {
	return min(max(c.Posterior(s, w).Score(), 0), 1)
}

// principals returns the sums of old and recent signals of each principal, in the
// order of their ids: the result must not depend on the order of the rows.
func (s State) principals() []memory.SignalAggregate {
	sums := make(map[string]memory.SignalAggregate, len(s.Old)+len(s.Recent))
	for _, list := range [][]memory.SignalAggregate{s.Old, s.Recent} {
		for i := range list {
			sums[list[i].Principal] = add(sums[list[i].Principal], list[i])
		}
	}
	return slices.SortedFunc(maps.Values(sums), func(a, b memory.SignalAggregate) int { return cmp.Compare(a.Principal, b.Principal) })
}

// bounded scales the sums of a principal so that those of each type are at most
// [Config.Most]. The proportion of positive and negative signals stays: a bound on the
// number of either would forget what came last.
func (c Config) bounded(a memory.SignalAggregate) memory.SignalAggregate {
	most := c.Most(a.Highest)
	scale := func(positive, negative *float64) {
		if sum := *positive + *negative; sum > most {
			*positive, *negative = *positive*most/sum, *negative*most/sum
		}
	}
	scale(&a.ExplicitPos, &a.ExplicitNeg)
	scale(&a.UsagePos, &a.UsageNeg)
	scale(&a.OutcomePos, &a.OutcomeNeg)
	return a
}

// Most returns how many whole signals of one type about one memory count, of a
// principal with this highest origin. A person's word weighs up to twice the prior, an
// agent's up to the prior, and what comes from outside nothing.
func (c Config) Most(highest memory.Origin) float64 {
	switch {
	case highest >= memory.OriginHuman:
		return 2 * c.PriorStrength
	case highest >= memory.OriginAgent:
		return c.PriorStrength
	}
	return 0
}

// add returns the sums of two aggregates of one principal.
func add(a, b memory.SignalAggregate) memory.SignalAggregate {
	a.Tenant, a.MemoryID, a.Principal = cmp.Or(a.Tenant, b.Tenant), cmp.Or(a.MemoryID, b.MemoryID), cmp.Or(a.Principal, b.Principal)
	a.Highest = max(a.Highest, b.Highest)
	a.ExplicitPos += b.ExplicitPos
	a.ExplicitNeg += b.ExplicitNeg
	a.UsagePos += b.UsagePos
	a.UsageNeg += b.UsageNeg
	a.OutcomePos += b.OutcomePos
	a.OutcomeNeg += b.OutcomeNeg
	if b.LastRollup.After(a.LastRollup) {
		a.LastRollup = b.LastRollup
	}
	return a
}

// sumOf returns one signal as a sum.
func sumOf(s memory.Signal) memory.SignalAggregate {
	a := memory.SignalAggregate{Tenant: s.Tenant, MemoryID: s.MemoryID, Principal: s.Principal, Highest: s.Highest}
	positive, negative := &a.ExplicitPos, &a.ExplicitNeg
	switch s.Type {
	case memory.SignalUsage:
		positive, negative = &a.UsagePos, &a.UsageNeg
	case memory.SignalOutcome:
		positive, negative = &a.OutcomePos, &a.OutcomeNeg
	}
	if s.Positive {
		*positive = s.Share
	} else {
		*negative = s.Share
	}
	return a
}

// with returns the list with one signal more.
func with(list []memory.SignalAggregate, s memory.Signal) []memory.SignalAggregate {
	out := slices.Clone(list)
	if at := slices.IndexFunc(out, func(a memory.SignalAggregate) bool { return a.Principal == s.Principal }); at >= 0 {
		out[at] = add(out[at], sumOf(s))
		return out
	}
	return append(out, sumOf(s))
}

// Add returns the state after a signal about the memory m, which had the confidence
// m.Confidence before it.
func (s State) Add(m *memory.Memory, signal memory.Signal) State {
	if !s.Known() {
		s.Learned = memory.Learned{Tenant: m.Tenant, MemoryID: m.ID, Scope: m.Scope, Initial: m.Confidence}
	}
	s.Learned.Signals++
	if signal.At.After(s.Learned.LastSignal) {
		s.Learned.LastSignal = signal.At
	}
	s.Recent = with(s.Recent, signal)
	return s
}

// RollUp moves signals from rows to sums (S4.27). The confidence stays the same: the
// sums of each principal are added before anything is computed from them. signals are
// among those that Recent sums.
func (s State) RollUp(signals []memory.Signal, now time.Time) State {
	s.Old, s.Recent = slices.Clone(s.Old), slices.Clone(s.Recent)
	for _, one := range signals {
		s.Old = with(s.Old, one)
		taken := one
		taken.Share = -one.Share
		s.Recent = with(s.Recent, taken)
		at := slices.IndexFunc(s.Old, func(a memory.SignalAggregate) bool { return a.Principal == one.Principal })
		s.Old[at].LastRollup = now
	}
	return s
}

// Decay returns the state at now: evidence halves in every HalfLife without a signal
// (D22). It begins when the last signal has left the window, and then counts from that
// signal on. What counts halves: sums beyond a principal's bound are cut to it first,
// or the bound would hide the decay for years.
func (c Config) Decay(s State, now time.Time) (_ State, changed bool) {
	from := s.Learned.LastSignal
	if s.Learned.DecayedAt.After(from) {
		from = s.Learned.DecayedAt
	}
	if !s.Known() || now.Sub(s.Learned.LastSignal) <= Window || !now.After(from) || len(s.Recent) > 0 || len(s.Old) == 0 {
		return s, false
	}
	left := math.Exp2(-float64(now.Sub(from)) / float64(c.HalfLife))
	s.Old = c.counted(s.Old)
	for i := range s.Old {
		a := s.Old[i]
		for _, sum := range []*float64{&a.ExplicitPos, &a.ExplicitNeg, &a.UsagePos, &a.UsageNeg, &a.OutcomePos, &a.OutcomeNeg} {
			*sum *= left
		}
		s.Old[i] = a
	}
	s.Learned.DecayedAt = now
	return s, true
}
