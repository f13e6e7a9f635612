package local

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/winnowhq/winnow/services/local/jsonedit"
)

// HookAgent is a coding agent that calls programs at events of a session.
type HookAgent struct {
	Name string // as winnow mcp install names it
	file func(Home) string
	// flat: the entries of an event are the commands themselves, and the file has a
	// version. Else each entry is a list of commands with what it matches.
	flat   bool
	events []hookEvent
}

// hookEvent is an event of an agent and the command of Winnow that it calls.
type hookEvent struct{ event, command string }

// The commands that hooks call.
const (
	hookStart = "hook session-start"
	hookEnd   = "hook session-end"
	hookNote  = "hook session-note"
)

// HookAgents lists the agents with hooks. Codex has no event for the end of a session: its
// sessions are noted at the end of each turn, and published when they have rested.
func HookAgents() []HookAgent {
	return []HookAgent{
		{"claude", Home.SettingsFile, false, []hookEvent{{"SessionStart", hookStart}, {"SessionEnd", hookEnd}, {"PreCompact", hookNote}}},
		{"codex", func(h Home) string { return filepath.Join(h.codex(), "hooks.json") }, false, []hookEvent{{"SessionStart", hookStart}, {"Stop", hookNote}}},
		{"cursor", func(h Home) string { return filepath.Join(h.Dir, ".cursor", "hooks.json") }, true, []hookEvent{{"sessionStart", hookStart}, {"sessionEnd", hookEnd}, {"preCompact", hookNote}}},
	}
}

// SettingsFile returns the file in which Claude Code stores a person's settings, and its
// hooks.
func (h Home) SettingsFile() string { return filepath.Join(h.claude(), "settings.json") }

// FindHookAgent returns the agent of a name. ok is false for one without hooks.
func FindHookAgent(name string) (agent HookAgent, ok bool) {
	all := HookAgents()
	i := slices.IndexFunc(all, func(a HookAgent) bool { return a.Name == name })
	if i < 0 {
		return HookAgent{}, false
	}
	return all[i], true
}

// File returns the file in which the agent keeps a person's hooks.
func (a HookAgent) File(h Home) string { return a.file(h) }

// hookMatcher is an entry of an event's list, in the words of any of the agents.
type hookMatcher struct {
	Hooks []hookCommand `json:"hooks"`
}

type hookCommand struct {
	Type    string `json:"type,omitempty"`
	Command string `json:"command"`
	Timeout int    `json:"timeout,omitempty"`
}

// entry returns an entry that calls a command line.
func (a HookAgent) entry(line string) any {
	if a.flat {
		return hookCommand{Command: line}
	}
	return hookMatcher{Hooks: []hookCommand{{Type: "command", Command: line, Timeout: HookTimeout}}}
}

// with returns settings that have every hook, and the events to which one was added.
func (a HookAgent) with(text []byte, line func(command string) string) (out []byte, added []string, err error) {
	out = text
	for _, h := range a.events {
		there, err := commandAt(out, h)
		if err != nil {
			return nil, nil, err
		}
		if there != "" {
			continue
		}
		if out, err = jsonedit.Append(out, a.entry(line(h.command)), "hooks", h.event); err != nil {
			return nil, nil, fmt.Errorf("hooks.%s: %w", h.event, err)
		}
		added = append(added, h.event)
	}
	if !a.flat || len(added) == 0 {
		return out, added, nil
	}
	var known struct {
		Version any `json:"version"`
	}
	if err := jsonedit.Decode(out, &known); err != nil || known.Version != nil {
		return out, added, err
	}
	out, err = jsonedit.Set(out, 1, "version")
	return out, added, err
}

// commandAt returns the command line with which an event calls a program of Winnow's name,
// empty for none.
func commandAt(settings []byte, h hookEvent) (string, error) {
	entries, err := entriesAt(settings, h.event)
	if err != nil {
		return "", err
	}
	for _, raw := range entries {
		for _, line := range linesOf(raw) {
			if ours(line, h.command) {
				return line, nil
			}
		}
	}
	return "", nil
}

// entriesAt returns the entries of an event.
func entriesAt(settings []byte, event string) ([]json.RawMessage, error) {
	var known struct {
		Hooks map[string]json.RawMessage `json:"hooks"`
	}
	if err := jsonedit.Decode(settings, &known); err != nil {
		if errors.Is(err, jsonedit.ErrInvalid) {
			err = fmt.Errorf("it is no JSON object (%w)", err)
		}
		return nil, err
	}
	var entries []json.RawMessage
	if list := known.Hooks[event]; len(list) > 0 {
		if err := json.Unmarshal(list, &entries); err != nil {
			return nil, fmt.Errorf("hooks.%s: it is no list", event)
		}
	}
	return entries, nil
}

