package eval

import (
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/session/extract"
	"github.com/winnowhq/winnow/services/local"
)

// read is the trace of a file, under a name, as ingest would keep it.
func (d *distilling) read(file, name string) (s extract.Session, secrets int, err error) {
	lines, said, secrets, err := local.StoredTrace(file, "", d.redactor, d.trust)
	if err != nil {
		return s, 0, err
	}
	s.Lines = lines
	s.Session = memory.Session{
		ID: name, Tenant: memory.DefaultTenant, Name: said.ID, Highest: memory.OriginFirstParty,
		Format: string(said.Format), Agent: said.Agent, Project: said.Project, Task: said.Task,
		Outcome: string(said.Outcome), OutcomeInferred: said.OutcomeInferred, StartedAt: said.StartedAt, EndedAt: said.EndedAt, Turns: len(s.Lines),
	}
	return s, secrets, nil
}
