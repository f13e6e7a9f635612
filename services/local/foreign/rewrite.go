package foreign

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/winnowhq/winnow/services/internal/session/trace"
)

// errLong says that a transcript is longer than any trace may be.
var errLong = errors.New("it is longer than a trace may be; publish a part of it")

// Rewrite returns a file as a trace in Winnow's own format. ok is false for a file of
// another kind, whose content was not looked at more than needed.
func Rewrite(name string) (text []byte, ok bool, err error) {
	base, folder := filepath.Base(name), filepath.Dir(name)
	switch {
	case base == AiderFile:
		return aider(name)
	case base == ClineFile:
		return cline(name)
	case ClineSession(name):
		return clineSession(name)
	case filepath.Base(folder) == "chats" && strings.HasPrefix(base, "session-"):
		return gemini(name)
	case openCodeSession.MatchString(filepath.ToSlash(name)):
		return openCode(name)
	case FileOf(name) != name:
		return openCodeStored(name)
	case IsOpenCode(name):
		if _, err := OpenCodeSessions(name); err != nil {
			return nil, true, err
		}
		return nil, true, errors.New("it holds many sessions; name one as " + base + "/ID, or publish the file")
	case filepath.Ext(name) == ".json":
		return openCodeExport(name)
	}
	return nil, false, nil
}

// line is one turn as [format] reads it, or the first line, about the session.
type line struct {
	Winnow  string `json:"winnow,omitempty"` // of the first line: whose format it is
	ID      string `json:"id,omitempty"`
	Agent   string `json:"agent,omitempty"`
	Dir     string `json:"cwd,omitempty"`
	Started string `json:"started_at,omitempty"`

	Role    string          `json:"role,omitempty"`
	Text    string          `json:"text,omitempty"`
	Tool    string          `json:"tool,omitempty"`
	Call    string          `json:"call,omitempty"`
	Command string          `json:"command,omitempty"`
	Input   json.RawMessage `json:"input,omitempty"`
	Error   *bool           `json:"error,omitempty"`
	At      string          `json:"at,omitempty"`
}

// The roles of turns.
const (
	user      = "user"
	assistant = "assistant"
	tool      = "tool"
)

// writer collects lines.
type writer struct {
	b   bytes.Buffer
	err error
}

func (w *writer) add(l line) {
	if l.Role == "" {
		l.Winnow = "1"
	}
	if w.err != nil || l.Role != "" && l.Text == "" && l.Tool == "" {
		return
	}
	raw, err := json.Marshal(l)
	if err == nil && int64(w.b.Len()+len(raw)) > trace.DefaultLimits().MaxBytes {
		err = errLong
	}
	if w.err = err; err == nil {
		w.b.Write(append(raw, '\n'))
	}
}

// cut ends the trace in the middle of a line, as its file does.
func (w *writer) cut() { w.b.WriteString(`{"role": "`) }

func (w *writer) text() ([]byte, bool, error) { return w.b.Bytes(), true, w.err }

// read returns a regular file's content, up to the length that a trace may have.
func read(open func() (*os.File, error)) ([]byte, error) {
	f, err := open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(errors.New("it is no regular file"), err)
	}
	most := trace.DefaultLimits().MaxBytes
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		err = errLong
	}
	return data, err
}

func readFile(name string) ([]byte, error) {
	if info, err := os.Lstat(name); err == nil && !info.Mode().IsRegular() && info.Mode()&os.ModeSymlink == 0 {
		return nil, errors.New("it is no regular file") // opening a pipe would wait for a writer
	}
	return read(func() (*os.File, error) { return os.Open(name) })
}

// known maps tools of these agents to the names under which they are known; the rest is
// known by its own name, or not.
var known = map[string]string{
	"run_shell_command": "Bash", "read_many_files": "read_file", "list_directory": "ls", "search_file_content": "grep", "replace": "edit",
	"google_web_search": "web_search", "list": "ls", "list_code_definition_names": "list_files", "patch": "apply_patch",
}

func toolName(name string) string {
	if other := known[name]; other != "" {
		return other
	}
	return name
}

// milliseconds returns a time since 1970 as text, empty for none.
func milliseconds(ms float64) string {
	if ms < 1e11 || ms > 1e13 {
		return ""
	}
	return time.UnixMilli(int64(ms)).UTC().Format(time.RFC3339)
}

// texts returns the texts of a content: a string, or a list of strings and objects with a
// text.
func texts(raw json.RawMessage) []string {
	var one string
	if json.Unmarshal(raw, &one) == nil {
		return []string{one}
	}
	var parts []json.RawMessage
	if json.Unmarshal(raw, &parts) != nil {
		return nil
	}
	var list []string
	for _, p := range parts {
		var object struct{ Text string }
		if json.Unmarshal(p, &one) == nil {
			list = append(list, one)
		} else if json.Unmarshal(p, &object) == nil && object.Text != "" {
			list = append(list, object.Text)
		}
	}
	return list
}

// elements calls each for the elements of the list in a field of an object, or of the
// list that the text is (field ""). rest gets the other fields. whole is false where the
// JSON breaks off; what came before it was passed on.
func elements(text []byte, field string, rest, each func(name string, raw json.RawMessage)) (whole bool, err error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	list := func() bool {
		for dec.More() {
			var raw json.RawMessage
			if dec.Decode(&raw) != nil {
				return false
			}
			each("", raw)
		}
		_, err := dec.Token()
		return err == nil
	}
	start, err := dec.Token()
	if err != nil {
		return false, errors.New("it is no JSON")
	}
	if field == "" {
		if start != json.Delim('[') {
			return false, fmt.Errorf("it begins with %v and not with a list", start)
		}
		return list(), nil
	}
	if start != json.Delim('{') {
		return false, fmt.Errorf("it begins with %v and not with an object", start)
	}
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return false, nil //nolint:nilerr // cut in the middle
		}
		name, _ := token.(string)
		if name != field {
			var raw json.RawMessage
			if dec.Decode(&raw) != nil {
				return false, nil //nolint:nilerr // cut in the middle
			}
			rest(name, raw)
			continue
		}
		if token, err = dec.Token(); err != nil || token != json.Delim('[') {
			return false, nil //nolint:nilerr // cut, or no list
		}
		if !list() {
			return false, nil
		}
	}
	_, err = dec.Token()
	return err == nil, nil
}

// textOf returns a JSON string's text, empty for another value.
func textOf(raw json.RawMessage) string {
	var text string
	_ = json.Unmarshal(raw, &text) // of another kind: empty
	return text
}

// plain returns a text for a comparison: its words.
func plain(text string) string { return strings.Join(strings.Fields(text), " ") }

// fileID matches an id that may be a part of a file's name.
var fileID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,128}$`)
