package format

import (
	"bytes"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/winnowhq/winnow/services/internal/session/trace"
)

// arguments renders what a tool was given for people and for search: one line
// per field, in the order of the names. For a shell the text is only its
// command line, which is also returned as command.
func arguments(name string, raw json.RawMessage) (command, text string) {
	raw = bytes.TrimSpace(raw)
	var inner string
	if len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, &inner) == nil {
		raw = bytes.TrimSpace([]byte(inner))
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		if trace.KindOf(name, "") == trace.KindShell {
			return string(raw), string(raw)
		}
		return "", string(raw)
	}
	if trace.KindOf(name, "") == trace.KindShell {
		for _, field := range []string{"command", "cmd", "script", "code", "input"} {
			line := commandLine(fields[field])
			if other := commandLine(fields["cmd"]); field == "command" && line != "" && other != "" {
				line += "\n" + other // the tool decides which of them is run
			}
			if line != "" {
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

// commandLine returns a command that is given as a string or, as an exec call
// takes it, as a list. For `bash -lc "…"` it returns what the shell runs,
// otherwise the words as a person would type them.
func commandLine(raw json.RawMessage) string {
	var line string
	if json.Unmarshal(raw, &line) == nil {
		return line
	}
	var words []string
	if json.Unmarshal(raw, &words) != nil || len(words) == 0 {
		return ""
	}
	if inner, ok := shellRuns(words); ok {
		return inner
	}
	for i, word := range words {
		words[i] = quoted(word)
	}
	return strings.Join(words, " ")
}

// shellPrograms matches the programs whose argument -c is a command line. Other
// programs have an option -c too, with another meaning.
var shellPrograms = regexp.MustCompile(`(?i)(?:^|[/\\])(?:(?:ba|z|da|k|fi)?sh|powershell|pwsh)(?:\.exe)?$`)

// shellRuns returns the command line with which a shell is started; false when
// words start no shell.
func shellRuns(words []string) (string, bool) {
	last := len(words) - 1
	if last < 2 || !shellPrograms.MatchString(words[0]) {
		return "", false
	}
	for _, option := range words[1:last] {
		if !strings.HasPrefix(option, "-") {
			return "", false
		}
	}
	how := strings.ToLower(words[last-1])
	return words[last], how == "-command" || !strings.HasPrefix(how, "--") && strings.HasSuffix(how, "c")
}

var plainWord = regexp.MustCompile(`^[\w@%+=:,./-]+$`)

// quoted returns a word quoted as a shell needs it.
func quoted(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// value returns a JSON value as a person would write it.
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
