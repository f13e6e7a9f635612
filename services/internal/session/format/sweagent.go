package format

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/winnowhq/winnow/services/internal/session/trace"
)

// sweAgent reads SWE-agent trajectories. A file records the run twice:
// "history" is what was sent to the model, with the task; "trajectory" has the
// steps without the task. The history is preferred. The steps are stored until
// the file has proved to have no history.
type sweAgent struct {
	tasked  bool // the task was seen: later user messages are the terminal
	history bool
	steps   []step
}

// historyItem is one message of the history.
type historyItem struct {
	message
	Action      string   `json:"action"`
	Thought     string   `json:"thought"`
	Agent       string   `json:"agent"`
	Demo        bool     `json:"is_demo"`
	ToolCallIDs []string `json:"tool_call_ids"`
}

// step is one entry of the trajectory.
type step struct {
	Action      string `json:"action"`
	Observation string `json:"observation"`
	Thought     string `json:"thought"`
	Response    string `json:"response"`
	line        int
}

func (s *sweAgent) record(r *Reader, raw []byte, at position) {
	if strings.HasPrefix(at.field, "trajectory") {
		s.store(r, raw, at)
		return
	}
	s.history, s.steps = true, nil
	var m historyItem
	if json.Unmarshal(raw, &m) != nil {
		r.session.Report.Skip(at.problem("", "this is no message of a history", "send an object with role and content"))
		return
	}
	role, ok := chatRole(m.Role)
	if !ok {
		r.session.Report.Skip(at.problem("role", "the role is missing or unknown", "send one of system, user, assistant, tool"))
		return
	}
	if m.Demo {
		return
	}
	if r.session.Agent == "" {
		r.session.Agent = "swe-agent"
	}
	switch role {
	case trace.RoleAssistant:
		s.assistant(r, m, at)
	case trace.RoleSystem:
		r.emit(trace.Turn{Role: trace.RoleSystem, Text: plainText(m.Content), Line: at.n})
	default:
		s.observation(r, m, at)
	}
}

// assistant emits what the model thought and the command that it gave.
func (s *sweAgent) assistant(r *Reader, m historyItem, at position) {
	said := m.Thought
	if said == "" {
		said = plainText(m.Content)
	}
	r.emit(trace.Turn{Role: trace.RoleAssistant, Text: said, Line: at.n})
	if len(m.ToolCalls) > 0 {
		for _, c := range m.ToolCalls {
			speaker{line: at.n}.call(r, c.Function.Name, c.ID, c.Function.Arguments)
		}
		return
	}
	s.act(r, m.Action, at.n)
}

// ownCommands are the commands that SWE-agent adds to the shell. Everything
// else typed there is a shell command.
var ownCommands = map[string]bool{
	"open": true, "goto": true, "scroll_up": true, "scroll_down": true, "create": true, "edit": true, "insert": true,
	"search_dir": true, "search_file": true, "find_file": true, "str_replace_editor": true, "submit": true,
}

func (s *sweAgent) act(r *Reader, action string, line int) {
	action = strings.TrimSpace(action)
	if action == "" {
		return
	}
	name, _, _ := strings.Cut(action, " ")
	name, _, _ = strings.Cut(name, "\n")
	if !ownCommands[name] {
		name = "bash"
	}
	tool := trace.Tool{Name: name}
	if name == "bash" {
		tool.Command = action
	}
	r.emit(trace.Turn{Role: trace.RoleAssistant, Text: action, Tool: tool, Line: line})
}

// observation emits what the model received: first the task, then what the
// terminal printed, under any role.
func (s *sweAgent) observation(r *Reader, m historyItem, at position) {
	text, dir := withoutPrompt(plainText(m.Content))
	if r.session.Dir == "" {
		r.session.Dir = dir
	}
	if !s.tasked && trace.Role(m.Role) == trace.RoleUser {
		s.tasked = true
		r.session.Task = taskOf(r.rewrite.text(clean(text)))
		r.emit(trace.Turn{Role: trace.RoleUser, Text: text, Line: at.n})
		return
	}
	answer := trace.Turn{Role: trace.RoleTool, Text: text, Line: at.n}
	if len(m.ToolCallIDs) > 0 {
		answer.Tool.Call = m.ToolCallIDs[0]
	}
	r.emit(answer)
}

func (s *sweAgent) store(r *Reader, raw []byte, at position) {
	if s.history {
		return
	}
	var one step
	if json.Unmarshal(raw, &one) != nil {
		r.session.Report.Skip(at.problem("", "this is no step of a trajectory", "send an object with action and observation"))
		return
	}
	one.line = at.n
	s.steps = append(s.steps, one)
}

func (s *sweAgent) lists(name string) bool { return name == "history" || name == "trajectory" }
func (s *sweAgent) wants(name string) bool { return name == "info" }

// field reads how the run ended. The exit status is no outcome by itself: it
// says that something was submitted, not that the work was right.
func (s *sweAgent) field(r *Reader, _ string, raw []byte) {
	var info struct {
		Exit string `json:"exit_status"`
	}
	if json.Unmarshal(raw, &info) == nil {
		r.verdict.Program = info.Exit
	}
}

// end emits the steps where there was no history.
func (s *sweAgent) end(r *Reader) {
	if s.history {
		return
	}
	if r.session.Agent == "" && len(s.steps) > 0 {
		r.session.Agent = "swe-agent"
	}
	for _, one := range s.steps {
		said := one.Thought
		if said == "" {
			said = one.Response
		}
		r.emit(trace.Turn{Role: trace.RoleAssistant, Text: said, Line: one.line})
		s.act(r, one.Action, one.line)
		if strings.TrimSpace(one.Observation) != "" {
			r.emit(trace.Turn{Role: trace.RoleTool, Text: one.Observation, Line: one.line})
		}
	}
	s.steps = nil
}

// prompt matches the state that the environment prints after every answer.
var prompt = regexp.MustCompile(`\s*\(Open file: [^\n]*\)\s*\n\(Current directory: ([^\n]*)\)\s*\n(?:bash-\$)?\s*$`)

func withoutPrompt(text string) (rest, dir string) {
	// The prompt is at the end, and the expression is slow on long texts.
	tail := max(0, len(text)-2048)
	m := prompt.FindStringSubmatchIndex(text[tail:])
	if m == nil {
		return text, ""
	}
	return text[:tail+m[0]], text[tail+m[2] : tail+m[3]]
}

// taskOf returns the issue without the instructions around it.
func taskOf(text string) string {
	if _, issue, ok := strings.Cut(text, "ISSUE:\n"); ok {
		text = issue
	}
	return oneLine(text, 200)
}
