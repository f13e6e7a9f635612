package transcript

import (
	"github.com/winnowhq/winnow/services/internal/session/trace"
	"github.com/winnowhq/winnow/services/internal/session/trust"
)

// Line is one turn of a session with the origin of its words.
type Line struct {
	trace.Turn
	Span trust.Span `json:"span"`
}

const (
	// MaxChunk is the most bytes of one chunk. All but the last have that many.
	MaxChunk = 1 << 20
	// MaxLine is the most bytes of one encoded line. A turn of the highest
	// limit that an intake can set fits, quoted.
	MaxLine = 32 << 20
)
