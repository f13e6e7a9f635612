package foreign

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// geminiFiles begins what Gemini CLI adds to a person's words: the files that they name.
const geminiFiles = "--- Content from referenced files ---"

// geminiNotes matches what Gemini CLI writes into the user's role: the state of the folder and
// of the editor, and its summary of what it cut away.
var geminiNotes = regexp.MustCompile(`^\s*(?:<(?:session_context|state_snapshot|hook_context)\b|Here is the user's editor context)`)

// geminiMessage is a message of Gemini CLI: of a person (user), of the model (gemini), or
// the program's own.
type geminiMessage struct {
	ID        string          `json:"id"`
	Timestamp string          `json:"timestamp"`
	Type      string          `json:"type"`
	Content   json.RawMessage `json:"content"`
	Calls     []geminiCall    `json:"toolCalls"`

	// Of the first line of a file of lines.
	Session string `json:"sessionId"`
	Start   string `json:"startTime"`
	Kind    string `json:"kind"`

	// Of a line about the messages before it.
	Rewind   string            `json:"$rewindTo"`
	Messages []json.RawMessage `json:"messages"` // of the first line
	Set      struct {
		Messages []json.RawMessage `json:"messages"`
	} `json:"$set"`
}

type geminiCall struct {
	ID     string          `json:"id"`
	Name   string          `json:"name"`
	Args   json.RawMessage `json:"args"`
	Status string          `json:"status"`
	Result []struct {
		Function struct {
			Response map[string]json.RawMessage `json:"response"`
		} `json:"functionResponse"`
	} `json:"result"`
}

// gemini reads a chat of Gemini CLI: ~/.gemini/tmp/PROJECT/chats/session-….json, one
// object with a list of messages, or .jsonl, one message a line after one about the
// session. In lines a message is written again when it grows; the last one counts.
func gemini(name string) ([]byte, bool, error) {
	text, err := readFile(name)
	if err != nil {
		return nil, true, err
	}
	g := &geminiChat{dir: geminiDir(name)}
	if filepath.Ext(name) == ".jsonl" {
		return g.lines(text)
	}
	var about geminiMessage
	var list []json.RawMessage
	whole, err := elements(text, "messages", func(field string, raw json.RawMessage) {
		switch field {
		case "sessionId":
			about.Session = textOf(raw)
		case "startTime":
			about.Start = textOf(raw)
		case "kind":
			about.Kind = textOf(raw)
		}
	}, func(_ string, raw json.RawMessage) { list = append(list, raw) })
	if err != nil {
		return nil, true, err
	}
	if about.Session == "" {
		return nil, false, nil
	}
	g.about(about)
	for _, raw := range list {
		g.message(raw)
	}
	if !whole {
		g.w.cut()
	}
	return g.w.text()
}

// geminiDir returns the folder that was worked in, which the program notes beside the
// chats; empty where it does not.
func geminiDir(name string) string {
	text, err := os.ReadFile(filepath.Join(filepath.Dir(filepath.Dir(name)), ".project_root"))
	if err != nil || len(text) > 4096 {
		return ""
	}
	return strings.TrimSpace(string(text))
}

type geminiChat struct {
	w   writer
	dir string
	// agents: no person types in a subagent's chat.
	agents bool
	// replaced: the message came in place of others.
	replaced bool
}

func (g *geminiChat) about(m geminiMessage) {
	g.agents = m.Kind != "" && m.Kind != "main"
	g.w.add(line{ID: m.Session, Agent: "gemini-cli", Dir: g.dir, Started: m.Start})
}

