package confidence_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/winnowhq/winnow/services/internal/confidence"
	"github.com/winnowhq/winnow/services/internal/memory"
)

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func near(t *testing.T, name string, got, want, within float64) {
	t.Helper()
	if math.Abs(got-want) > within {
		t.Errorf("%s: %v, want %v", name, got, want)
	}
}

// S4.19, S4.21: the initial weights are 0.4118, 0.2941 and 0.2941, and sum to 1.
func TestInitialWeights(t *testing.T) {
	t.Parallel()
	w := confidence.ComputeWeights(confidence.PriorWeights("project:a"))
	near(t, "explicit", w.Explicit, 0.4118, 5e-5)
	near(t, "usage", w.Usage, 0.2941, 5e-5)
	near(t, "outcome", w.Outcome, 0.2941, 5e-5)
	near(t, "sum", w.Explicit+w.Usage+w.Outcome, 1, 1e-12)
	if w.Of("rumour") != 0 {
		t.Error("an unknown type has a weight")
	}
}

// S4.20, D21: what feedback teaches, in both ways.
func TestLearnFromFeedback(t *testing.T) {
	t.Parallel()
	used := []memory.SignalAggregate{{Principal: "a", UsagePos: 1}}
	failed := []memory.SignalAggregate{{Principal: "a", UsagePos: 1}, {Principal: "b", OutcomeNeg: 0.5}}
	type gain = memory.ProjectWeights
	for name, c := range map[string]struct {
		how     confidence.Learning
		helpful bool
		recent  []memory.SignalAggregate
		want    gain
	}{
		"present: used, helpful":             {confidence.LearnPresent, true, used, gain{UsageAlpha: 1}},
		"present: used, not helpful":         {confidence.LearnPresent, false, used, gain{UsageBeta: 1}},
		"present: used and failed":           {confidence.LearnPresent, false, failed, gain{UsageBeta: 1, OutcomeAlpha: 1}},
		"present: failed, and yet helpful":   {confidence.LearnPresent, true, failed, gain{UsageAlpha: 1, OutcomeBeta: 1}},
		"present: nothing known":             {confidence.LearnPresent, true, nil, gain{}},
		"seed: used, helpful":                {confidence.LearnSeed, true, used, gain{UsageAlpha: 1, OutcomeBeta: 1}},
		"seed: used, not helpful":            {confidence.LearnSeed, false, used, gain{UsageBeta: 1, OutcomeAlpha: 1}},
		"seed: nothing known, helpful":       {confidence.LearnSeed, true, nil, gain{UsageBeta: 1, OutcomeBeta: 1}},
		"seed: nothing known, not helpful":   {confidence.LearnSeed, false, nil, gain{UsageAlpha: 1, OutcomeAlpha: 1}},
		"seed: failed counts as unhelpful":   {confidence.LearnSeed, false, failed, gain{UsageBeta: 1, OutcomeAlpha: 1}},
		"present: a success says it helps":   {confidence.LearnPresent, true, []memory.SignalAggregate{{OutcomePos: 0.5}}, gain{OutcomeAlpha: 1}},
		"present: a success may be mistaken": {confidence.LearnPresent, false, []memory.SignalAggregate{{OutcomePos: 1, OutcomeNeg: 1}}, gain{OutcomeBeta: 1}},
	} {
		if got := confidence.LearnFromFeedback(c.how, c.helpful, c.recent); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

// S4.22, S4.23 as D20 reads them: from 0.5 with k = 2, which is Beta(1,1), the seed's stated
// weights give 0.50, 0.57, 0.62 and 0.67; the weights that S4.21 computes give 0.564,
// 0.614 and 0.667.
func TestWorkedExample(t *testing.T) {
	t.Parallel()
	c := confidence.DefaultConfig()
	if p := c.Prior(0.5); p != (confidence.Posterior{Alpha: 1, Beta: 1}) {
		t.Fatalf("prior %+v", p)
	}
	for name, e := range map[string]struct {
		w    confidence.Weights
		want [3]float64
		tol  float64
	}{
		"stated":   {confidence.Weights{Usage: 0.33, Outcome: 0.33, Explicit: 0.40}, [3]float64{0.57, 0.62, 0.67}, 0.005},
		"computed": {confidence.ComputeWeights(confidence.PriorWeights("")), [3]float64{0.564, 0.614, 0.667}, 0.0005},
	} {
		m := memory.Memory{ID: "mem_1", Confidence: 0.5}
		var s confidence.State
		for i, kind := range []memory.SignalType{memory.SignalUsage, memory.SignalOutcome, memory.SignalExplicit} {
			s = s.Add(&m, signal(kind, true, "ann", memory.OriginHuman, start))
			near(t, fmt.Sprint(name, " ", kind), c.Confidence(s, e.w), e.want[i], e.tol)
		}
	}
}

// S4.24, D20: a memory starts where it was recorded, whatever that was.
func TestStartsAtItsInitialConfidence(t *testing.T) {
	t.Parallel()
	c := confidence.DefaultConfig()
	for _, initial := range []float64{0.5, 0.6, 0.7, 0.8} {
		near(t, "prior", c.Prior(initial).Score(), initial, 1e-12)
	}
}

func signal(kind memory.SignalType, positive bool, who string, highest memory.Origin, at time.Time) memory.Signal {
	return memory.Signal{MemoryID: "mem_1", Type: kind, Positive: positive, Share: 1, Principal: who, Highest: highest, At: at}
}

var kinds = []memory.SignalType{memory.SignalExplicit, memory.SignalUsage, memory.SignalOutcome}

// signals draws signals about one memory, in the order of time.
func signals(t *rapid.T) []memory.Signal {
	list := make([]memory.Signal, rapid.IntRange(1, 60).Draw(t, "n"))
	at := start
	for i := range list {
		at = at.Add(time.Duration(rapid.IntRange(0, 72).Draw(t, "hours")) * time.Hour)
		who := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "who")
		highest := map[string]memory.Origin{"a": memory.OriginAgent, "b": memory.OriginHuman, "c": memory.OriginExternal}[who]
		list[i] = signal(rapid.SampledFrom(kinds).Draw(t, "type"), rapid.Bool().Draw(t, "positive"), who, highest, at)
		list[i].ID = fmt.Sprint("sig_", i)
		list[i].Share = rapid.SampledFrom([]float64{0.5, 1}).Draw(t, "share")
	}
	return list
}

func state(initial float64, list []memory.Signal) confidence.State {
	m := memory.Memory{ID: "mem_1", Confidence: initial}
	var s confidence.State
	for _, one := range list {
		s = s.Add(&m, one)
	}
	return s
}

func weights(t *rapid.T) confidence.Weights {
	p := confidence.PriorWeights("")
	p.UsageAlpha += float64(rapid.IntRange(0, 50).Draw(t, "usage right"))
	p.UsageBeta += float64(rapid.IntRange(0, 50).Draw(t, "usage wrong"))
	p.OutcomeAlpha += float64(rapid.IntRange(0, 50).Draw(t, "outcome right"))
	p.OutcomeBeta += float64(rapid.IntRange(0, 50).Draw(t, "outcome wrong"))
	return confidence.ComputeWeights(p)
}

// S4.26, S4.27: however signals are split into rolled-up and recent ones, in however many
// rounds, the confidence is the same, for any weights and bounds.
func TestRollUpChangesNoConfidence(t *testing.T) {
	t.Parallel()
	c := confidence.DefaultConfig()
	rapid.Check(t, func(t *rapid.T) {
		list, w := signals(t), weights(t)
		c.PriorStrength = rapid.Float64Range(0.5, 20).Draw(t, "k")
		s := state(rapid.Float64Range(0, 1).Draw(t, "initial"), list)
		before := c.Confidence(s, w)
		for rest := list; len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "rolled")
			states := map[string]confidence.State{"mem_1": s}
			set := confidence.RolledUp(rest[:n], states, start)
			s, rest = states["mem_1"], rest[n:]
			if after := c.Confidence(s, w); math.Abs(after-before) > 1e-12 {
				t.Fatalf("%v before, %v after", before, after)
			}
			if len(set.DroppedSignals) != n || len(set.MemoryUpdates) != 0 {
				t.Fatalf("%d of %d are dropped, %d memories change", len(set.DroppedSignals), n, len(set.MemoryUpdates))
			}
		}
		for _, a := range s.Recent {
			if sum := a.ExplicitPos + a.ExplicitNeg + a.UsagePos + a.UsageNeg + a.OutcomePos + a.OutcomeNeg; math.Abs(sum) > 1e-12 {
				t.Fatalf("%v are left of %s", sum, a.Principal)
			}
		}
	})
}

