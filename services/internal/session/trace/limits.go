package trace

import (
	"errors"
	"fmt"
)

// Limits bounds the cost of reading a trace. See [DefaultLimits].
type Limits struct {
	MaxBytes  int64 `koanf:"max_bytes" help:"Bytes that a trace may have; a longer one is refused."`
	MaxTurns  int   `koanf:"max_turns" help:"Turns that a trace may have; one with more is refused."`
	MaxRecord int   `koanf:"max_record" help:"Bytes of one line or element; a longer one is left out."`
	MaxText   int   `koanf:"max_text" help:"Bytes of one turn's text, at most 8 MiB; the middle of a longer one is cut."`
}

// mostText is the highest MaxText. A store of single turns relies on it.
const mostText = 8 << 20

// DefaultLimits returns limits that a trace of 50 MB and 100,000 turns stays
// well within.
func DefaultLimits() Limits {
	return Limits{MaxBytes: 64 << 20, MaxTurns: 200_000, MaxRecord: 8 << 20, MaxText: 256 << 10}
}

// Validate returns an error that names every invalid value.
func (l Limits) Validate() error {
	var errs []error
	if l.MaxBytes < 1 || l.MaxTurns < 1 {
		errs = append(errs, fmt.Errorf("max bytes %d and max turns %d: want at least 1", l.MaxBytes, l.MaxTurns))
	}
	if l.MaxRecord < 1<<10 || l.MaxText < 1<<10 || l.MaxText > mostText {
		errs = append(errs, fmt.Errorf("max record %d and max text %d: want at least 1024, and at most %d of text", l.MaxRecord, l.MaxText, mostText))
	}
	return errors.Join(errs...)
}

// Options configures how a trace is read. The zero value detects the format and
// uses [DefaultLimits].
type Options struct {
	Format Format
	Limits Limits
	// Rewrite removes from a text what may not be stored. It is called with
	// every text and command as it was said, cleaned, and before anything is
	// cut: a secret cut in half would not be found. A text that is both a
	// call's words and its command is rewritten once. Nil changes nothing.
	Rewrite func(text string) string
}
