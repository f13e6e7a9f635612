package weekly

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// suggestion is a model's answer as the contract has it (S1.10), with aliases.
type suggestion struct {
	keep   []named
	merge  []mergeSuggestion
	delete []named
}

type named struct{ id, reason string }

type mergeSuggestion struct {
	ids        []string
	content    string
	category   string
	importance int
}

// maxAnswer bounds an answer in bytes. A user has a few hundred memories of a few hundred
// bytes.
const maxAnswer = 1 << 20

// maxCategory bounds a category in characters.
const maxCategory = 64

// parse reads an answer strictly: one JSON object of exactly the contract's fields, which
// may stand in one code fence. A model that adds a field or leaves one out has understood
// another question, and what it wants deleted must not be guessed.
func parse(answer string) (suggestion, error) {
	var s suggestion
	if len(answer) > maxAnswer {
		return s, invalid(GateUnparseable, "it has %d bytes, more than %d", len(answer), maxAnswer)
	}
	top, err := object([]byte(unfenced(answer)), "the answer", "keep", "merge", "delete")
	if err != nil {
		return s, err
	}
	if s.keep, err = list(top["keep"], "keep", readNamed); err != nil {
		return s, err
	}
	if s.merge, err = list(top["merge"], "merge", readMerge); err != nil {
		return s, err
	}
	s.delete, err = list(top["delete"], "delete", readNamed)
	return s, err
}

// unfenced strips the code fence around an answer, if there is one.
func unfenced(answer string) string {
	s := strings.TrimSpace(strings.TrimPrefix(answer, "\ufeff"))
	rest, ok := strings.CutPrefix(s, "```")
	if !ok {
		return s
	}
	language, body, ok := strings.Cut(rest, "\n")
	if language = strings.TrimSpace(language); !ok || language != "" && !strings.EqualFold(language, "json") {
		return s
	}
	if body, ok = strings.CutSuffix(strings.TrimSpace(body), "```"); !ok {
		return s
	}
	return body
}

// object decodes one JSON object with exactly these fields, each once. encoding/json
// would take "Delete" for "delete" and the last of two, so the keys are read here.
func object(raw []byte, where string, names ...string) (map[string]json.RawMessage, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, invalid(GateUnparseable, "%s is not a JSON object", where)
	}
	fields := make(map[string]json.RawMessage, len(names))
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return nil, invalid(GateUnparseable, "%s is not valid JSON", where)
		}
		name, _ := t.(string)
		if !slices.Contains(names, name) {
			return nil, invalid(GateUnknownField, "%s has a field that the contract does not have: %q", where, clip(name))
		}
		if _, twice := fields[name]; twice {
			return nil, invalid(GateUnknownField, "%s has the field %q twice", where, name)
		}
		var v json.RawMessage
		if err := dec.Decode(&v); err != nil {
			return nil, invalid(GateUnparseable, "%s is not valid JSON", where)
		}
		fields[name] = v
	}
	if _, err := dec.Token(); err != nil {
		return nil, invalid(GateUnparseable, "%s is cut off", where)
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, invalid(GateUnparseable, "something follows %s", where)
	}
	for _, name := range names {
		if v, ok := fields[name]; !ok || string(v) == "null" {
			return nil, invalid(GateMissingField, "%s lacks the field %q", where, name)
		}
	}
	return fields, nil
}

func list[T any](raw json.RawMessage, where string, read func(json.RawMessage, string) (T, error)) ([]T, error) {
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil {
		return nil, invalid(GateFieldType, "%s is not a list", where)
	}
	out := make([]T, 0, len(items))
	for _, item := range items {
		v, err := read(item, "an entry of "+where)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

func text(raw json.RawMessage, where, name string) (string, error) {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return "", invalid(GateFieldType, "%s: %s is not a string", where, name)
	}
	return s, nil
}

func readNamed(raw json.RawMessage, where string) (named, error) {
	var n named
	fields, err := object(raw, where, "id", "reason")
	if err != nil {
		return n, err
	}
	if n.id, err = text(fields["id"], where, "id"); err != nil {
		return n, err
	}
	n.reason, err = text(fields["reason"], where, "reason")
	n.reason = oneLine(n.reason)
	return n, err
}

func readMerge(raw json.RawMessage, where string) (mergeSuggestion, error) {
	var m mergeSuggestion
	fields, err := object(raw, where, "ids", "merged_content", "category", "importance")
	if err != nil {
		return m, err
	}
	if json.Unmarshal(fields["ids"], &m.ids) != nil {
		return m, invalid(GateFieldType, "%s: ids is not a list of strings", where)
	}
	if m.content, err = text(fields["merged_content"], where, "merged_content"); err != nil {
		return m, err
	}
	if m.content = strings.TrimSpace(m.content); m.content == "" || !storable(m.content) {
		return m, invalid(GateEmptyText, "%s has no text that can be stored", where)
	}
	if m.category, err = text(fields["category"], where, "category"); err != nil {
		return m, err
	}
	m.category = strings.TrimSpace(m.category)
	var number float64
	if json.Unmarshal(fields["importance"], &number) != nil || number != math.Trunc(number) || number < 1 || number > 10 {
		return m, invalid(GateImportance, "%s: importance is %s, want a whole number from 1 to 10", where, clip(string(fields["importance"])))
	}
	m.importance = int(number)
	return m, nil
}

// storable reports whether Postgres and a terminal take the text: no control characters
// but line ends and tabs.
func storable(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsRune(s, utf8.RuneError) &&
		strings.IndexFunc(s, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }) < 0
}

// maxReason bounds a reason in characters: it is shown beside the memory, on one line.
const maxReason = 160

// oneLine makes a model's reason harmless to store and to print.
func oneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == utf8.RuneError || unicode.Is(unicode.Bidi_Control, r) {
			return ' '
		}
		return r
	}, s)
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > maxReason {
		s = string(r[:maxReason-1]) + "…"
	}
	return s
}

// clip bounds what an error quotes of an answer.
func clip(s string) string {
	if r := []rune(s); len(r) > 24 {
		return string(r[:23]) + "…"
	}
	return s
}
