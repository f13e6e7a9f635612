package format

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"github.com/winnowhq/winnow/services/internal/session/trace"
)

// claude reads transcripts of Claude Code: one JSON object per line. Most carry
// a message, the others are bookkeeping of the program.
type claude struct {
	within within
	worked bool // the agent has spoken
}

// entry is one line. Fields that are not read are not listed.
type entry struct {
	Type      string          `json:"type"`
	SessionID string          `json:"sessionId"`
	Dir       string          `json:"cwd"`
	Timestamp string          `json:"timestamp"`
	Message   json.RawMessage `json:"message"`
	Content   json.RawMessage `json:"content"` // of a system entry
	// A subagent's thread: its "user" is the agent that started it.
	Sidechain bool   `json:"isSidechain"`
	Agent     string `json:"agentId"`
	// What the program stores of a tool's answer beside the text that the model
	// sees.
	Result json.RawMessage `json:"toolUseResult"`
	// Inserted by the program, not typed by the person.
	Meta bool `json:"isMeta"`
	// The model's own summary of what came before, in the user's role.
	Compact bool `json:"isCompactSummary"`
	Failure bool `json:"isApiErrorMessage"`
}

func (c *claude) record(r *Reader, raw []byte, at position) {
	var e entry
	if json.Unmarshal(raw, &e) != nil || e.Type == "" {
		r.session.Report.Skip(at.problem("type", "the line is no entry of a transcript", "write one object with a type a line"))
		return
	}
	c.about(r, e)
	when := parseTime(e.Timestamp)
	switch e.Type {
	case "user", "assistant":
		c.message(r, e, when, at)
	case "system":
		r.emit(trace.Turn{Role: trace.RoleSystem, Text: plainText(e.Content), At: when, Line: at.n})
	}
	// Summaries of other sessions, snapshots and queues are bookkeeping.
}

// about reads what an entry says about the session. The first entry counts,
// because later ones may be copies from another session.
func (c *claude) about(r *Reader, e entry) {
	if r.session.ID == "" {
		r.session.ID = e.SessionID
	}
	if r.session.Dir == "" {
		r.session.Dir = e.Dir
	}
	if r.session.Agent == "" {
		r.session.Agent = "claude-code"
	}
}

func (c *claude) message(r *Reader, e entry, when time.Time, at position) {
	var m message
	if len(e.Message) == 0 || json.Unmarshal(e.Message, &m) != nil {
		r.session.Report.Skip(at.problem("message", "the message is no object", "send an object with role and content"))
		return
	}
	if len(m.Content) == 0 {
		r.session.Report.Skip(at.problem("message.content", "the message has no content", "send a string or a list of parts"))
		return
	}
	role := trace.Role(e.Type)
	if e.Sidechain {
		c.within.agent(e.Agent)
	}
	if e.Compact && !c.worked {
		r.elsewhere++ // the turns that the summary replaces are in another file, so what was read in them is unknown
	}
	c.worked = c.worked || role == trace.RoleAssistant && !e.Sidechain
	s := speaker{at: when, line: at.n, silent: true, own: c.within.answer(r, e.Result, m.Content)}
	switch {
	case e.Failure, e.Meta:
		role = trace.RoleSystem
	case role == trace.RoleUser && (e.Sidechain || e.Compact):
		role = trace.RoleAssistant
	case role == trace.RoleUser && bytes.Contains(m.Content, []byte(`"tool_result"`)):
		s.user = injected
	case role == trace.RoleUser:
		s.user = typed
	}
	at.field = strings.TrimPrefix(at.field+".message", ".")
	s.say(r, m, role, at)
}

func (c *claude) lists(string) bool             { return false }
func (c *claude) wants(string) bool             { return false }
func (c *claude) field(*Reader, string, []byte) {}
func (c *claude) end(*Reader)                   {}

// parseTime parses a time as programs write it, and returns the zero time for
// anything else.
func parseTime(s string) time.Time {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999", "2006-01-02 15:04:05"} {
		if t, err := time.Parse(layout, s); err == nil && t.UTC().Year() > 0 && t.UTC().Year() < 10_000 {
			return t.UTC() // a time outside these years cannot be formatted again
		}
	}
	return time.Time{}
}
