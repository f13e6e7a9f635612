package trace

import (
	"fmt"
	"strings"
)

// Format is how a trace is written.
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

// ParseFormat reads a format's name. Empty is allowed and means: recognise it.
// The error is a [Problem] over [ErrUnknownFormat] that names what is allowed.
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

// UnknownFormat returns the problem of a format that is not read, over
// [ErrUnknownFormat], with the names of those that are.
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
