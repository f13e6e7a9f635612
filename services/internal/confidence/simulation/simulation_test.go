package simulation_test

import (
	"bytes"
	"flag"
	"os"
	"testing"

	"github.com/winnowhq/winnow/services/internal/confidence"
	"github.com/winnowhq/winnow/services/internal/confidence/simulation"
)

var update = flag.Bool("update", false, "draw the plot of the documents anew")

const (
	seed = 1
	plot = "../../../../docs/confidence.svg"
)

// With feedback about one in twenty memories shown, helpful and misleading memories come
// apart: the AUC of confidence against true worth is at least 0.8, for any seed.
func TestHelpfulAndMisleadingComeApart(t *testing.T) {
	t.Parallel()
	for s := range uint64(5) {
		r := simulation.Run(simulation.Sparse(), seed+s)
		t.Logf("seed %d: AUC %.3f, helpful %.2f, misleading %.2f, %.0f %% of what is shown is helpful, weights %+v, pruned %d good %d bad",
			seed+s, r.AUC, r.Days[89].Good[1], r.Days[89].Bad[1], 100*r.Shown, r.Weights, r.PrunedGood, r.PrunedBad)
		apart := func(d simulation.Day) float64 { return d.Good[1] - d.Bad[1] }
		if r.AUC < 0.8 || apart(r.Days[89]) < apart(r.Days[0])+0.1 || r.Days[89].Bad[1] >= r.Days[0].Bad[1]-0.1 || r.PrunedGood > 0 {
			t.Errorf("seed %d: AUC %.3f, good %v to %v, bad %v to %v, %d good ones pruned", seed+s, r.AUC,
				r.Days[0].Good[1], r.Days[89].Good[1], r.Days[0].Bad[1], r.Days[89].Bad[1], r.PrunedGood)
		}
	}
}

// Other worlds, for the documents: without outcomes, with the seed's learning, with a
// hostile agent among eight. A hostile minority does not turn the order around.
func TestOtherWorlds(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*simulation.World){
		"no outcomes":            func(w *simulation.World) { w.Outcomes = 0 },
		"no feedback":            func(w *simulation.World) { w.Feedback = 0 },
		"the seed's learning":    func(w *simulation.World) { w.Learning = confidence.LearnSeed },
		"one hostile agent of 8": func(w *simulation.World) { w.Hostile = 1 },
		"two hostile of 8":       func(w *simulation.World) { w.Hostile = 2 },
		"one agent":              func(w *simulation.World) { w.Agents = 1 },
		"half as many sessions":  func(w *simulation.World) { w.Sessions /= 2 },
		"outcomes by luck":       func(w *simulation.World) { w.Luck = 1 },
	} {
		w := simulation.Sparse()
		change(&w)
		r := simulation.Run(w, seed)
		t.Logf("%s: AUC %.3f, %.0f %% of what is shown is helpful", name, r.AUC, 100*r.Shown)
		if r.AUC < 0.6 {
			t.Errorf("%s: AUC %.3f", name, r.AUC)
		}
	}
}

// The plot of the documents is what the program draws.
func TestPlotIsFresh(t *testing.T) {
	t.Parallel()
	want := simulation.Plot(simulation.Run(simulation.Sparse(), seed))
	if *update {
		if err := os.WriteFile(plot, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(plot)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("the plot is stale (%v): go test ./services/internal/confidence/simulation -update", err)
	}
}
