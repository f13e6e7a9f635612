package clients

import (
	"bytes"
	"errors"
	"reflect"
	"regexp"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

var errTOML = errors.New("not valid TOML; correct it first")

// tomlServer is the entry in Codex's configuration.
type tomlServer struct {
	Command string   `toml:"command"`
	Args    []string `toml:"args"`
}

var (
	// ourHeader matches the header of Winnow's table, anyHeader any header.
	ourHeader = regexp.MustCompile(`^\s*\[\s*mcp_servers\s*\.\s*"?` + serverName + `"?\s*\]\s*(#.*)?$`)
	anyHeader = regexp.MustCompile(`^\s*\[`)
	ourKey    = regexp.MustCompile(`^\s*(command|args)\s*=`)
)

// editCodex appends Winnow's table or repairs its fields. A person's additions
// to the table stay. A table in another notation is left to the person.
func editCodex(text []byte, s Server) ([]byte, error) {
	entry := tomlServer{s.Command, append([]string{}, s.Args...)}
	var before, after map[string]any
	if toml.Unmarshal(text, &before) != nil {
		return nil, errTOML
	}
	if holds(before, entry) {
		return text, nil
	}
	ours, err := toml.Marshal(entry)
	if err != nil {
		return nil, err
	}
	out := placedTOML(string(text), string(ours))
	if toml.Unmarshal([]byte(out), &after) != nil || !holds(after, entry) || !reflect.DeepEqual(othersTOML(before), othersTOML(after)) {
		return nil, errOurs
	}
	return []byte(out), nil
}

// placedTOML replaces Winnow's lines under its header.
func placedTOML(text, ours string) string {
	all := strings.SplitAfter(text, "\n")
	at := -1
	for i, line := range all {
		if ourHeader.MatchString(strings.TrimRight(line, "\r\n")) {
			at = i
			break
		}
	}
	if at < 0 {
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		if strings.TrimSpace(text) != "" {
			text += "\n"
		}
		return text + "[mcp_servers." + serverName + "]\n" + ours
	}
	var out strings.Builder
	for _, line := range all[:at+1] {
		out.WriteString(line)
	}
	if !strings.HasSuffix(all[at], "\n") {
		out.WriteString("\n")
	}
	out.WriteString(ours)
	rest := all[at+1:]
	for i := 0; i < len(rest); i++ {
		switch {
		case anyHeader.MatchString(rest[i]):
			out.WriteString(strings.Join(rest[i:], ""))
			return out.String()
		case ourKey.MatchString(rest[i]):
			i += continued(rest[i:])
		default:
			out.WriteString(rest[i])
		}
	}
	return out.String()
}

// ownTable matches a header of Winnow's table or of a table in it.
var ownTable = regexp.MustCompile(`^\s*\[\s*mcp_servers\s*\.\s*"?` + serverName + `"?\s*[.\]]`)

// removeTOML returns a configuration without Winnow's tables. Comments and empty lines
// before the next header belong to what follows and stay; whole lacks the empty line too
// that an installation puts before its table.
func removeTOML(text []byte) (bare, whole []byte, err error) {
	var before, after map[string]any
	if toml.Unmarshal(text, &before) != nil {
		return nil, nil, errTOML
	}
	var out strings.Builder
	all := strings.SplitAfter(string(text), "\n")
	for i := 0; i < len(all); {
		if !ownTable.MatchString(all[i]) {
			out.WriteString(all[i])
			i++
			continue
		}
		end := i + 1
		for end < len(all) && !anyHeader.MatchString(all[end]) {
			end++
		}
		if end < len(all) {
			for end > i+1 && (strings.TrimSpace(all[end-1]) == "" || strings.HasPrefix(strings.TrimSpace(all[end-1]), "#")) {
				end--
			}
		}
		i = end
	}
	bare = []byte(out.String())
	servers, _ := before["mcp_servers"].(map[string]any)
	if delete(servers, serverName); len(servers) == 0 {
		delete(before, "mcp_servers")
	}
	if toml.Unmarshal(bare, &after) != nil {
		return nil, nil, errOurs
	}
	if left, _ := after["mcp_servers"].(map[string]any); len(left) == 0 {
		delete(after, "mcp_servers")
	}
	if len(before)+len(after) > 0 && !reflect.DeepEqual(before, after) {
		return nil, nil, errOurs
	}
	return bare, bytes.TrimSuffix(bare, []byte("\n")), nil
}

// longestValue exceeds the number of lines of any value of Winnow's.
const longestValue = 100

// continued returns the number of further lines of a value that begins in the
// first line.
func continued(rest []string) int {
	for n := range rest[:min(len(rest), longestValue)] {
		var v map[string]any
		if toml.Unmarshal([]byte(strings.Join(rest[:n+1], "")), &v) == nil {
			return n
		}
	}
	return 0 // the comparison refuses the result
}

// holds reports whether the entry exists with the right values.
func holds(v map[string]any, entry tomlServer) bool {
	servers, _ := v["mcp_servers"].(map[string]any)
	own, _ := servers[serverName].(map[string]any)
	text, err := toml.Marshal(own)
	var have tomlServer
	return err == nil && own != nil && toml.NewDecoder(bytes.NewReader(text)).Decode(&have) == nil && reflect.DeepEqual(have, entry)
}

// othersTOML returns the configuration without Winnow's fields of the entry.
func othersTOML(v map[string]any) map[string]any {
	rest := map[string]any{}
	for k, value := range v {
		rest[k] = value
	}
	servers, ok := rest["mcp_servers"].(map[string]any)
	if !ok {
		return rest
	}
	left := map[string]any{}
	for k, value := range servers {
		own, isTable := value.(map[string]any)
		if k != serverName || !isTable {
			left[k] = value
			continue
		}
		for name, part := range own {
			if name != "command" && name != "args" {
				left[serverName+"\x00"+name] = part
			}
		}
	}
	if delete(rest, "mcp_servers"); len(left) > 0 {
		rest["mcp_servers"] = left
	}
	return rest
}
