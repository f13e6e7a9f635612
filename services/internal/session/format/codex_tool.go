package format

import (
	"cmp"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	"github.com/winnowhq/winnow/services/internal/session/trace"
)

// codeMode names a tool that is given a program of the model's own, which calls
// others where nobody sees it. Codex calls it exec, as others call a shell.
const codeMode = "code_mode"

// call emits a call. kind is the item's type without its ending.
func (c *codex) call(r *Reader, kind string, i codexItem, s speaker) {
	name, input := kind, i.Action
	switch kind {
	case "function":
		name, input = qualified(i.Namespace, i.Name), i.Arguments
	case "custom_tool":
		name, input = qualified(i.Namespace, i.Name), i.Input
		if i.Name == "exec" {
			name = codeMode
		}
	default:
		if input == nil {
			input = i.Arguments
		}
	}
	i.CallID = cmp.Or(i.CallID, i.ID)
	if name != "write_stdin" {
		s.call(r, name, i.CallID, input)
		return
	}
	command, text := c.writes(input)
	r.emit(s.turn(trace.Turn{Role: trace.RoleAssistant, Text: text, Tool: trace.Tool{Name: name, Call: i.CallID, Command: command}}))
}

// qualified is a tool's name with the server's that offers it: read_file of a
// server that nobody knows is not the workspace's.
func qualified(namespace, name string) string {
	if namespace == "" || name == "" || strings.HasPrefix(name, namespace) {
		return name
	}
	return strings.TrimSuffix(namespace, "__") + "__" + name
}

// writes finds the command that a call writes to. One that only waits is told
// what it prints, and is judged by it. What is typed into a program may be
// anything, so from then on nobody can say.
func (c *codex) writes(raw json.RawMessage) (command, text string) {
	command, text = arguments("write_stdin", raw)
	var inner string
	if json.Unmarshal(raw, &inner) == nil {
		raw = json.RawMessage(inner)
	}
	var in struct {
		Session json.RawMessage `json:"session_id"`
		Chars   string          `json:"chars"`
	}
	if json.Unmarshal(raw, &in) != nil {
		return "", text
	}
	session := strings.Trim(string(in.Session), `"`)
	if strings.Trim(in.Chars, " \t\r\n\x03\x04") != "" {
		delete(c.running, session)
	}
	return c.running[session], text
}

// answer emits what a tool answered, without what the program writes around it.
func (c *codex) answer(r *Reader, i codexItem, s speaker) {
	text, settled, failed, session := outputOf(i.Output)
	if tool, _ := r.calls.Peek(i.CallID); session != "" && tool.Command != "" && len(c.running) < maxUnanswered {
		c.running[session] = tool.Command
	}
	r.emit(s.turn(trace.Turn{Role: trace.RoleTool, Text: text, Tool: trace.Tool{Call: i.CallID}, Settled: settled, Error: failed}))
}

// codexAnswer is an answer that is an object, or a string that holds one.
type codexAnswer struct {
	Output   *string `json:"output"`
	Metadata struct {
		Exit *int `json:"exit_code"`
	} `json:"metadata"`
	Content *json.RawMessage `json:"content"`
	Success *bool            `json:"success"`
}

// outputOf reads an answer: what it says, whether it says how the call ended,
// and the number of a command that still runs.
func outputOf(raw json.RawMessage) (text string, settled, failed bool, session string) {
	text = plainText(raw)
	if !strings.HasPrefix(strings.TrimSpace(text), "{") {
		return printedBy(text)
	}
	var a codexAnswer
	if json.Unmarshal([]byte(text), &a) != nil {
		return text, false, false, ""
	}
	switch {
	case a.Output != nil && a.Metadata.Exit != nil:
		return *a.Output, true, *a.Metadata.Exit != 0, ""
	case a.Content != nil && a.Success != nil:
		text, settled, failed, session = printedBy(plainText(*a.Content))
		return text, settled || !*a.Success, failed || !*a.Success, session
	}
	return text, false, false, ""
}

// heading is what the program writes above what a command printed.
var (
	heading = regexp.MustCompile(`\A(?:(?:Chunk ID|Wall time|Exit code|Duration|Process exited with code|Process running with session ID|Original token count|Total output lines|Warning)\b[^\n]*\n)+Output:(?:\n|\z)`)
	exited  = regexp.MustCompile(`(?m)^(?:Exit code:|Process exited with code) (-?\d+)`)
	runs    = regexp.MustCompile(`(?m)^Process running with session ID (\d+)`)
	// notRun is the program's own word that a call came to nothing.
	notRun = regexp.MustCompile(`^(?:exec_command failed|execution error:|failed in sandbox|failed to parse function arguments|unsupported call:|apply_patch verification failed|collab spawn failed|err: )`)
)

// printedBy takes the heading off, which differs with every call, and keeps what
// it says.
func printedBy(text string) (rest string, settled, failed bool, session string) {
	at := heading.FindStringIndex(text)
	if at == nil {
		settled = notRun.MatchString(text)
		return text, settled, settled, ""
	}
	head := text[:at[1]]
	if m := exited.FindStringSubmatch(head); m != nil {
		code, err := strconv.Atoi(m[1])
		settled, failed = true, err != nil || code != 0
	}
	if m := runs.FindStringSubmatch(head); m != nil {
		session = m[1]
	}
	return text[at[1]:], settled, failed, session
}