// A confidence is 0 to 1, a signal moves it to its own side or not at all, and the order
// of signals does not matter.
func TestConfidenceIsMonotonic(t *testing.T) {
	t.Parallel()
	c := confidence.DefaultConfig()
	rapid.Check(t, func(t *rapid.T) {
		list, w := signals(t), weights(t)
		initial := rapid.Float64Range(0, 1).Draw(t, "initial")
		before := c.Confidence(state(initial, list), w)
		one := signal(rapid.SampledFrom(kinds).Draw(t, "last"), rapid.Bool().Draw(t, "said"), "a", memory.OriginAgent, start)
		after := c.Confidence(state(initial, append(slices.Clone(list), one)), w)
		if before < 0 || before > 1 || one.Positive && after < before-1e-12 || !one.Positive && after > before+1e-12 {
			t.Fatalf("%v, then %v after a signal that is positive: %v", before, after, one.Positive)
		}
		slices.Reverse(list)
		if other := c.Confidence(state(initial, list), w); math.Abs(other-before) > 1e-12 {
			t.Fatalf("%v in one order, %v in the other", before, other)
		}
	})
}

// What one principal can do: the agent's signals, any number of any type over any time,
// keep a confidence of c between c/2 and (1+c)/2, beside whatever others said; a
// person's between c/3 and (2+c)/3; and one below an agent does nothing.
func TestOnePrincipalIsBounded(t *testing.T) {
	t.Parallel()
	c := confidence.DefaultConfig()
	rapid.Check(t, func(t *rapid.T) {
		w, initial := weights(t), rapid.Float64Range(0, 1).Draw(t, "initial")
		highest := rapid.SampledFrom([]memory.Origin{memory.OriginExternal, memory.OriginAgent, memory.OriginHuman}).Draw(t, "highest")
		m := memory.Memory{ID: "mem_1", Confidence: initial}
		var s confidence.State
		for range rapid.IntRange(1, 40).Draw(t, "n") {
			one := signal(rapid.SampledFrom(kinds).Draw(t, "type"), rapid.Bool().Draw(t, "positive"), "mallory", highest, start)
			one.Share = float64(rapid.IntRange(1, 1000).Draw(t, "times"))
			s = s.Add(&m, one)
		}
		got, reach := c.Confidence(s, w), map[memory.Origin]float64{memory.OriginAgent: 1, memory.OriginHuman: 2}[highest]
		low, high := initial/(1+reach), (initial+reach)/(1+reach)
		if got < low-1e-9 || got > high+1e-9 {
			t.Fatalf("%v of %v, want %v to %v", got, initial, low, high)
		}
	})
}

