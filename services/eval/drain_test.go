package eval

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/model/embed/static"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
)

// S3.37: a person sees at most ten items a week, and automatic promotions are still
// there a month later.
func TestDrain(t *testing.T) {
	t.Parallel()
	report, err := Drain(filepath.Join(testenv.Shared(t, "consolidation"), "history.jsonl"), DrainOptions{Embedder: static.New()})
	if err != nil {
		t.Fatal(err)
	}
	raw, _ := json.Marshal(report)
	t.Logf("%s", raw)
	for i, it := range report.Items {
		if i%4 == 0 {
			t.Logf("%s %s by %s: %s — %s", it.Date, it.Verdict, it.Rule, it.Title, it.Reason)
		}
	}
	if report.PerWeek > 10 {
		t.Errorf("%.1f items a week for a person, want at most 10", report.PerWeek)
	}
	if report.Survival != nil && *report.Survival < 0.9 {
		t.Errorf("%.2f of the promotions still stand after 30 days, want 0.9", *report.Survival)
	}
}

// S3.37, S4: published as lessons of a distiller, the same entries need a person only
// where a stored text contradicts them.
func TestDrainOfLessons(t *testing.T) {
	t.Parallel()
	report, err := Drain(filepath.Join(testenv.Shared(t, "consolidation"), "history.jsonl"), DrainOptions{Kind: memory.KindStrategy, Embedder: static.New()})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%.1f a week for a person, worst week %d, %d promoted, survival %v of %d, %v", report.PerWeek, report.WorstWeek, report.Promoted, *report.Survival, report.Judged, report.PerRule)
	if report.PerWeek > 10 || *report.Survival < 0.9 {
		t.Errorf("%.1f items a week, survival %.2f; want at most 10 and at least 0.9", report.PerWeek, *report.Survival)
	}
}
