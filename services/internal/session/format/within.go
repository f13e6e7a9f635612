package format

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/winnowhq/winnow/services/internal/session/trace"
)

// within records whose words a Claude Code transcript holds besides the
// agent's: those of subagents that spoke in it, and of shells that run in the
// background. An answer that only repeats them is no new source.
type within struct {
	agents map[string]bool
	shells map[string]string // their commands, by the program's name for them
}

func newWithin() within {
	return within{agents: make(map[string]bool), shells: make(map[string]string)}
}

// agent records that a subagent speaks in this trace.
func (w within) agent(id string) {
	if id != "" && len(w.agents) < maxUnanswered {
		w.agents[id] = true
	}
}

// toolResult is what the program stores of a tool's answer beside the text that
// the model sees.
type toolResult struct {
	Agent      string `json:"agentId"`
	Background string `json:"backgroundTaskId"`
	Task       struct {
		ID   string `json:"task_id"`
		Type string `json:"task_type"`
	} `json:"task"`
}

// answer reports whether an answer comes from within the trace. The answer of a
// background shell gets the command that was run, by which its words are
// judged.
func (w within) answer(r *Reader, raw, content json.RawMessage) bool {
	if refused(raw, content) {
		return true
	}
	// Results may be long, and most have none of these.
	if len(raw) == 0 || raw[0] != '{' || !bytes.Contains(raw, []byte(`"agentId"`)) && !bytes.Contains(raw, []byte(`"task_id"`)) && !bytes.Contains(raw, []byte(`"backgroundTaskId"`)) {
		return false
	}
	var k toolResult
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
	case tool.Kind != trace.KindAgent: // any other tool may write this field
		return false
	case k.Agent != "":
		return w.agents[k.Agent]
	case k.Task.Type != "local_bash":
		return w.agents[k.Task.ID] // a subagent that was started without waiting
	}
	command, ok := w.shells[k.Task.ID]
	if ok {
		tool.Command, tool.Kind = command, trace.KindOf("bash", command)
		r.calls.Add(call, tool)
	}
	return ok
}

// callOf returns the id of the call that a message answers.
func callOf(content json.RawMessage) string {
	parts, _ := partsOf(content)
	for _, p := range parts {
		if strings.HasSuffix(p.Type, "tool_result") {
			return p.ToolUseID
		}
	}
	return ""
}

// refused reports whether the person stopped the call: the program answers, and
// nothing was run.
func refused(result, answer json.RawMessage) bool {
	return string(result) == `"User rejected tool use"` && bytes.Contains(answer, []byte("The user doesn't want to proceed with this tool use"))
}