// The same as an attacker: one agent says 10,000 times that memories are useless, a
// hundred times a day over a hundred days, in sessions that it makes up. What is stored
// of it is bounded too, and no memory that was recorded by the defaults can be pruned
// for it.
func TestTenThousandFeedbacks(t *testing.T) {
	t.Parallel()
	c := confidence.DefaultConfig()
	for _, initial := range []float64{0.6, 0.7, 0.8} {
		l := confidence.Ledger{Memory: memory.Memory{ID: "mem_1", State: memory.StateActive, Confidence: initial}, Weights: confidence.PriorWeights("")}
		n := 0
		r := confidence.Recorder{Config: c, NewID: func(prefix string) string { n++; return fmt.Sprint(prefix, n) }}
		recorded := 0
		for i := range 10_000 {
			o := confidence.Observation{
				Type: kinds[i%2*2], Share: 1, Session: fmt.Sprint("made up ", i), At: start.Add(time.Duration(i) * 864 * time.Second),
				Who: memory.Principal{ID: "mallory", Highest: memory.OriginAgent},
			}
			if r.Record(&l, o) {
				recorded++
			}
		}
		if l.Memory.Confidence < initial/2-1e-9 || c.Prunable(&l) {
			t.Errorf("from %v to %v, prunable %v", initial, l.Memory.Confidence, c.Prunable(&l))
		}
		if most := 2 * confidence.PerDay * 101; recorded > most {
			t.Errorf("%d are stored in 100 days, want at most %d", recorded, most)
		}
	}
}

