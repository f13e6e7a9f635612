package format_test

import (
	"encoding/json"
	"testing"

	"github.com/winnowhq/winnow/services/internal/session/trace"
)

// script is a session of our own format, for tests.
type script []map[string]any

func (s script) user(text string) script {
	return append(s, map[string]any{"role": "user", "text": text})
}

func (s script) says(text string) script {
	return append(s, map[string]any{"role": "assistant", "text": text})
}

func (s script) runs(command, output string) script {
	return append(s,
		map[string]any{"role": "assistant", "tool": "Bash", "command": command},
		map[string]any{"role": "tool", "text": output})
}

func (s script) text(t testing.TB) string {
	t.Helper()
	raw, err := json.Marshal(map[string]any{"turns": s})
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// Nobody stated how it ended: the person's closing words, the last test and the
// last command tell, in this order, and nothing is guessed (D30).
func TestInferredOutcome(t *testing.T) {
	t.Parallel()
	begin := script{}.user("The build fails, please fix it.")
	for name, c := range map[string]struct {
		turns   script
		outcome trace.Outcome
		basis   trace.Basis
	}{
		"nothing known":           {begin.says("I look at it."), trace.OutcomeUnknown, ""},
		"only the request":        {script{}.user("Thanks in advance!"), trace.OutcomeUnknown, ""},
		"tests pass":              {begin.runs("go test ./...", "ok  \tacme/api\t0.1s"), trace.OutcomeSuccess, trace.BasisTest},
		"tests fail":              {begin.runs("go test ./...", "--- FAIL: TestA\nFAIL\tacme/api\t0.1s"), trace.OutcomeFailure, trace.BasisTest},
		"fixed at last":           {begin.runs("pytest -q", "2 failed, 3 passed").runs("pytest -q", "5 passed in 0.2s"), trace.OutcomeSuccess, trace.BasisTest},
		"broken at last":          {begin.runs("cd a && npm test", "3 passing").runs("cd a && npm test", "2 passing\n1 failing"), trace.OutcomeFailure, trace.BasisTest},
		"tests outweigh commands": {begin.runs("make test", "exit code: 0").runs("./deploy.sh", "exit code: 3"), trace.OutcomeSuccess, trace.BasisTest},
		"looking around":          {begin.runs("grep -r x .", "exit code: 1").runs("ls", "exit status 2"), trace.OutcomeUnknown, ""},
		"the last command":        {begin.runs("./deploy.sh", "done\nexit code: 0").runs("git status", "clean"), trace.OutcomeSuccess, trace.BasisCommand},
		"a crash":                 {begin.runs("python x.py", "Traceback (most recent call last):\n  x\nValueError: y"), trace.OutcomeFailure, trace.BasisCommand},
		"a command without news":  {begin.runs("./deploy.sh", "done"), trace.OutcomeUnknown, ""},
		"words about errors":      {begin.runs("cat notes.md", "exit code: 1 means a fatal: error"), trace.OutcomeUnknown, ""},
		"thanks":                  {begin.says("Done.").user("Perfect, thank you!"), trace.OutcomeSuccess, trace.BasisClosing},
		"thanks after a failure":  {begin.runs("go test ./...", "FAIL\tx").user("That's fine, it works now. Thanks!"), trace.OutcomeSuccess, trace.BasisClosing},
		"thanks, but":             {begin.says("Done.").user("Thanks, but it still fails on CI"), trace.OutcomeFailure, trace.BasisClosing},
		"wrong":                   {begin.says("Done.").user("No, that's not what I asked for."), trace.OutcomeFailure, trace.BasisClosing},
		"giving up":               {begin.says("Done.").user("forget it, I'll do it by hand"), trace.OutcomeFailure, trace.BasisClosing},
		"a new request":           {begin.says("Done.").user("Great! Can you also add a flag?"), trace.OutcomeUnknown, ""},
		"work after the thanks":   {begin.says("Done.").user("Great, thanks!").runs("go vet ./...", "exit status 1"), trace.OutcomeFailure, trace.BasisTest},
		"danke":                   {begin.says("Fertig.").user("Super, funktioniert jetzt. Danke!"), trace.OutcomeSuccess, trace.BasisClosing},
		"passt":                   {begin.says("Fertig.").user("passt so"), trace.OutcomeSuccess, trace.BasisClosing},
		"geht nicht":              {begin.says("Fertig.").user("Danke, aber der Export geht leider nicht."), trace.OutcomeFailure, trace.BasisClosing},
		"immer noch":              {begin.says("Fertig.").user("Immer noch derselbe Absturz"), trace.OutcomeFailure, trace.BasisClosing},
		"eine neue Bitte":         {begin.says("Fertig.").user("Prima, kannst du noch die Doku anpassen?"), trace.OutcomeUnknown, ""},
		"kein Problem":            {begin.says("Sorry.").user("Kein Problem, klappt."), trace.OutcomeSuccess, trace.BasisClosing},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := read(t, c.turns.text(t), trace.Options{})
			if s.Outcome != c.outcome || s.Basis != c.basis {
				t.Errorf("%s by %q, want %s by %q", s.Outcome, s.Basis, c.outcome, c.basis)
			}
			if s.OutcomeInferred != (s.Outcome != trace.OutcomeUnknown) {
				t.Errorf("inferred %v", s.OutcomeInferred)
			}
		})
	}
}

// What is stated is not inferred, and wins.
func TestStatedOutcome(t *testing.T) {
	t.Parallel()
	s := read(t, `{"outcome":"failure","turns":[{"role":"assistant","text":"Done."},{"role":"user","text":"thanks"}]}`, trace.Options{})
	if s.Outcome != trace.OutcomeFailure || s.OutcomeInferred || s.Basis != "" {
		t.Errorf("%s, inferred %v by %q", s.Outcome, s.OutcomeInferred, s.Basis)
	}
}

// A session that the person broke off is neither.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	text := `{"type":"assistant","sessionId":"s","uuid":"a","message":{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"Bash","input":{"command":"make test"}}]}}
{"type":"user","sessionId":"s","uuid":"b","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"ok"}]}}
{"type":"user","sessionId":"s","uuid":"c","message":{"role":"user","content":[{"type":"text","text":"[Request interrupted by user]"}]}}`
	if s := read(t, text, trace.Options{}); s.Outcome != trace.OutcomeUnknown {
		t.Errorf("%s by %q", s.Outcome, s.Basis)
	}
}
