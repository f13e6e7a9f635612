package confidence

import (
	"errors"
	"fmt"
	"time"
)

// Section is where the settings stand, by the seed's name.
const Section = "reasoning_bank.confidence"

// Config are the settings of the seed's section reasoning_bank.confidence (S4.31), and
// what it leaves open (D20 to D22).
type Config struct {
	InitialSuccess  float64       `koanf:"initial_success" help:"Confidence of a lesson of a session that succeeded; above 0, at most 0.8."`
	InitialFailure  float64       `koanf:"initial_failure" help:"Confidence of a lesson of a session that failed; above 0, at most 0.8."`
	InitialExplicit float64       `koanf:"initial_explicit" help:"Confidence of what an agent records itself; above 0, at most 0.8."`
	PriorStrength   float64       `koanf:"prior_strength" help:"How many signals the initial confidence weighs (D20). All signals of one agent weigh no more than this, those of one person twice this."`
	Learning        Learning      `koanf:"learning" help:"What feedback teaches about the worth of usage and outcomes: present_only where there was such a signal, seed also where there was none."`
	MinForInjection float64       `koanf:"min_for_injection" help:"What is held with less is not shown at the start of a session, 0 to 1, inclusive."`
	PruneThreshold  float64       `koanf:"prune_threshold" help:"Memories with less confidence than this, after enough signals, are archived. 0 archives none."`
	PruneSignals    int           `koanf:"prune_signals" help:"Signals that a memory needs before it may be archived for its confidence."`
	DecayInterval   time.Duration `koanf:"decay_interval" help:"How often old signals are rolled up, evidence decays and memories are pruned."`
	HalfLife        time.Duration `koanf:"half_life" help:"After how long without a signal half of the evidence is left."`
}

// DefaultConfig returns the seed's values, and those of D20 to D22.
func DefaultConfig() Config {
	return Config{
		InitialSuccess: 0.7, InitialFailure: 0.6, InitialExplicit: 0.8,
		PriorStrength: 2, Learning: LearnPresent, MinForInjection: 0.5, PruneThreshold: 0.3, PruneSignals: 5,
		DecayInterval: 24 * time.Hour, HalfLife: 90 * 24 * time.Hour,
	}
}

// MaxInitial is the highest confidence that a memory starts with. Triage lowers what
// claims more (judge.MaxConfidence), so a higher setting would have no effect.
const MaxInitial = 0.8

// Initial returns where a lesson starts whose session ended with an outcome (S4.14): of
// one that neither succeeded nor failed, 0.5 (D30).
func (c Config) Initial(outcome string) float64 {
	switch outcome {
	case "success":
		return c.InitialSuccess
	case "failure":
		return c.InitialFailure
	}
	return 0.5
}

// Validate names every value that cannot be used.
func (c Config) Validate() error {
	var errs []error
	for _, initial := range []struct {
		name  string
		value float64
	}{{"initial_success", c.InitialSuccess}, {"initial_failure", c.InitialFailure}, {"initial_explicit", c.InitialExplicit}} {
		if !(initial.value > 0 && initial.value <= MaxInitial) {
			errs = append(errs, fmt.Errorf("%s: is %v; give more than 0, at most %v", initial.name, initial.value, MaxInitial))
		}
	}
	if !(c.PriorStrength > 0 && c.PriorStrength <= 1000) {
		errs = append(errs, fmt.Errorf("prior_strength: is %v; give more than 0, at most 1000", c.PriorStrength))
	}
	if c.Learning != LearnPresent && c.Learning != LearnSeed {
		errs = append(errs, fmt.Errorf("learning: is %q; write %s or %s", c.Learning, LearnPresent, LearnSeed))
	}
	if !(c.PruneThreshold >= 0 && c.PruneThreshold < 1) {
		errs = append(errs, fmt.Errorf("prune_threshold: is %v; give 0 for never, or less than 1", c.PruneThreshold))
	}
	if !(c.MinForInjection >= 0 && c.MinForInjection <= 1) {
		errs = append(errs, fmt.Errorf("min_for_injection: is %v; give 0 to 1", c.MinForInjection))
	}
	if c.PruneSignals < 1 {
		errs = append(errs, errors.New("prune_signals: give 1 or more"))
	}
	if c.DecayInterval < time.Minute {
		errs = append(errs, errors.New("decay_interval: give a minute or more, such as 24h"))
	}
	if c.HalfLife < 24*time.Hour {
		errs = append(errs, errors.New("half_life: give a day or more, such as 2160h"))
	}
	return errors.Join(errs...)
}
