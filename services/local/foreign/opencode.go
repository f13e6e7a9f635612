package foreign

import (
	"cmp"
	"encoding/json"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/winnowhq/winnow/services/internal/session/trace"
)

// openCodeSession matches OpenCode's file of a session.
var openCodeSession = regexp.MustCompile(`/storage/session/[^/]+/ses_[A-Za-z0-9]+\.json$`)

// openCodeInfo is what OpenCode stores of a session or a message.
type openCodeInfo struct {
	ID     string `json:"id"`
	Parent string `json:"parentID"` // of a subagent's session
	Dir    string `json:"directory"`
	Role   string `json:"role"`
	Time   struct {
		Created float64 `json:"created"` // milliseconds since 1970
	} `json:"time"`
}

// openCodePart is a part of a message.
type openCodePart struct {
	ID        string `json:"id"`
	Type      string `json:"type"`
	Text      string `json:"text"`
	Synthetic bool   `json:"synthetic"` // added by the program
	Tool      string `json:"tool"`
	Call      string `json:"callID"`
	State     struct {
		Status string          `json:"status"`
		Input  json.RawMessage `json:"input"`
		Output string          `json:"output"`
		Error  string          `json:"error"`
	} `json:"state"`
}

// openCode reads a session of OpenCode, whose messages and their parts are files of their
// own: storage/session/PROJECT/ses_….json, storage/message/SESSION/….json and
// storage/part/MESSAGE/….json. No file outside of the storage is opened.
func openCode(name string) ([]byte, bool, error) {
	text, err := readFile(name)
	if err != nil {
		return nil, true, err
	}
	var session openCodeInfo
	if json.Unmarshal(text, &session) != nil || !fileID.MatchString(session.ID) {
		return nil, false, nil
	}
	root, err := os.OpenRoot(filepath.Dir(filepath.Dir(filepath.Dir(name))))
	if err != nil {
		return nil, true, err
	}
	defer root.Close()
	o := &openCodeStore{root: root, left: trace.DefaultLimits().MaxBytes, agents: session.Parent != ""}
	o.w.add(line{ID: session.ID, Agent: "opencode", Dir: session.Dir, Started: milliseconds(session.Time.Created)})
	messages := stored[openCodeInfo](o, path.Join("message", session.ID))
	slices.SortStableFunc(messages, func(a, b openCodeInfo) int {
		return cmp.Or(cmp.Compare(a.Time.Created, b.Time.Created), strings.Compare(a.ID, b.ID))
	})
	for _, m := range messages {
		o.message(m)
	}
	if o.lost {
		o.w.cut()
	}
	return o.w.text()
}

// openCodeStore is what is stored of a session: the folder of its files, or a database.
type openCodeStore struct {
	root   *os.Root // of the files
	w      writer
	left   int64 // bytes that may still be read
	lost   bool  // a file or a row could not be read
	agents bool  // no person types in this session
}

// stored reads the objects in the files of a folder.
func stored[T any](o *openCodeStore, folder string) []T {
	files, _ := fs.Glob(o.root.FS(), path.Join(folder, "*.json")) // of a constant form; a missing folder has none
	var list []T
	for _, file := range files {
		info, err := o.root.Lstat(file)
		if err != nil || !info.Mode().IsRegular() || info.Size() > o.left {
			o.lost = true
			continue
		}
		o.left -= info.Size()
		text, err := read(func() (*os.File, error) { return o.root.Open(file) })
		var one T
		if err != nil || json.Unmarshal(text, &one) != nil {
			o.lost = true
			continue
		}
		list = append(list, one)
	}
	return list
}

func (o *openCodeStore) message(m openCodeInfo) {
	if !fileID.MatchString(m.ID) {
		o.lost = true
		return
	}
	parts := stored[openCodePart](o, path.Join("part", m.ID))
	slices.SortStableFunc(parts, func(a, b openCodePart) int { return strings.Compare(a.ID, b.ID) })
	o.parts(m, parts)
}

// parts writes a message, whose parts are in their order.
func (o *openCodeStore) parts(m openCodeInfo, parts []openCodePart) {
	at := milliseconds(m.Time.Created)
	for _, p := range parts {
		switch {
		case p.Type == "text" && m.Role == user && !p.Synthetic && !o.agents:
			o.w.add(line{Role: user, Text: p.Text, At: at})
		case p.Type == "text" && m.Role == user:
			o.w.add(line{Role: tool, Tool: "added", Text: p.Text, At: at})
		case p.Type == "text":
			o.w.add(line{Role: assistant, Text: p.Text, At: at})
		case p.Type == "tool" && p.Tool != "":
			o.call(p, at)
		}
	}
}

func (o *openCodeStore) call(p openCodePart, at string) {
	name := toolName(p.Tool)
	o.w.add(line{Role: assistant, Tool: name, Call: p.Call, Input: p.State.Input, At: at})
	if p.State.Status != "completed" && p.State.Status != "error" {
		return // it was never answered
	}
	failed := p.State.Status == "error"
	o.w.add(line{Role: tool, Tool: name, Call: p.Call, Text: cmp.Or(p.State.Output, p.State.Error), Error: &failed, At: at})
}

// openCodeExported matches the beginning of what `opencode export` prints.
var openCodeExported = regexp.MustCompile(`^\s*\{\s*"info"\s*:\s*\{\s*"id"\s*:\s*"ses_`)

// openCodeExport reads what `opencode export` prints: a session with its messages, and those
// with their parts. ok is false for a file of another kind.
func openCodeExport(name string) ([]byte, bool, error) {
	text, err := readFile(name)
	if err != nil || !openCodeExported.Match(text) {
		return nil, false, nil //nolint:nilerr // read as any other file
	}
	o := &openCodeStore{}
	whole, err := elements(text, "messages", func(field string, raw json.RawMessage) {
		var session openCodeInfo
		if field == "info" && json.Unmarshal(raw, &session) == nil {
			o.agents = session.Parent != ""
			o.w.add(line{ID: session.ID, Agent: "opencode", Dir: session.Dir, Started: milliseconds(session.Time.Created)})
		}
	}, func(_ string, raw json.RawMessage) {
		var m struct {
			Info  openCodeInfo   `json:"info"`
			Parts []openCodePart `json:"parts"`
		}
		if json.Unmarshal(raw, &m) != nil {
			o.lost = true
			return
		}
		o.parts(m.Info, m.Parts)
	})
	if err != nil {
		return nil, true, err
	}
	if !whole || o.lost {
		o.w.cut()
	}
	return o.w.text()
}
