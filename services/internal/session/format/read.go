package format

import (
	"errors"
	"io"

	"github.com/winnowhq/winnow/services/internal/session/trace"
)

// Read reads a whole session. Its memory is that of the texts, bounded by
// [Limits]. Errors are those of [Open] and [Reader.Next].
func Read(r io.Reader, o trace.Options) (trace.Session, error) {
	rd, err := Open(r, o)
	if err != nil {
		return trace.Session{}, err
	}
	return Collect(rd)
}

// Collect reads what is left of a session.
func Collect(rd *Reader) (trace.Session, error) {
	var turns []trace.Turn
	for {
		t, err := rd.Next()
		if errors.Is(err, io.EOF) {
			s := rd.Session()
			s.Turns = turns
			return s, nil
		}
		if err != nil {
			return trace.Session{}, err
		}
		turns = append(turns, t)
	}
}
