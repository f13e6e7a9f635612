package rules_test

import (
	"strings"
	"testing"

	"github.com/winnowhq/winnow/services/internal/session/extract"
	"github.com/winnowhq/winnow/services/internal/session/extract/extracttest"
	"github.com/winnowhq/winnow/services/internal/session/extract/rules"
	"github.com/winnowhq/winnow/services/internal/session/trace"
)

// shell is a session in which one command printed something, a line was changed
// for a stated reason, and another command printed something else. failed says
// that the trace calls the first one failed.
func shell(bad, wrote string, failed bool, good, printed string) extract.Session {
	s := trace.Session{Format: trace.FormatClaude, Outcome: trace.OutcomeSuccess}
	call := func(name string, kind trace.Kind, text, answer string, err bool) {
		tool := trace.Tool{Name: name, Kind: kind, Call: string(rune('a' + len(s.Turns)))}
		if kind == trace.KindShell {
			tool.Command = text
		}
		s.Turns = append(s.Turns, trace.Turn{Role: trace.RoleAssistant, Text: text, Tool: tool}, trace.Turn{Role: trace.RoleTool, Text: answer, Tool: tool, Settled: true, Error: err})
	}
	call("Bash", trace.KindShell, bad, wrote, failed)
	s.Turns = append(s.Turns, trace.Turn{Role: trace.RoleAssistant, Text: "The cause is that `Open` expects a folder."})
	call("Edit", trace.KindEdit, "file_path: store/open.go\nnew_string: Open(dir)\nold_string: Open(file)", "ok", false)
	call("Bash", trace.KindShell, good, printed, false)
	for i := range s.Turns {
		s.Turns[i].N = i + 1
	}
	return extracttest.SessionOf(s)
}

// Commands are compared by what they do, and quoted so: without the folder, the
// limit of time, variables, and what shortens their output.
func TestRulesCompareCommands(t *testing.T) {
	t.Parallel()
	const bad, good = "error: not a folder: ledger.db\nFAIL store", "ok  \tstore\t0.1s"
	for _, c := range []struct {
		first, second, core string
	}{
		{"go test ./store", "go test ./store", "go test ./store"},
		{"cd /home/ada/x && go test ./store 2>&1 | tail -40", "go test ./store 2>&1 | tail -60", "go test ./store"},
		{"timeout 60 go test ./store | head -n 20", "go test ./store 2>&1 | grep -E 'ok|FAIL'", "go test ./store"},
		{"cd x; go test ./store > out.txt 2>&1", "LOG=debug go test ./store; echo $?", "go test ./store"},
		{"export LOG=1 && go test ./store || true", "env LOG=2 TZ=UTC timeout -k 5 60s go test ./store", "go test ./store"},
		{"go test -run 'A|B' ./store | tee a.log", "go test -run 'A|B' ./store", "go test -run 'A|B' ./store"},
		{"make gen && go test ./store | tail -5", "make gen && go test ./store", "make gen && go test ./store"},
		{"go test ./store", "go test ./bus", ""},
		{"go test -run 'A|B' ./store", "go test -run 'A' ./store", ""},
		{"make gen && go test ./store", "make gen", ""},
		{"go test ./store", "grep ok out.txt | tail -3", ""},
		{"tail -5 out.txt", "tail -5 out.txt", ""},
	} {
		list := rules.Extract(shell(c.first, bad, true, c.second, good), extract.MaxMemories)
		switch {
		case c.core == "" && len(list) > 0:
			t.Errorf("%q and %q yield %+v", c.first, c.second, list)
		case c.core != "" && (len(list) != 1 || !strings.HasPrefix(list[0].Text, "`"+c.core+"` failed with “error: not a folder: ledger.db”.") || !strings.HasSuffix(list[0].Text, "Then `"+c.core+"` passed.")):
			t.Errorf("%q and %q yield %+v", c.first, c.second, list)
		}
	}
}

// Behind a filter the exit status is the filter's: what was printed decides, and
// silence decides nothing.
func TestRulesTellEndsByOutput(t *testing.T) {
	t.Parallel()
	const dressed = "go test ./store 2>&1 | tail -20"
	for _, c := range []struct {
		name, wrote, printed string
		want                 int
	}{
		{"go", "error: not a folder\n--- FAIL: TestOpen", "ok  \tstore\t0.1s", 1},
		{"counts", "error: not a folder\n12 tests, 2 failures", "12 tests, 0 failures", 1},
		{"pytest", "ValueError: not a folder\n1 failed, 3 passed in 0.1s", "4 passed in 0.1s", 1},
		{"rust", "error: not a folder\ntest result: FAILED. 1 passed", "test result: ok. 2 passed", 1},
		{"a compiler", "error: not a folder", "12 tests, 0 failures", 1},
		{"a traceback", "Traceback (most recent call last):\n  x\nValueError: not a folder", "3 passed", 1},
		{"an echoed status", "error: not a folder\nexit code: 2", "fine\nexit code: 0", 1},
		{"errors that a passing test prints", "error: not a folder\n12 tests, 0 failures", "12 tests, 0 failures", 0},
		{"silence after", "error: not a folder\n2 failures", "", 0},
		{"silence before", "", "12 tests, 0 failures", 0},
		{"still failing", "error: not a folder\n2 failures", "error: not a folder\n1 failure", 0},
	} {
		if list := rules.Extract(shell(dressed, c.wrote, false, dressed, c.printed), extract.MaxMemories); len(list) != c.want {
			t.Errorf("%s: %+v, want %d", c.name, list, c.want)
		}
	}
}

// Another form of a command does the same to the same things.
func TestRulesFindOtherForms(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		bad, good, works string
	}{
		{"npm test", "pnpm test", "`pnpm test` works."},
		{"npm test", "npm run test", "`npm run test` works."},
		{"pip install babel", "python -m pip install babel", "`python -m pip install babel` works."},
		{"node assets/build.js", "cd assets && node build.js", "`node build.js` in `assets` works."},
		{"make images", "TZ=UTC make images | tail -3", "`TZ=UTC make images` works."},
		{"make images", "cd tools && make images", "`make images` in `tools` works."},
		{"make images", "make clean", ""},
		{"go test ./a", "go vet ./a", ""},
		{"pytest tests/a.py", "pytest tests/b.py", ""},
		{"pytest tests/a.py", "pytest tests/a.py::test_one", ""},
		{"pytest -k one", "pytest -k two", ""},
		{"python -c 'print(a)'", "python -c 'print(1)'", ""},
		{"make images", "cd /var/tmp/x81 && make images", ""},
	} {
		s := trace.Session{Format: trace.FormatClaude, Outcome: trace.OutcomeSuccess}
		for i, command := range []string{c.bad, c.good} {
			tool := trace.Tool{Name: "Bash", Kind: trace.KindShell, Call: command, Command: command}
			answer := trace.Turn{N: 2*i + 2, Role: trace.RoleTool, Text: "1 passed", Tool: tool, Settled: true}
			if i == 0 {
				answer.Text, answer.Error = "error: template not found", true
			}
			s.Turns = append(s.Turns, trace.Turn{N: 2*i + 1, Role: trace.RoleAssistant, Text: command, Tool: tool}, answer)
		}
		list := rules.Extract(extracttest.SessionOf(s), extract.MaxMemories)
		if c.works == "" && len(list) > 0 || c.works != "" && (len(list) != 1 || list[0].Text != "`"+c.bad+"` failed with “error: template not found”. "+c.works) {
			t.Errorf("%q and %q yield %+v, want %q", c.bad, c.good, list, c.works)
		}
	}
}
