package trace

import (
	"fmt"
	"strings"
)

// Format is the file format of a trace.
type Format string

// The formats, by the names that session.completed uses.
const (
	FormatWinnow   Format = "winnow"
	FormatClaude   Format = "claude-code"
	FormatCodex    Format = "codex"
	FormatChat     Format = "openai-chat"
	FormatSWEAgent Format = "swe-agent"
	FormatText     Format = "text"
)

// Formats lists every format that can be read.
func Formats() []Format {
	return []Format{FormatWinnow, FormatClaude, FormatCodex, FormatChat, FormatSWEAgent, FormatText}
}

// ParseFormat parses a format's name. An empty name is allowed and means
// detection. The error is a [Problem] over [ErrUnknownFormat] that names the
// allowed formats.
func ParseFormat(s string) (Format, error) {
	if s == "" {
		return "", nil
	}
	for _, f := range Formats() {
		if string(f) == s {
			return f, nil
		}
	}
	return "", UnknownFormat(fmt.Sprintf("%.40q is no format of a trace", s))
}

// UnknownFormat returns the problem of a format that is not supported, over
// [ErrUnknownFormat], with the names of the supported ones.
func UnknownFormat(what string) *Problem {
	var names []string
	for _, f := range Formats() {
		names = append(names, string(f))
	}
	return &Problem{
		Field: "format", What: what, Kind: ErrUnknownFormat,
		Remedy: "send one of " + strings.Join(names, ", ") + ", or leave it empty to have it recognised",
	}
}
