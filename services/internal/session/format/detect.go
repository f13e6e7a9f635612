package format

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/winnowhq/winnow/services/internal/session/trace"
)

// Detect recognises the format of a trace by its beginning; 64 KiB are enough.
// Anything that is not JSON is plain text. JSON of no known format is a
// [Problem] over [ErrUnknownFormat], because read as prose it would make
// sentences of braces. Bytes that are no text give [ErrNotText], an empty
// prefix [ErrEmpty].
func Detect(prefix []byte) (trace.Format, error) {
	prefix = prefix[:min(len(prefix), window)]
	if err := refuseBinary(prefix); err != nil {
		return "", err
	}
	found, _, err := detect(preview(prefix))
	return found, err
}

// preview returns the beginning of a trace as UTF-8. The window may end within
// a letter, which does not affect detection.
func preview(prefix []byte) []byte {
	text, err := io.ReadAll(decoded(bytes.NewReader(prefix), &repairer{json: true}))
	if err != nil {
		return prefix
	}
	return text
}

// layout is how a file holds its records.
type layout uint8

const (
	lines    layout = iota // one JSON value per line
	document               // one JSON value
	prose
)

func detect(prefix []byte) (trace.Format, layout, error) {
	body := bytes.TrimLeft(prefix, " \t\r\n")
	if len(body) == 0 {
		return "", 0, empty()
	}
	switch body[0] {
	case '{':
		if next := bytes.TrimLeft(body[1:], " \t\r\n"); len(next) > 0 && next[0] != '"' && next[0] != '}' {
			return trace.FormatText, prose, nil
		}
	case '[':
		if f, ok := detectList(body); ok {
			return f, document, nil
		}
		return detectProse(body)
	default:
		return detectProse(body)
	}
	keys, broken := topKeys(body)
	if f, ok := formatOf(keys); ok && whole(keys) {
		return f, document, nil
	}
	// An object over several lines is a document of no known format. A broken
	// object may be the damaged first line of a file of lines.
	first, _, several := bytes.Cut(body, []byte("\n"))
	if broken || !several || json.Valid(first) {
		if f, ok := detectLines(body); ok {
			return f, lines, nil
		}
	}
	return "", 0, trace.UnknownFormat("the JSON is of no known format")
}

// detectProse looks for a transcript whose first lines are damaged, and
// otherwise returns plain text.
func detectProse(body []byte) (trace.Format, layout, error) {
	if f, ok := detectLines(body); ok {
		return f, lines, nil
	}
	return trace.FormatText, prose, nil
}

// detectLines recognises a file of one JSON object per line by its first valid
// line.
func detectLines(body []byte) (trace.Format, bool) {
	for n := 0; n < 20 && len(body) > 0; n++ {
		line, rest, complete := bytes.Cut(body, []byte("\n"))
		body = rest
		var keys map[string]json.RawMessage
		if json.Unmarshal(line, &keys) != nil {
			// The window may end inside a very long first line.
			if n > 0 || complete || len(line) < window/2 {
				continue
			}
			keys, _ = topKeys(line)
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

// whole reports whether the keys are those of a document whose turns are in a
// list.
func whole(keys map[string]json.RawMessage) bool {
	for _, name := range []string{"turns", "messages", "history", "trajectory"} {
		if _, ok := keys[name]; ok {
			return true
		}
	}
	return false
}

// formatOf returns the format of a document with these keys.
func formatOf(keys map[string]json.RawMessage) (trace.Format, bool) {
	has := func(name string) bool { _, ok := keys[name]; return ok }
	switch {
	case has("trajectory"), has("history"):
		return trace.FormatSWEAgent, true
	case has("turns"), has("winnow"):
		return trace.FormatWinnow, true
	case has("messages"):
		if _, ok := recordOf(keys); !ok {
			return trace.FormatChat, true
		}
	}
	return "", false
}

// recordOf returns the format of a file of lines whose record has these keys.
func recordOf(keys map[string]json.RawMessage) (trace.Format, bool) {
	has := func(name string) bool { _, ok := keys[name]; return ok }
	switch {
	case has("type") && (has("sessionId") || has("leafUuid") || has("parentUuid") || has("uuid") && has("message")):
		return trace.FormatClaude, true
	case has("type") && has("messageId") && has("snapshot"): // first line of newer transcripts
		return trace.FormatClaude, true
	case has("timestamp") && (has("type") && has("payload") || has("id") && has("instructions")): // the latter begins older files
		return trace.FormatCodex, true
	case has("role") && has("text"):
		return trace.FormatWinnow, true
	case has("role") && (has("content") || has("tool_calls") || has("message")): // the last is Cursor's
		return trace.FormatChat, true
	case has("type") && (has("call_id") || has("role")):
		return trace.FormatChat, true
	}
	return "", false
}

// detectList returns the format of a list by its first object.
func detectList(body []byte) (trace.Format, bool) {
	rest := bytes.TrimLeft(body[1:], " \t\r\n")
	switch {
	case len(rest) == 0:
		return trace.FormatChat, true
	case rest[0] == ']': // "[ ] write tests" is a list of another kind
		return trace.FormatChat, len(bytes.TrimSpace(rest)) == 1
	case rest[0] != '{':
		return "", false
	}
	keys, _ := topKeys(rest)
	if f, ok := recordOf(keys); ok {
		return f, true
	}
	return trace.FormatChat, strings.HasPrefix(string(bytes.TrimLeft(rest[1:], " \t\r\n")), `"`)
}

// topKeys returns the keys of the object that the bytes begin with, up to the
// end of the window. broken reports that a syntax error came before that end.
func topKeys(body []byte) (keys map[string]json.RawMessage, broken bool) {
	keys = make(map[string]json.RawMessage)
	dec := json.NewDecoder(bytes.NewReader(body))
	_, err := dec.Token()
	for err == nil && dec.More() {
		var name json.Token
		if name, err = dec.Token(); err != nil {
			break
		}
		key, _ := name.(string)
		keys[key] = nil
		err = skipValue(dec)
	}
	if err == nil {
		_, err = dec.Token() // the closing brace
	}
	return keys, err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF)
}

// refuseBinary returns [ErrNotText] for bytes that no decoding makes a text of.
func refuseBinary(prefix []byte) error {
	problem := func(what, remedy string) error {
		return &trace.Problem{What: what, Remedy: remedy, Kind: trace.ErrNotText}
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
	return &trace.Problem{What: "the trace holds no turn", Remedy: "send what was said in the session", Kind: trace.ErrEmpty}
}
