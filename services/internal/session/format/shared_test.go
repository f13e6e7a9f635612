package format_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/winnowhq/winnow/services/internal/session/format"
	"github.com/winnowhq/winnow/services/internal/session/trace"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
)

// want is what a reader of one of the shared traces would say of it.
type want struct {
	file    string
	format  trace.Format
	turns   int
	skipped int
	roles   string // first letters, in order
	tools   string // distinct, in order of their first call
	outcome trace.Outcome
	basis   trace.Basis
	project string
}

var sharedTraces = []want{
	{"claude_code_log_edge_cases.jsonl", trace.FormatClaude, 12, 7, "uauAtsutaAuA", "FailingTool MultiEdit TodoWrite", trace.OutcomeUnknown, "", ""},
	{"claude_code_log_representative_messages.jsonl", trace.FormatClaude, 11, 0, "uauAtauAtau", "Edit Bash", trace.OutcomeSuccess, trace.BasisCommand, ""},
	{"sweagent_function_calling_simple.traj", trace.FormatSWEAgent, 17, 0, "suaAtaAtaAtaAtaAt", "find_file open edit bash submit", trace.OutcomeSuccess, trace.BasisProgram, "swe-agent__test-repo"},
	{"sweagent_humanevalfix-python-0.traj", trace.FormatSWEAgent, 16, 0, "suaAtaAtaAtaAtaA", "bash open edit submit", trace.OutcomeSuccess, trace.BasisCommand, "swe-bench__humanevalfix-python"},
	{"sweagent_marshmallow-code__marshmallow-1867.traj", trace.FormatSWEAgent, 34, 0, "suaAtaAtaAtaAtaAtaAtaAtaAtaAtaAtaA", "create edit bash find_file open submit", trace.OutcomeSuccess, trace.BasisProgram, "marshmallow-code__marshmallow"},
	{"sweagent_networking_1.traj", trace.FormatSWEAgent, 13, 0, "suaAtaAtaAtaA", "bash submit", trace.OutcomeSuccess, trace.BasisProgram, "__users__talora__llm_ctf_dataset_dev__2013__csaw-quals__misc__networking-1"},
}

// Real traces, and their format's edge cases, become the turns that a person
// would list (SPEC §5 ingest, D30).
func TestSharedTraces(t *testing.T) {
	t.Parallel()
	for _, w := range sharedTraces {
		t.Run(w.file, func(t *testing.T) {
			t.Parallel()
			raw, err := os.ReadFile(testenv.Shared(t, "traces/"+w.file))
			if err != nil {
				t.Fatal(err)
			}
			s := read(t, string(raw), trace.Options{})
			got := want{
				file: w.file, format: s.Format, turns: len(s.Turns), skipped: s.Report.Skipped, roles: roles(s), tools: tools(s),
				outcome: s.Outcome, basis: s.Basis, project: s.Project,
			}
			if got != w {
				t.Errorf("read as\n%+v\nwant\n%+v", got, w)
			}
			if s.Hash == "" || s.Task == "" || s.Report.Truncated {
				t.Errorf("hash %q, task %q, truncated %v", s.Hash, s.Task, s.Report.Truncated)
			}
		})
	}
}

// A trace that is added there has to be looked at.
func TestSharedTracesAreAllListed(t *testing.T) {
	t.Parallel()
	files, err := os.ReadDir(testenv.Shared(t, "traces"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if !slices.ContainsFunc(sharedTraces, func(w want) bool { return w.file == file.Name() }) {
			t.Errorf("%s is not listed", file.Name())
		}
	}
}

// What a shared trace teaches stands in its details: the edit that was refused,
// the tool that failed.
func TestSharedTraceDetails(t *testing.T) {
	t.Parallel()
	for file, n := range map[string]int{
		"claude_code_log_edge_cases.jsonl":                 5,
		"sweagent_marshmallow-code__marshmallow-1867.traj": 23,
	} {
		raw, err := os.ReadFile(testenv.Shared(t, "traces/"+file))
		if err != nil {
			t.Fatal(err)
		}
		for _, turn := range read(t, string(raw), trace.Options{}).Turns {
			if turn.Error != (turn.N == n) {
				t.Errorf("%s: turn %d: error %v", file, turn.N, turn.Error)
			}
		}
	}
}

func read(t testing.TB, text string, o trace.Options) trace.Session {
	t.Helper()
	s, err := format.Read(strings.NewReader(text), o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func roles(s trace.Session) string {
	var b strings.Builder
	for _, turn := range s.Turns {
		letter := string(turn.Role[:1])
		if turn.Calls() {
			letter = strings.ToUpper(letter)
		}
		b.WriteString(letter)
	}
	return b.String()
}

func tools(s trace.Session) string {
	var names []string
	for _, turn := range s.Turns {
		if turn.Calls() && !slices.Contains(names, turn.Tool.Name) {
			names = append(names, turn.Tool.Name)
		}
	}
	return strings.Join(names, " ")
}
