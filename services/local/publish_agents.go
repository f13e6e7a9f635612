package local

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/winnowhq/winnow/services/internal/session/trace"
)

// Subagents counts the transcripts of a session's subagents.
type Subagents struct {
	Woven   int `json:"woven,omitempty"`   // included in the trace
	Missing int `json:"missing,omitempty"` // named in the session, but missing, unreadable, or too long
	Unused  int `json:"unused,omitempty"`  // present, but not named in the session
}

// agentFiles finds the transcripts of a session's subagents, each once. Newer
// versions of Claude Code store them in SESSION/subagents, older ones beside
// the session. No file outside of the session's folder is ever opened.
type agentFiles struct {
	root    *os.Root // the folder that the session lies in
	session string   // the folder in it that is the session's own
	asked   map[string]bool
	count   Subagents
	// The remaining limits of the trace.
	bytes int64
	lines int
}

// findAgents looks for subagents beside a session's file of so many bytes.
func findAgents(name string, size int64) (*agentFiles, error) {
	root, err := os.OpenRoot(filepath.Dir(name))
	if err != nil {
		return nil, err
	}
	base := filepath.Base(name)
	limits := trace.DefaultLimits()
	a := &agentFiles{
		root: root, session: strings.TrimSuffix(base, filepath.Ext(base)), asked: map[string]bool{},
		// The session itself has the other half of the turns.
		bytes: limits.MaxBytes - size, lines: limits.MaxTurns / 2,
	}
	if own, ok := agentOfFile(base); ok {
		a.asked[own] = true // a subagent that is published alone is not its own
	}
	return a, nil
}

// open returns a subagent's transcript on the first request for it. The whole
// transcript must fit into the trace: with half of one, the trace would look as
// if nothing else had been read.
func (a *agentFiles) open(id string) (io.ReadCloser, bool) {
	if a.asked[id] {
		return nil, false
	}
	a.asked[id] = true
	if agentID.MatchString(id) {
		name := "agent-" + id + ".jsonl"
		for _, where := range []string{path.Join(a.session, agentFolder, name), name} {
			if f, ok := a.openFile(where); ok {
				a.count.Woven++
				return f, true
			}
		}
	}
	a.count.Missing++
	return nil, false
}

// limitedFile reads a file up to the size that it had when it was opened.
type limitedFile struct {
	io.Reader
	io.Closer
}

func (a *agentFiles) openFile(name string) (io.ReadCloser, bool) {
	// Checked before the file is opened: opening a pipe would block until a
	// writer comes.
	if info, err := a.root.Lstat(name); err != nil || !info.Mode().IsRegular() {
		return nil, false
	}
	f, err := a.root.Open(name)
	if err != nil {
		return nil, false
	}
	info, err := f.Stat()
	if err == nil && info.Size() < a.bytes {
		about := aboutAgent(io.LimitReader(f, info.Size()))
		if _, err = f.Seek(0, io.SeekStart); err == nil && about.sidechain && about.lines <= a.lines {
			a.bytes -= info.Size() + 1 // a line end may have to be added after the last line
			a.lines -= about.lines
			return limitedFile{io.LimitReader(f, info.Size()), f}, true
		}
	}
	_ = f.Close() // nothing was written
	return nil, false
}

// counted returns the counts, and looks for transcripts that no line named.
func (a *agentFiles) counted() Subagents {
	count := a.count
	list, err := fs.ReadDir(a.root.FS(), path.Join(a.session, agentFolder))
	if err != nil {
		return count // most sessions have none
	}
	for _, e := range list {
		if id, ok := agentOfFile(e.Name()); ok && !a.asked[id] {
			count.Unused++
		}
	}
	return count
}

func (a *agentFiles) Close() error {
	if err := a.root.Close(); err != nil {
		return fmt.Errorf("close the folder of a session: %w", err)
	}
	return nil
}

// agentFolder is the folder of a session in which its subagents' transcripts are.
const agentFolder = "subagents"

// agentID matches an id that may be a part of a file's name.
var agentID = regexp.MustCompile(`^[A-Za-z0-9-]+$`)

// agentOfFile returns the subagent whose transcript has this name.
func agentOfFile(base string) (id string, ok bool) {
	id, prefixed := strings.CutPrefix(base, "agent-")
	id, ended := strings.CutSuffix(id, ".jsonl")
	return id, prefixed && ended && agentID.MatchString(id)
}

// agentOf returns the subagent whose report a line contains; empty for other
// lines.
func agentOf(line []byte) string {
	// A cheap test first: few lines have a report, and some are long.
	if !bytes.Contains(line, []byte(`"toolUseResult"`)) || !bytes.Contains(line, []byte(`"agentId"`)) {
		return ""
	}
	var e struct {
		Result json.RawMessage `json:"toolUseResult"` // of other tools it may be anything
	}
	var result struct {
		Agent string `json:"agentId"`
	}
	if json.Unmarshal(line, &e) != nil || len(e.Result) == 0 || json.Unmarshal(e.Result, &result) != nil {
		return ""
	}
	return result.Agent
}
