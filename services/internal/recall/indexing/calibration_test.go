package indexing_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/model/embed"
	"github.com/winnowhq/winnow/services/internal/model/embed/static"
	"github.com/winnowhq/winnow/services/internal/recall/calibrate"
	"github.com/winnowhq/winnow/services/internal/recall/indexing"
	"github.com/winnowhq/winnow/services/internal/recall/search"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/store/postgres/pgtest"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// D2: a model gets its own points, once, and says which of them it may act on;
// another model has none of them.
func TestNewModelIsCalibrated(t *testing.T) {
	t.Parallel()
	s := pgtest.Open(t)
	now := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	truth := &indexing.Truth{Store: s, Embedder: static.New(), Analyzer: search.NewAnalyzer()}
	first, made, err := truth.Calibrated(t.Context(), memory.DefaultTenant, now)
	if err != nil || !made {
		t.Fatalf("made %v, %v", made, err)
	}
	if first.Model != static.ID || !(first.Duplicate >= first.Cluster && first.Cluster > first.Loose && first.Loose > 0) {
		t.Errorf("points %+v", first)
	}
	var report calibrate.Result
	if err := json.Unmarshal(first.Report, &report); err != nil || report.Pairs == 0 || report.Cluster.Threshold != first.Cluster {
		t.Errorf("report %s: %v", first.Report, err)
	}
	again, made, err := truth.Calibrated(t.Context(), memory.DefaultTenant, now.Add(time.Hour))
	if err != nil || made || again.ID != first.ID || again.Duplicate != first.Duplicate {
		t.Errorf("a second time: made %v, %+v, %v", made, again, err)
	}
	if _, err := s.Calibration(t.Context(), memory.DefaultTenant, embed.None{}.ID()); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("another model: %v", err)
	}
}
