package ingest_test

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"
)

// traces are the files of real agents that lie beside the repository and are not
// part of it.
func traces(t *testing.T) []string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.work")); err == nil {
			break
		}
		if dir == filepath.Dir(dir) {
			t.Skip("no workspace root above the test: cannot find the shared test data")
		}
		dir = filepath.Dir(dir)
	}
	files, err := filepath.Glob(filepath.Join(dir, "..", "shared", "testdata", "traces", "*"))
	if err != nil || len(files) == 0 {
		t.Skip("shared test data absent: traces")
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
