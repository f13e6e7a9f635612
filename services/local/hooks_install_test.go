package local_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/winnowhq/winnow/services/local"
)

// All other settings stay, in their order; a second call changes nothing.
func TestInstallHooks(t *testing.T) {
	t.Parallel()
	all := []string{"SessionStart", "SessionEnd", "PreCompact"}
	for name, c := range map[string]struct {
		before, after string
		added         []string
	}{
		"no file": {"", `{"hooks":{"SessionStart":[OURS],"SessionEnd":[OURS],"PreCompact":[OURS]}}`, all},
		"others": {
			`{"z": 1.50, "hooks": {"Stop": [{"hooks": []}], "SessionEnd": [{"matcher": "x", "hooks": [{"type": "command", "command": "bye"}]}]}, "a": {"b": null}}`,
			`{"z":1.50,"hooks":{"Stop":[{"hooks":[]}],"SessionEnd":[{"matcher":"x","hooks":[{"type":"command","command":"bye"}]},OURS],"SessionStart":[OURS],"PreCompact":[OURS]},"a":{"b":null}}`, all,
		},
		"one there": {
			`{"hooks":{"SessionEnd":[{"hooks":[{"type":"command","command":"/opt/winnow hook session-end --state-dir /w","timeout":60}]}]}}`,
			`{"hooks":{"SessionEnd":[{"hooks":[{"type":"command","command":"/opt/winnow hook session-end --state-dir /w","timeout":60}]}],"SessionStart":[OURS],"PreCompact":[OURS]}}`, []string{"SessionStart", "PreCompact"},
		},
		"null": {`{"hooks": null}`, `{"hooks":{"SessionStart":[OURS],"SessionEnd":[OURS],"PreCompact":[OURS]}}`, all},
	} {
		file := filepath.Join(t.TempDir(), "agent", "settings.json")
		if c.before != "" {
			file = written(t, "settings.json", c.before)
		}
		for n := range 2 {
			done, err := local.InstallHooks(agent(t, "claude"), file, "/my programs/winnow", "--state-dir", "/w")
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if want := c.added; n == 0 && !slices.Equal(done.Added, want) || n == 1 && len(done.Added) != 0 {
				t.Errorf("%s, time %d: added %v", name, n+1, done.Added)
			}
		}
		after, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		got := strings.NewReplacer("\n", "", "  ", "", `": `, `":`, `, "`, `,"`).Replace(string(after))
		for _, event := range []string{"start", "end", "note"} {
			ours := `{"hooks":[{"type":"command","command":"'/my programs/winnow' hook session-` + event + ` --state-dir /w","timeout":10}]}`
			got = strings.ReplaceAll(got, ours, "OURS")
		}
		if got != c.after {
			t.Errorf("%s:\n got %s\nwant %s", name, got, c.after)
		}
		if backup, err := os.ReadFile(file + ".before-winnow"); c.before != "" && (err != nil || string(backup) != c.before) {
			t.Errorf("%s: backup %q, %v", name, backup, err)
		}
	}
}

// Settings are a person's: comments, indentation and the order of fields stay, letter
// by letter.
func TestInstallHooksKeepsComments(t *testing.T) {
	t.Parallel()
	const before = "// mine\n{\n\t\"model\": \"opus\", // for now\n\t\"hooks\": {\n\t\t/* bell */\n\t\t\"Stop\": [ ],\n\t},\n\t\"x\": [1,2]\n}\n"
	const entry = "[\n\t\t\t{\n\t\t\t\t\"hooks\": [\n\t\t\t\t\t{\n\t\t\t\t\t\t\"type\": \"command\",\n\t\t\t\t\t\t\"command\": \"winnow hook "
	const end = "\",\n\t\t\t\t\t\t\"timeout\": 10\n\t\t\t\t\t}\n\t\t\t\t]\n\t\t\t}\n\t\t]"
	want := strings.Replace(before, "[ ],", "[ ],\n\t\t\"SessionStart\": "+entry+"session-start"+end+",\n\t\t\"SessionEnd\": "+entry+"session-end"+end+",\n\t\t\"PreCompact\": "+entry+"session-note"+end, 1)
	file := written(t, "settings.json", before)
	if _, err := local.InstallHooks(agent(t, "claude"), file, "winnow"); err != nil {
		t.Fatal(err)
	}
	if after, err := os.ReadFile(file); err != nil || string(after) != want {
		t.Errorf("%v, got:\n%s\nwant:\n%s", err, after, want)
	}
}

