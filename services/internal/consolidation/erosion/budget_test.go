package erosion_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/winnowhq/winnow/services/internal/consolidation/erosion"
)

// D10: at most 30 % of a scope per run and 40 % per month, floor 5 rows.
func TestBudgetOfARunAndAMonth(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		active, eroded, want int
	}{
		"30 of a hundred":                            {100, 0, 30},
		"rounded down":                               {99, 0, 29},
		"the month has ten left":                     {70, 30, 10},
		"the month is spent":                         {60, 40, 0},
		"more than the month is spent":               {10, 90, 0},
		"floor of a run":                             {10, 0, 5},
		"floor of a month":                           {8, 2, 3},
		"floor of a month is spent":                  {5, 5, 0},
		"17 rows: five are more than thirty percent": {17, 0, 5},
		"never more than there are":                  {3, 0, 3},
		"an empty scope":                             {0, 0, 0},
		"a count that is no count":                   {-1, -1, 0},
	} {
		if got := (erosion.Budget{Active: c.active, Eroded: c.eroded}).Allowed(); got != c.want {
			t.Errorf("%s: %d active, %d eroded: allowed %d, want %d", name, c.active, c.eroded, got, c.want)
		}
	}
}

func TestSplitLeavesTheDoubtfulRows(t *testing.T) {
	t.Parallel()
	rows := []string{"a", "b", "c", "d", "e", "f", "g"}
	allowed, left := erosion.Split(erosion.Budget{Active: 7}, rows)
	if len(allowed) != 5 || len(left) != 2 || left[0] != "f" {
		t.Errorf("allowed %v, left %v", allowed, left)
	}
	if _, left := erosion.Split(erosion.Budget{Active: 100}, rows); len(left) != 0 {
		t.Errorf("seven of a hundred are within the budget, left %v", left)
	}
	// Appending to the allowed part must not overwrite what is left.
	_ = append(allowed, "x")
	if left[0] != "f" {
		t.Error("the parts share their capacity")
	}
}

// As an opponent: however a month of runs is cut, with nothing added it never takes more
// than 40 % of what it began with, or five rows.
func TestNoSeriesOfRunsExceedsTheMonth(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		start := rapid.IntRange(0, 500).Draw(r, "active")
		active, eroded := start, 0
		for range rapid.IntRange(1, 40).Draw(r, "runs") {
			wanted := rapid.IntRange(0, 500).Draw(r, "wanted")
			took := min((erosion.Budget{Active: active, Eroded: eroded}).Allowed(), wanted)
			active, eroded = active-took, eroded+took
		}
		if most := max(start*erosion.MonthPercent/100, erosion.Floor); eroded > most || active < 0 {
			t.Fatalf("%d of %d rows are gone, at most %d may be", eroded, start, most)
		}
	})
}
