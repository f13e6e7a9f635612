package local

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// HookTimeout is how long, in seconds, an agent is told to wait for a hook. Ours
// ends earlier by itself.
const HookTimeout = 10

// hookEvents are the events of Claude Code that call Winnow, and the command
// that each calls.
var hookEvents = []struct{ event, command string }{
	{"SessionStart", "hook session-start"},
	{"SessionEnd", "hook session-end"},
}

// InstalledHooks says what became of an agent's settings.
type InstalledHooks struct {
	File   string   `json:"file"`
	Added  []string `json:"added"`            // events; empty when all were there
	Backup string   `json:"backup,omitempty"` // what was there before
}

// SettingsFile is where Claude Code keeps a person's settings.
func (h Home) SettingsFile() string { return filepath.Join(h.claude(), "settings.json") }

// InstallHooks makes Claude Code call a program, with these arguments behind the
// command, when a session begins and ends. Everything else in the file stays as
// it is and where it is, and doing it twice changes nothing. Where it changes
// something, the file as it was lies beside it. A file that cannot be understood
// is left alone.
func InstallHooks(file, program string, args ...string) (InstalledHooks, error) {
	done := InstalledHooks{File: file, Added: []string{}}
	old, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return done, fmt.Errorf("read settings: %w", err)
	}
	settings, err := parseObject(old)
	if err != nil {
		return done, fmt.Errorf("%s is no JSON object (%w); correct it, or install nothing: --no-hooks", file, err)
	}
	hooks, err := parseObject(settings.get("hooks"))
	if err != nil {
		return done, fmt.Errorf("%s: hooks is no object (%w); correct it, or install nothing: --no-hooks", file, err)
	}
	for _, h := range hookEvents {
		list, added, err := withHook(hooks.get(h.event), h.command, append([]string{program}, args...))
		if err != nil {
			return done, fmt.Errorf("%s: hooks.%s: %w; correct it, or install nothing: --no-hooks", file, h.event, err)
		}
		if added {
			hooks.set(h.event, list)
			done.Added = append(done.Added, h.event)
		}
	}
	if len(done.Added) == 0 {
		return done, nil
	}
	settings.set("hooks", hooks.bytes())
	text, err := settings.indented()
	if err != nil {
		return done, fmt.Errorf("write settings: %w", err)
	}
	if done.Backup, err = replaceSettings(file, old, text); err != nil {
		return done, fmt.Errorf("write settings: %w", err)
	}
	return done, nil
}

// hookMatcher is an entry of an event's list as Claude Code reads it.
type hookMatcher struct {
	Hooks []hookCommand `json:"hooks"`
}

type hookCommand struct {
	Type    string `json:"type"`
	Command string `json:"command"`
	Timeout int    `json:"timeout,omitempty"`
}

// withHook adds a command of a program to an event's list unless some program of
// our name is called with it there already.
func withHook(list json.RawMessage, command string, call []string) (json.RawMessage, bool, error) {
	var entries []json.RawMessage
	if len(list) > 0 {
		if err := json.Unmarshal(list, &entries); err != nil {
			return nil, false, errors.New("it is no list")
		}
	}
	for _, raw := range entries {
		var entry hookMatcher
		if json.Unmarshal(raw, &entry) != nil {
			continue // not ours to judge
		}
		for _, h := range entry.Hooks {
			if strings.Contains(h.Command, "winnow") && strings.Contains(h.Command+" ", " "+command+" ") {
				return nil, false, nil
			}
		}
	}
	line := quoted(call[0]) + " " + command
	for _, arg := range call[1:] {
		line += " " + quoted(arg)
	}
	ours, err := json.Marshal(hookMatcher{Hooks: []hookCommand{{Type: "command", Command: line, Timeout: HookTimeout}}})
	if err != nil {
		return nil, false, err
	}
	text, err := json.Marshal(append(entries, ours))
	return text, true, err
}

// quoted is a word as a shell takes it.
func quoted(word string) string {
	if strings.IndexFunc(word, func(r rune) bool { return !strings.ContainsRune("/._-+", r) && !isWord(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

func isWord(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
}

// replaceSettings writes a file whole, keeps what was there, and follows a link:
// many keep their settings in a repository of their own.
func replaceSettings(file string, old, text []byte) (backup string, err error) {
	mode := fs.FileMode(0o600)
	if real, err := filepath.EvalSymlinks(file); err == nil {
		file = real
		if info, err := os.Stat(file); err == nil {
			mode = info.Mode().Perm()
		}
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return "", err
	}
	if old != nil {
		backup = file + ".before-winnow"
		if err := os.WriteFile(backup, old, mode); err != nil {
			return "", err
		}
	}
	f, err := os.CreateTemp(filepath.Dir(file), ".winnow-*")
	if err != nil {
		return backup, err
	}
	defer os.Remove(f.Name()) // is gone already where all went well
	_, err = f.Write(text)
	if err = errors.Join(err, f.Chmod(mode), f.Close()); err == nil {
		err = os.Rename(f.Name(), file)
	}
	return backup, err
}
