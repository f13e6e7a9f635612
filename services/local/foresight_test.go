package local_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/winnowhq/winnow/services/internal/session/trust"
	"github.com/winnowhq/winnow/services/local"
)

// metAndSolved is a session in which a test run fails until a package is installed.
const metAndSolved = `{"type":"user","sessionId":"%[1]s","timestamp":"2026-03-0%[2]dT10:00:00Z","message":{"role":"user","content":"make the tests run"}}
{"type":"assistant","sessionId":"%[1]s","timestamp":"2026-03-0%[2]dT10:01:00Z","message":{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"pytest tests"}}]}}
{"type":"user","sessionId":"%[1]s","timestamp":"2026-03-0%[2]dT10:02:00Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","is_error":true,"content":"ModuleNotFoundError: No module named 'tomli_w'"}]}}
{"type":"assistant","sessionId":"%[1]s","timestamp":"2026-03-0%[2]dT10:03:00Z","message":{"role":"assistant","content":[{"type":"text","text":"The tests fail because the development extras are missing."},{"type":"tool_use","id":"t2","name":"Bash","input":{"command":"pip install .[dev]"}}]}}
{"type":"user","sessionId":"%[1]s","timestamp":"2026-03-0%[2]dT10:04:00Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t2","content":"Successfully installed"}]}}
{"type":"assistant","sessionId":"%[1]s","timestamp":"2026-03-0%[2]dT10:05:00Z","message":{"role":"assistant","content":[{"type":"tool_use","id":"t3","name":"Bash","input":{"command":"pytest tests"}}]}}
{"type":"user","sessionId":"%[1]s","timestamp":"2026-03-0%[2]dT10:06:00Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t3","content":"12 passed in 0.40s"}]}}
`

// SPEC §18: the second session of a project runs into what the first had solved, and would
// have been shown the lesson; a session of another project would not.
func TestForesightOfAFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, day := range map[string]int{"shop/one.jsonl": 1, "shop/two.jsonl": 2, "other/three.jsonl": 3} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, fmt.Appendf(nil, metAndSolved, filepath.Base(name), day), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r, err := local.Foresight(t.Context(), dir, local.AdoptOptions{Person: "local", Trust: trust.DefaultConfig()})
	if err != nil {
		t.Fatal(err)
	}
	if r.Sessions != 3 || r.Errors != 3 || r.Met != 1 || r.Solved != 1 || r.Taught != 1 || r.Foreseen != 1 {
		t.Fatalf("%+v", r)
	}
	if c := r.Cases[0]; c.Session != "shop/two.jsonl" || c.Earlier != "shop/one.jsonl" || c.Project != "project:shop" {
		t.Errorf("%+v", c)
	}
	if _, err := local.Foresight(t.Context(), t.TempDir(), local.AdoptOptions{Person: "local", Trust: trust.DefaultConfig()}); err == nil {
		t.Error("a folder without a transcript has a figure")
	}
}

// SPEC §18: on the sessions that were written for this, what was solved before is shown
// before. services/eval/testdata/foresight has the two projects.
func TestForesightOnItsSessions(t *testing.T) {
	t.Parallel()
	r, err := local.Foresight(t.Context(), filepath.Join("..", "eval", "testdata", "foresight"), local.AdoptOptions{Person: "local", Trust: trust.DefaultConfig()})
	if err != nil {
		t.Fatal(err)
	}
	if r.Sessions != 27 || r.Errors < 40 || r.Solved < 15 || r.Foreseen < 13 {
		t.Errorf("%d sessions, %d errors, %d solved before, %d foreseen", r.Sessions, r.Errors, r.Solved, r.Foreseen)
	}
}
