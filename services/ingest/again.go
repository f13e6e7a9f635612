package ingest

import (
	"errors"
	"fmt"
	"io"

	"github.com/winnowhq/winnow/services/internal/guard/redact"
	"github.com/winnowhq/winnow/services/internal/session/transcript"
)

// again looks once more at a session in which there were secrets: one that a
// later turn called a password may stand bare in a turn that was kept before. A
// session without secrets, which is nearly every one, costs nothing.
func (k *kept) again(secrets *redact.Stream) error {
	k.session.Task, k.session.Agent = secrets.Repeats(k.session.Task), secrets.Repeats(k.session.Agent)
	k.session.Project, k.session.Dir = secrets.Repeats(k.session.Project), secrets.Repeats(k.session.Dir)
	if k.redactions == 0 {
		return nil
	}
	changed, redactions := false, 0
	w := transcript.NewWriter()
	err := k.each(func(l transcript.Line) error {
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
	k.redactions = redactions
	k.chunks, k.hash, k.bytes, err = w.Close()
	return err
}

// each reads what was kept, line by line. The error is transcript.ErrCorrupt, or
// that of fn.
func (k *kept) each(fn func(transcript.Line) error) error {
	r, err := transcript.NewReader(k.chunks)
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
