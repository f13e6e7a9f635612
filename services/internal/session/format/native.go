package format

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/winnowhq/winnow/services/internal/session/trace"
)

// native reads Winnow's own format, for publishers that write a trace
// themselves: an object about the session with a list "turns", or one turn per
// line after an optional first line about the session.
//
// {"id": "s-1", "agent": "builder", "remote": "git@github.com:acme/api.git", "outcome": "success"}
// {"role": "user", "text": "The build fails.", "at": "2026-11-02T09:00:00Z"}
// {"role": "assistant", "tool": "Bash", "call": "1", "command": "make build"}
// {"role": "tool", "call": "1", "exit_code": 2, "text": "missing go.sum entry"}
type native struct{}

// nativeTurn is one turn as publishers write it.
type nativeTurn struct {
	Role     string          `json:"role"`
	Text     string          `json:"text"`
	Tool     string          `json:"tool"`
	Call     string          `json:"call"`
	Command  string          `json:"command"`
	Input    json.RawMessage `json:"input"`
	Error    *bool           `json:"error"`
	ExitCode *int            `json:"exit_code"`
	At       json.RawMessage `json:"at"`
}

func (n *native) record(r *Reader, raw []byte, at position) {
	var t nativeTurn
	if err := json.Unmarshal(raw, &t); err != nil {
		r.session.Report.Skip(at.problem("", "this is no turn", "send an object with role and text"))
		return
	}
	if t.Role == "" && at.line > 0 && n.header(r, raw) {
		return
	}
	role, ok := chatRole(t.Role)
	if !ok {
		r.session.Report.Skip(at.problem("role", "the role is missing or unknown", "send one of user, assistant, tool, system"))
		return
	}
	turn := trace.Turn{Role: role, Text: t.Text, At: firstTime(t.At), Line: at.n}
	if t.Tool != "" || role == trace.RoleTool {
		turn.Tool = trace.Tool{Name: t.Tool, Call: t.Call, Command: t.Command}
		if role != trace.RoleTool && turn.Text == "" {
			turn.Tool.Command, turn.Text = arguments(t.Tool, t.Input)
			if t.Command != "" {
				turn.Tool.Command, turn.Text = t.Command, t.Command
			}
		}
	}
	if role == trace.RoleTool && (t.Error != nil || t.ExitCode != nil) {
		turn.Settled = true
		turn.Error = t.Error != nil && *t.Error || t.ExitCode != nil && *t.ExitCode != 0
	}
	r.emit(turn)
}

// header reads a line about the session, and reports whether the line was one.
func (n *native) header(r *Reader, raw []byte) bool {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return false
	}
	known := false
	for name, value := range fields {
		if about[name] {
			known = true
			r.about(name, value)
		}
	}
	return known
}

func (n *native) lists(name string) bool                     { return name == "turns" || name == "" }
func (n *native) wants(name string) bool                     { return about[name] }
func (n *native) field(r *Reader, name string, value []byte) { r.about(name, value) }
func (n *native) end(*Reader)                                {}

// about holds the names of the document fields that describe the session.
var about = map[string]bool{
	"winnow": true, "id": true, "session_id": true, "agent": true, "project": true, "remote": true, "cwd": true,
	"task": true, "outcome": true, "started_at": true, "ended_at": true,
}

// about reads one field that describes the session. A value of the wrong type
// is ignored.
func (r *Reader) about(name string, raw []byte) {
	s := &r.session
	var text string
	if json.Unmarshal(raw, &text) != nil {
		text = ""
	}
	text = r.line(text)
	switch name {
	case "id", "session_id":
		s.ID = text
	case "agent":
		s.Agent = text
	case "project":
		s.Project = text
	case "remote":
		if project, err := trace.ProjectOfRemote(text); err == nil && s.Project == "" {
			s.Project = project
		}
	case "cwd":
		s.Dir = text
	case "task":
		s.Task = text
	case "outcome":
		if o := trace.Outcome(text); o == trace.OutcomeSuccess || o == trace.OutcomeFailure {
			s.Outcome = o
		}
	case "started_at":
		s.StartedAt = firstTime(raw)
	case "ended_at":
		s.EndedAt = firstTime(raw)
	}
}

// firstTime returns the first value that is a time: text, or seconds since
// 1970.
func firstTime(raws ...json.RawMessage) time.Time {
	for _, raw := range raws {
		var text string
		if json.Unmarshal(raw, &text) == nil {
			if t := parseTime(text); !t.IsZero() {
				return t
			}
			continue
		}
		if seconds, err := strconv.ParseFloat(string(raw), 64); err == nil && seconds > 1e8 && seconds < 1e10 {
			return time.UnixMilli(int64(seconds * 1000)).UTC()
		}
	}
	return time.Time{}
}
