package local

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/winnowhq/winnow/services/local/foreign"
)

// Home holds the folders in which coding agents store their files on this
// machine.
type Home struct {
	Dir string // the person's home
	// Claude is the folder of Claude Code; empty is .claude in the home.
	Claude string
	// Codex is the folder of Codex; empty is .codex in the home.
	Codex string
	// Data is the folder of programs' data; empty is .local/share in the home.
	Data string
	// Cline is the folder of Cline's sessions; empty is .cline/data/sessions in the home.
	Cline string
}

// FindHome reads the folders from the environment.
func FindHome() (Home, error) {
	dir, err := os.UserHomeDir()
	if err != nil {
		return Home{}, fmt.Errorf("find home: %w", err)
	}
	return Home{
		Dir: dir, Claude: os.Getenv("CLAUDE_CONFIG_DIR"), Codex: os.Getenv("CODEX_HOME"), Data: os.Getenv("XDG_DATA_HOME"),
		Cline: clineFolder(os.Getenv),
	}, nil
}

// clineFolder returns where Cline's settings say that its sessions are; empty where they say
// nothing. The most exact of them counts.
func clineFolder(env func(string) string) string {
	for _, place := range []struct{ name, below string }{
		{"CLINE_SESSION_DATA_DIR", "."}, {"CLINE_DATA_DIR", "sessions"}, {"CLINE_DIR", "data/sessions"},
	} {
		if dir := env(place.name); dir != "" {
			return filepath.Join(dir, filepath.FromSlash(place.below))
		}
	}
	return ""
}

func (h Home) claude() string { return cmp.Or(h.Claude, filepath.Join(h.Dir, ".claude")) }

func (h Home) openCode() string {
	return filepath.Join(cmp.Or(h.Data, filepath.Join(h.Dir, ".local", "share")), "opencode")
}

func (h Home) codex() string { return cmp.Or(h.Codex, filepath.Join(h.Dir, ".codex")) }

// transcriptStore is an agent's folder of transcripts.
type transcriptStore struct {
	name    string
	folders []string
	// part reports whether a file is a part of another session.
	part func(path string) bool
	// only reports whether a file is a transcript; nil means that every one is.
	only func(path string) bool
}

func (h Home) transcriptStores() []transcriptStore {
	return []transcriptStore{
		{name: "Claude Code", folders: []string{filepath.Join(h.claude(), "projects")}, part: func(path string) bool {
			// A subagent's transcript. It is read with its session. Without the
			// session no person speaks in it.
			if strings.HasPrefix(filepath.Base(path), "agent-") {
				return true
			}
			_, part := SessionOf(path)
			return part
		}},
		{name: "Codex", folders: []string{filepath.Join(h.codex(), "sessions"), filepath.Join(h.codex(), "archived_sessions")}},
		{name: "Gemini CLI", folders: []string{filepath.Join(h.Dir, ".gemini", "tmp")}, only: func(path string) bool {
			// Other files are logs, and states that a person gave a name.
			return filepath.Base(filepath.Dir(path)) == "chats" && strings.HasPrefix(filepath.Base(path), "session-")
		}},
		{name: "OpenCode", folders: []string{filepath.Join(h.openCode(), "storage", "session")}},
		{name: "Cline", folders: append(h.clineTasks(), cmp.Or(h.Cline, filepath.Join(h.Dir, ".cline", "data", "sessions"))), only: func(path string) bool {
			return filepath.Base(path) == foreign.ClineFile || foreign.ClineSession(path)
		}},
		{name: "Cursor", folders: []string{filepath.Join(h.Dir, ".cursor", "projects")}, only: func(path string) bool {
			// A subagent's lies in a folder below its session's.
			session := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
			return filepath.Base(filepath.Dir(filepath.Dir(path))) == "agent-transcripts" && filepath.Base(filepath.Dir(path)) == session
		}},
	}
}

// clineTasks returns the folders of Cline's tasks, by the editor that it runs in.
func (h Home) clineTasks() (folders []string) {
	settings := map[string]string{
		"linux": ".config", "darwin": filepath.Join("Library", "Application Support"), "windows": filepath.Join("AppData", "Roaming"),
	}[runtime.GOOS]
	for _, editor := range []string{"Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf"} {
		folders = append(folders, filepath.Join(h.Dir, settings, editor, "User", "globalStorage", "saoudrizwan.claude-dev", "tasks"))
	}
	return append(folders, filepath.Join(h.Dir, ".cline", "data", "tasks"))
}

// TracesIn lists the transcripts that agents store in the folders of projects.
func TracesIn(dirs []string) (found []FoundTrace) {
	for _, dir := range slices.Compact(slices.Sorted(slices.Values(dirs))) {
		if name := foreign.AiderIn(dir); name != "" {
			found = append(found, FoundTrace{Agent: "Aider", Path: name})
		}
	}
	return found
}

// FoundTrace is a transcript that an agent stored.
type FoundTrace struct {
	Agent string
	Path  string
	// Dir is the folder that was worked in, where the transcript itself does not say so.
	Dir string
}

// cursorDir returns the folder that a transcript of Cursor is about: the one whose path, with
// a hyphen for all but letters and digits, is the name of the folder in which Cursor stores
// its things. Empty where no folder here is named so, or more than one is.
func cursorDir(transcript string) string {
	_, below, ok := strings.Cut(filepath.ToSlash(transcript), "/.cursor/projects/")
	slug, _, _ := strings.Cut(below, "/")
	if !ok || slug == "" {
		return ""
	}
	found := foldersNamed(string(filepath.Separator), slug)
	if len(found) != 1 {
		return ""
	}
	return found[0]
}

