package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/creack/pty"

	"github.com/winnowhq/winnow/services/run"
)

// narrow is the width of a small window beside an editor.
const narrow = 60

// unlisted are subcommands of the usual names that print no list, with the reason.
var unlisted = map[string]string{
	"migrate status": "needs the owner of a database; winnow dev has none to name",
	"review list":    "as review --plain",
}

// Every command that lists something fits into a window of 60 columns: no line is wider
// unless it is one word, and every id that --json has is there whole.
func TestListsFitSixtyColumns(t *testing.T) {
	t.Parallel()
	work, home := visitor(t)
	environment := append(os.Environ(), "HOME="+home, "NO_COLOR=1", "WINNOW_STATE_DIR="+stateOf(t, home))
	winnow := func(environment []string, args ...string) string {
		c := exec.CommandContext(t.Context(), "winnow", args...)
		c.Dir, c.Env = work, environment
		var out, said bytes.Buffer
		c.Stdout, c.Stderr = &out, &said
		if err := c.Run(); err != nil {
			t.Errorf("winnow %s: %v\n%s", strings.Join(args, " "), err, said.String())
		}
		return out.String()
	}
	winnow(environment, "demo")
	winnow(environment, "key", "add", "agent", "--name", "for the nightly build of everything")
	winnow(environment, "propose", "--no-wait", "--as", "nobody", "--scope", "project:narrow", "Nobody says this.")
	winnow(environment, "consolidate", "--project", "checkout-api")

	lists := listing(t, environment)
	if len(lists) < 20 {
		t.Fatalf("only %d listing commands: %q", len(lists), lists)
	}
	for _, list := range append(lists, "status", "digest", "review --plain", "search release", "memory list --archived", "topics") {
		args := strings.Fields(list)
		text := winnow(append(slices.Clone(environment), "COLUMNS=60"), args...)
		for line := range strings.Lines(text) {
			line = strings.TrimRight(line, "\n")
			if ansi.StringWidth(line) > narrow && strings.Contains(strings.TrimSpace(line), " ") {
				t.Errorf("winnow %s: %d columns in %q", list, ansi.StringWidth(line), line)
			}
		}
		wide := winnow(environment, args...)
		for _, id := range anyID.FindAllString(wide, -1) {
			if !strings.Contains(text, id) {
				t.Errorf("winnow %s: %s is not whole at %d columns:\n%s", list, id, narrow, text)
			}
		}
	}

	// A terminal says its width itself.
	c := exec.CommandContext(t.Context(), "winnow", "memory", "list")
	c.Env = environment
	tty, err := pty.StartWithSize(c, &pty.Winsize{Rows: 40, Cols: narrow})
	if err != nil {
		t.Fatal(err)
	}
	defer tty.Close()
	var screen bytes.Buffer
	_, _ = screen.ReadFrom(tty) // a closed terminal ends it with an error
	if err := c.Wait(); err != nil {
		t.Fatal(err)
	}
	want := strings.ReplaceAll(winnow(append(slices.Clone(environment), "COLUMNS=60"), "memory", "list"), "\n", "\r\n")
	if screen.String() != want {
		t.Errorf("on a terminal of %d columns:\n%s\nwant\n%s", narrow, screen.String(), want)
	}
}

// anyID is an id as lists print it.
var anyID = regexp.MustCompile(`\b(prop|dec|mem|run|sess|key|ret|boot)_[0-9A-Z]{26}\b`)

// listing returns the commands that list something, from the command line's own completion.
func listing(t *testing.T, environment []string) (lists []string) {
	t.Helper()
	complete := func(args ...string) (names []string) {
		c := exec.CommandContext(t.Context(), "winnow", append(append([]string{"__completeNoDesc"}, args...), "")...)
		c.Env = environment
		out, err := c.Output()
		if err != nil {
			t.Fatalf("complete %q: %v", args, err)
		}
		for line := range strings.Lines(string(out)) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, ":") && !strings.HasPrefix(line, "-") {
				names = append(names, line)
			}
		}
		return names
	}
	for _, name := range complete() {
		if name == "eval" || name == "help" || name == "completion" {
			continue
		}
		for _, sub := range complete(name) {
			if slices.Contains([]string{"list", "status", "log", "print"}, sub) && unlisted[name+" "+sub] == "" {
				lists = append(lists, name+" "+sub)
			}
		}
	}
	return lists
}

// A mistake in the arguments exits with 2, says what is wrong and shows the usage, wherever
// it is noticed.
func TestUsageErrorsHaveOneForm(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"propose", "propose a b", "propose x --kind banana --scope project:usage", "propose x --scope banana", "nonsense", "memory nonsense",
		"status extra", "retired remove", "search", "eval triage", "mcp install emacs", "memory list --limit many", "status --bananas",
		"review decide prop_x maybe", "dlq show x", "principal add", "dev reset",
	} {
		c := exec.CommandContext(t.Context(), "winnow", strings.Fields(line)...)
		c.Env = append(os.Environ(), "WINNOW_STATE_DIR="+instance.Dir)
		out, err := c.CombinedOutput()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != run.ExitUsage {
			t.Errorf("winnow %s: %v, want exit code %d\n%s", line, err, run.ExitUsage, out)
		}
		if lines := strings.Split(strings.TrimSpace(string(out)), "\n"); !strings.Contains(string(out), "error: ") || !strings.HasPrefix(lines[len(lines)-1], "usage: winnow") {
			t.Errorf("winnow %s: want an error and the usage, got\n%s", line, out)
		}
	}
}
