package local

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
)

// agentFacts is what a file named like a subagent's says about itself.
type agentFacts struct {
	sidechain bool   // only agents speak in it
	session   string // the session that it belongs to
	lines     int
}

// aboutAgent reads a file named like a subagent's transcript. An unreadable
// line is ignored.
func aboutAgent(r io.Reader) agentFacts {
	var about agentFacts
	lines, side := lineReader{in: bufio.NewReader(r)}, false
	for {
		line, whole, err := lines.next()
		if err != nil {
			about.sidechain = side && errors.Is(err, io.EOF)
			return about
		}
		about.lines++
		var e struct {
			Type      string `json:"type"`
			Session   string `json:"sessionId"`
			Sidechain bool   `json:"isSidechain"`
		}
		if !whole || json.Unmarshal(line, &e) != nil {
			continue
		}
		if about.session == "" {
			about.session = e.Session
		}
		if !e.Sidechain && (e.Type == "user" || e.Type == "assistant") {
			return about
		}
		side = side || e.Sidechain
	}
}

// resultFolder is the folder of a session that holds long answers of its tools.
// The transcript has the part that the model saw.
const resultFolder = "tool-results"

// SessionOf returns the session that a file belongs to as a part, such as a
// subagent's transcript, which is published with that session and not alone. ok
// is false for every other file, and where the session is missing.
func SessionOf(name string) (session string, ok bool) {
	return sessionOf(name, func(session string) bool {
		info, err := os.Lstat(session)
		return err == nil && info.Mode().IsRegular()
	})
}

// sessionOf is [SessionOf] with a test for which sessions exist.
func sessionOf(name string, there func(session string) bool) (string, bool) {
	for dir := filepath.Dir(name); filepath.Dir(dir) != dir; dir = filepath.Dir(dir) {
		if base := filepath.Base(dir); base != agentFolder && base != resultFolder {
			continue
		}
		if session := filepath.Dir(dir) + ".jsonl"; there(session) {
			return session, true
		}
	}
	if _, ok := agentOfFile(filepath.Base(name)); !ok {
		return "", false
	}
	f, err := os.Open(name)
	if err != nil {
		return "", false
	}
	defer f.Close()
	about := aboutAgent(f)
	session := filepath.Join(filepath.Dir(name), about.session+".jsonl")
	return session, about.sidechain && agentID.MatchString(about.session) && there(session)
}