// What cannot be understood is left alone, with the remedy in one line.
func TestInstallHooksRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`{"a": 1, // mine`, `[]`, `{} {}`, `{"hooks": []}`, `{"hooks": {"SessionEnd": {}}}`, `{"hooks": {}, "hooks": {}}`, "\xff"} {
		file := written(t, "settings.json", text)
		if _, err := local.InstallHooks(agent(t, "claude"), file, "winnow"); err == nil || !strings.Contains(err.Error(), "--no-hooks") {
			t.Errorf("%s: %v", text, err)
		}
		if after, err := os.ReadFile(file); err != nil || string(after) != text {
			t.Errorf("%s became %s, %v", text, after, err)
		}
	}
}

// A link to settings in a repository stays one, and so do the file's rights.
func TestInstallHooksFollowsLinks(t *testing.T) {
	t.Parallel()
	real := written(t, "dotfiles/settings.json", "{}")
	if err := os.Chmod(real, 0o640); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "settings.json")
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	if _, err := local.InstallHooks(agent(t, "claude"), link, "winnow"); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("%v, %v", info, err)
	}
	info, err := os.Stat(real)
	if err != nil || info.Mode().Perm() != 0o640 || info.Size() < 10 {
		t.Errorf("%v, %v", info, err)
	}
}

// agent returns an agent with hooks.
func agent(t *testing.T, name string) local.HookAgent {
	t.Helper()
	a, ok := local.FindHookAgent(name)
	if !ok {
		t.Fatalf("%s has no hooks", name)
	}
	return a
}

// In a clean home and beside what is there, every agent gets its hooks in its own form,
// once; taking them out leaves what was there to the letter, or nothing.
func TestHooksOfAgents(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct{ file, text, other string }{
		"claude": {".claude/settings.json", `"SessionStart": [`, `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "bye"}]}]} /* mine */}`},
		"codex":  {".codex/hooks.json", `"Stop": [`, `{"description": "mine", "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "bye"}]}]}}`},
		"cursor": {".cursor/hooks.json", `"version": 1`, `{"version": 1, "hooks": {"stop": [{"command": "./bye.sh"}], "sessionEnd": [{"command": "./winnow.sh"}]}}`},
	} {
		for _, before := range []string{"", want.other} {
			home := local.Home{Dir: t.TempDir()}
			a := agent(t, name)
			file := a.File(home)
			if file != filepath.Join(home.Dir, filepath.FromSlash(want.file)) {
				t.Fatalf("%s: %s", name, file)
			}
			if before != "" {
				if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(before), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			for n := range 2 {
				done, err := local.InstallHooks(a, file, "/opt/winnow")
				if err != nil || n == 0 && len(done.Added) != len(a.Missing(nil)) || n == 1 && len(done.Added) != 0 {
					t.Errorf("%s, time %d: %+v, %v", name, n+1, done, err)
				}
			}
			after, err := os.ReadFile(file)
			if err != nil || !strings.Contains(string(after), want.text) {
				t.Errorf("%s: %s, %v", name, after, err)
			}
			if found, err := a.Installed(file); err != nil || len(found) != len(a.Missing(nil)) {
				t.Errorf("%s: found %v, %v", name, found, err)
			}
			removed, err := local.RemoveHooks(a, file)
			left, missing := os.ReadFile(file)
			if err != nil || len(removed) != len(a.Missing(nil)) || string(left) != before || before == "" && !os.IsNotExist(missing) {
				t.Errorf("%s without %v: %q, %v, %v", name, removed, left, err, missing)
			}
			if list, _ := os.ReadDir(filepath.Dir(file)); before == "" && len(list) > 0 || before != "" && len(list) != 1 {
				t.Errorf("%s: left behind %v", name, list)
			}
			if removed, err := local.RemoveHooks(a, file); err != nil || len(removed) != 0 {
				t.Errorf("%s, again: %v, %v", name, removed, err)
			}
		}
	}
}

// What a person changed after the installation stays when the hooks are taken out.
func TestRemoveHooksKeepsChanges(t *testing.T) {
	t.Parallel()
	a := agent(t, "cursor")
	file := written(t, "hooks.json", "{\n  // mine\n  \"hooks\": {\"stop\": [{\"command\": \"./bye.sh\"}]}\n}\n")
	if _, err := local.InstallHooks(a, file, "winnow"); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(text), "// mine", "// mine, changed", 1)
	if err := os.WriteFile(file, []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := local.RemoveHooks(a, file); err != nil {
		t.Fatal(err)
	}
	after, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(after), "// mine, changed") || !strings.Contains(string(after), "./bye.sh") || strings.Contains(string(after), "winnow") {
		t.Errorf("%s, %v", after, err)
	}
	if err := os.WriteFile(file, []byte(`{"hooks": `), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := local.RemoveHooks(a, file); err == nil {
		t.Error("a broken file was changed")
	}
}
