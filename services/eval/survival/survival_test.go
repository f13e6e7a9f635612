package survival

import (
	"encoding/json"
	"fmt"
	"reflect"
	"sync"
	"testing"

	"github.com/winnowhq/winnow/services/internal/model/embed/static"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// documented is the simulation that the documents show.
var documented = sync.OnceValues(func() (*Report, error) { return Simulate(Options{Embedder: static.New()}) })

func simulated(t *testing.T) *Report {
	t.Helper()
	r, err := documented()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// D9, D10: over 52 weekly runs with a model that misjudges 5 %, no row is deleted, every
// original can be restored, and erosion stays within its budget.
func TestAStoreSurvivesAYear(t *testing.T) {
	t.Parallel()
	y := simulated(t).Year
	raw, _ := json.Marshal(y)
	t.Logf("%s", raw)
	if y.Runs != 52 || y.Originals < 400 || y.Merged < 100 || y.Archived < 100 {
		t.Fatalf("the simulation does too little: %d runs, %d originals, %d merged, %d archived", y.Runs, y.Originals, y.Merged, y.Archived)
	}
	if share := float64(y.Misjudged) / float64(y.Judgements); share < 0.04 || share > 0.06 {
		t.Errorf("the model misjudges %.3f, want 0.05", share)
	}
	if y.RowsDeleted != 0 || y.Restorable != 1 || !y.UndoEqual || y.FixedTouched != 0 || y.Invented != 0 {
		t.Errorf("lost or invented: %+v", *y)
	}
	if y.WorstRun > 1 || y.WorstMonth > 1 {
		t.Errorf("erosion: a run used %.2f of its budget, a month %.2f", y.WorstRun, y.WorstMonth)
	}
	if y.Skipped == 0 || y.Refused == 0 {
		t.Errorf("no gate fired: %d runs skipped, %d suggestions refused", y.Skipped, y.Refused)
	}
	// A wrong deletion takes a memory out of service until a person restores it: only where
	// the model errs before any run has kept the memory, or twice.
	if y.NeededArchived > y.Misjudged/10 || y.NeededInService < 0.95 || y.WrongMerges > 2 {
		t.Errorf("%d needed memories archived, %.2f in service, %d wrong merges", y.NeededArchived, y.NeededInService, y.WrongMerges)
	}
	if y.StaleShare > 0.1 {
		t.Errorf("%.2f of the active memories are over", y.StaleShare)
	}
}

// As an opponent: a model that is wrong every time cannot empty a store, other seeds are no
// luck, and one that is never wrong loses nothing that is needed.
func TestOtherModels(t *testing.T) {
	t.Parallel()
	for _, erring := range []float64{1e-9, 1} {
		for seed := range uint64(2) {
			t.Run(fmt.Sprint(erring, " ", seed), func(t *testing.T) {
				t.Parallel()
				y, err := simulateYear(Options{Seed: seed + 1, Weeks: 26, Misjudging: erring})
				if err != nil {
					t.Fatal(err)
				}
				if y.RowsDeleted != 0 || y.Restorable != 1 || !y.UndoEqual || y.FixedTouched != 0 || y.Invented != 0 || y.WorstRun > 1 || y.WorstMonth > 1 || y.Active == 0 {
					y.Series = nil
					t.Errorf("%+v", *y)
				}
				if erring < 0.01 && y.NeededInService < 0.999 {
					t.Errorf("a good model keeps %.3f of what is needed", y.NeededInService)
				}
			})
		}
	}
}

// Nine of ten proposals are junk, and after 32 days at most a tenth of the memories is.
func TestJunkStaysOut(t *testing.T) {
	t.Parallel()
	m := simulated(t).Month
	raw, _ := json.Marshal(m)
	t.Logf("%s", raw)
	if m.Days != 32 || m.Proposals < 1000 || m.JunkOffered < 0.9 {
		t.Fatalf("the simulation offers too little junk: %d proposals, %.2f junk", m.Proposals, m.JunkOffered)
	}
	if m.JunkShare > 0.10 {
		t.Errorf("%.3f of the memories are junk, want at most 0.10", m.JunkShare)
	}
	if m.FactsStored < 0.9 {
		t.Errorf("%.2f of the facts are stored, want 0.9: a gate that lets nothing through keeps junk out too", m.FactsStored)
	}
	for _, class := range []string{"injection", "outside", "boot file", "profile", "advice", "retired"} {
		if c := m.PerClass[class]; c.Proposals == 0 || c.Promoted != 0 {
			t.Errorf("%s: %+v", class, c)
		}
	}
}

// The same seed gives the same report, another one another.
func TestReportsAreReproducible(t *testing.T) {
	t.Parallel()
	o := Options{Weeks: 8, Days: 3}
	a, err := Simulate(o)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Simulate(o)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(a, b) {
		t.Error("two runs differ")
	}
	o.Seed = 7
	if c, err := Simulate(o); err != nil || reflect.DeepEqual(a, c) {
		t.Errorf("another seed gives the same report (%v)", err)
	}
}

// A report is worse than an earlier one only where a figure fell.
func TestRegressions(t *testing.T) {
	t.Parallel()
	r := simulated(t)
	if fell := r.Regressions(r, 0); len(fell) != 0 {
		t.Errorf("worse than itself: %v", fell)
	}
	year, month := *r.Year, *r.Month
	year.RowsDeleted, year.Restorable, month.JunkShare = 1, 0.5, 0.5
	worse := &Report{Year: &year, Month: &month}
	if fell := worse.Regressions(r, 0.005); len(fell) != 3 {
		t.Errorf("regressions %v", fell)
	}
}
