package local

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// HookTimeout is how long, in seconds, an agent is told to wait for a hook.
// Winnow's own hooks end earlier.
const HookTimeout = 10

// beforeWinnow is added to the name of a file for its copy from before an installation.
const beforeWinnow = ".before-winnow"

// InstalledHooks reports how an agent's settings were changed.
type InstalledHooks struct {
	Agent  string   `json:"agent"`
	File   string   `json:"file"`
	Added  []string `json:"added"`            // events; empty when all were there
	Backup string   `json:"backup,omitempty"` // copy of the previous settings
}

// InstallHooks makes an agent call a program, with these arguments after the command, at
// the events of [HookAgent]. All other bytes of the file stay, comments included, and a
// second call changes nothing. Before a change the old file is copied beside it. A file
// that cannot be parsed is not changed.
func InstallHooks(agent HookAgent, file, program string, args ...string) (InstalledHooks, error) {
	done := InstalledHooks{Agent: agent.Name, File: file, Added: []string{}}
	old, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return done, fmt.Errorf("read settings: %w", err)
	}
	text, added, err := agent.with(old, func(command string) string { return hookLine(command, program, args) })
	if err != nil {
		return done, fmt.Errorf("%s: %w; correct it, or install no hooks: --no-hooks", file, err)
	}
	if len(added) == 0 {
		return done, nil
	}
	done.Added = added
	if done.Backup, err = replaceSettings(file, old, text); err != nil {
		return done, fmt.Errorf("write settings: %w", err)
	}
	return done, nil
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
		backup = file + beforeWinnow
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
