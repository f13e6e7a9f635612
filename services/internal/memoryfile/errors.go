package memoryfile

import (
	"errors"
	"fmt"
)

// Kinds of files that are no memory files. Each comes as a [Problem].
var (
	ErrTooLarge    = errors.New("memory file is too large")
	ErrNotText     = errors.New("not a text file")
	ErrConflict    = errors.New("merge conflict in a memory file")
	ErrFrontMatter = errors.New("broken front matter")
)

// Problem is the reason why a file cannot be read, with the remedy. It wraps one of the
// errors above.
type Problem struct {
	Line   int // from 1; 0 where the file as a whole is meant
	What   string
	Remedy string
	kind   error
}

// Error is one line: where, what and the remedy.
func (p *Problem) Error() string {
	where := ""
	if p.Line > 0 {
		where = fmt.Sprintf("line %d: ", p.Line)
	}
	return where + p.What + "; " + p.Remedy
}

// Unwrap returns the sentinel.
func (p *Problem) Unwrap() error { return p.kind }
