package extract

import (
	"bytes"
	"encoding/json"
	"strings"
)

// maxStarts bounds how many opening braces are tried. A model's prose has few.
const maxStarts = 64

// parseJSON finds the first JSON value that is an answer. Where a list was cut
// off, the result is its complete memories. ok is false without either; an
// empty list is an answer without drafts.
func parseJSON(answer string) (drafts []draft, ok bool) {
	for at, tried := 0, 0; tried < maxStarts; tried++ {
		i := strings.IndexAny(answer[at:], "{[")
		if i < 0 {
			break
		}
		at += i
		var raw json.RawMessage
		dec := json.NewDecoder(strings.NewReader(answer[at:]))
		if dec.Decode(&raw) != nil {
			at++
			continue
		}
		found, whole := answered(raw)
		switch {
		case whole && len(drafts) == 0:
			return found, true
		case len(found) == 0:
			at++
			continue
		}
		drafts = append(drafts, found...)
		at += int(dec.InputOffset())
	}
	return drafts, len(drafts) > 0
}

// answered parses {"memories":[…]} or the bare list, which are whole answers,
// or a single memory.
func answered(raw json.RawMessage) (drafts []draft, whole bool) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		return nil, false
	}
	if raw[0] == '[' {
		return draftsOf(raw)
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return nil, false
	}
	if list, ok := fields["memories"]; ok {
		if string(list) == "null" {
			return nil, true
		}
		return draftsOf(list)
	}
	if _, ok := fields["content"]; ok {
		return []draft{draftOf(raw)}, false
	}
	return nil, false
}

// draftsOf parses a list. A list without objects is no list of memories.
func draftsOf(raw json.RawMessage) ([]draft, bool) {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return nil, false
	}
	drafts := make([]draft, 0, len(list))
	for _, item := range list {
		if item = bytes.TrimSpace(item); len(item) == 0 || item[0] != '{' {
			return nil, false
		}
		drafts = append(drafts, draftOf(item))
	}
	return drafts, true
}

// draftOf parses one memory. A field of the wrong type makes only this memory
// unreadable.
func draftOf(raw json.RawMessage) draft {
	var d draft
	if err := json.Unmarshal(raw, &d); err != nil {
		return draft{broken: "a field of it has the wrong type"}
	}
	return d
}
