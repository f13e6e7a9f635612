package format

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/winnowhq/winnow/services/internal/session/trace"
)

// within knows whose words a Claude Code transcript holds besides the agent's:
// of subagents that have spoken in it, and of shells that run in the background.
// An answer that only repeats them brings nothing that was not seen.
type within struct {
	agents map[string]bool
	shells map[string]string // their commands, by the program's name for them
}

func newWithin() within {
	return within{agents: make(map[string]bool), shells: make(map[string]string)}
}

// agent notes that a subagent speaks.
func (w within) agent(id string) {
	if id != "" && len(w.agents) < maxUnanswered {
		w.agents[id] = true
	}
}

// kept is what the program keeps of a tool's answer beside the model's view.
type kept struct {
	Agent      string `json:"agentId"`
	Background string `json:"backgroundTaskId"`
	Task       struct {
		ID   string `json:"task_id"`
		Type string `json:"task_type"`
	} `json:"task"`
}

// answer reports an answer from within the trace. That of a background shell is
// given the command that was run: it is what the words are to be judged by.
func (w within) answer(r *Reader, raw, content json.RawMessage) bool {
	if refused(raw, content) {
		return true
	}
	// Results may be long, and most have none of these.
	if len(raw) == 0 || raw[0] != '{' || !bytes.Contains(raw, []byte(`"agentId"`)) && !bytes.Contains(raw, []byte(`"task_id"`)) && !bytes.Contains(raw, []byte(`"backgroundTaskId"`)) {
		return false
	}
	var k kept
	if json.Unmarshal(raw, &k) != nil {
		return false
	}
	call := callOf(content)
	tool, known := r.calls.Peek(call)
	switch {
	case !known:
		return false
	case k.Background != "" && tool.Command != "" && len(w.shells) < maxUnanswered:
		w.shells[k.Background] = tool.Command
		return false
	case tool.Kind != trace.KindAgent: // any other tool may write what it likes
		return false
	case k.Agent != "":
		return w.agents[k.Agent]
	case k.Task.Type != "local_bash":
		return w.agents[k.Task.ID] // one that was started and not waited for
	}
	command, ok := w.shells[k.Task.ID]
	if ok {
		tool.Command, tool.Kind = command, trace.KindOf("bash", command)
		r.calls.Add(call, tool)
	}
	return ok
}

// callOf is the call that a message answers.
func callOf(content json.RawMessage) string {
	parts, _ := partsOf(content)
	for _, p := range parts {
		if strings.HasSuffix(p.Type, "tool_result") {
			return p.ToolUseID
		}
	}
	return ""
}

// refused reports a call that the person stopped: the program answers, and
// nothing was run.
func refused(result, answer json.RawMessage) bool {
	return string(result) == `"User rejected tool use"` && bytes.Contains(answer, []byte("The user doesn't want to proceed with this tool use"))
}
