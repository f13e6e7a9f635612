package ops

import (
	"errors"
	"io"
	"os"

	"github.com/winnowhq/winnow/services/internal/extract"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/redact"
	"github.com/winnowhq/winnow/services/internal/trace"
	"github.com/winnowhq/winnow/services/internal/transcript"
	"github.com/winnowhq/winnow/services/internal/trust"
)

// read is the trace of a file, under a name, as ingest would keep it: redacted, each turn with its origin.
func (d *distilling) read(file, name string) (s extract.Session, secrets int, err error) {
	f, err := os.Open(file)
	if err != nil {
		return s, 0, err
	}
	defer f.Close()
	r, err := trace.Open(f, trace.Options{Rewrite: d.redactor.Stream(string(memory.DefaultTenant)).Text})
	if err != nil {
		return s, 0, err
	}
	o := d.trust
	o.Format = r.Session().Format
	tracker := trust.NewTracker(o)
	for {
		turn, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return s, 0, err
		}
		secrets += redact.Count(turn.Text)
		s.Lines = append(s.Lines, transcript.Line{Turn: turn, Span: tracker.Add(turn)})
	}
	said := r.Session()
	s.Session = memory.Session{
		ID: name, Tenant: memory.DefaultTenant, Name: said.ID, Highest: memory.OriginFirstParty,
		Format: string(said.Format), Agent: said.Agent, Project: said.Project, Task: said.Task,
		Outcome: string(said.Outcome), OutcomeInferred: said.OutcomeInferred, StartedAt: said.StartedAt, EndedAt: said.EndedAt, Turns: len(s.Lines),
	}
	return s, secrets, nil
}
