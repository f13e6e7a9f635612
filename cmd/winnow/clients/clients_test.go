package clients_test

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/winnowhq/winnow/cmd/winnow/clients"
)

var server = clients.Server{Command: "winnow", Args: []string{"mcp"}}

// An edit changes only the entry, is idempotent, and stores a copy of the
// previous file.
func TestInstall(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ client, before, after string }{
		"no file":      {"claude", "", "{\n  \"mcpServers\": {\n    \"winnow\": {\n      \"type\": \"stdio\",\n      \"command\": \"winnow\",\n      \"args\": [\n        \"mcp\"\n      ]\n    }\n  }\n}\n"},
		"empty object": {"cursor", "{}", "{\n  \"mcpServers\": {\n    \"winnow\": {\n      \"command\": \"winnow\",\n      \"args\": [\n        \"mcp\"\n      ]\n    }\n  }\n}"},
		"others, order and tabs": {
			"claude",
			"{\n\t\"z\": 1,\n\t\"mcpServers\": {\n\t\t\"git\": {\"command\": \"git-mcp\", \"args\": []}\n\t},\n\t\"a\": [1,2]\n}\n",
			"{\n\t\"z\": 1,\n\t\"mcpServers\": {\n\t\t\"git\": {\"command\": \"git-mcp\", \"args\": []},\n\t\t\"winnow\": {\n\t\t\t\"type\": \"stdio\",\n\t\t\t\"command\": \"winnow\",\n\t\t\t\"args\": [\n\t\t\t\t\"mcp\"\n\t\t\t]\n\t\t}\n\t},\n\t\"a\": [1,2]\n}\n",
		},
		"comments and a last comma": {
			"cursor",
			"// mine\n{\n  \"mcpServers\": { /* none yet */ },\n  \"x\": \"a // b\", // stays\n}\n",
			"// mine\n{\n  \"mcpServers\": { /* none yet */\n    \"winnow\": {\n      \"command\": \"winnow\",\n      \"args\": [\n        \"mcp\"\n      ]\n    }\n  },\n  \"x\": \"a // b\", // stays\n}\n",
		},
		"one line": {
			"cursor", `{"a":{"b":"}"}}`,
			"{\"a\":{\"b\":\"}\"},\n  \"mcpServers\": {\n    \"winnow\": {\n      \"command\": \"winnow\",\n      \"args\": [\n        \"mcp\"\n      ]\n    }\n  }\n}",
		},
		"an old entry with more in it": {
			"claude",
			"{\n  \"mcpServers\": {\n    \"winnow\": {\n      \"command\": \"/old/winnow\",\n      \"env\": {\"WINNOW_API_KEY\": \"${KEY}\"},\n      \"args\": [\"mcp\"]\n    }\n  }\n}\n",
			"{\n  \"mcpServers\": {\n    \"winnow\": {\n      \"command\": \"winnow\",\n      \"env\": {\"WINNOW_API_KEY\": \"${KEY}\"},\n      \"args\": [\"mcp\"]\n    }\n  }\n}\n",
		},
		"vscode": {
			"vscode", "{\n  // mine\n  \"inputs\": [],\n  \"servers\": {}\n}\n",
			"{\n  // mine\n  \"inputs\": [],\n  \"servers\": {\n    \"winnow\": {\n      \"type\": \"stdio\",\n      \"command\": \"winnow\",\n      \"args\": [\n        \"mcp\"\n      ]\n    }\n  }\n}\n",
		},
		"opencode, beside others": {
			"opencode", "{\n  \"theme\": \"dark\", // mine\n  \"mcp\": {\"git\": {\"type\": \"local\", \"command\": [\"git-mcp\"]}}\n}\n",
			"{\n  \"theme\": \"dark\", // mine\n  \"mcp\": {\"git\": {\"type\": \"local\", \"command\": [\"git-mcp\"]},\n    \"winnow\": {\n      \"type\": \"local\",\n      \"command\": [\n        \"winnow\",\n        \"mcp\"\n      ],\n      \"enabled\": true\n    }\n  }\n}\n",
		},
		"opencode, an old entry that is switched off": {
			"opencode", "{\n  \"mcp\": {\n    \"winnow\": {\n      \"type\": \"local\",\n      \"command\": [\"/old/winnow\"],\n      \"enabled\": false\n    }\n  }\n}\n",
			"{\n  \"mcp\": {\n    \"winnow\": {\n      \"type\": \"local\",\n      \"command\": [\n        \"winnow\",\n        \"mcp\"\n      ],\n      \"enabled\": false\n    }\n  }\n}\n",
		},
		"gemini": {
			"gemini", "{\n  \"theme\": \"x\"\n}\n",
			"{\n  \"theme\": \"x\",\n  \"mcpServers\": {\n    \"winnow\": {\n      \"command\": \"winnow\",\n      \"args\": [\n        \"mcp\"\n      ]\n    }\n  }\n}\n",
		},
		"windsurf, no file":       {"windsurf", "", "{\n  \"mcpServers\": {\n    \"winnow\": {\n      \"command\": \"winnow\",\n      \"args\": [\n        \"mcp\"\n      ]\n    }\n  }\n}\n"},
		"claude-desktop, no file": {"claude-desktop", "", "{\n  \"mcpServers\": {\n    \"winnow\": {\n      \"command\": \"winnow\",\n      \"args\": [\n        \"mcp\"\n      ]\n    }\n  }\n}\n"},
		"toml, no file":           {"codex", "", "[mcp_servers.winnow]\ncommand = 'winnow'\nargs = ['mcp']\n"},
		"toml, appended": {
			"codex", "# mine\nmodel = \"o\"\n\n[mcp_servers.git]\ncommand = \"git-mcp\"",
			"# mine\nmodel = \"o\"\n\n[mcp_servers.git]\ncommand = \"git-mcp\"\n\n[mcp_servers.winnow]\ncommand = 'winnow'\nargs = ['mcp']\n",
		},
		"toml, put right": {
			"codex", "[mcp_servers.winnow] # ours\n# why\ncommand = \"/old\"\nargs = [\n  \"mcp\",\n  \"--x\", # no\n]\nstartup_timeout_sec = 20\n\n[mcp_servers.winnow.env]\nK = \"v\"\n[other]\ncommand = 1\n",
			"[mcp_servers.winnow] # ours\ncommand = 'winnow'\nargs = ['mcp']\n# why\nstartup_timeout_sec = 20\n\n[mcp_servers.winnow.env]\nK = \"v\"\n[other]\ncommand = 1\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			p := plan(t, c.client, home)
			if c.before != "" {
				write(t, p.File, c.before)
				p = plan(t, c.client, home)
			}
			if p.Diff == "" {
				t.Fatal("no diff")
			}
			if err := p.Write(); err != nil {
				t.Fatal(err)
			}
			if got := read(t, p.File); got != c.after {
				t.Errorf("got:\n%s\nwant:\n%s", got, c.after)
			}
			if c.before != "" && read(t, p.Backup) != c.before {
				t.Errorf("backup %q", p.Backup)
			}
			if again := plan(t, c.client, home); again.Diff != "" {
				t.Errorf("twice:\n%s", again.Diff)
			}
			entries, err := os.ReadDir(filepath.Dir(p.File))
			if err != nil || len(entries) > 2 {
				t.Errorf("left behind: %v, %v", entries, err)
			}
			e, err := clients.Configured(c.client, home)
			if err != nil || e.Command != server.Command || !slices.Equal(e.Args, server.Args) || e.File != p.File {
				t.Errorf("configured: %+v, %v", e, err)
			}
			undo(t, c.client, home, p.File)
			if text, err := os.ReadFile(p.File); !strings.Contains(c.before, "winnow") && (c.before == "" && !errors.Is(err, os.ErrNotExist) || c.before != "" && string(text) != c.before) {
				t.Errorf("undone: %q, want %q, %v", text, c.before, err)
			}
			if left, _ := os.ReadDir(filepath.Dir(p.File)); !strings.Contains(c.before, "winnow") && (c.before == "" && len(left) > 0 || c.before != "" && len(left) != 1) {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// undo removes the entry, twice: the second time changes nothing.
func undo(t *testing.T, client, home, file string) {
	t.Helper()
	for range 2 {
		r, err := clients.PlanRemoval(client, home)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Write(); err != nil {
			t.Fatal(err)
		}
	}
	if e, err := clients.Configured(client, home); !errors.Is(err, clients.ErrNone) {
		t.Errorf("%s still has %+v, %v", file, e, err)
	}
}

// What a person changed after the installation stays when the entry is removed.
func TestRemovalKeepsChanges(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ client, before, change, with, after string }{
		"a comment": {
			"cursor", "{\n  \"mcpServers\": {\n    \"git\": {\"command\": \"x\"}\n  }\n}\n", "{\n", "{ // mine\n",
			"{ // mine\n  \"mcpServers\": {\n    \"git\": {\"command\": \"x\"}\n  }\n}\n",
		},
		"another server": {
			"claude", "", "\"mcpServers\": {", "\"mcpServers\": {\n    \"git\": {\"command\": \"x\"},",
			"{\n  \"mcpServers\": {\n    \"git\": {\"command\": \"x\"}\n  }\n}\n",
		},
		"variables of the entry": {
			"gemini", "{\n  \"theme\": \"x\"\n}\n", "\"command\"", "\"env\": {\"K\": \"v\"},\n      \"command\"",
			"{\n  \"theme\": \"x\",\n  \"mcpServers\": {}\n}\n",
		},
		"a table after it": {
			"codex", "model = \"o\"\n", "args = ['mcp']\n", "args = ['mcp']\n\n# theirs\n[other]\na = 1\n",
			"model = \"o\"\n\n\n# theirs\n[other]\na = 1\n",
		},
	} {
		home := t.TempDir()
		file := plan(t, c.client, home).File
		if c.before != "" {
			write(t, file, c.before)
		}
		if err := plan(t, c.client, home).Write(); err != nil {
			t.Fatal(err)
		}
		write(t, file, strings.Replace(read(t, file), c.change, c.with, 1))
		undo(t, c.client, home, file)
		if got := read(t, file); got != c.after {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, c.after)
		}
	}
	// Nothing is removed where nothing is, and what cannot be read is not touched.
	home := t.TempDir()
	undo(t, "windsurf", home, "")
	file := plan(t, "vscode", home).File
	write(t, file, `{"servers": `)
	if _, err := clients.PlanRemoval("vscode", home); err == nil || read(t, file) != `{"servers": ` {
		t.Errorf("a broken file: %v", err)
	}
}

// An entry is read as the client means it.
func TestConfigured(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]clients.Entry{
		`{"mcpServers": {"winnow": {"command": "w", "args": ["mcp"], "env": {"K": "v"}, "disabled": true}}}`: {Server: clients.Server{Command: "w", Args: []string{"mcp"}}, Env: map[string]string{"K": "v"}, Off: true},
		`{"mcpServers": {"winnow": {"url": "https://winnow.example/mcp"}}}`:                                  {URL: "https://winnow.example/mcp"},
		`{"mcpServers": {"winnow": {}}}`: {},
	} {
		home := t.TempDir()
		write(t, plan(t, "cursor", home).File, text)
		e, err := clients.Configured("cursor", home)
		if err != nil || e.Command != want.Command || !slices.Equal(e.Args, want.Args) || !maps.Equal(e.Env, want.Env) || e.URL != want.URL || e.Off != want.Off {
			t.Errorf("%s: %+v, %v", text, e, err)
		}
	}
	home := t.TempDir()
	write(t, plan(t, "cursor", home).File, `{"mcpServers": {"winnow": {"command": 7}}}`)
	if e, err := clients.Configured("cursor", home); err == nil {
		t.Errorf("a number as the program: %+v", e)
	}
}

