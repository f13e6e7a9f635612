package survival

import (
	"fmt"

	"github.com/winnowhq/winnow/services/internal/model/embed"
)

// Report is the output of `winnow eval survival --json`: whether a store survives
// its own upkeep, and whether junk stays out of it. Both halves are simulations with a
// fixed seed through the code that ships, so the report is the same on every machine.
type Report struct {
	Suite string      `json:"suite"`
	Year  *YearReport `json:"year"`
	Month *JunkReport `json:"month"`
}

// Options are the options of [Simulate]. The zero value is what the documents
// show.
type Options struct {
	Seed       uint64  // 0 is the documented seed
	Weeks      int     // 0 is 52
	Days       int     // 0 is 32
	Misjudging float64 // share of the model's judgements that are wrong; 0 is 0.05
	// Embedder compares meaning for triage, as in eval.TriageOptions: the static table, or
	// nil to compare by words alone.
	Embedder embed.Embedder
}

// The documented simulation.
const (
	seed   = 20261122
	weeks  = 52
	days   = 32
	erring = 0.05
)

// Simulate simulates a year of weekly runs with a model that errs, and a month of a publisher
// that sends mostly junk.
func Simulate(o Options) (*Report, error) {
	if o.Seed == 0 {
		o.Seed = seed
	}
	if o.Weeks == 0 {
		o.Weeks = weeks
	}
	if o.Days == 0 {
		o.Days = days
	}
	if o.Misjudging == 0 {
		o.Misjudging = erring
	}
	year, err := simulateYear(o)
	if err != nil {
		return nil, fmt.Errorf("eval survival: %w", err)
	}
	month, err := simulateMonth(o)
	if err != nil {
		return nil, fmt.Errorf("eval survival: %w", err)
	}
	return &Report{Suite: "survival", Year: year, Month: month}, nil
}

// Regressions lists what got worse since an earlier report by more than tolerance.
func (r *Report) Regressions(before *Report, tolerance float64) []string {
	var fell []string
	worse := func(name string, was, is float64) {
		if is < was-tolerance {
			fell = append(fell, fmt.Sprintf("%s %.3f, was %.3f", name, is, was))
		}
	}
	worse("year.restorable", before.Year.Restorable, r.Year.Restorable)
	worse("year.needed_in_service", before.Year.NeededInService, r.Year.NeededInService)
	worse("month.facts_stored", before.Month.FactsStored, r.Month.FactsStored)
	worse("month.free_of_junk", 1-before.Month.JunkShare, 1-r.Month.JunkShare)
	if r.Year.RowsDeleted > before.Year.RowsDeleted {
		fell = append(fell, fmt.Sprintf("year.rows_deleted %d, was %d", r.Year.RowsDeleted, before.Year.RowsDeleted))
	}
	return fell
}
