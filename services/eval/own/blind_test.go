package own

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/winnowhq/winnow/services/internal/test/testenv"
)

// The sets in testdata/blind of package eval were written by people who had not seen the
// rules (its README says how, and what the figures were at first sight). No figure of theirs
// with a bar may fall below its last baseline, and what would be severe is bounded whatever
// the baseline says.
func TestBlindSets(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"groceries", "cards", "meters", "exams", "port", "bikes", "clinics", "greenhouses", "trams", "broadcast", "restated"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join("..", "testdata", "blind", name)
			r := scored(t, dir, offline())
			if r.Paraphrases == nil || len(r.Bars) == 0 {
				t.Fatalf("absent: %v", r.Absent)
			}
			if p := r.Triage2; p != nil && (p.PrecisionReject == nil || *p.PrecisionReject < 1) {
				t.Errorf("rejected, and nothing repeated: precision %v", p.PrecisionReject)
			}
			if d := r.Descriptive; d != nil && d.NormsPromoted != 0 {
				t.Errorf("%d norms promoted", d.NormsPromoted)
			}
			raw, err := os.ReadFile(filepath.Join(dir, "baseline.json"))
			if err != nil {
				t.Fatalf("%v; winnow eval own --data %s --json makes it", err, dir)
			}
			var before Report
			if err := json.Unmarshal(raw, &before); err != nil {
				t.Fatal(err)
			}
			for _, fell := range r.Regressions(&before, 0.005) {
				t.Error(fell)
			}
		})
	}
}

// The development data holds each bar. A rule that is mended with another set and costs one
// here would pass TestBlindSets.
func TestDevelopmentBars(t *testing.T) {
	t.Parallel()
	r := scored(t, filepath.Dir(testenv.Shared(t, "own")), offline())
	for _, b := range r.Bars {
		switch {
		case b.Value == nil:
			t.Errorf("%s %s has no value", b.Set, b.Figure)
		case !b.Holds():
			t.Errorf("%s %s is %.3f of %d, want %.3f", b.Set, b.Figure, *b.Value, b.N, b.Want)
		}
	}
}
