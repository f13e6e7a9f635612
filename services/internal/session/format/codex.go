package format

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/winnowhq/winnow/services/internal/session/trace"
)

// codex reads the rollouts of OpenAI's Codex: one JSON object per line, with a
// type and a payload. The model's conversation is in response items. The
// program's events stand beside the items, and most repeat them. Older files
// have the items without a payload, after a line about the session.
type codex struct {
	known   bool // the line about the session was read
	wrapped bool // lines have payloads, so one of them is about the session
	foreign bool // the user's role is another program's, not a person's
	worked  bool // the agent has spoken
	typing  typing
	running map[string]string // commands that still run, by the program's number
}

func newCodex() *codex { return &codex{running: make(map[string]string)} }

// codexLine is one line. Without a payload the line is an item of an older
// file.
type codexLine struct {
	Timestamp json.RawMessage `json:"timestamp"`
	Type      string          `json:"type"`
	Payload   json.RawMessage `json:"payload"`
}

// codexMeta is what a file says of its session.
type codexMeta struct {
	ID  string `json:"id"`
	Dir string `json:"cwd"`
	// Source is a word for a person's program, and an object for an agent's.
	Source json.RawMessage `json:"source"`
	Thread string          `json:"thread_source"`
	Git    struct {
		Remote string `json:"repository_url"`
	} `json:"git"`
}

// codexItem is one part of the model's conversation.
type codexItem struct {
	Type      string          `json:"type"`
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	Name      string          `json:"name"`
	Namespace string          `json:"namespace"`
	ID        string          `json:"id"`
	CallID    string          `json:"call_id"`
	Arguments json.RawMessage `json:"arguments"`
	Input     json.RawMessage `json:"input"`
	Action    json.RawMessage `json:"action"`
	Output    json.RawMessage `json:"output"`
	// Message is a compaction's summary, or in an event what was typed.
	Message string `json:"message"`
	Kind    string `json:"kind"`
	// Done is, in an event of newer files, what came to its end: a message of the person too.
	Done struct {
		Type    string          `json:"type"`
		Content json.RawMessage `json:"content"`
	} `json:"item"`
}

func (c *codex) record(r *Reader, raw []byte, at position) {
	var l codexLine
	if json.Unmarshal(raw, &l) != nil {
		r.session.Report.Skip(at.problem("type", "the line is no entry of a rollout", "write one object with a type and a payload a line"))
		return
	}
	s := speaker{at: firstTime(l.Timestamp), line: at.n}
	if l.Payload == nil {
		c.bare(r, raw, s, at)
		return
	}
	c.wrapped = true
	at.field = strings.TrimPrefix(at.field+".payload", ".")
	switch l.Type {
	case "session_meta":
		c.about(r, l.Payload, at)
	case "turn_context":
		var m codexMeta
		if json.Unmarshal(l.Payload, &m) == nil && r.session.Dir == "" {
			r.session.Dir = m.Dir
		}
	case "response_item", "compacted", "event_msg", "inter_agent_communication":
		c.payload(r, l, s, at)
	}
	// All other types are the program's bookkeeping.
}

// payload reads a line's payload: words, calls and answers.
func (c *codex) payload(r *Reader, l codexLine, s speaker, at position) {
	var i codexItem
	if json.Unmarshal(l.Payload, &i) != nil {
		r.session.Report.Skip(at.problem("", "the payload is no object of its type", "send it as the program writes it"))
		return
	}
	switch l.Type {
	case "event_msg":
		if i.Type == "item_completed" && i.Done.Type == "UserMessage" {
			i.Type, i.Message = "user_message", plainText(i.Done.Content)
		}
		if i.Type == "user_message" {
			c.typed(r, i, s)
		}
	case "compacted":
		c.settle(r)
		if i.Message != "" {
			r.emit(s.turn(c.summary(i.Message)))
		}
	case "inter_agent_communication":
		c.settle(r)
		r.emit(s.turn(stranger(agentMessage, plainText(i.Content))))
	default:
		c.item(r, i, s, at)
	}
}

