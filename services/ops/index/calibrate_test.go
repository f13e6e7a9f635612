package index_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/ident"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/model/embed"
	"github.com/winnowhq/winnow/services/internal/model/embed/embedtest"
	"github.com/winnowhq/winnow/services/internal/model/embed/openai"
	"github.com/winnowhq/winnow/services/internal/model/embed/static"
	"github.com/winnowhq/winnow/services/internal/recall/calibrate"
	"github.com/winnowhq/winnow/services/internal/recall/indexing"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/store/postgres/pgtest"
	"github.com/winnowhq/winnow/services/ops"
	"github.com/winnowhq/winnow/services/ops/index"
)

// remembering returns an operator with memories of many subjects, the last one
// archived.
func remembering(t *testing.T, e embed.Embedder, n int) *ops.Ops {
	t.Helper()
	s := pgtest.Open(t)
	texts, err := calibrate.Shipped()
	if err != nil {
		t.Fatal(err)
	}
	var set change.Set
	now := time.Now().UTC().Truncate(time.Microsecond)
	seen := map[string]bool{}
	for _, pair := range texts {
		if len(set.Memories) == n || seen[pair.Group] {
			continue
		}
		seen[pair.Group] = true
		set.Memories = append(set.Memories, memory.Memory{
			ID: ident.New(memory.PrefixMemory), Scope: "project:shop", State: memory.StateActive, Kind: memory.KindFact, Text: pair.A + " Seen in review.",
			Importance: 5, Confidence: 0.8, Principal: "agent", Origin: memory.OriginAgent, Authority: memory.OriginAgent,
			ObservedAt: now, CreatedAt: now, LastConfirmed: now, SeenCount: 1,
		})
	}
	if len(set.Memories) < n {
		t.Fatalf("%d subjects, want %d", len(set.Memories), n)
	}
	set.Memories[n-1].State, set.Memories[n-1].Text = memory.StateArchived, "Nobody looks at this any more."
	if _, err := s.Commit(t.Context(), memory.DefaultTenant, set, store.InboxKey{}); err != nil {
		t.Fatal(err)
	}
	return &ops.Ops{
		Store: s, Tenant: memory.DefaultTenant, Person: "local", Now: time.Now, NewID: ident.New,
		Truth: &indexing.Truth{Store: s, Embedder: e},
	}
}

// D2 without labels: points are derived from the tenant's active memories, in
// order and never sure. Stored points are in force for their model only.
func TestCalibrateFromMemories(t *testing.T) {
	t.Parallel()
	table := static.New()
	o := remembering(t, table, 46)
	r, err := index.CalibrateFromMemories(t.Context(), o, table)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v, on labelled pairs %+v", r.Points, r.Checked)
	if r.Memories != 45 || r.Random != 45*44/2 || r.Jittered != 3*45 || r.Model != table.ID() {
		t.Errorf("looked at %d memories, %d and %d pairs of %s", r.Memories, r.Random, r.Jittered, r.Model)
	}
	if r.Duplicate.Sure || r.Cluster.Sure || r.Loose.Sure || r.Duplicate.Threshold < r.Cluster.Threshold || r.Cluster.Threshold < r.Loose.Threshold {
		t.Errorf("points %+v", r.Points)
	}
	// The similarity of random pairs is far below that of rewritten copies.
	if c := r.Checked["duplicate"]; c.Precision < 0.7 {
		t.Errorf("on labelled pairs %+v", c)
	}
	again, err := index.CalibrateFromMemories(t.Context(), o, table)
	if err != nil || again.Points != r.Points {
		t.Errorf("the second time %+v, %v", again, err)
	}

	id, err := index.KeepCalibration(t.Context(), o, r.Model, r.Source, r.Points, r)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := o.Truth.Store.Calibration(t.Context(), o.Tenant, table.ID())
	if err != nil || kept.ID != id || kept.Cluster != r.Cluster.Threshold || kept.Source != index.SourceMemories {
		t.Errorf("in force is %+v, %v", kept, err)
	}
	var report index.AnchorReport
	if err := json.Unmarshal(kept.Report, &report); err != nil || report.Points != r.Points {
		t.Errorf("its report %s, %v", kept.Report, err)
	}
	if _, err := o.Truth.Store.Calibration(t.Context(), o.Tenant, "another"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("another model has it too: %v", err)
	}
}

// A remote model is asked once for each text, and never for a text with a stored
// vector.
func TestCalibrateFromMemoriesAsksOnce(t *testing.T) {
	t.Parallel()
	server := embedtest.NewServer(t, 16)
	model, err := openai.New(openai.Config{URL: server.URL, Model: "words", Dim: 16})
	if err != nil {
		t.Fatal(err)
	}
	o := remembering(t, model, 31)
	rows, err := o.Truth.Store.IndexRows(t.Context(), o.Tenant, store.IndexQuery{})
	if err != nil {
		t.Fatal(err)
	}
	v, err := model.Embed(t.Context(), []string{rows[0].Text})
	if err == nil {
		err = o.Truth.Store.PutVectors(t.Context(), o.Tenant, model.ID(), map[string][]float32{rows[0].ID: v[0]})
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := index.CalibrateFromMemories(t.Context(), o, model); err != nil {
		t.Fatal(err)
	}
	asked := map[string]int{}
	for _, r := range server.Requests() {
		for _, text := range r.Input {
			asked[text]++
		}
	}
	// The one request was the test's own question.
	for _, row := range rows {
		want := 1
		if row.State == memory.StateArchived {
			want = 0
		}
		if n := asked[embed.Text(row.Memory)]; n != want {
			t.Errorf("%q was asked %d times", row.Text, n)
		}
	}
}

// Too few memories are an error, and so is an unavailable model.
func TestCalibrateFromMemoriesRefuses(t *testing.T) {
	t.Parallel()
	o := remembering(t, static.New(), 11)
	if _, err := index.CalibrateFromMemories(t.Context(), o, static.New()); !errors.Is(err, calibrate.ErrPairs) {
		t.Errorf("ten memories: %v", err)
	}
	down := embedtest.NewServer(t, 16, embedtest.Refuse(404, "model_not_found"))
	model, err := openai.New(openai.Config{URL: down.URL, Model: "words", Dim: 16})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := index.CalibrateFromMemories(t.Context(), o, model); !errors.Is(err, embed.ErrInvalid) {
		t.Errorf("an unknown model: %v", err)
	}
	if _, err := o.Truth.Store.Calibration(t.Context(), o.Tenant, model.ID()); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("something was kept: %v", err)
	}
}
