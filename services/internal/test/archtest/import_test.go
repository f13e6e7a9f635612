package archtest

import (
	"path"
	"strings"
	"testing"
)

func TestEveryImportIsAllowedByTheTable(t *testing.T) {
	t.Parallel()
	g := loadGraph(t)
	for _, p := range g.ours {
		r, ok := rowOf(p.path())
		if !ok {
			t.Errorf("%s has no row in table_test.go: say what it may import and why", p.path())
			continue
		}
		for _, to := range p.Imports {
			if g.byPath[to].Standard && fitsAny(r.may, "std") || fitsAny(r.may, short(to)) {
				continue
			}
			t.Errorf("%s → %s\n\tforbidden for %s: %s", p.path(), short(to), r.from, r.why)
		}
		if len(r.never) == 0 {
			continue
		}
		chain := g.way(p.ImportPath, func(to string) bool { return fitsAny(r.never, short(to)) })
		if chain != nil {
			t.Errorf("%s\n\tforbidden for %s, also at a distance: %s", strings.Join(chain, " → "), r.from, r.why)
		}
	}
}

// Test packages (storetest, natstest, testenv …) hold what only tests need;
// the moment that something shipped imports one, it ships too.
func TestTestPackagesAreImportedByTestsOnly(t *testing.T) {
	t.Parallel()
	for _, p := range loadGraph(t).ours {
		if testOnly(p.path()) {
			continue
		}
		for _, to := range p.Imports {
			if strings.HasPrefix(to, home) && testOnly(short(to)) || to == "testing" {
				t.Errorf("%s → %s\n\ta file that ships imports what only tests may", p.path(), short(to))
			}
		}
	}
}

// testOnly says whether a package exists for tests.
func testOnly(p string) bool {
	for ; p != "." && p != "/"; p = path.Dir(p) {
		base := path.Base(p)
		if strings.HasSuffix(base, "test") || base == "testenv" || base == "chaos" {
			return true
		}
	}
	return false
}

// A dedicated main runs one worker; only the CLI knows them all.
func TestMainsKnowOneWorker(t *testing.T) {
	t.Parallel()
	for _, p := range loadGraph(t).ours {
		if !fits("cmd/*", p.path()) || p.path() == "cmd/winnow" {
			continue
		}
		var workers []string
		for _, to := range p.Imports {
			s := short(to)
			if fits("services/*", s) && !fitsAny([]string{"services/run", "services/fleet", "services/ops", "services/local", "services/eval"}, s) {
				workers = append(workers, s)
			}
		}
		if len(workers) > 1 {
			t.Errorf("%s imports %s: a dedicated main runs one worker", p.path(), strings.Join(workers, ", "))
		}
	}
}

func TestNamesSayWhatAPackageIs(t *testing.T) {
	t.Parallel()
	empty := map[string]bool{
		"common": true, "util": true, "utils": true, "helper": true, "helpers": true,
		"types": true, "models": true, "misc": true, "shared": true, "base": true,
	}
	for _, p := range loadGraph(t).ours {
		if empty[p.Name] {
			t.Errorf("%s: the name %q says nothing; name what it decides", p.path(), p.Name)
		}
		if p.Doc == "" {
			t.Errorf("%s has no package comment: say in doc.go what it decides", p.path())
		}
	}
}

func TestPatterns(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern, path string
		want          bool
	}{
		{"services/internal/memory", "services/internal/memory", true},
		{"services/internal/memory", "services/internal/memory/sub", false},
		{"services/internal/guard/redact/...", "services/internal/guard/redact", true},
		{"services/internal/guard/redact/...", "services/internal/guard/redact/keywords", true},
		{"services/internal/guard/redact/...", "services/internal/redactor", false},
		{"services/*", "services/triage", true},
		{"services/*", "services/triage/policy", false},
		{"services/internal/{store,bus}", "services/internal/bus", true},
		{"services/internal/{store,bus}", "services/internal/bus/jetstream", false},
		{"services/internal/**test/...", "services/internal/bus/natstest", true},
		{"services/internal/**test/...", "services/internal/bus/jetstream", false},
		{"services/internal/vector/*/...", "services/internal/vector", false},
		{"...", "anything", true},
	} {
		if got := fits(c.pattern, c.path); got != c.want {
			t.Errorf("fits(%q, %q) = %t, want %t", c.pattern, c.path, got, c.want)
		}
	}
}
