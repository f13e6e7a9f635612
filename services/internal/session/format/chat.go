package format

import (
	"encoding/json"
	"strings"

	"github.com/winnowhq/winnow/services/internal/session/trace"
)

// chat reads lists of messages: of OpenAI's chat interface, with content in
// parts and calls beside it; of Anthropic's, with calls among the parts; and
// the items of OpenAI's newer interface.
type chat struct {
	begun   bool // a message of the user's role came
	program bool // a program answers its own calls in the user's role
	cursor  bool // the messages are Cursor's
}

// chatRecord is a message or an item.
type chatRecord struct {
	message
	Message   json.RawMessage `json:"message"` // Cursor's, with the content in it
	Type      string          `json:"type"`
	CallID    string          `json:"call_id"`
	Arguments json.RawMessage `json:"arguments"`
	Output    json.RawMessage `json:"output"`
	Timestamp json.RawMessage `json:"timestamp"`
	CreatedAt json.RawMessage `json:"created_at"`
}

func (c *chat) record(r *Reader, raw []byte, at position) {
	var m chatRecord
	if json.Unmarshal(raw, &m) != nil {
		r.session.Report.Skip(at.problem("", "this is no message", "send an object with role and content"))
		return
	}
	s := speaker{at: firstTime(m.Timestamp, m.CreatedAt), line: at.n}
	switch m.Type {
	case "function_call", "custom_tool_call", "local_shell_call":
		s.call(r, m.Name, m.CallID, m.Arguments)
		return
	case "function_call_output", "custom_tool_call_output", "local_shell_call_output":
		r.emit(s.turn(trace.Turn{Role: trace.RoleTool, Text: plainText(m.Output), Tool: trace.Tool{Call: m.CallID}}))
		return
	case "reasoning":
		return
	}
	role, ok := chatRole(m.Role)
	if !ok {
		r.session.Report.Skip(at.problem("role", "the role is missing or unknown", "send one of system, developer, user, assistant, tool"))
		return
	}
	if len(m.Content) == 0 && len(m.Message) > 0 {
		var inner message
		_ = json.Unmarshal(m.Message, &inner) // one without a content is reported below
		m.Content, c.cursor = inner.Content, true
	}
	if len(m.Content) == 0 && len(m.ToolCalls) == 0 && m.Function == nil {
		r.session.Report.Skip(at.problem("content", "the message has no content", "send a string or a list of parts"))
		return
	}
	if r.session.Agent == "" {
		r.session.Agent = m.Model
	}
	if role == trace.RoleUser {
		s.user = c.userOf(m.Content)
	}
	s.say(r, m.message, role, at)
}

func chatRole(s string) (trace.Role, bool) {
	switch strings.ToLower(s) {
	case "user", "human":
		return trace.RoleUser, true
	case "assistant", "model", "ai":
		return trace.RoleAssistant, true
	case "tool", "function", "ipython":
		return trace.RoleTool, true
	case "system", "developer", "exit": // the role exit is how an agent's program records what was submitted
		return trace.RoleSystem, true
	}
	return "", false
}

func (c *chat) lists(name string) bool { return name == "messages" || name == "" }

func (c *chat) wants(name string) bool { return name == "model" || about[name] }

func (c *chat) field(r *Reader, name string, raw []byte) {
	if name == "model" {
		name = "agent"
	}
	r.about(name, raw)
}

func (c *chat) end(*Reader) {}
