package foreign

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
)

// clineMessages ends the name of a file in which Cline from version 4 on writes a session.
const clineMessages = ".messages.json"

// ClineSession reports whether a file is a session of Cline from version 4 on, and not one
// of a helper of it: ID/ID.messages.json, where a helper's is named after the helper.
func ClineSession(name string) bool {
	return filepath.Base(name) == filepath.Base(filepath.Dir(name))+clineMessages
}

var (
	// clineInput matches what Cline puts around a person's words. They come first, and what
	// it adds follows, so the first end counts; their own tags it takes out of what was typed.
	clineInput = regexp.MustCompile(`^\s*<user_input\b[^>]*>((?s:.*?))</user_input>`)
	// clineNotice matches the program's note within them, that its mode was switched.
	clineNotice = regexp.MustCompile(`^\s*<mode_notice>(?s:.*?)</mode_notice>`)
)

// clineSession reads a session of Cline from version 4 on: an object with messages, beside
// the manifest ID.json, which says in which folder. What was typed has marks around it; all
// else in the user's role is the program's.
func clineSession(name string) ([]byte, bool, error) {
	text, err := readFile(name)
	if err != nil {
		return nil, true, err
	}
	c := &clineTask{}
	list, whole, err := clineMessagesOf(text, "messages", func(field string, raw json.RawMessage) {
		if field == "agent" && textOf(raw) != "" && textOf(raw) != "lead" {
			c.agents = true
		}
	})
	if err != nil {
		return nil, true, err
	}
	id := strings.TrimSuffix(filepath.Base(name), clineMessages)
	var about struct {
		Dir     string `json:"cwd"`
		Started string `json:"started_at"`
	}
	if manifest, err := readFile(filepath.Join(filepath.Dir(name), id+".json")); err == nil {
		_ = json.Unmarshal(manifest, &about) // unreadable: the session has no folder
	}
	c.w.add(line{ID: "cline-" + id, Agent: "cline", Dir: about.Dir, Started: about.Started})
	c.wrapped = true
	return c.all(list, whole)
}

// wrappedWords writes a text in the user's role of which the part between the marks was typed.
func (c *clineTask) wrappedWords(text, at string) {
	m := clineInput.FindStringSubmatch(text)
	if m == nil || c.agents {
		c.w.add(line{Role: tool, Tool: "added", Text: text, At: at})
		return
	}
	c.w.add(line{Role: user, Text: strings.TrimSpace(clineNotice.ReplaceAllString(m[1], "")), At: at})
	c.w.add(line{Role: tool, Tool: "added", Text: strings.TrimSpace(text[len(m[0]):]), At: at})
}
