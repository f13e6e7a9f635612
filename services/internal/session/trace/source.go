package trace

import (
	"bufio"
	"encoding/json"
	"io"
)

// newSource wires a format to a layout.
func newSource(f Format, as layout, text io.Reader, below *counted, limits Limits) source {
	var understand fields
	switch f {
	case FormatText:
		return &textSource{in: bufio.NewReaderSize(text, window), below: below}
	case FormatClaude:
		understand = &claude{heard: newWithin()}
	case FormatCodex:
		understand = newCodex()
	case FormatChat:
		understand = new(chat)
	case FormatSWEAgent:
		understand = new(sweAgent)
	case FormatWinnow:
		understand = new(native)
	}
	if as == document {
		return &documentSource{dec: json.NewDecoder(text), below: below, max: limits.MaxRecord, as: understand}
	}
	return &lineSource{in: bufio.NewReaderSize(text, window), below: below, max: limits.MaxRecord, as: understand}
}