// lines reads a file of lines: a message, or the latest one again, as it grew; $set with
// messages, which stand in place of all before them; $rewindTo, which takes back a message
// and what followed it.
//
// What was replaced stays: it was said, though the model does not see it any longer. A message
// that only such a replacement has is no person's: summaries and the program's own notes come
// that way, in the user's role.
func (g *geminiChat) lines(text []byte) ([]byte, bool, error) {
	c := geminiLines{place: map[string]int{}}
	whole := true
	for n, raw := range bytes.Split(text, []byte("\n")) {
		if raw = bytes.TrimSpace(raw); len(raw) == 0 {
			continue
		}
		var m geminiMessage
		if json.Unmarshal(raw, &m) != nil {
			if n == 0 {
				return nil, true, errors.New("its first line says nothing of a session")
			}
			if json.Valid(raw) {
				continue
			}
			whole = false
			break
		}
		if n == 0 {
			if m.Session == "" {
				return nil, false, nil
			}
			g.about(m)
		} else {
			c.rewind(m.Rewind)
			c.add(m, raw, false)
		}
		for _, raw := range append(m.Messages, m.Set.Messages...) {
			var one geminiMessage
			if json.Unmarshal(raw, &one) == nil {
				c.add(one, raw, true)
			}
		}
	}
	for n, raw := range c.list {
		g.replaced = c.replaced[n]
		g.message(raw)
	}
	if !whole {
		g.w.cut()
	}
	return g.w.text()
}

// geminiLines are the messages of a file of lines.
type geminiLines struct {
	list     []json.RawMessage
	replaced []bool         // it came in place of others
	place    map[string]int // of a message in the list, by its id
}

func (c *geminiLines) add(m geminiMessage, raw json.RawMessage, replaced bool) {
	n, seen := c.place[m.ID]
	seen = seen && m.ID != "" && (replaced || !c.replaced[n]) // a message of its own counts more
	switch {
	case m.Type == "" || seen && (replaced || n != len(c.list)-1):
		// A note of the program, or an old message once more: its first form counts.
	case seen:
		c.list[n] = raw
	default:
		c.place[m.ID] = len(c.list)
		c.list, c.replaced = append(c.list, raw), append(c.replaced, replaced)
	}
}

func (c *geminiLines) rewind(id string) {
	at, ok := c.place[id]
	if !ok || id == "" {
		return
	}
	for id, n := range c.place {
		if n >= at {
			delete(c.place, id)
		}
	}
	c.list, c.replaced = c.list[:at], c.replaced[:at]
}

func (g *geminiChat) message(raw json.RawMessage) {
	var m geminiMessage
	if json.Unmarshal(raw, &m) != nil {
		g.w.add(line{Role: tool, Tool: "unreadable", Text: "a message that cannot be read"})
		return
	}
	switch m.Type {
	case "user":
		g.user(m)
	case "gemini":
		g.w.add(line{Role: assistant, Text: strings.Join(texts(m.Content), "\n"), At: m.Timestamp})
		for _, c := range m.Calls {
			g.call(c, m.Timestamp)
		}
	}
}

// user writes what a person said, and the files that the program added to it.
func (g *geminiChat) user(m geminiMessage) {
	said, files, added := strings.Cut(strings.Join(texts(m.Content), "\n"), geminiFiles)
	switch {
	case g.agents:
		g.w.add(line{Role: tool, Tool: "agent", Text: said, At: m.Timestamp})
	case g.replaced || geminiNotes.MatchString(said):
		g.w.add(line{Role: tool, Tool: "added", Text: said, At: m.Timestamp})
	default:
		g.w.add(line{Role: user, Text: strings.TrimSpace(said), At: m.Timestamp})
	}
	if added {
		g.w.add(line{Role: tool, Tool: "read_file", Text: strings.TrimSpace(files), At: m.Timestamp})
	}
}

func (g *geminiChat) call(c geminiCall, at string) {
	name := toolName(c.Name)
	if name == "" {
		name = "unnamed"
	}
	g.w.add(line{Role: assistant, Tool: name, Call: c.ID, Input: c.Args, At: at})
	var said []string
	failed := c.Status == "error" || c.Status == "cancelled"
	for _, r := range c.Result {
		for _, field := range []string{"output", "error", "result"} {
			if raw, ok := r.Function.Response[field]; ok {
				text := textOf(raw)
				if text == "" {
					text = string(raw)
				}
				said = append(said, text)
				failed = failed || field == "error"
			}
		}
	}
	if c.Status == "" && len(said) == 0 {
		return // it was never answered
	}
	g.w.add(line{Role: tool, Tool: name, Call: c.ID, Text: strings.Join(said, "\n"), Error: &failed, At: at})
}
