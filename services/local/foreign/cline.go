package foreign

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
)

// ClineFile is the file of a task in which Cline writes what the model was sent, and
// clineTyped the one in which it writes what its window showed, with what was typed.
const (
	ClineFile  = "api_conversation_history.json"
	clineTyped = "ui_messages.json"
)

type clineMessage struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
	At      float64         `json:"ts"`
}

type clinePart struct {
	Type    string          `json:"type"`
	Text    string          `json:"text"`
	ID      string          `json:"id"`
	Name    string          `json:"name"`
	Input   json.RawMessage `json:"input"`
	Answers string          `json:"tool_use_id"`
	Content json.RawMessage `json:"content"`
	Failed  bool            `json:"is_error"`
}

var (
	// clineResult matches the line before a tool's answer, which is in the user's role.
	clineResult = regexp.MustCompile(`^\[([a-z_]{1,64})(?: for '((?s:.*?))')?\] Result:\s*`)
	// clineTags matches what Cline puts around a person's words.
	clineTags = regexp.MustCompile(`^\s*<(task|feedback|user_message|answer)>\s*((?s:.*?))\s*</(task|feedback|user_message|answer)>\s*$`)
	clineDir  = regexp.MustCompile(`# Current (?:Working|Workspace) Directory \(([^)\n]+)\)`)
)

// cline reads a task of Cline: a list of messages, in which answers of tools and the state
// of the editor have the user's role. A text is a person's only where the file of the
// window says that it was typed; without that file only the task itself is.
func cline(name string) ([]byte, bool, error) {
	text, err := readFile(name)
	if err != nil {
		return nil, true, err
	}
	list, whole, err := clineMessagesOf(text, "", nil)
	if err != nil {
		return nil, true, err
	}
	c := &clineTask{typed: clineWords(filepath.Join(filepath.Dir(name), clineTyped))}
	dir := ""
	if len(list) > 0 {
		for _, part := range texts(list[0].Content) {
			if m := clineDir.FindStringSubmatch(part); m != nil && strings.HasPrefix(strings.TrimSpace(part), "<environment_details>") {
				dir = m[1]
			}
		}
	}
	c.w.add(line{ID: "cline-" + filepath.Base(filepath.Dir(name)), Agent: "cline", Dir: dir})
	return c.all(list, whole)
}

// clineMessagesOf returns the messages of a file, in a field of an object or, without a
// field, the list that it is; rest gets the object's other fields. whole is false where the
// file breaks off or a message cannot be read.
func clineMessagesOf(text []byte, field string, rest func(name string, raw json.RawMessage)) (list []clineMessage, whole bool, err error) {
	lost := false
	whole, err = elements(text, field, rest, func(_ string, raw json.RawMessage) {
		var m clineMessage
		if json.Unmarshal(raw, &m) != nil {
			lost = true
			return
		}
		list = append(list, m)
	})
	return list, whole && !lost, err
}

// clineWords returns the words that a person typed.
func clineWords(name string) map[string]bool {
	typed := map[string]bool{}
	text, err := readFile(name)
	if err != nil {
		return typed
	}
	first := true
	_, _ = elements(text, "", nil, func(_ string, raw json.RawMessage) { // broken: what came before counts
		var m struct{ Say, Text string }
		if json.Unmarshal(raw, &m) == nil && m.Text != "" && (m.Say == "task" || m.Say == "user_feedback" || first && m.Say == "text") {
			typed[plain(m.Text)] = true
		}
		first = false
	})
	return typed
}

type clineTask struct {
	w     writer
	typed map[string]bool
	// answering names the tool whose answer is the next text.
	answering string
	wrapped   bool // what was typed has marks around it
	agents    bool // no person types in this session
}

// all writes the messages, and that something is missing where they are not whole.
func (c *clineTask) all(list []clineMessage, whole bool) ([]byte, bool, error) {
	for i, m := range list {
		c.message(m, i == 0)
	}
	if !whole {
		c.w.cut()
	}
	return c.w.text()
}

func (c *clineTask) message(m clineMessage, first bool) {
	at := milliseconds(m.At)
	var parts []clinePart
	if json.Unmarshal(m.Content, &parts) != nil {
		parts = nil
		for _, text := range texts(m.Content) {
			parts = append(parts, clinePart{Type: "text", Text: text})
		}
	}
	c.answering = ""
	for i, p := range parts {
		switch {
		case p.Type == "tool_use":
			c.w.add(line{Role: assistant, Tool: toolName(p.Name), Call: p.ID, Input: p.Input, At: at})
		case p.Type == "tool_result":
			c.w.add(line{Role: tool, Tool: "answer", Call: p.Answers, Text: clineAnswer(p.Content), Error: &p.Failed, At: at})
		case p.Type == "text" && m.Role == assistant:
			c.w.add(line{Role: assistant, Text: p.Text, At: at})
		case p.Type == "text" && c.wrapped:
			c.wrappedWords(p.Text, at)
		case p.Type == "text":
			c.said(p.Text, first && i == 0, at)
		}
	}
}

// clineAnswer returns what a tool answered: its texts, or an answer of another form as it is.
func clineAnswer(content json.RawMessage) string {
	if list := texts(content); len(list) > 0 {
		return strings.Join(list, "\n")
	}
	return string(content)
}

// said writes a text in the user's role.
func (c *clineTask) said(text string, task bool, at string) {
	words := text
	m := clineTags.FindStringSubmatch(text)
	if m != nil && m[1] == m[3] {
		words = m[2]
	}
	head := clineResult.FindStringSubmatch(text)
	switch {
	case c.typed[plain(words)], task && m != nil && m[1] == "task" && len(c.typed) == 0:
		c.w.add(line{Role: user, Text: words, At: at})
	case c.answering != "":
		c.w.add(line{Role: tool, Tool: c.answering, Text: text, At: at})
		c.answering = ""
	case head != nil:
		name := toolName(head[1])
		l := line{Role: assistant, Tool: name, Text: head[2], At: at}
		if name == "execute_command" {
			l.Command = head[2]
		}
		c.w.add(l)
		if rest := text[len(head[0]):]; rest != "" {
			c.w.add(line{Role: tool, Tool: name, Text: rest, At: at})
		} else {
			c.answering = name
		}
	case strings.HasPrefix(strings.TrimSpace(text), "<environment_details>"):
		// The state of the editor, which is nobody's statement.
	default:
		c.w.add(line{Role: tool, Tool: "cline", Text: text, At: at})
	}
}
