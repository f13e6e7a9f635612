package foreign

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// geminiFiles begins what Gemini CLI adds to a person's words: the files that they name.
const geminiFiles = "--- Content from referenced files ---"

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
}

func (g *geminiChat) about(m geminiMessage) {
	g.agents = m.Kind != "" && m.Kind != "main"
	g.w.add(line{ID: m.Session, Agent: "gemini-cli", Dir: g.dir, Started: m.Start})
}

func (g *geminiChat) lines(text []byte) ([]byte, bool, error) {
	var held json.RawMessage // the latest message, which the next line may write again
	var heldID string
	seen := map[string]bool{}
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
			g.flush(held)
			g.w.cut()
			return g.w.text()
		}
		switch {
		case n == 0 && m.Session == "":
			return nil, false, nil
		case n == 0:
			g.about(m)
		case m.Type == "" || m.ID != "" && m.ID != heldID && seen[m.ID]:
			// A note of the program, or an old message once more.
		default:
			if m.ID == "" || m.ID != heldID {
				g.flush(held)
			}
			held, heldID = raw, m.ID
			if len(seen) < 1<<20 {
				seen[m.ID] = true
			}
		}
	}
	g.flush(held)
	return g.w.text()
}

func (g *geminiChat) flush(held json.RawMessage) {
	if held != nil {
		g.message(held)
	}
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
	if g.agents {
		g.w.add(line{Role: tool, Tool: "agent", Text: said, At: m.Timestamp})
	} else {
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