// A file that cannot be parsed does not change by a byte.
func TestRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ client, text string }{
		"broken JSON":    {"claude", `{"a": `},
		"no object":      {"claude", `[1]`},
		"two objects":    {"claude", `{} {}`},
		"open comment":   {"cursor", `{ /* `},
		"servers a list": {"cursor", `{"mcpServers": []}`},
		"a remote one":   {"cursor", `{"mcpServers": {"winnow": {"url": "https://winnow.example/mcp"}}}`},
		"a list":         {"opencode", `{"mcp": []}`},
		"a string":       {"vscode", `{"servers": "none"}`},
		"broken TOML":    {"codex", `[a`},
		"inline table":   {"codex", `mcp_servers = { winnow = { command = "x" } }`},
		"dotted":         {"codex", `mcp_servers.winnow.command = "x"`},
		"header in text": {"codex", "[mcp_servers.winnow]\ncommand = \"x\"\nnote = \"\"\"\n[mcp_servers.winnow]\ncommand = 1\n\"\"\"\n[[mcp_servers.winnow.args]]\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			file := plan(t, c.client, home).File
			write(t, file, c.text)
			p, err := clients.PlanUser(c.client, home, server)
			if err == nil {
				t.Errorf("planned:\n%s", p.Diff)
			}
			if read(t, file) != c.text {
				t.Error("the file was touched")
			}
		})
	}
	if _, err := clients.PlanUser("emacs", t.TempDir(), server); !errors.Is(err, clients.ErrUnknown) {
		t.Errorf("unknown client: %v", err)
	}
	if _, err := clients.PlanProject("codex", t.TempDir(), server); !errors.Is(err, clients.ErrUnknown) {
		t.Errorf("codex has no project's file: %v", err)
	}
}

// A file with a concurrent change is not overwritten, and a link
// stays a link.
func TestWritesWithCare(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	p := plan(t, "claude", home)
	write(t, p.File, `{"theirs": 1}`)
	if err := p.Write(); !errors.Is(err, clients.ErrChanged) || read(t, p.File) != `{"theirs": 1}` {
		t.Errorf("changed meanwhile: %v", err)
	}
	dots := filepath.Join(home, "dotfiles.json")
	if err := errors.Join(os.Rename(p.File, dots), os.Symlink(dots, p.File)); err != nil {
		t.Fatal(err)
	}
	if err := plan(t, "claude", home).Write(); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(p.File); err != nil || info.Mode()&os.ModeSymlink == 0 || !strings.Contains(read(t, dots), "winnow") {
		t.Errorf("link: %v, %v", info, err)
	}
	project, err := clients.PlanProject("cursor", home, server)
	if err != nil || project.File != filepath.Join(home, ".cursor", "mcp.json") {
		t.Errorf("%+v, %v", project, err)
	}
}

func plan(t *testing.T, client, home string) *clients.Plan {
	t.Helper()
	p, err := clients.PlanUser(client, home, server)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
