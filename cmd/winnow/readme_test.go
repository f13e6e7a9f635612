package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.uber.org/zap"

	"github.com/winnowhq/winnow/services/digest"
	"github.com/winnowhq/winnow/services/fleet"
	"github.com/winnowhq/winnow/services/run"
)

// notHere lists commands of the README that this test does not run, by how they begin, with
// the reason. A command that is in neither table is run and has to exit with 0.
var notHere = map[string]string{
	"make ":         "steps of the whole check, each by itself",
	"export PATH":   "the test's own PATH has the command",
	"winnow dev":    "runs already, in this process",
	"nats ":         "another project's program",
	"winnow adopt":  "reads the home of the person who runs the test; adopt.txtar has a made-up one",
	"winnow mcp in": "writes the configuration of an agent; mcp.txtar does so in a made-up home",
}

// refusing lists commands of the README that say no in the state in which the tour reaches
// them, with a word of the refusal.
var refusing = map[string]string{
	"winnow undo dec_… ":         "rest on",                 // as the README says; the next line has --cascade
	"winnow retract ":            "no session",              // a name to fill in
	"winnow runs show run_…":     "",                        // the tour's few memories need no run …
	"winnow runs undo run_…":     "",                        // … so there may be nothing to undo
	"winnow summarize --topic d": "no memory has the topic", // the reader fills it in
}

// placeholder is an id to fill in: its prefix and an ellipsis.
var placeholder = regexp.MustCompile(`\b(prop|dec|mem|run)_…`)

// id is an identifier in the output of a command.
var id = regexp.MustCompile(`\b(prop|dec|mem|run)_[0-9A-Z]{26}\b`)

// The README's commands do what its comments say, in their order, for somebody who copies
// them into a shell in an empty folder. An id to fill in is the first of its kind that was
// printed; a line of comment below a command stands in its output.
func TestReadme(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	work, home := visitor(t)
	ids := map[string]string{}
	ran := 0
	var last string // output of the last command, without runs of blanks
	for _, line := range commandsOf(string(text)) {
		if want, isComment := strings.CutPrefix(line, "# "); isComment {
			if !strings.Contains(last, squeezed(want)) {
				t.Errorf("the README promises %q; the command answered\n%s", want, last)
			}
			continue
		}
		if hasKey(notHere, line) {
			last = ""
			continue
		}
		word, refuses := refusing[keyOf(refusing, line)]
		refuses = refuses && !strings.Contains(line, "--cascade")
		command := placeholder.ReplaceAllStringFunc(line, func(p string) string {
			if id, ok := ids[strings.TrimSuffix(p, "_…")]; ok {
				return id
			}
			return p
		})
		c := exec.CommandContext(t.Context(), "bash", "-c", command)
		c.Dir, c.Env = work, append(os.Environ(), "HOME="+home, "NO_COLOR=1", "WINNOW_STATE_DIR="+stateOf(t, home))
		out, err := c.CombinedOutput()
		ran++
		var exit *exec.ExitError
		switch {
		case err != nil && !errors.As(err, &exit):
			t.Fatalf("%s: %v", command, err)
		case err != nil && !refuses:
			t.Errorf("%s: %v\n%s", command, err, out)
		case err == nil && refuses && word != "":
			t.Errorf("%s was expected to say %q, and did not refuse:\n%s", command, word, out)
		case err != nil && !strings.Contains(string(out), word):
			t.Errorf("%s: want %q in the refusal\n%s", command, word, out)
		}
		for _, found := range id.FindAllString(string(out), -1) {
			kind, _, _ := strings.Cut(found, "_")
			if _, known := ids[kind]; !known {
				ids[kind] = found
			}
		}
		last = squeezed(string(out))
	}
	if ran < 20 {
		t.Errorf("the README has %d commands that a test can run; were its blocks found?", ran)
	}
}

// commandsOf returns the lines of the README's shell blocks: commands, continuation lines
// joined, and lines that are a comment alone. Comments behind a command are dropped.
func commandsOf(text string) []string {
	var lines []string
	inside := false
	for line := range strings.Lines(strings.ReplaceAll(text, "\\\n", " ")) {
		line = strings.TrimRight(line, "\n")
		switch {
		case strings.HasPrefix(line, "```"):
			inside = !inside && line == "```sh"
		case !inside || strings.TrimSpace(line) == "":
		case strings.HasPrefix(line, "#"):
			if strings.HasPrefix(line, "# promoted") { // other comments talk to the reader
				lines = append(lines, line)
			}
		default:
			command, _, _ := strings.Cut(line, "  #")
			command, _, _ = strings.Cut(command, " # ")
			lines = append(lines, strings.TrimSpace(command)+" ")
		}
	}
	return lines
}

// visitor returns an empty working folder with the files that the README mentions, and a
// clean home, beside a winnow dev of its own.
func visitor(t *testing.T) (work, home string) {
	t.Helper()
	work, home = t.TempDir(), t.TempDir()
	cfg := run.DefaultConfig()
	cfg.StartTimeout = patience
	digest.Settings.Change(&cfg.Workers, func(c *digest.Config) { c.Schedule = noMonday })
	d, err := run.StartDev(context.WithoutCancel(t.Context()), cfg, run.DevOptions{Ephemeral: true}, zap.NewNop(), fleet.All...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Stop(); err != nil {
			t.Error(err)
		}
	})
	for name, text := range map[string]string{
		"CLAUDE.md":          "# Notes\n\n- 2026-10-02: `make seed` fills the local database with three shops.\n",
		"F":                  "Deploys run from the main branch.\n",
		"traces/first.jsonl": `{"role":"user","content":"The build fails."}` + "\n" + `{"role":"assistant","content":"Fixed: the cache was stale."}` + "\n",
	} {
		path := filepath.Join(work, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(d.Dir, filepath.Join(home, "state")); err != nil {
		t.Fatal(err)
	}
	return work, home
}

// stateOf returns the state folder that [visitor] left in the home.
func stateOf(t *testing.T, home string) string {
	t.Helper()
	dir, err := os.Readlink(filepath.Join(home, "state"))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func keyOf(table map[string]string, line string) string {
	for begin := range table {
		if strings.HasPrefix(line, begin) {
			return begin
		}
	}
	return ""
}

func hasKey(table map[string]string, line string) bool { return keyOf(table, line) != "" }

// squeezed returns text with runs of blanks and line ends as one blank.
func squeezed(text string) string { return strings.Join(strings.Fields(text), " ") }
