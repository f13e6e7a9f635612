package trace

import (
	"errors"
	"io"
)

// Read reads a whole session. Its memory is that of the texts, bounded by
// [Limits]. Errors are those of [Open] and [Reader.Next].
func Read(r io.Reader, o Options) (Session, error) {
	rd, err := Open(r, o)
	if err != nil {
		return Session{}, err
	}
	return Collect(rd)
}

// Collect reads what is left of a session.
func Collect(rd *Reader) (Session, error) {
	var turns []Turn
	for {
		t, err := rd.Next()
		if errors.Is(err, io.EOF) {
			s := rd.Session()
			s.Turns = turns
			return s, nil
		}
		if err != nil {
			return Session{}, err
		}
		turns = append(turns, t)
	}
}
