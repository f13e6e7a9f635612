package access_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/winnowhq/winnow/services/internal/store/postgres/access"
)

// Every line of the matrix has a cell for each worker, and known letters only: a cell
// that is missing would give its right to the worker beside it.
func TestMatrixIsWellFormed(t *testing.T) {
	t.Parallel()
	lines := strings.Split(strings.TrimSpace(access.Matrix), "\n")
	var tables []string
	for _, line := range lines[1:] {
		cells := strings.Fields(line)
		if len(cells) != len(access.Workers())+1 {
			t.Errorf("%d cells, want %d: %s", len(cells)-1, len(access.Workers()), line)
			continue
		}
		tables = append(tables, cells[0])
		for _, c := range cells[1:] {
			if c != "-" && strings.Trim(c, "riud") != "" {
				t.Errorf("cell %q: %s", c, line)
			}
			if strings.ContainsAny(c, "ud") && !strings.Contains(c, "r") {
				t.Errorf("an update or delete has a condition, which reads: %s", line)
			}
		}
	}
	if !slices.IsSorted(tables) || len(tables) != len(slices.Compact(slices.Clone(tables))) {
		t.Error("tables are not sorted, or one is there twice")
	}
}

// A process without a worker of its own, or with one that has no role, gets no more and
// no less than the application's rights.
func TestRoles(t *testing.T) {
	t.Parallel()
	for worker, want := range map[string]string{
		"": access.App, "fleet": access.App, "command line": access.App, "triage": "winnow_triage", "relay": access.Relay,
	} {
		if got := access.Role(worker); got != want {
			t.Errorf("%q: %s, want %s", worker, got, want)
		}
	}
}