// foldersNamed returns the folders below a folder whose path from it becomes slug.
func foldersNamed(dir, slug string) (found []string) {
	list, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	for _, e := range list {
		name := notInSlugs.ReplaceAllString(e.Name(), "-")
		rest, ok := strings.CutPrefix(slug, name)
		switch {
		case !ok || !e.IsDir() || name == "":
		case rest == "":
			found = append(found, filepath.Join(dir, e.Name()))
		case rest[0] == '-':
			found = append(found, foldersNamed(filepath.Join(dir, e.Name()), rest[1:])...)
		}
	}
	return found
}

var notInSlugs = regexp.MustCompile(`[^A-Za-z0-9]`)

// FoundMemories is a file of things to remember.
type FoundMemories struct {
	Path string `json:"file"`
	// Dir is the project's folder; empty for a file that holds for the person
	// everywhere.
	Dir string `json:"dir,omitempty"`
}

// memoryNames lists the files in a project's folder that agents load at every
// start.
var memoryNames = []string{"CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md", "AGENTS.md", "MEMORY.md"}

// Traces lists the transcripts of coding agents. Parts of other sessions are
// only counted.
func (h Home) Traces() (found []FoundTrace, parts int) {
	for _, k := range h.transcriptStores() {
		for _, folder := range k.folders {
			files, _ := walkTraces(folder)
			for _, path := range files {
				if k.only != nil && !k.only(path) {
					continue
				}
				if k.part != nil && k.part(path) {
					parts++
					continue
				}
				found = append(found, FoundTrace{Agent: k.name, Path: path, Dir: cursorDir(path)})
			}
		}
	}
	return h.withDatabases(found), parts
}

// withDatabases adds the sessions in OpenCode's databases. The files of JSON of versions
// before them, which some left behind, are not listed a second time.
func (h Home) withDatabases(found []FoundTrace) []FoundTrace {
	databases, _ := filepath.Glob(filepath.Join(h.openCode(), "opencode*.db")) // of a constant form
	stored := map[string]bool{}
	var sessions []FoundTrace
	for _, name := range databases {
		if !foreign.IsOpenCode(name) {
			continue
		}
		names, err := foreign.OpenCodeSessions(name)
		if err != nil {
			names = []string{name} // reading it says what is wrong
		}
		for _, one := range names {
			stored[filepath.Base(one)] = true
			sessions = append(sessions, FoundTrace{Agent: "OpenCode", Path: one})
		}
	}
	if len(sessions) == 0 {
		return found
	}
	found = slices.DeleteFunc(found, func(f FoundTrace) bool {
		return f.Agent == "OpenCode" && stored[strings.TrimSuffix(filepath.Base(f.Path), ".json")]
	})
	return append(found, sessions...)
}

// walkTraces lists the files of JSON below a folder, packed ones too unless the plain file is
// there. A missing folder has none.
func walkTraces(folder string) (files []string, err error) {
	err = filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			return err
		}
		ending := strings.ToLower(filepath.Ext(strings.TrimSuffix(path, zipped)))
		if e.Type().IsRegular() && (ending == ".jsonl" || ending == ".json") {
			files = append(files, path)
		}
		return nil
	})
	return withoutZipped(files), err
}

// withoutZipped takes out packed files that lie beside their plain ones, as for a moment while
// they are packed.
func withoutZipped(files []string) []string {
	return slices.DeleteFunc(files, func(path string) bool {
		plain, packed := strings.CutSuffix(path, zipped)
		return packed && slices.Contains(files, plain)
	})
}

// Memories lists the memory files of a person and of these project folders. A
// file with two names is listed once. notes maps Claude Code's folders of notes
// to the folder of their project.
func (h Home) Memories(projects []string, notes map[string]string) []FoundMemories {
	var found []FoundMemories
	seen := map[string]bool{}
	add := func(path, dir string) {
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
			return
		}
		real, err := filepath.EvalSymlinks(path)
		if err != nil || seen[real] {
			return
		}
		seen[real] = true
		found = append(found, FoundMemories{Path: path, Dir: dir})
	}
	add(filepath.Join(h.claude(), "CLAUDE.md"), "")
	add(filepath.Join(h.codex(), "AGENTS.md"), "")
	for _, dir := range projects {
		for _, name := range memoryNames {
			add(filepath.Join(dir, filepath.FromSlash(name)), dir)
		}
	}
	for _, folder := range slices.Sorted(maps.Keys(notes)) {
		// The index first: it links to the others, which are then read with it.
		add(filepath.Join(folder, "MEMORY.md"), notes[folder])
		others, _ := filepath.Glob(filepath.Join(folder, "*.md"))
		for _, path := range others {
			add(path, notes[folder])
		}
	}
	return found
}

// notesOf returns the folder in which Claude Code stores notes beside a
// transcript.
func (h Home) notesOf(transcript string) (string, bool) {
	parent := filepath.Dir(transcript)
	return filepath.Join(parent, "memory"), filepath.Dir(parent) == filepath.Join(h.claude(), "projects")
}

// readMemories reads a memory file and the topic files below its folder that it
// links to.
func readMemories(path string) (*Reading, error) {
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return nil, errors.New(notOpened(err))
	}
	defer root.Close()
	open := func(below string) ([]byte, error) {
		f, err := root.Open(filepath.FromSlash(below))
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return io.ReadAll(io.LimitReader(f, MaxMemoryFile+1))
	}
	f, err := os.Open(path) // may be a symbolic link to any file
	if err != nil {
		return nil, errors.New(notOpened(err))
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, MaxMemoryFile+1))
	if err != nil {
		return nil, errors.New(notOpened(err))
	}
	return ReadFiles([]Source{{Name: filepath.ToSlash(path), Data: data, Open: open}}, FollowTopics)
}
