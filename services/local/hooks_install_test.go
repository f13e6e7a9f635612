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
	both := []string{"SessionStart", "SessionEnd"}
	for name, c := range map[string]struct {
		before, after string
		added         []string
	}{
		"no file": {"", `{"hooks":{"SessionStart":[OURS],"SessionEnd":[OURS]}}`, both},
		"others": {
			`{"z": 1.50, "hooks": {"Stop": [{"hooks": []}], "SessionEnd": [{"matcher": "x", "hooks": [{"type": "command", "command": "bye"}]}]}, "a": {"b": null}}`,
			`{"z":1.50,"hooks":{"Stop":[{"hooks":[]}],"SessionEnd":[{"matcher":"x","hooks":[{"type":"command","command":"bye"}]},OURS],"SessionStart":[OURS]},"a":{"b":null}}`, both,
		},
		"one there": {
			`{"hooks":{"SessionEnd":[{"hooks":[{"type":"command","command":"/opt/winnow hook session-end --state-dir /w","timeout":60}]}]}}`,
			`{"hooks":{"SessionEnd":[{"hooks":[{"type":"command","command":"/opt/winnow hook session-end --state-dir /w","timeout":60}]}],"SessionStart":[OURS]}}`, both[:1],
		},
		"null": {`{"hooks": null}`, `{"hooks":{"SessionStart":[OURS],"SessionEnd":[OURS]}}`, both},
	} {
		file := filepath.Join(t.TempDir(), "agent", "settings.json")
		if c.before != "" {
			file = written(t, "settings.json", c.before)
		}
		for n := range 2 {
			done, err := local.InstallHooks(file, "/my programs/winnow", "--state-dir", "/w")
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
		for _, event := range []string{"start", "end"} {
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
	want := strings.Replace(before, "[ ],", "[ ],\n\t\t\"SessionStart\": "+entry+"session-start"+end+",\n\t\t\"SessionEnd\": "+entry+"session-end"+end, 1)
	file := written(t, "settings.json", before)
	if _, err := local.InstallHooks(file, "winnow"); err != nil {
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
		if _, err := local.InstallHooks(file, "winnow"); err == nil || !strings.Contains(err.Error(), "--no-hooks") {
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
	if _, err := local.InstallHooks(link, "winnow"); err != nil {
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
