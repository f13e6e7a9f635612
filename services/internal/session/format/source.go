package format

import (
	"bufio"
	"encoding/json"
	"io"

	"github.com/winnowhq/winnow/services/internal/session/trace"
)

// newSource returns the source of a format in a layout.
func newSource(f trace.Format, as layout, text io.Reader, below *counted, limits trace.Limits) source {
	var understand fields
	switch f {
	case trace.FormatText:
		return &textSource{in: bufio.NewReaderSize(text, window), below: below}
	case trace.FormatClaude:
		understand = &claude{within: newWithin()}
	case trace.FormatCodex:
		understand = newCodex()
	case trace.FormatChat:
		understand = new(chat)
	case trace.FormatSWEAgent:
		understand = new(sweAgent)
	case trace.FormatWinnow:
		understand = new(native)
	}
	if as == document {
		return &documentSource{dec: json.NewDecoder(text), below: below, max: limits.MaxRecord, as: understand}
	}
	return &lineSource{in: bufio.NewReaderSize(text, window), below: below, max: limits.MaxRecord, as: understand}
}
