package clients

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/pelletier/go-toml/v2"

	"github.com/winnowhq/winnow/services/local/jsonedit"
)

// Entry is what a client's configuration says of Winnow.
type Entry struct {
	Client string `json:"client"`
	File   string `json:"file"`
	Server
	Env map[string]string `json:"env,omitempty"`
	// URL is of a server that the client does not start; Command is empty then.
	URL string `json:"url,omitempty"`
	// Off: the client is told not to start it.
	Off bool `json:"off,omitempty"`
}

// Configured returns the entry that a client reads for all projects of the person with
// this home folder. The error is [ErrNone] where there is none.
func Configured(name, home string) (Entry, error) {
	c, err := find(name)
	if err != nil {
		return Entry{}, err
	}
	return c.configured(c.user(home))
}

// ConfiguredProject returns the entry that a client reads in a project's folder.
func ConfiguredProject(name, dir string) (Entry, error) {
	c, err := find(name)
	if err != nil {
		return Entry{}, err
	}
	if c.project == "" {
		return Entry{}, noProject(name)
	}
	return c.configured(filepath.Join(dir, c.project))
}

func noProject(name string) error {
	return fmt.Errorf("%w: %s has no file of a project; leave --project out, or write --user", ErrUnknown, name)
}

func (c client) configured(file string) (Entry, error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return Entry{Client: c.name, File: file}, ErrNone
	}
	if err != nil {
		return Entry{Client: c.name, File: file}, fmt.Errorf("read the client's configuration: %w", err)
	}
	e, err := c.entry(text)
	e.Client, e.File = c.name, file
	return e, err
}

// written is an entry in any of the clients' words.
type written struct {
	Command     json.RawMessage   `json:"command" toml:"-"` // OpenCode's is the whole line
	Args        []string          `json:"args"`
	Env         map[string]string `json:"env"`
	Environment map[string]string `json:"environment"` // OpenCode's
	URL         string            `json:"url"`
	ServerURL   string            `json:"serverUrl"` // Windsurf's
	HTTPURL     string            `json:"httpUrl"`   // Gemini's
	Disabled    bool              `json:"disabled"`
	Enabled     *bool             `json:"enabled"`
}

// entryJSON reads the entry below a key.
func entryJSON(text []byte, key string) (e Entry, err error) {
	var file map[string]json.RawMessage
	if err := jsonedit.Decode(text, &file); err != nil {
		return e, err
	}
	var servers map[string]json.RawMessage
	if raw := file[key]; len(raw) > 0 && json.Unmarshal(raw, &servers) != nil {
		return e, fmt.Errorf("%s is no object", key)
	}
	return entryOf(servers[serverName])
}

// entryTOML reads the entry of Codex.
func entryTOML(text []byte) (e Entry, err error) {
	var file struct {
		Servers map[string]map[string]any `toml:"mcp_servers"`
	}
	if toml.Unmarshal(text, &file) != nil {
		return e, errTOML
	}
	own, ok := file.Servers[serverName]
	if !ok {
		return e, ErrNone
	}
	raw, err := json.Marshal(own)
	if err != nil {
		return e, err
	}
	return entryOf(raw)
}

func entryOf(raw json.RawMessage) (e Entry, err error) {
	if len(raw) == 0 || string(raw) == "null" {
		return e, ErrNone
	}
	var w written
	if err := json.Unmarshal(raw, &w); err != nil {
		return e, fmt.Errorf("the entry %s cannot be read", serverName)
	}
	var line []string
	if json.Unmarshal(w.Command, &line) == nil && len(line) > 0 {
		e.Command, e.Args = line[0], line[1:]
	} else if err := json.Unmarshal(w.Command, &e.Command); err != nil && len(w.Command) > 0 {
		return e, fmt.Errorf("the command of the entry %s is no text", serverName)
	}
	e.Args = append(e.Args, w.Args...)
	e.Env, e.Off = w.Env, w.Disabled || w.Enabled != nil && !*w.Enabled
	if e.Env == nil {
		e.Env = w.Environment
	}
	for _, url := range []string{w.URL, w.ServerURL, w.HTTPURL} {
		if e.URL == "" && e.Command == "" {
			e.URL = url
		}
	}
	return e, nil
}
