package local

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/winnowhq/winnow/services/local/jsonedit"
)

// HookTimeout is how long, in seconds, an agent is told to wait for a hook.
// Winnow's own hooks end earlier.
const HookTimeout = 10

// hookEvents are the events of Claude Code that call Winnow, and the command
// that each calls.
var hookEvents = []struct{ event, command string }{
	{"SessionStart", "hook session-start"},
	{"SessionEnd", "hook session-end"},
}

// InstalledHooks reports how an agent's settings were changed.
type InstalledHooks struct {
	File   string   `json:"file"`
	Added  []string `json:"added"`            // events; empty when all were there
	Backup string   `json:"backup,omitempty"` // copy of the previous settings
}

// SettingsFile returns the file in which Claude Code stores a person's
// settings.
func (h Home) SettingsFile() string { return filepath.Join(h.claude(), "settings.json") }

// InstallHooks makes Claude Code call a program, with these arguments after the
// command, when a session begins and ends. All other bytes of the file stay,
// comments included, and a second call changes nothing. Before a change the old
// file is copied beside it. A file that cannot be parsed is not changed.
func InstallHooks(file, program string, args ...string) (InstalledHooks, error) {
	done := InstalledHooks{File: file, Added: []string{}}
	old, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return done, fmt.Errorf("read settings: %w", err)
	}
	text := old
	for _, h := range hookEvents {
		there, err := hasHook(text, h.event, h.command)
		if err == nil && !there {
			entry := hookMatcher{Hooks: []hookCommand{{Type: "command", Command: hookLine(h.command, program, args), Timeout: HookTimeout}}}
			text, err = jsonedit.Append(text, entry, "hooks", h.event)
			done.Added = append(done.Added, h.event)
		}
		if errors.Is(err, jsonedit.ErrInvalid) {
			return done, fmt.Errorf("%s is no JSON object (%w); correct it, or install nothing: --no-hooks", file, err)
		}
		if err != nil {
			return InstalledHooks{File: file, Added: []string{}}, fmt.Errorf("%s: hooks.%s: %w; correct it, or install nothing: --no-hooks", file, h.event, err)
		}
	}
	if len(done.Added) == 0 {
		return done, nil
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

// hasHook reports whether an event's list calls a program of Winnow's name with
// the command.
func hasHook(settings []byte, event, command string) (bool, error) {
	lines, err := hookLines(settings, event)
	for _, line := range lines {
		if strings.Contains(line, "winnow") && strings.Contains(line+" ", " "+command+" ") {
			return true, err
		}
	}
	return false, err
}

// hookLines returns the command lines that an event calls, of any program.
func hookLines(settings []byte, event string) (lines []string, err error) {
	var known struct {
		Hooks map[string]json.RawMessage `json:"hooks"`
	}
	if err := jsonedit.Decode(settings, &known); err != nil {
		return nil, err
	}
	var entries []json.RawMessage
	if list := known.Hooks[event]; len(list) > 0 {
		if err := json.Unmarshal(list, &entries); err != nil {
			return nil, errors.New("it is no list")
		}
	}
	for _, raw := range entries {
		var entry hookMatcher
		if json.Unmarshal(raw, &entry) != nil {
			continue // an entry of another form is another program's
		}
		for _, h := range entry.Hooks {
			lines = append(lines, h.Command)
		}
	}
	return lines, nil
}

// CheckHooks returns, for each of Winnow's events that an agent's settings have an entry
// for, the program that the entry calls: its first word. A file that is not there has none.
func CheckHooks(file string) (programs map[string]string, err error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read settings: %w", err)
	}
	programs = map[string]string{}
	for _, h := range hookEvents {
		lines, err := hookLines(text, h.event)
		if err != nil {
			return nil, fmt.Errorf("%s: hooks.%s: %w", file, h.event, err)
		}
		for _, line := range lines {
			if before, _, found := strings.Cut(line+" ", " "+h.command+" "); found && strings.Contains(line, "winnow") {
				programs[h.event] = unquoted(strings.TrimSpace(before))
			}
		}
	}
	return programs, nil
}

// unquoted undoes [quoted] for a single word.
func unquoted(word string) string {
	if inner, ok := strings.CutPrefix(word, "'"); ok {
		word = strings.ReplaceAll(strings.TrimSuffix(inner, "'"), `'\''`, "'")
	}
	return word
}

// hookLine returns the command line that calls a program.
func hookLine(command, program string, args []string) string {
	line := quoted(program) + " " + command
	for _, arg := range args {
		line += " " + quoted(arg)
	}
	return line
}

// quoted returns a word quoted for a shell.
func quoted(word string) string {
	if strings.IndexFunc(word, func(r rune) bool { return !strings.ContainsRune("/._-+", r) && !isWord(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

func isWord(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
}

// replaceSettings replaces a file atomically and backs up the old one. It
// follows a symbolic link, because settings often live in a repository of their
// own.
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
