package trace

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
)

// Detect recognises the format of a trace by its beginning, of which 64 KiB are
// enough. Whatever is no JSON is plain text; JSON that is none of ours is a
// [Problem] over [ErrUnknownFormat], because reading it as prose would make
// sentences of braces. Bytes that are no text give [ErrNotText], none at all
// [ErrEmpty].
func Detect(prefix []byte) (Format, error) {
	prefix = prefix[:min(len(prefix), window)]
	if err := refuseBinary(prefix); err != nil {
		return "", err
	}
	text, err := io.ReadAll(decoded(bytes.NewReader(prefix), &repairer{json: true}))
	if err != nil {
		return "", unknownFormat("the bytes cannot be decoded")
	}
	found, _, err := detect(text)
	return found, err
}

// layout is how records lie in the file.
type layout uint8

const (
	lines    layout = iota // one JSON value a line
	document               // one JSON value
	prose
)

func detect(prefix []byte) (Format, layout, error) {
	body := bytes.TrimLeft(prefix, " \t\r\n")
	if len(body) == 0 {
		return "", 0, empty()
	}
	switch body[0] {
	case '{':
		if next := bytes.TrimLeft(body[1:], " \t\r\n"); len(next) > 0 && next[0] != '"' && next[0] != '}' {
			return FormatText, prose, nil
		}
	case '[':
		if f, ok := detectList(body); ok {
			return f, document, nil
		}
		return detectProse(body)
	default:
		return detectProse(body)
	}
	// One line that is a whole object with nothing of a document in it: JSONL.
	if f, ok := detectLines(body); ok {
		return f, lines, nil
	}
	if f, ok := formatOf(topKeys(body)); ok {
		return f, document, nil
	}
	return "", 0, unknownFormat("the JSON is of no known format")
}

// detectProse looks for a transcript whose first lines are damaged before it
// settles for text.
func detectProse(body []byte) (Format, layout, error) {
	if f, ok := detectLines(body); ok {
		return f, lines, nil
	}
	return FormatText, prose, nil
}

// detectLines recognises one JSON object a line by the first line that is one.
func detectLines(body []byte) (Format, bool) {
	for n := 0; n < 20 && len(body) > 0; n++ {
		line, rest, complete := bytes.Cut(body, []byte("\n"))
		body = rest
		var keys map[string]json.RawMessage
		if json.Unmarshal(line, &keys) != nil {
			// The window may end inside a very long first line.
			if n > 0 || complete || len(line) < window/2 {
				continue
			}
			keys = topKeys(line)
		}
		if f, ok := formatOf(keys); ok {
			return f, !whole(keys)
		}
		if f, ok := recordOf(keys); ok {
			return f, true
		}
	}
	return "", false
}

// whole reports the keys of a document, whose turns lie in a list.
func whole(keys map[string]json.RawMessage) bool {
	for _, name := range []string{"turns", "messages", "history", "trajectory"} {
		if _, ok := keys[name]; ok {
			return true
		}
	}
	return false
}

// formatOf recognises a document by its keys.
func formatOf(keys map[string]json.RawMessage) (Format, bool) {
	has := func(name string) bool { _, ok := keys[name]; return ok }
	switch {
	case has("trajectory"), has("history"):
		return FormatSWEAgent, true
	case has("turns"), has("winnow"):
		return FormatWinnow, true
	case has("messages"):
		if _, ok := recordOf(keys); !ok {
			return FormatChat, true
		}
	}
	return "", false
}

// recordOf recognises one record of a file of lines by its keys.
func recordOf(keys map[string]json.RawMessage) (Format, bool) {
	has := func(name string) bool { _, ok := keys[name]; return ok }
	switch {
	case has("type") && (has("sessionId") || has("leafUuid") || has("parentUuid") || has("uuid") && has("message")):
		return FormatClaude, true
	case has("type") && has("messageId") && has("snapshot"): // first line of newer transcripts
		return FormatClaude, true
	case has("role") && has("text"):
		return FormatWinnow, true
	case has("role") && (has("content") || has("tool_calls")):
		return FormatChat, true
	case has("type") && (has("call_id") || has("role")):
		return FormatChat, true
	}
	return "", false
}

// detectList recognises a list by its first object.
func detectList(body []byte) (Format, bool) {
	rest := bytes.TrimLeft(body[1:], " \t\r\n")
	if len(rest) == 0 || rest[0] == ']' {
		return FormatChat, true
	}
	if rest[0] != '{' {
		return "", false
	}
	if f, ok := recordOf(topKeys(rest)); ok {
		return f, true
	}
	return FormatChat, strings.HasPrefix(string(bytes.TrimLeft(rest[1:], " \t\r\n")), `"`)
}

// topKeys are the keys of the object that the bytes begin with, as far as they
// go: the window may end anywhere.
func topKeys(body []byte) map[string]json.RawMessage {
	keys := make(map[string]json.RawMessage)
	dec := json.NewDecoder(bytes.NewReader(body))
	if _, err := dec.Token(); err != nil {
		return keys
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return keys
		}
		key, ok := name.(string)
		if !ok {
			return keys
		}
		keys[key] = nil
		if skipValue(dec) != nil {
			return keys
		}
	}
	return keys
}

// refuseBinary refuses what no decoding makes a text of.
func refuseBinary(prefix []byte) error {
	problem := func(what, remedy string) error {
		return &Problem{What: what, Remedy: remedy, kind: ErrNotText}
	}
	switch {
	case bytes.HasPrefix(prefix, []byte{0x1F, 0x8B}), bytes.HasPrefix(prefix, []byte("PK\x03\x04")), bytes.HasPrefix(prefix, []byte{0x28, 0xB5, 0x2F, 0xFD}):
		return problem("the trace is compressed", "send it uncompressed")
	case utf16(prefix):
		return nil
	}
	controls := 0
	for _, c := range prefix {
		if c < ' ' && c != '\n' && c != '\r' && c != '\t' && c != 0x1B && c != '\f' && c != '\b' {
			controls++
		}
	}
	if controls > 8 && controls*20 > len(prefix) {
		return problem("the trace is binary", "send text: JSON, JSON lines or prose, in UTF-8")
	}
	return nil
}

func empty() error {
	return &Problem{What: "the trace holds no turn", Remedy: "send what was said in the session", kind: ErrEmpty}
}
