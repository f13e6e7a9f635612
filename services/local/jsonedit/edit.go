package jsonedit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// Set returns the text with the value at a path of names: in place of the
// present value, else at the end of its object. Objects on the path that are
// missing or null are created.
func Set(text []byte, value any, path ...string) ([]byte, error) {
	return edit(text, path, value, func(out []byte, there item) ([]byte, error) {
		return replace(out, there, value)
	})
}

// Append returns the text with the value at the end of the array at a path,
// which is created where it is missing or null.
func Append(text []byte, value any, path ...string) ([]byte, error) {
	return edit(text, path, []any{value}, func(out []byte, there item) ([]byte, error) {
		l, ok := there.list()
		if !ok || l.object {
			return nil, fmt.Errorf("%s: %w", there.name, ErrKind)
		}
		return insert(out, l, "", value)
	})
}

// edit finds the value at a path and changes it, or inserts missing.
func edit(text []byte, path []string, missing any, change func([]byte, item) ([]byte, error)) ([]byte, error) {
	text = filled(text)
	l, err := root(text)
	if err != nil {
		return nil, err
	}
	for i, name := range path {
		there, ok, err := l.find(name)
		if err != nil {
			return nil, err
		}
		if !ok || there.isNull() {
			for name := range backward(path[i+1:]) {
				missing = map[string]any{name: missing}
			}
			if ok {
				return replace(text, there, missing)
			}
			return insert(text, l, name, missing)
		}
		if i == len(path)-1 {
			return change(text, there)
		}
		if l, ok = there.list(); !ok || !l.object {
			return nil, fmt.Errorf("%s: %w", name, ErrKind)
		}
	}
	return text, nil
}

func replace(text []byte, there item, value any) ([]byte, error) {
	raw, err := indented(value, lineIndent(text, there.at), unit(text))
	if err != nil {
		return nil, err
	}
	return splice(text, there.from, there.upto, raw), nil
}

// insert adds an item after the last one, and after the comments that follow
// it. The name is that of an object's member.
func insert(text []byte, l list, name string, value any) ([]byte, error) {
	base := lineIndent(text, l.open)
	indent := base + unit(text)
	end := len(bytes.TrimRight(text[:l.close], " \t\r\n"))
	if n := len(l.items); n > 0 {
		last := l.items[n-1]
		if startsLine(text, last.at) {
			indent = lineIndent(text, last.at)
		}
		if !l.comma {
			text = splice(text, last.upto, last.upto, []byte(","))
			end, l.close = end+1, l.close+1
		}
	}
	raw, err := indented(value, indent, unit(text))
	if err != nil {
		return nil, err
	}
	if l.object {
		key, err := json.Marshal(name)
		if err != nil {
			return nil, err
		}
		raw = append(append(key, ": "...), raw...)
	}
	added := "\n" + indent + string(raw)
	if bytes.Contains(text[end:l.close], []byte("\n")) {
		return splice(text, end, end, []byte(added)), nil
	}
	return splice(text, end, l.close, []byte(added+"\n"+base)), nil
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

// lineIndent returns the space at the start of the line that contains a
// position.
func lineIndent(text []byte, at int) string {
	line := text[bytes.LastIndexByte(text[:at], '\n')+1:]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// startsLine reports whether only space stands before a place in its line.
func startsLine(text []byte, at int) bool {
	return len(bytes.TrimSpace(text[bytes.LastIndexByte(text[:at], '\n')+1:at])) == 0
}

// unit returns the indentation step of the text: a tab where its first indented
// line has one.
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
