package format

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/winnowhq/winnow/services/internal/session/trace"
)

// Agents' programs put what tools printed, pages and notes of their own into the user's
// role of the chats that they send to a model. In a list of messages nothing else says
// what a person typed. So the marks that such programs write decide, and only downwards:
// a mark takes a text from the person, none gives it one.

// answersAsUser matches the beginning of a text with which a program answers a call in the
// user's role: of Cline and its kin, OpenHands, mini-swe-agent, and models whose template
// has no role for tools.
var answersAsUser = regexp.MustCompile(`^\s*(?:\[[A-Za-z_][\w.-]{0,63}(?: for '(?s:.*?)')?\] Result:|\[(?:ERROR|TASK RESUMPTION)\]|The user denied this operation` +
	`|EXECUTION RESULT of \[|(?i:observation):|(?i:tool (?:result|output|response)):` +
	`|<(?:returncode|output|observation|execution_result|tool_(?:response|result|output)s?|function_(?:response|result|output)s?|explicit_instructions)\b)`)

// addedByProgram matches the beginning of what such a program adds to a text: the state of
// the editor, files and pages.
var addedByProgram = regexp.MustCompile(`(?m)^\s*<(?:environment_details|(?:url|file|folder)_content|workspace_diagnostics|terminal_output|git_(?:working_state|commit))\b`)

// taskOfProgram matches what Cline puts around the words with which a task began. They
// come first, so what follows cannot forge their end.
var taskOfProgram = regexp.MustCompile(`^\s*<task>((?s:.*?))</task>`)

// besideFiles begins the files that Gemini CLI adds to a person's words, and editorState
// what it sends of an editor.
const (
	besideFiles = "--- Content from referenced files ---"
	editorState = "Here is the user's editor context"
)

// userOf returns the function that reads the texts of a message in the user's role.
func (c *chat) userOf(content json.RawMessage) func(string) []trace.Turn {
	first := !c.begun
	c.begun = true
	parts, _ := partsOf(content) // an unreadable content is reported where it is read
	beside := false
	for _, p := range parts {
		beside = beside || strings.HasSuffix(p.Type, "tool_result")
		c.program = c.program || answersAsUser.MatchString(p.Text) || addedByProgram.MatchString(p.Text)
	}
	switch {
	case c.cursor:
		return typedIntoCursor
	case c.program:
		return func(text string) []trace.Turn {
			begins := first
			first = false
			return sentByProgram(text, begins)
		}
	case beside:
		return injected
	}
	return typedIntoChat
}

// sentByProgram returns the turns of a text in the user's role of a chat in which a program
// answers its own calls. Which of them a person typed is unknown, but for the task.
func sentByProgram(text string, first bool) []trace.Turn {
	m := taskOfProgram.FindStringSubmatch(text)
	if !first || m == nil {
		return []trace.Turn{stranger("added", text)}
	}
	turns := []trace.Turn{{Role: trace.RoleUser, Text: strings.TrimSpace(m[1])}}
	if rest := strings.TrimSpace(text[len(m[0]):]); rest != "" {
		turns = append(turns, stranger("added", rest))
	}
	return turns
}

// typedIntoCursor returns the turns of a text in the user's role of a transcript of Cursor,
// which puts a person's words into one element at the end, after files and rules. Two of
// them mean that something else holds the tag.
func typedIntoCursor(text string) []trace.Turn {
	const open, end = "<user_query>", "</user_query>"
	trimmed := strings.TrimSpace(text)
	before, query, _ := strings.Cut(trimmed, open)
	said, ended := strings.CutSuffix(query, end)
	if !ended || strings.Contains(said, open) || strings.Contains(said, end) || strings.Contains(before, end) {
		return []trace.Turn{stranger("added", trimmed)}
	}
	turns := []trace.Turn{{Role: trace.RoleUser, Text: strings.TrimSpace(said)}}
	if strings.TrimSpace(before) != "" {
		turns = append([]trace.Turn{stranger("added", strings.TrimSpace(before))}, turns...)
	}
	return turns
}

// typedIntoChat returns the turns of a text in the user's role of any other chat. Claude
// Code, Codex and Gemini CLI mark what they add when they speak to a model, too.
func typedIntoChat(text string) []trace.Turn {
	trimmed := strings.TrimSpace(text)
	switch {
	case strings.HasPrefix(trimmed, editorState), strangers.MatchString(trimmed):
		return []trace.Turn{stranger("added", text)}
	case programsOfCodex.MatchString(trimmed):
		return injected(text)
	case strings.HasPrefix(trimmed, handedOver): // a model's summary
		return []trace.Turn{{Role: trace.RoleAssistant, Text: text}}
	}
	said, files, added := strings.Cut(text, besideFiles)
	turns := typed(said)
	if added {
		turns = append(turns, stranger("added", files))
	}
	return turns
}
