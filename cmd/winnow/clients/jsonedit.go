package clients

import (
	"encoding/json"
	"errors"
	"reflect"

	"github.com/winnowhq/winnow/services/local/jsonedit"
)

// errOurs says that an edit would change more than the entry.
var errOurs = errors.New("it is written in a way that cannot be edited safely; add the entry by hand")

const serversKey = "mcpServers"

// jsonServer is the entry of clients with JSON files.
type jsonServer struct {
	Type    string   `json:"type,omitempty"`
	Command string   `json:"command"`
	Args    []string `json:"args"`
}

func editClaude(text []byte, s Server) ([]byte, error) {
	return editJSON(text, jsonServer{"stdio", s.Command, s.Args})
}

func editCursor(text []byte, s Server) ([]byte, error) {
	return editJSON(text, jsonServer{"", s.Command, s.Args})
}

// editJSON adds the entry or repairs it. A person's additions to the entry, such
// as variables, stay.
func editJSON(text []byte, entry jsonServer) ([]byte, error) {
	var before, after map[string]any
	if err := jsonedit.Decode(text, &before); err != nil {
		return nil, err
	}
	out, err := placed(text, before, entry)
	if err != nil {
		return nil, err
	}
	if err := jsonedit.Decode(out, &after); err != nil || !reflect.DeepEqual(others(before), others(after)) {
		return nil, errOurs
	}
	return out, nil
}

func placed(text []byte, before map[string]any, entry jsonServer) ([]byte, error) {
	servers, _ := before[serversKey].(map[string]any)
	known, isObject := servers[serverName].(map[string]any)
	if _, starts := known["command"]; !isObject || !starts {
		return jsonedit.Set(text, entry, serversKey, serverName)
	}
	// An existing entry, which may have a person's additions.
	out := text
	for _, part := range []struct {
		name  string
		value any
	}{{"command", entry.Command}, {"args", entry.Args}} {
		var wanted any
		raw, err := json.Marshal(part.value)
		if err == nil {
			err = json.Unmarshal(raw, &wanted)
		}
		if err == nil && !reflect.DeepEqual(known[part.name], wanted) {
			out, err = jsonedit.Set(out, part.value, serversKey, serverName, part.name)
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// others returns the value without Winnow's fields of the entry.
func others(v map[string]any) map[string]any {
	rest := map[string]any{}
	for k, value := range v {
		rest[k] = value
	}
	servers, ok := rest[serversKey].(map[string]any)
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
				if name != "command" && name != "args" && name != "type" {
					left[serverName+"\x00"+name] = part
				}
			}
		}
	}
	if delete(rest, serversKey); len(left) > 0 {
		rest[serversKey] = left
	}
	return rest
}
