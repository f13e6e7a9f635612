package format

import (
	"cmp"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	"github.com/winnowhq/winnow/services/internal/session/trace"
)

// codeMode names a tool that runs a program of the model's own, which calls
// other tools unseen by the trace. Codex calls the tool exec, a name that
// others use for a shell.
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

// qualified returns a tool's name with the name of its server: read_file of an
// unknown server is not the workspace's.
func qualified(namespace, name string) string {
	if namespace == "" || name == "" || strings.HasPrefix(name, namespace) {
		return name
	}
	return strings.TrimSuffix(namespace, "__") + "__" + name
}

// writes returns the command to whose input a call writes. A call that only
// waits reads the command's output and is judged by the command. Text typed
// into a program may be anything, so the command is unknown from then on.
func (c *codex) writes(raw json.RawMessage) (command, text string) {
	_, text = arguments("write_stdin", raw)
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

// answer emits what a tool answered, without the lines that the program adds
// around it.
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

// outputOf parses an answer and returns its text, whether it says how the call
// ended, and the number of a command that still runs.
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

// heading matches what the program writes above what a command printed.
var (
	heading = regexp.MustCompile(`\A(?:(?:Chunk ID|Wall time|Exit code|Duration|Process exited with code|Process running with session ID|Original token count|Total output lines|Warning)\b[^\n]*\n)+Output:(?:\n|\z)`)
	exited  = regexp.MustCompile(`(?m)^(?:Exit code:|Process exited with code) (-?\d+)`)
	runs    = regexp.MustCompile(`(?m)^Process running with session ID (\d+)`)
	// notRun matches the program's own message that a call did not run.
	notRun = regexp.MustCompile(`^(?:exec_command failed|execution error:|failed in sandbox|failed to parse function arguments|unsupported call:|apply_patch verification failed|collab spawn failed|err: )`)
)

// printedBy removes the heading, which differs with every call, and returns
// what the heading says.
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