// linesOf returns the command lines of an entry; one that cannot be read is another
// program's.
func linesOf(raw json.RawMessage) (lines []string) {
	var one hookCommand
	if json.Unmarshal(raw, &one) == nil && one.Command != "" {
		lines = append(lines, one.Command)
	}
	var list hookMatcher
	if json.Unmarshal(raw, &list) == nil {
		for _, c := range list.Hooks {
			lines = append(lines, c.Command)
		}
	}
	return lines
}

func ours(line, command string) bool {
	return strings.Contains(line, "winnow") && strings.Contains(line+" ", " "+command+" ")
}

// Installed returns the command lines that the agent's file has, by event.
func (a HookAgent) Installed(file string) (map[string]string, error) {
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read settings: %w", err)
	}
	found := map[string]string{}
	for _, h := range a.events {
		line, err := commandAt(text, h)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if line != "" {
			found[h.event] = line
		}
	}
	return found, nil
}

// Missing lists the events that are not in known, in the order of the agent's events.
func (a HookAgent) Missing(known map[string]string) (events []string) {
	for _, h := range a.events {
		if known[h.event] == "" {
			events = append(events, h.event)
		}
	}
	return events
}

// Sorted returns the events in the order of the agent's.
func (a HookAgent) Sorted(events []string) (sorted []string) {
	for _, h := range a.events {
		if slices.Contains(events, h.event) {
			sorted = append(sorted, h.event)
		}
	}
	return sorted
}

// Programs returns, for each event that has a hook of Winnow's, the program that it calls:
// the first word of its line. A file that is not there has none.
func (a HookAgent) Programs(file string) (programs map[string]string, err error) {
	lines, err := a.Installed(file)
	if err != nil {
		return nil, err
	}
	programs = map[string]string{}
	for _, h := range a.events {
		if program, _, ok := strings.Cut(lines[h.event]+" ", " "+h.command+" "); ok {
			programs[h.event] = unquoted(strings.TrimSpace(program))
		}
	}
	return programs, nil
}

// CheckHooks returns the programs that Claude Code's settings call, by event.
func CheckHooks(file string) (programs map[string]string, err error) {
	agent, _ := FindHookAgent("claude")
	return agent.Programs(file)
}

// unquoted undoes [quoted] for a single word.
func unquoted(word string) string {
	if inner, ok := strings.CutPrefix(word, "'"); ok {
		word = strings.ReplaceAll(strings.TrimSuffix(inner, "'"), `'\''`, "'")
	}
	return word
}

// RemoveHooks takes Winnow's hooks out of an agent's file and returns the events that had
// one. Where nobody has changed the file since the installation, it is as it was before to
// the letter, and gone if the installation created it; else all but the hooks stays.
func RemoveHooks(agent HookAgent, file string) (removed []string, err error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read settings: %w", err)
	}
	lines, err := agent.Installed(file)
	if err != nil || len(lines) == 0 {
		return nil, err
	}
	for _, h := range agent.events {
		if lines[h.event] != "" {
			removed = append(removed, h.event)
		}
	}
	real := file
	if at, err := filepath.EvalSymlinks(file); err == nil {
		real = at
	}
	copied := real + beforeWinnow
	backup, missing := os.ReadFile(copied)
	if missing != nil {
		backup = nil
	}
	again, _, err := agent.with(backup, func(command string) string {
		for _, h := range agent.events {
			if h.command == command {
				return lines[h.event]
			}
		}
		return ""
	})
	switch {
	case err == nil && bytes.Equal(again, text) && missing != nil:
		return removed, os.Remove(file)
	case err == nil && bytes.Equal(again, text):
		if _, err = replaceSettings(file, nil, backup); err == nil {
			err = os.Remove(copied)
		}
		return removed, err
	}
	for _, event := range removed {
		if text, err = withoutHooks(text, event); err != nil {
			return nil, fmt.Errorf("%s: hooks.%s: %w; take it out by hand", file, event, err)
		}
	}
	_, err = replaceSettings(file, nil, text)
	return removed, err
}

// withoutHooks removes the entries of Winnow from an event, and the event with its last.
func withoutHooks(text []byte, event string) ([]byte, error) {
	entries, err := entriesAt(text, event)
	if err != nil {
		return nil, err
	}
	left := slices.DeleteFunc(entries, func(raw json.RawMessage) bool {
		return slices.ContainsFunc(linesOf(raw), func(line string) bool {
			return ours(line, hookStart) || ours(line, hookEnd) || ours(line, hookNote)
		})
	})
	if len(left) == 0 {
		return jsonedit.Remove(text, "hooks", event)
	}
	return jsonedit.Set(text, left, "hooks", event)
}
