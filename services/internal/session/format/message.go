package format

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/winnowhq/winnow/services/internal/session/trace"
)

var errContent = errors.New("the content is neither a string nor a list")

// message is one message of a chat interface: words, or a list of parts of
// which some call a tool or answer a call.
type message struct {
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	Name       string          `json:"name"`
	Model      string          `json:"model"`
	ToolCallID string          `json:"tool_call_id"`
	ToolCalls  []toolCall      `json:"tool_calls"`
	Function   *function       `json:"function_call"` // the older way to call
}

type toolCall struct {
	ID       string   `json:"id"`
	Function function `json:"function"`
}

type function struct {
	Name string `json:"name"`
	// Arguments is an object encoded as a string, or in some programs the
	// object itself.
	Arguments json.RawMessage `json:"arguments"`
}

// part is one element of a message's content, with the field names of OpenAI
// and Anthropic.
type part struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	Refusal   string          `json:"refusal"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	Content   json.RawMessage `json:"content"`
	IsError   bool            `json:"is_error"`
}

// speaker converts messages to turns.
type speaker struct {
	at   time.Time
	line int
	// silent: an answer that does not report a failure did not fail.
	silent bool
	own    bool // see [Turn.Own]
	// user returns the turns of a text in the user's role. Nil means that a
	// person said it.
	user func(text string) []trace.Turn
}

// say emits the turns of one message. An unreadable message is skipped.
func (s speaker) say(r *Reader, m message, role trace.Role, at position) {
	parts, err := partsOf(m.Content)
	if err != nil {
		r.session.Report.Skip(at.problem("content", err.Error(), "send a string or a list of parts with a type"))
	}
	for i, p := range parts {
		if !s.part(r, p, role, m) {
			r.session.Report.Skip(at.problem(fmt.Sprintf("content[%d]", i), "this is no part of a message", "send an object with a type, such as {\"type\": \"text\", \"text\": …}"))
		}
	}
	for _, c := range m.ToolCalls {
		s.call(r, c.Function.Name, c.ID, c.Function.Arguments)
	}
	if m.Function != nil {
		s.call(r, m.Function.Name, "", m.Function.Arguments)
	}
}

// part emits one part and reports whether p was valid.
func (s speaker) part(r *Reader, p part, role trace.Role, m message) bool {
	switch {
	case p.Type == "":
		return false
	case p.Text != "" && (strings.HasSuffix(p.Type, "text")):
		s.words(r, p.Text, role, m)
	case p.Type == "refusal":
		s.words(r, p.Refusal, role, m)
	case strings.HasSuffix(p.Type, "tool_use"):
		s.call(r, p.Name, p.ID, p.Input)
	case strings.HasSuffix(p.Type, "tool_result"):
		r.emit(s.turn(trace.Turn{
			Role: trace.RoleTool, Text: plainText(p.Content), Tool: trace.Tool{Call: p.ToolUseID},
			Error: p.IsError, Settled: p.IsError || s.silent, Own: s.own,
		}))
	}
	// Thinking, images and unknown types are left out.
	return true
}

func (s speaker) words(r *Reader, text string, role trace.Role, m message) {
	switch {
	case role == trace.RoleTool:
		r.emit(s.turn(trace.Turn{Role: trace.RoleTool, Text: text, Tool: trace.Tool{Name: m.Name, Call: m.ToolCallID}}))
	case role == trace.RoleUser && s.user != nil:
		for _, t := range s.user(text) {
			r.emit(s.turn(t))
		}
	default:
		r.emit(s.turn(trace.Turn{Role: role, Text: text}))
	}
}

func (s speaker) call(r *Reader, name, id string, input json.RawMessage) {
	if name == "" {
		name = "unnamed"
	}
	command, text := arguments(name, input)
	r.emit(s.turn(trace.Turn{Role: trace.RoleAssistant, Text: text, Tool: trace.Tool{Name: name, Call: id, Command: command}}))
}

func (s speaker) turn(t trace.Turn) trace.Turn {
	t.At, t.Line = s.at, s.line
	return t
}

// partsOf parses a content. A bare string is one part, null is none, and an
// element that is no object is a part without a type.
func partsOf(raw json.RawMessage) ([]part, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || bytes.Equal(raw, []byte("null")) {
		return nil, nil
	}
	switch raw[0] {
	case '"':
		var text string
		if err := json.Unmarshal(raw, &text); err != nil {
			return nil, errContent
		}
		return []part{{Type: "text", Text: text}}, nil
	case '[':
		var list []json.RawMessage
		if err := json.Unmarshal(raw, &list); err != nil {
			return nil, errContent
		}
		parts := make([]part, len(list))
		for i, element := range list {
			if json.Unmarshal(element, &parts[i]) != nil {
				parts[i] = part{}
			}
		}
		return parts, nil
	}
	return nil, errContent
}

// plainText returns what a tool's answer says: a string, or the texts of its
// parts.
func plainText(raw json.RawMessage) string {
	parts, err := partsOf(raw)
	if err != nil {
		return string(raw) // an object: the tool answered in JSON
	}
	var texts []string
	for _, p := range parts {
		if p.Text != "" {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n")
}
