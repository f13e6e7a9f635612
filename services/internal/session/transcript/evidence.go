package transcript

import (
	"errors"
	"io"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/session/trust"
)

// Evidence returns a stored session as the judge of texts that were recorded in
// it. It reads the session once, and again for each text that carries words
// from outside. Its memory is that of these words, which is bounded. The error
// is ErrCorrupt.
func Evidence(chunks [][]byte, o trust.Options) (*trust.Evidence, error) {
	t := trust.NewTracker(o)
	err := each(chunks, func(l Line) bool {
		t.Recall(l.Turn, l.Span)
		return true
	})
	if err != nil {
		return nil, err
	}
	return trust.NewEvidence(t, func(yield func(string, memory.Origin) bool) error {
		return each(chunks, func(l Line) bool {
			return l.Span.Origin < memory.OriginFirstParty || yield(l.Text, l.Span.Origin)
		})
	}), nil
}

// each calls fn with line after line until fn returns false.
func each(chunks [][]byte, fn func(Line) bool) error {
	r, err := NewReader(chunks)
	if err != nil {
		return err
	}
	for {
		l, err := r.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case !fn(l):
			return nil
		}
	}
}