// bare reads a line of an older file, which does not say what was typed.
func (c *codex) bare(r *Reader, raw []byte, s speaker, at position) {
	var i codexItem
	switch {
	case json.Unmarshal(raw, &i) != nil:
		r.session.Report.Skip(at.problem("", "this is no item of a conversation", "send an object with a type"))
	case i.Type == "":
		c.about(r, raw, at) // the session, or the program's bookkeeping
	default:
		c.typing.silent = !c.wrapped
		c.item(r, i, s, at)
	}
}

// about reads what the file says about its session. The first line counts: a
// session that continues another one also holds the other's line.
func (c *codex) about(r *Reader, raw []byte, at position) {
	var m codexMeta
	if json.Unmarshal(raw, &m) != nil {
		// Without the line it is unknown who leads the session.
		c.foreign = c.foreign || !c.known
		r.session.Report.Skip(at.problem("", "the payload says nothing of the session", "send it as the program writes it"))
		return
	}
	if c.known || m.ID == "" {
		return
	}
	c.known, c.foreign = true, c.foreign || m.elsewhere()
	r.session.ID, r.session.Dir, r.session.Agent = m.ID, m.Dir, "codex"
	if project, err := trace.ProjectOfRemote(m.Git.Remote); err == nil {
		r.session.Project = project
	}
}

// elsewhere reports a session in which no person types: a subagent's, or one
// that another program leads.
func (m codexMeta) elsewhere() bool {
	var source string
	if len(m.Source) > 0 && json.Unmarshal(m.Source, &source) != nil {
		return true
	}
	return source == "mcp" || m.Thread != "" && m.Thread != "user"
}

// item emits one part of the conversation. Private thinking and snapshots are
// left out. A call or an answer of an unknown kind is emitted.
func (c *codex) item(r *Reader, i codexItem, s speaker, at position) {
	name, calls := strings.CutSuffix(i.Type, "_call")
	switch {
	case i.Type == "message":
		c.message(r, i, s, at)
		return
	case calls:
		c.settle(r)
		c.worked = true
		c.call(r, name, i, s)
	case strings.HasSuffix(i.Type, "_output"):
		c.settle(r)
		c.answer(r, i, s)
	case i.Type == agentMessage:
		c.settle(r)
		r.emit(s.turn(stranger(agentMessage, plainText(i.Content))))
	}
}

func (c *codex) message(r *Reader, i codexItem, s speaker, at position) {
	role, ok := chatRole(i.Role)
	switch {
	case !ok:
		r.session.Report.Skip(at.problem("role", "the role is missing or unknown", "send one of developer, user, assistant"))
		return
	case len(i.Content) == 0:
		r.session.Report.Skip(at.problem("content", "the message has no content", "send a string or a list of parts"))
		return
	case role == trace.RoleUser:
		s.user = func(text string) []trace.Turn { return c.classify(r, text, s) }
	default:
		c.settle(r)
	}
	c.worked = c.worked || role == trace.RoleAssistant
	if role == trace.RoleAssistant && relayed(i.Content) {
		r.emit(s.turn(stranger(agentMessage, plainText(i.Content))))
		return
	}
	s.say(r, message{Content: i.Content}, role, at)
}

// summary returns the turn of the model's summary of all that came before.
// Where none of the summarised turns is in this file, what was read in them is
// unknown.
func (c *codex) summary(text string) trace.Turn {
	if !c.worked {
		return stranger("summary", text)
	}
	return trace.Turn{Role: trace.RoleAssistant, Text: text}
}

// relayed reports whether a message was said by another agent, although it has
// this agent's role.
func relayed(content json.RawMessage) bool {
	return bytes.Contains(content, []byte(`"{\"author\":`)) && bytes.Contains(content, []byte(`\"recipient\":`))
}

func (c *codex) lists(name string) bool        { return name == "" }
func (c *codex) wants(string) bool             { return false }
func (c *codex) field(*Reader, string, []byte) {}
func (c *codex) end(r *Reader)                 { c.settle(r) }

// late emits a turn that was withheld, in the place where it was said: records
// skipped since then count as coming after the turn.
func (r *Reader) late(t trace.Turn, skipped int) {
	now := r.session.Report.Skipped
	r.session.Report.Skipped = skipped
	r.emit(t)
	r.session.Report.Skipped = now
}
