package clients

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// errOurs says that an edit would have changed more than the entry.
var errOurs = errors.New("it is written in a way that cannot be edited safely; add the entry by hand")

const serversKey = "mcpServers"

// jsonServer is the entry of clients that keep JSON.
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

// editJSON makes the entry, or puts it right where there is one: what a person
// added to that, such as variables, stays.
func editJSON(text []byte, entry jsonServer) ([]byte, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}\n")
	}
	before, err := decode(text)
	if err != nil {
		return nil, err
	}
	out, err := placed(text, before, entry)
	if err != nil {
		return nil, err
	}
	after, err := decode(out)
	if err != nil || !reflect.DeepEqual(others(before), others(after)) {
		return nil, errOurs
	}
	return out, nil
}

func placed(text []byte, before map[string]any, entry jsonServer) ([]byte, error) {
	servers, _ := before[serversKey].(map[string]any)
	known, isObject := servers[serverName].(map[string]any)
	if _, starts := known["command"]; !isObject || !starts {
		return set(text, []string{serversKey, serverName}, entry)
	}
	// One of ours, perhaps with more in it.
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
			out, err = set(out, []string{serversKey, serverName, part.name}, part.value)
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// set replaces the value at a path, or adds it at the end of its object.
func set(text []byte, path []string, value any) ([]byte, error) {
	o, err := root(text)
	if err != nil {
		return nil, err
	}
	for i, name := range path {
		m, ok := o.find(name)
		if !ok {
			for _, missing := range reversed(path[i+1:]) {
				value = map[string]any{missing: value}
			}
			return insert(text, o, name, value)
		}
		if i == len(path)-1 {
			raw, err := indented(value, lineIndent(text, m.key), unit(text))
			if err != nil {
				return nil, err
			}
			return splice(text, m.from, m.upto, raw), nil
		}
		if o, err = within(text, m); err != nil {
			return nil, fmt.Errorf("%s is no object", name)
		}
	}
	return text, nil
}

// insert adds a member behind the last one, and behind the comments that follow
// it.
func insert(text []byte, o object, name string, value any) ([]byte, error) {
	base := lineIndent(text, o.open)
	indent := base + unit(text)
	end := len(bytes.TrimRight(text[:o.close], " \t\r\n"))
	comma := ""
	if n := len(o.members); n > 0 {
		last := o.members[n-1]
		if own := lineIndent(text, last.key); startsLine(text, last.key) {
			indent = own
		}
		if !o.comma {
			comma = ","
			text = splice(text, last.upto, last.upto, []byte(comma))
			end, o.close = end+1, o.close+1
		}
	}
	raw, err := indented(value, indent, unit(text))
	if err != nil {
		return nil, err
	}
	key, err := json.Marshal(name)
	if err != nil {
		return nil, err
	}
	added := "\n" + indent + string(key) + ": " + string(raw)
	if bytes.Contains(text[end:o.close], []byte("\n")) {
		return splice(text, end, end, []byte(added)), nil
	}
	return splice(text, end, o.close, []byte(added+"\n"+base)), nil
}

func indented(value any, prefix, unit string) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // a path may have an ampersand
	enc.SetIndent(prefix, unit)
	err := enc.Encode(value)
	return bytes.TrimSpace(b.Bytes()), err
}

func splice(text []byte, from, upto int, with []byte) []byte {
	out := make([]byte, 0, len(text)+len(with))
	out = append(out, text[:from]...)
	out = append(out, with...)
	return append(out, text[upto:]...)
}

// lineIndent is the space at the start of the line that has a place.
func lineIndent(text []byte, at int) string {
	line := text[bytes.LastIndexByte(text[:at], '\n')+1:]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// startsLine says whether only space stands before a place in its line.
func startsLine(text []byte, at int) bool {
	return len(bytes.TrimSpace(text[bytes.LastIndexByte(text[:at], '\n')+1:at])) == 0
}

// unit is what the text indents by: a tab where its first indented line has one.
func unit(text []byte) string {
	for line := range strings.Lines(string(text)) {
		switch own := line[:len(line)-len(strings.TrimLeft(line, " \t"))]; {
		case own == "" || strings.TrimSpace(line) == "":
		case own[0] == '\t':
			return "\t"
		case len(own) == 4:
			return "    "
		default:
			return "  "
		}
	}
	return "  "
}

// decode reads a text as any reader would, without comments.
func decode(text []byte) (map[string]any, error) {
	if _, err := root(text); err != nil {
		return nil, err
	}
	var v map[string]any
	if err := json.Unmarshal(standard(text), &v); err != nil {
		return nil, errJSON
	}
	return v, nil
}

// standard is the text without comments and commas that end a list.
func standard(text []byte) []byte {
	s := scanner{text: text}
	var out []byte
	for s.next() != 0 {
		from := s.at
		switch c := s.text[s.at]; c {
		case '"':
			if _, err := s.string(); err != nil {
				return text
			}
		case '}', ']':
			out = bytes.TrimSuffix(bytes.TrimRight(out, " "), []byte(","))
			s.at++
		default:
			s.at++
		}
		out = append(out, s.text[from:s.at]...)
		if s.at < len(text) && bytes.IndexByte([]byte(" \t\r\n/"), text[s.at]) >= 0 {
			out = append(out, ' ')
		}
	}
	return out
}

// others is all but the parts of the entry that are ours.
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

func reversed(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[len(names)-1-i] = n
	}
	return out
}
