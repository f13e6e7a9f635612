package ingest_test

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/winnowhq/winnow/services/internal/test/testenv"
)

// traces are the files of real agents that lie beside the repository and are not
// part of it.
func traces(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(testenv.Shared(t, "traces"), "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d traces, %v", len(files), err)
	}
	return files
}

// Every trace of a real agent comes in: whole, with its format recognised.
func TestRealTraces(t *testing.T) {
	t.Parallel()
	d := setup(t)
	for _, file := range traces(t) {
		raw, err := os.ReadFile(filepath.Clean(file))
		if err != nil {
			t.Fatal(err)
		}
		status, got := d.sessions("?scope=project:shop&session=" + filepath.Base(file)).post(string(raw))
		if status != http.StatusAccepted || got["duplicate"] != false || got["turns"] == 0.0 {
			t.Errorf("%s: %d: %v", filepath.Base(file), status, got)
			continue
		}
		t.Logf("%s: %v, %v turns, %v skipped, %v redactions, %v (inferred: %v) %v", filepath.Base(file), got["format"], got["turns"], got["skipped"], got["redactions"], got["outcome"], got["outcome_inferred"], got["note"])
	}
	for _, s := range stored(t, d.store) {
		t.Logf("%s: %d from outside, %q, project %q, %s", s.Name, s.External, s.Task, s.Project, s.Language)
	}
}
