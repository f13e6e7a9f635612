package clients

import (
	"encoding/json"
	"errors"
	"reflect"

	"github.com/winnowhq/winnow/services/local/jsonedit"
)

// errOurs says that an edit would change more than the entry.
var errOurs = errors.New("it is written in a way that cannot be edited safely; add the entry by hand")

// The names under which clients list their servers.
const (
	serversKey = "mcpServers"
	vscodeKey  = "servers"
	openKey    = "mcp"
)

// jsonServer is the entry of clients with JSON files.
type jsonServer struct {
	Type    string   `json:"type,omitempty"`
	Command string   `json:"command"`
	Args    []string `json:"args"`
}

// openServer is OpenCode's entry, with the program and its arguments in one list.
type openServer struct {
	Type    string   `json:"type"`
	Command []string `json:"command"`
	Enabled bool     `json:"enabled"`
}

func editClaude(text []byte, s Server) ([]byte, error) {
	return editJSON(text, serversKey, jsonServer{"stdio", s.Command, s.Args}, field{"command", s.Command}, field{"args", s.Args})
}

func editCursor(text []byte, s Server) ([]byte, error) {
	return editJSON(text, serversKey, jsonServer{"", s.Command, s.Args}, field{"command", s.Command}, field{"args", s.Args})
}

func editVSCode(text []byte, s Server) ([]byte, error) {
	return editJSON(text, vscodeKey, jsonServer{"stdio", s.Command, s.Args}, field{"command", s.Command}, field{"args", s.Args})
}

func editOpenCode(text []byte, s Server) ([]byte, error) {
	line := append([]string{s.Command}, s.Args...)
	return editJSON(text, openKey, openServer{"local", line, true}, field{"command", line})
}

// field is a part of an entry that an existing one must have.
type field struct {
	name  string
	value any
}

// editJSON adds the entry or repairs it. A person's additions to the entry, such
// as variables, stay.
func editJSON(text []byte, key string, entry any, fields ...field) ([]byte, error) {
	var before, after map[string]any
	if err := jsonedit.Decode(text, &before); err != nil {
		return nil, err
	}
	out, err := placed(text, before, key, entry, fields)
	if err != nil {
		return nil, err
	}
	if err := jsonedit.Decode(out, &after); err != nil || !reflect.DeepEqual(others(before, key), others(after, key)) {
		return nil, errOurs
	}
	return out, nil
}

func placed(text []byte, before map[string]any, key string, entry any, fields []field) ([]byte, error) {
	servers, _ := before[key].(map[string]any)
	known, isObject := servers[serverName].(map[string]any)
	if _, starts := known["command"]; !isObject || !starts {
		return jsonedit.Set(text, entry, key, serverName)
	}
	// An existing entry, which may have a person's additions.
	out := text
	for _, part := range fields {
		var wanted any
		raw, err := json.Marshal(part.value)
		if err == nil {
			err = json.Unmarshal(raw, &wanted)
		}
		if err == nil && !reflect.DeepEqual(known[part.name], wanted) {
			out, err = jsonedit.Set(out, part.value, key, serverName, part.name)
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// others returns the value without Winnow's fields of the entry.
func others(v map[string]any, key string) map[string]any {
	rest := map[string]any{}
	for k, value := range v {
		rest[k] = value
	}
	servers, ok := rest[key].(map[string]any)
	if !ok {
		return rest
	}
	left := map[string]any{}
	for k, value := range servers {
		if k != serverName {
			left[k] = value
			continue
		}
		if entry, ok := value.(map[string]any); ok {
			for name, part := range entry {
				if name != "command" && name != "args" && name != "type" && name != "enabled" {
					left[serverName+"\x00"+name] = part
				}
			}
		}
	}
	if delete(rest, key); len(left) > 0 {
		rest[key] = left
	}
	return rest
}
