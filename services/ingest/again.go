package ingest

import (
	"errors"
	"fmt"
	"io"

	"github.com/winnowhq/winnow/services/internal/guard/redact"
	"github.com/winnowhq/winnow/services/internal/session/transcript"
)

// again redacts a session with secrets a second time: a value that a later turn
// called a password may stand bare in an earlier turn. A session without
// secrets, which is nearly every one, costs nothing.
func (prep *prepared) again(secrets *redact.Stream) error {
	prep.session.Task, prep.session.Agent = secrets.Repeats(prep.session.Task), secrets.Repeats(prep.session.Agent)
	prep.session.Project, prep.session.Dir = secrets.Repeats(prep.session.Project), secrets.Repeats(prep.session.Dir)
	if prep.redactions == 0 {
		return nil
	}
	changed, redactions := false, 0
	w := transcript.NewWriter()
	err := prep.each(func(l transcript.Line) error {
		for _, text := range []*string{&l.Text, &l.Tool.Command, &l.Tool.Name} {
			if clean := secrets.Repeats(*text); clean != *text {
				*text, changed = clean, true
			}
		}
		redactions += redact.Count(l.Text)
		return w.Add(l)
	})
	if err != nil || !changed {
		return err
	}
	prep.redactions = redactions
	prep.chunks, prep.hash, prep.bytes, err = w.Close()
	return err
}

// each reads the prepared turns, line by line. The error is
// transcript.ErrCorrupt, or that of fn.
func (prep *prepared) each(fn func(transcript.Line) error) error {
	r, err := transcript.NewReader(prep.chunks)
	if err != nil {
		return err
	}
	for {
		line, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := fn(line); err != nil {
			return fmt.Errorf("turn %d: %w", line.N, err)
		}
	}
}
