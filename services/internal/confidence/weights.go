package confidence

import "github.com/winnowhq/winnow/services/internal/memory"

// Weights are the weights of the types of signals. They sum to 1.
type Weights struct {
	Explicit float64
	Usage    float64
	Outcome  float64
}

// Of returns the weight of a type, 0 for an unknown one.
func (w Weights) Of(t memory.SignalType) float64 {
	switch t {
	case memory.SignalExplicit:
		return w.Explicit
	case memory.SignalUsage:
		return w.Usage
	case memory.SignalOutcome:
		return w.Outcome
	}
	return 0
}

// PriorWeights returns the parameters of a scope without feedback (S4.19).
func PriorWeights(scope memory.Scope) memory.ProjectWeights {
	return memory.ProjectWeights{
		Scope: scope, ExplicitAlpha: 7, ExplicitBeta: 3, UsageAlpha: 5, UsageBeta: 5, OutcomeAlpha: 5, OutcomeBeta: 5,
	}
}

// ComputeWeights returns the means of the distributions, normalised to a sum of 1
// (S4.21). The parameters are above zero.
func ComputeWeights(p memory.ProjectWeights) Weights {
	explicit := p.ExplicitAlpha / (p.ExplicitAlpha + p.ExplicitBeta)
	usage := p.UsageAlpha / (p.UsageAlpha + p.UsageBeta)
	outcome := p.OutcomeAlpha / (p.OutcomeAlpha + p.OutcomeBeta)
	total := explicit + usage + outcome
	return Weights{Explicit: explicit / total, Usage: usage / total, Outcome: outcome / total}
}

// Learning says what feedback teaches about a type without a signal in the window.
type Learning string

// The ways to learn (D21).
const (
	// LearnPresent lets a type learn only where it had a signal that feedback could
	// confirm or refute.
	LearnPresent Learning = "present_only"
	// LearnSeed is the seed's function literally: no positive signal counts as a
	// prediction of "unhelpful". It starves the weight of outcomes, because agents
	// seldom report them.
	LearnSeed Learning = "seed"
)

// LearnFromFeedback returns the increments by which feedback about a memory changes
// the parameters of its scope (S4.20). recent are the signals about that memory of the
// last 30 days, by any principal, before the feedback itself. A type predicted
// "helpful" when it has a positive signal among them. Explicit parameters do not
// learn: feedback cannot confirm itself.
func LearnFromFeedback(l Learning, helpful bool, recent []memory.SignalAggregate) memory.ProjectWeights {
	var sum memory.SignalAggregate
	for i := range recent {
		sum = add(sum, recent[i])
	}
	var gain memory.ProjectWeights
	learn := func(positive, negative float64, alpha, beta *float64) {
		switch {
		case l != LearnSeed && positive+negative == 0:
		case (positive > 0) == helpful:
			*alpha = 1
		default:
			*beta = 1
		}
	}
	learn(sum.UsagePos, sum.UsageNeg, &gain.UsageAlpha, &gain.UsageBeta)
	learn(sum.OutcomePos, sum.OutcomeNeg, &gain.OutcomeAlpha, &gain.OutcomeBeta)
	return gain
}

// Plus returns the parameters after increments of them.
func Plus(p, gain memory.ProjectWeights) memory.ProjectWeights {
	p.ExplicitAlpha += gain.ExplicitAlpha
	p.ExplicitBeta += gain.ExplicitBeta
	p.UsageAlpha += gain.UsageAlpha
	p.UsageBeta += gain.UsageBeta
	p.OutcomeAlpha += gain.OutcomeAlpha
	p.OutcomeBeta += gain.OutcomeBeta
	return p
}
