package develop_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/winnowhq/winnow/cmd/winnow/cli"
)

// asWinnow makes this test's program the command line of Winnow.
const asWinnow = "WINNOW_TEST_IS_WINNOW"

func TestMain(m *testing.M) {
	if os.Getenv(asWinnow) != "" {
		os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// `winnow eval own` has every figure that the scorer beside the sets has, with the same
// value: the scorer asks the suites by hand, one process after another.
func TestOwnScoresLikeItsScorer(t *testing.T) {
	t.Parallel()
	script, err := filepath.Abs(filepath.Join("..", "..", "..", "..", "..", "shared", "testdata", "own", "score_own.py"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(script); err != nil {
		t.Skip("the shared test data is not beside the repository")
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed, and the scorer is written in it")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	data := filepath.Dir(filepath.Dir(script))
	theirs := output(t, python, script, data, self)
	ours := output(t, self, "eval", "own", "--data", data, "--json")
	for set, figures := range theirs {
		list, ok := figures.(map[string]any)
		if !ok || ours[set] == nil {
			t.Errorf("%s: ours has no such set", set)
			continue
		}
		for name, want := range list {
			if empty, ok := want.(map[string]any); name == "unanswerable_not_scored" || ok && name == "decided" && len(empty) == 0 {
				continue // scored here; and counted by a scorer that is not beside the sets
			}
			same(t, set+"."+name, ours[set].(map[string]any)[name], want)
		}
	}
	if len(theirs) < 7 {
		t.Errorf("the scorer has %d sets", len(theirs))
	}
}

// output returns what a command prints as JSON.
func output(t *testing.T, name string, args ...string) map[string]any {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Env = append(os.Environ(), asWinnow+"=1", "HOME="+t.TempDir())
	cmd.Stderr = os.Stderr
	raw, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	var out map[string]any
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return out
}

// same compares two figures; the scorer rounds to three decimals.
func same(t *testing.T, name string, got, want any) {
	t.Helper()
	switch want := want.(type) {
	case float64:
		if f, ok := got.(float64); !ok || math.Abs(f-want) > 0.0006 {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	case map[string]any:
		have, _ := got.(map[string]any)
		if len(have) != len(want) {
			t.Errorf("%s is %v, want %v", name, got, want)
			return
		}
		for key, value := range want {
			same(t, name+"."+key, have[key], value)
		}
	default:
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
}
