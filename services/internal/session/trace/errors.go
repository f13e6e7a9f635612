package trace

import (
	"errors"
	"fmt"
)

// Why a trace as a whole is no session. Each comes as a [Problem].
var (
	ErrEmpty         = errors.New("empty trace")
	ErrTooLarge      = errors.New("trace is too large")
	ErrNotText       = errors.New("not a text file")
	ErrUnknownFormat = errors.New("unknown trace format")
	ErrUnreadable    = errors.New("unreadable trace")
	ErrDigest        = errors.New("trace differs from its reference")
	// ErrRecord is a record that was left out. It is listed, never returned.
	ErrRecord = errors.New("unreadable record")
)

// Problem says why a trace or one of its records cannot be read, and what the
// publisher can do about it. It wraps one of the errors above. It never quotes
// the trace.
type Problem struct {
	Line   int    // from 1, in a format of lines; 0 elsewhere
	Field  string // such as message.content or turns[12].role; may be empty
	What   string
	Remedy string
	Kind   error
}

// Error returns one line: position, problem and remedy.
func (p *Problem) Error() string {
	where := ""
	if p.Line > 0 {
		where = fmt.Sprintf("line %d: ", p.Line)
	}
	if p.Field != "" {
		where += p.Field + ": "
	}
	return where + p.What + "; " + p.Remedy
}

// Unwrap returns the sentinel.
func (p *Problem) Unwrap() error { return p.Kind }
