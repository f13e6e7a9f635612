package testenv_test

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/test/testenv"
)

// probeVariable selects what TestProbe does in a process of its own, because skips,
// failures and crashes cannot be observed from inside.
const probeVariable = "WINNOW_TESTENV_PROBE"

func TestProbe(t *testing.T) {
	switch os.Getenv(probeVariable) {
	case "":
		t.Skip("does something only in a process started by another test")
	case "git":
		testenv.Require(t, testenv.CapabilityGit)
	case "lingers":
		// Time itself: nothing of the process runs after its tests that could signal.
		go time.Sleep(time.Second)
	case "postgres":
		testenv.EmptyDatabase(t)
		os.Stdout.WriteString("ready\n")
		io.Copy(io.Discard, os.Stdin)
	}
}

// probe is this binary, running TestProbe with the given environment added.
func probe(t *testing.T, what string, env ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestProbe$", "-test.v")
	cmd.Env = append(append(os.Environ(), probeVariable+"="+what), env...)
	return cmd
}

// A skip says why; CI turns it into a failure.
func TestMissingCapability(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		require string
		passes  bool
		says    string
	}{
		"skips":             {"", true, "no git: git not on the PATH"},
		"fails if required": {"postgres, git", false, "git is required by WINNOW_REQUIRE: git not on the PATH"},
		"others do not":     {"postgres,chromium", true, "no git"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, err := probe(t, "git", "PATH=/nonexistent", testenv.RequireVariable+"="+c.require).CombinedOutput()
			if (err == nil) != c.passes || !strings.Contains(string(out), c.says) {
				t.Errorf("passes: %v, want %v and %q in:\n%s", err == nil, c.passes, c.says, out)
			}
		})
	}
}

// A goroutine that ends shortly after the last test is no leak: connections are
// closed in the background, and machines are slow.
func TestLingeringGoroutine(t *testing.T) {
	t.Parallel()
	if out, err := probe(t, "lingers").CombinedOutput(); err != nil {
		t.Errorf("%v:\n%s", err, out)
	}
}

// A machine without PostgreSQL skips with the ways out.
func TestMissingPostgres(t *testing.T) {
	t.Parallel()
	out, err := probe(t, "postgres", "WINNOW_PG_BINDIR=/nonexistent", "DOCKER_HOST=unix:///nonexistent",
		testenv.RequireVariable+"=").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "no postgres: ") || !strings.Contains(string(out), "apt-get install") {
		t.Errorf("err %v, want a skip with a way out:\n%s", err, out)
	}
}

// CI may give a server; then none is started, and none need be installed.
func TestGivenServer(t *testing.T) {
	t.Parallel()
	given := testenv.EmptyDatabase(t)
	out, err := probe(t, "postgres", "WINNOW_PG_BINDIR=/nonexistent", testenv.ServerVariable+"="+given,
		testenv.RequireVariable+"=postgres").CombinedOutput()
	if err != nil {
		t.Errorf("%v:\n%s", err, out)
	}
	out, err = probe(t, "postgres", testenv.ServerVariable+"=postgres://u:hunter2@[").CombinedOutput()
	if err == nil || strings.Contains(string(out), "hunter2") {
		t.Errorf("err %v, want a failure that does not print the password:\n%s", err, out)
	}
}

// The folder of a killed test process is removed by the next one. A process that
// ends in order leaves only the seed.
func TestKilledProcessIsSweptUp(t *testing.T) {
	t.Parallel()
	testenv.Require(t, testenv.CapabilityPostgres)
	tmp, err := os.MkdirTemp("", "winnow-test-") // t.TempDir is closed to root's server
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(tmp) })
	if err := os.Chmod(tmp, 0o711); err != nil {
		t.Fatal(err)
	}

	killed := probe(t, "postgres", "TMPDIR="+tmp)
	if _, err := killed.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := killed.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := killed.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(out); lines.Scan() && lines.Text() != "ready"; {
	}
	killed.Process.Kill()
	killed.Wait()
	if left := runs(t, tmp); len(left) != 1 {
		t.Fatalf("folders after the kill: %v, want one", left)
	}

	if out, err := probe(t, "postgres", "TMPDIR="+tmp).CombinedOutput(); err != nil {
		t.Fatalf("next process: %v\n%s", err, out)
	}
	if left := runs(t, tmp); len(left) != 0 {
		t.Errorf("folders after the next process: %v, want none", left)
	}
}

func runs(t *testing.T, tmp string) []string {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(tmp, "winnow-testenv-*", "run-*"))
	if err != nil {
		t.Fatal(err)
	}
	return left
}

func TestRootAndShared(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat(filepath.Join(testenv.Root(t), "services", "internal", "test", "testenv", "doc.go")); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(testenv.Shared(t, "triage/triage_proposals.jsonl")); err != nil {
		t.Error(err)
	}
}
