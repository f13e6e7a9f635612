package local

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/winnowhq/winnow/services/local/foreign"
)

// traceEndings lists the file name endings of traces. Markdown is not among
// them, because it is documentation far more often.
var traceEndings = []string{".jsonl", ".json", ".traj", ".ndjson", ".txt", ".log"}

// Unread is a file that is no session, with a one-line remedy.
type Unread struct {
	File    string `json:"file"`
	Problem string `json:"problem"`
}

// FindTraces lists the files that a person means by these paths, each once, in
// the order of the names: a file as it is named, and of a folder the files
// below it that end like a trace. Hidden folders below a named one, symbolic
// links, and parts of a listed session are left out. A missing path is reported
// and does not stop the search.
func FindTraces(paths []string, markdown bool) (files []string, unread []Unread) {
	endings := traceEndings
	if markdown {
		endings = append(slices.Clone(endings), ".md")
	}
	seen := map[string]bool{}
	add := func(path string) {
		if !seen[path] {
			seen[path] = true
			files = append(files, path)
		}
	}
	// database adds the sessions that a file holds.
	database := func(name string) {
		sessions, err := foreign.OpenCodeSessions(name)
		if err != nil {
			unread = append(unread, Unread{name, notOpened(err)})
		}
		for _, one := range sessions {
			add(one)
		}
	}
	for _, root := range paths {
		root = filepath.Clean(root)
		if foreign.FileOf(root) != root {
			add(root) // a session in a database
			continue
		}
		info, err := os.Stat(root)
		if err != nil {
			unread = append(unread, Unread{root, notOpened(err)})
			continue
		}
		switch {
		case info.IsDir():
		case foreign.IsOpenCode(root):
			database(root)
			continue
		default:
			add(root)
			continue
		}
		var below, databases []string
		_ = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
			switch {
			case err != nil:
				unread = append(unread, Unread{path, notOpened(err)})
			case e.IsDir() && path != root && (strings.HasPrefix(e.Name(), ".") || e.Name() == "node_modules"):
				return filepath.SkipDir
			case e.Type().IsRegular() && slices.Contains(endings, strings.ToLower(filepath.Ext(strings.TrimSuffix(path, zipped)))):
				below = append(below, path)
			case e.Type().IsRegular() && foreign.IsOpenCode(path):
				databases = append(databases, path)
			}
			return nil
		})
		below = withoutZipped(below)
		there := map[string]bool{}
		for _, path := range below {
			there[path] = true
		}
		for _, path := range below {
			if _, part := sessionOf(path, func(session string) bool { return there[session] }); !part {
				add(path)
			}
		}
		for _, name := range databases {
			database(name)
		}
		if len(below)+len(databases) == 0 {
			unread = append(unread, Unread{root, "no file in it ends like a trace (" + strings.Join(endings, ", ") + "); name the file itself"})
		}
	}
	return files, unread
}

// notOpened returns in words why a path cannot be read.
func notOpened(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "is not there; name an existing file or folder"
	case errors.Is(err, fs.ErrPermission):
		return "cannot be read; give yourself the right to (chmod u+r)"
	}
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return fmt.Sprintf("cannot be read: %v", err)
}

// HoldsProposals reports whether a file holds proposals, one object with a text a
// line, and no session: a turn has a role or a type beside its text.
func HoldsProposals(name string) bool {
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	return AreProposals(f)
}

// AreProposals is [HoldsProposals] for a reader.
func AreProposals(r io.Reader) bool {
	lines := bufio.NewReaderSize(r, 1<<20)
	for {
		line, err := lines.ReadSlice('\n')
		if line = bytes.TrimSpace(line); len(line) == 0 && err == nil {
			continue
		}
		var fields map[string]json.RawMessage
		if json.Unmarshal(line, &fields) != nil {
			return false
		}
		_, text := fields["text"]
		_, role := fields["role"]
		_, kind := fields["type"]
		_, id := fields["turns"]
		return text && !role && !kind && !id
	}
}
