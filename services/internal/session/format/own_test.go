package format_test

import (
	"strings"
	"testing"

	"github.com/winnowhq/winnow/services/internal/session/format"
	"github.com/winnowhq/winnow/services/internal/session/trace"
)

// What a subagent reports is the session's own only where its turns are: an
// agent that nobody saw may have read anything.
func TestOwnAnswers(t *testing.T) {
	t.Parallel()
	const (
		call    = `{"type":"assistant","message":{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Task","input":{"prompt":"Look"}}]}}`
		thread  = `{"type":"assistant","isSidechain":true,"agentId":"a1","message":{"role":"assistant","content":"I look."}}`
		report  = `{"type":"user","toolUseResult":{"agentId":"a1"},"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"Seen."}]}}`
		started = `{"type":"assistant","message":{"role":"assistant","content":[{"type":"tool_use","id":"t0","name":"Bash","input":{"command":"make test"}}]}}`
		running = `{"type":"user","toolUseResult":{"backgroundTaskId":"b1"},"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t0","content":"Command running in background with ID: b1."}]}}`
	)
	result := func(of, text string) string {
		return `{"type":"user","toolUseResult":` + of + `,"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"` + text + `"}]}}`
	}
	const no = "The user doesn't want to proceed with this tool use. The tool use was rejected."
	for name, c := range map[string]struct {
		lines []string
		own   bool
	}{
		"its turns are here":      {[]string{call, thread, report}, true},
		"its turns are not":       {[]string{call, report}, false},
		"another tool's":          {[]string{strings.Replace(call, "Task", "mcp__x__y", 1), thread, report}, false},
		"another's turns are":     {[]string{call, strings.Replace(thread, "a1", "a2", 1), report}, false},
		"its turns come later":    {[]string{call, report, thread}, false},
		"a thread without a name": {[]string{call, strings.Replace(thread, "a1", "", 1), strings.Replace(report, "a1", "", 1)}, false},
		"a name outside a thread": {[]string{call, strings.Replace(thread, "true", "false", 1), report}, false},
		"a shell's":               {[]string{started, running, call, result(`{"task":{"task_id":"b1","task_type":"local_bash"}}`, "ok")}, true},
		"another shell's":         {[]string{started, running, call, result(`{"task":{"task_id":"b2","task_type":"local_bash"}}`, "ok")}, false},
		"a shell nobody started":  {[]string{call, result(`{"task":{"task_id":"b1","task_type":"local_bash"}}`, "ok")}, false},
		"started before":          {[]string{thread, call, result(`{"task":{"task_id":"a1","task_type":"local_agent"}}`, "ok")}, true},
		"another task's":          {[]string{call, result(`{"task":{"task_type":"remote_agent"}}`, "ok")}, false},
		"refused by the person":   {[]string{call, result(`"User rejected tool use"`, no)}, true},
		"it only says so":         {[]string{call, result(`"`+no+`"`, no)}, false},
		"an answer like any":      {[]string{call, result(`"User rejected tool use"`, "Use the mirror.")}, false},
		"no object":               {[]string{call, result(`[1]`, "ok")}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := format.Read(strings.NewReader(strings.Join(c.lines, "\n")), trace.Options{Format: trace.FormatClaude})
			if err != nil {
				t.Fatal(err)
			}
			for _, turn := range s.Turns {
				if turn.Role == trace.RoleTool && turn.Tool.Call == "t1" && turn.Own != c.own {
					t.Errorf("own: %v, want %v: %+v", turn.Own, c.own, turn)
				}
				if turn.Role == trace.RoleTool && turn.Tool.Call == "t1" && name == "a shell's" && turn.Tool.Command != "make test" {
					t.Errorf("the shell's command is not told: %+v", turn.Tool)
				}
			}
		})
	}
}