// D22: evidence halves in 90 days without a signal, at whatever days the upkeep runs,
// and does not decay while signals come.
func TestDecay(t *testing.T) {
	t.Parallel()
	c, w := confidence.DefaultConfig(), confidence.ComputeWeights(confidence.PriorWeights(""))
	const day = 24 * time.Hour
	fresh := state(0.6, []memory.Signal{signal(memory.SignalExplicit, false, "ann", memory.OriginAgent, start)})
	old := fresh.RollUp([]memory.Signal{signal(memory.SignalExplicit, false, "ann", memory.OriginAgent, start)}, start)
	old.Recent = nil
	if _, changed := c.Decay(fresh, start.Add(20*day)); changed {
		t.Error("it decays within the window")
	}
	if _, changed := c.Decay(old, start.Add(30*day)); changed {
		t.Error("it decays at the end of the window")
	}
	for _, days := range [][]int{{90}, {31, 32, 90}, {45, 45, 60, 90}} {
		s := old
		for _, n := range days {
			s, _ = c.Decay(s, start.Add(time.Duration(n)*day))
		}
		near(t, fmt.Sprint(days), s.Old[0].ExplicitNeg, 0.5, 1e-12)
		near(t, fmt.Sprint("confidence after ", days), c.Confidence(s, w), 1.2/(2+w.Explicit/2), 1e-12)
	}
	for range 1000 { // a person's thousand signals count as four, and decay like four
		old = old.Add(&memory.Memory{}, signal(memory.SignalOutcome, true, "bob", memory.OriginHuman, start))
	}
	old.Old, old.Recent = append(old.Old, old.Recent...), nil
	s, _ := c.Decay(old, start.Add(90*day))
	if at := slices.IndexFunc(s.Old, func(a memory.SignalAggregate) bool { return a.Principal == "bob" }); s.Old[at].OutcomePos != 2 {
		t.Errorf("%v are left, want half of 4", s.Old[at].OutcomePos)
	}
}

// A setting that cannot be used is named.
func TestConfig(t *testing.T) {
	t.Parallel()
	if err := confidence.DefaultConfig().Validate(); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*confidence.Config){
		"initial_success": func(c *confidence.Config) { c.InitialSuccess = 0 }, "initial_failure": func(c *confidence.Config) { c.InitialFailure = math.NaN() },
		"initial_explicit": func(c *confidence.Config) { c.InitialExplicit = 0.81 },
		"prior_strength":   func(c *confidence.Config) { c.PriorStrength = math.NaN() }, "learning": func(c *confidence.Config) { c.Learning = "x" },
		"min_for_injection": func(c *confidence.Config) { c.MinForInjection = -1 },
		"prune_threshold":   func(c *confidence.Config) { c.PruneThreshold = 1 }, "prune_signals": func(c *confidence.Config) { c.PruneSignals = 0 },
		"decay_interval": func(c *confidence.Config) { c.DecayInterval = 0 }, "half_life": func(c *confidence.Config) { c.HalfLife = time.Hour },
	} {
		c := confidence.DefaultConfig()
		change(&c)
		if err := c.Validate(); err == nil || err.Error()[:len(name)] != name {
			t.Errorf("%s: %v", name, err)
		}
	}
}
