package clients

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// ErrUnknown says that a client is not one of [Names], or has no file of the
// requested kind.
var ErrUnknown = errors.New("unknown client")

// serverName is the name of the entry in every client.
const serverName = "winnow"

// Server is the program that a client starts.
type Server struct {
	Command string
	Args    []string
}

// client is a coding agent with its configuration files.
type client struct {
	name    string
	user    func(home string) string
	project string // relative to the project's folder; empty without such a file
	key     string // under which a file of JSON lists servers; empty for TOML
	edit    func(text []byte, s Server) ([]byte, error)
}

// entry reads the entry. The error is [ErrNone] where there is none.
func (c client) entry(text []byte) (Entry, error) {
	if c.key == "" {
		return entryTOML(text)
	}
	return entryJSON(text, c.key)
}

// remove returns a configuration without the entry, and without the list of servers too
// where nothing else is in it.
func (c client) remove(text []byte) (bare, whole []byte, err error) {
	if c.key == "" {
		return removeTOML(text)
	}
	return removeJSON(text, c.key)
}

var clients = []client{
	{"claude", claudeFile, ".mcp.json", serversKey, editClaude},
	{"cursor", func(home string) string { return filepath.Join(home, ".cursor", "mcp.json") }, filepath.Join(".cursor", "mcp.json"), serversKey, editCursor},
	{"codex", codexFile, "", "", editCodex},
	{"vscode", func(home string) string { return filepath.Join(settings(home), "Code", "User", "mcp.json") }, filepath.Join(".vscode", "mcp.json"), vscodeKey, editVSCode},
	{"gemini", func(home string) string { return filepath.Join(home, ".gemini", "settings.json") }, filepath.Join(".gemini", "settings.json"), serversKey, editCursor},
	{"windsurf", func(home string) string { return filepath.Join(home, ".codeium", "windsurf", "mcp_config.json") }, "", serversKey, editCursor},
	{"opencode", func(home string) string { return filepath.Join(home, ".config", "opencode", "opencode.json") }, "opencode.json", openKey, editOpenCode},
	{"claude-desktop", func(home string) string { return filepath.Join(settings(home), "Claude", "claude_desktop_config.json") }, "", serversKey, editCursor},
}

// Names lists the supported clients.
func Names() []string {
	var names []string
	for _, c := range clients {
		names = append(names, c.name)
	}
	return names
}

// settings is the folder of desktop programs' settings.
func settings(home string) string {
	switch runtime.GOOS {
	case "darwin":
		return filepath.Join(home, "Library", "Application Support")
	case "windows":
		return filepath.Join(home, "AppData", "Roaming")
	}
	return filepath.Join(home, ".config")
}

// claudeFile is the file in which Claude Code stores settings for all projects.
func claudeFile(home string) string {
	if dir := os.Getenv("CLAUDE_CONFIG_DIR"); dir != "" {
		home = dir
	}
	return filepath.Join(home, ".claude.json")
}

func codexFile(home string) string {
	if dir := os.Getenv("CODEX_HOME"); dir != "" {
		return filepath.Join(dir, "config.toml")
	}
	return filepath.Join(home, ".codex", "config.toml")
}

func find(name string) (client, error) {
	i := slices.IndexFunc(clients, func(c client) bool { return c.name == name })
	if i < 0 {
		return client{}, fmt.Errorf("%w %q: want one of %s", ErrUnknown, name, strings.Join(Names(), ", "))
	}
	return clients[i], nil
}

// Plan is a planned change of one entry.
type Plan struct {
	Client string `json:"client"`
	File   string `json:"file"`
	// Diff holds the changed lines with - and +; empty when the entry exists.
	Diff string `json:"diff"`
	// Backup is the path of the previous file's copy after Write; empty without
	// a previous file.
	Backup string `json:"backup,omitempty"`

	before, after []byte
	// removal: the entry is removed, and no copy is made. delete: the installation had
	// created the file. restored is the path of the copy that after equals, else empty.
	removal, delete bool
	restored        string
}

// PlanUser plans an entry for all projects of the person with this home folder.
func PlanUser(name, home string, s Server) (*Plan, error) {
	c, err := find(name)
	if err != nil {
		return nil, err
	}
	return c.plan(c.user(home), s)
}

// PlanProject plans an entry for every user of a project's folder.
func PlanProject(name, dir string, s Server) (*Plan, error) {
	c, err := find(name)
	if err != nil {
		return nil, err
	}
	if c.project == "" {
		return nil, noProject(name)
	}
	return c.plan(filepath.Join(dir, c.project), s)
}

func (c client) plan(file string, s Server) (*Plan, error) {
	p := &Plan{Client: c.name, File: file}
	var err error
	if p.before, err = os.ReadFile(file); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("read the client's configuration: %w", err)
	}
	if p.after, err = c.edit(p.before, s); err != nil {
		return nil, fmt.Errorf("%s: %w; nothing was changed", file, err)
	}
	p.Diff = diff(string(p.before), string(p.after))
	return p, nil
}
