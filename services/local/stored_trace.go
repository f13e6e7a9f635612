package local

import (
	"errors"
	"io"

	"github.com/winnowhq/winnow/services/internal/guard/redact"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/session/format"
	"github.com/winnowhq/winnow/services/internal/session/trace"
	"github.com/winnowhq/winnow/services/internal/session/transcript"
	"github.com/winnowhq/winnow/services/internal/session/trust"
)

// StoredTrace returns a file as ingest would store it, redacted and each turn
// with its origin, and in how many places a secret was replaced. o needs no
// format.
func StoredTrace(file string, as trace.Format, r *redact.Redactor, o trust.Options) (lines []transcript.Line, said trace.Session, secrets int, err error) {
	f, err := openTranscript(file, as)
	if err != nil {
		return nil, said, 0, err
	}
	defer f.Close()
	rd, err := format.Open(f, trace.Options{Format: as, Rewrite: r.Stream(string(memory.DefaultTenant)).Text})
	if err != nil {
		return nil, said, 0, err
	}
	o.Format = rd.Session().Format
	tracker := trust.NewTracker(o)
	for {
		turn, err := rd.Next()
		if errors.Is(err, io.EOF) {
			return lines, rd.Session(), secrets, nil
		}
		if err != nil {
			return nil, said, 0, err
		}
		secrets += redact.Count(turn.Text)
		lines = append(lines, transcript.Line{Turn: turn, Span: tracker.Add(turn)})
	}
}
