package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/creack/pty"

	"github.com/winnowhq/winnow/services/run"
)

// On a real terminal one key decides, u takes it back, and Ctrl-C leaves silently with 130
// and what was decided before.
func TestReviewOnATerminal(t *testing.T) {
	t.Parallel()
	_, home := visitor(t)
	environment := append(os.Environ(), "HOME="+home, "TERM=xterm-256color", "WINNOW_STATE_DIR="+stateOf(t, home))
	winnow := func(args ...string) string {
		c := exec.CommandContext(t.Context(), "winnow", args...)
		c.Env = environment
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("winnow %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	for _, rule := range []string{"Always run `make lint` before you push.", "Never edit the files under `gen/` by hand."} {
		if out := winnow("propose", "--scope", "project:terminal", rule); !strings.HasPrefix(out, "needs_review") {
			t.Fatalf("a rule is %s", out)
		}
	}

	c := exec.CommandContext(t.Context(), "winnow", "review")
	c.Env = environment
	tty, err := pty.StartWithSize(c, &pty.Winsize{Rows: 40, Cols: 60})
	if err != nil {
		t.Fatal(err)
	}
	defer tty.Close()
	screen := &shownScreen{}
	go func() { _, _ = io.Copy(screen, tty) }()
	press := func(key, until string) {
		t.Helper()
		from := screen.length()
		if _, err := tty.WriteString(key); err != nil {
			t.Fatal(err)
		}
		screen.await(t, from, until)
	}
	screen.await(t, 0, "1 of 2")
	press("p", "2 of 2")
	press("u", "1 of 2")
	press("p", "2 of 2")
	if _, err := tty.WriteString("\x03"); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := c.Wait(); !errors.As(err, &exit) || exit.ExitCode() != run.ExitInterrupted {
		t.Errorf("Ctrl-C: %v, want exit code %d", err, run.ExitInterrupted)
	}
	if text := screen.text(); strings.Contains(text, "error") || strings.Contains(text, "cancel") {
		t.Errorf("Ctrl-C is not silent:\n%s", text)
	}
	if left := winnow("review", "--plain"); strings.Count(left, "prop_") != 1 {
		t.Errorf("one answer of two was given; what waits:\n%s", left)
	}
}

// shownScreen collects what a program draws. Safe for concurrent use.
type shownScreen struct {
	mu   sync.Mutex
	data bytes.Buffer
}

// Write implements [io.Writer].
func (s *shownScreen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.data.Write(p)
}

func (s *shownScreen) length() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.data.Len()
}

func (s *shownScreen) text() string { return s.since(0) }

// since returns what was drawn after a number of bytes, without escape sequences.
func (s *shownScreen) since(from int) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return ansi.Strip(string(s.data.Bytes()[from:]))
}

// await returns when a text was drawn after a number of bytes.
func (s *shownScreen) await(t *testing.T, from int, text string) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	late := time.After(patience)
	for !strings.Contains(s.since(from), text) {
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("no %q on the screen:\n%s", text, s.text())
		case <-t.Context().Done():
			t.Fatalf("no %q on the screen:\n%s", text, s.text())
		}
	}
}
