package trace

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// arguments renders what a tool was given for people and for search: one line a
// field, names in order; for a shell only its command line, which is returned
// beside it.
func arguments(name string, raw json.RawMessage) (command, text string) {
	raw = bytes.TrimSpace(raw)
	var inner string
	if len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, &inner) == nil {
		raw = bytes.TrimSpace([]byte(inner))
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		if kindOf(name, "") == KindShell {
			return string(raw), string(raw)
		}
		return "", string(raw)
	}
	if kindOf(name, "") == KindShell {
		for _, field := range []string{"command", "cmd", "script", "code", "input"} {
			if line := commandLine(fields[field]); line != "" {
				return line, line
			}
		}
	}
	var b strings.Builder
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(field + ": " + value(fields[field]))
	}
	return "", b.String()
}

// commandLine is a command given as a string or, as an exec call takes it, as a
// list; of `bash -lc "…"` it is the last word.
func commandLine(raw json.RawMessage) string {
	var line string
	if json.Unmarshal(raw, &line) == nil {
		return line
	}
	var words []string
	if json.Unmarshal(raw, &words) != nil || len(words) == 0 {
		return ""
	}
	if len(words) == 3 && strings.HasPrefix(words[1], "-") && strings.HasSuffix(words[1], "c") {
		return words[2]
	}
	return strings.Join(words, " ")
}

// value is a JSON value as a person would write it.
func value(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return string(raw)
	}
	return b.String()
}
