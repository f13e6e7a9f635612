package trace

import (
	"cmp"
	"time"
)

// Role says who speaks in a turn.
type Role string

// The roles. A call of a tool is a turn of the assistant's, what the tool
// answered is a turn of the tool's.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
	RoleSystem    Role = "system"
)

// Outcome is how a session ended.
type Outcome string

// The outcomes (D30).
const (
	OutcomeSuccess Outcome = "success"
	OutcomeFailure Outcome = "failure"
	OutcomeUnknown Outcome = "unknown"
)

// Session is an agent's conversation or task, as Winnow sees it.
type Session struct {
	// ID is the publisher's own name of the session; may be empty.
	ID     string `json:"id,omitempty"`
	Format Format `json:"format"`
	// Agent is what worked: a program or a model, as the trace calls it.
	Agent string `json:"agent,omitempty"`
	// Project is what was worked on: github.com/acme/api where a git remote is
	// known, else the last element of the folder; empty where that says nothing.
	Project string `json:"project,omitempty"`
	// Dir is the folder worked in, when the trace names it. Whoever can look
	// there knows the project better.
	Dir string `json:"dir,omitempty"`
	// Task is what was asked, one line of at most 200 runes.
	Task string `json:"task,omitempty"`

	Outcome Outcome `json:"outcome"`
	// OutcomeInferred: derived from the turns and not stated by anybody.
	OutcomeInferred bool `json:"outcome_inferred"`
	// Basis is what an inferred outcome rests on; zero when there is none.
	Basis Basis `json:"basis,omitzero"`

	StartedAt time.Time `json:"started_at,omitzero"` // of the first turn that has a time, if not stated
	EndedAt   time.Time `json:"ended_at,omitzero"`   // of the last

	// Turns is empty in what format.Reader.Session returns.
	Turns []Turn `json:"turns,omitempty"`
	// Hash is the SHA-256, in hexadecimal, of roles, tools and texts. It is the
	// same however the file is laid out, whatever its ids and times.
	Hash   string `json:"hash"`
	Report Report `json:"report"`
}

// Override replaces what a trace says by what its event states. Only fields that
// over sets are replaced: the id, agent, project, task, outcome and times.
func (s *Session) Override(over Session) {
	s.ID = cmp.Or(over.ID, s.ID)
	s.Agent = cmp.Or(over.Agent, s.Agent)
	s.Project = cmp.Or(over.Project, s.Project)
	s.Task = cmp.Or(over.Task, s.Task)
	s.Outcome = cmp.Or(over.Outcome, s.Outcome)
	if !over.StartedAt.IsZero() {
		s.StartedAt = over.StartedAt
	}
	if !over.EndedAt.IsZero() {
		s.EndedAt = over.EndedAt
	}
}

// Turn is one thing said, called or answered: the smallest part of a session
// that has one origin.
type Turn struct {
	N    int    `json:"n"` // from 1, without gaps
	Role Role   `json:"role"`
	Text string `json:"text"` // said, given to the tool, or answered by it; UTF-8 without control characters
	// Tool is what is called or answers; its zero value in every other turn.
	Tool Tool `json:"tool,omitzero"`
	// Error: the tool reports that the call failed.
	Error bool `json:"error,omitempty"`
	// Settled: the trace says how the call ended. Without it, no Error is no
	// news.
	Settled bool      `json:"settled,omitempty"`
	At      time.Time `json:"at,omitzero"`
	Line    int       `json:"line,omitempty"` // where it stands: line, or element of the list, from 1
	Cut     int       `json:"cut,omitempty"`  // bytes taken out of the middle of Text
	// Own: the answer is of a subagent or a shell whose own turns are in this
	// trace, and what it read is seen there; or the program itself answers.
	Own bool `json:"own,omitempty"`
	// Gap is how many records before it could not be read and were left out, or
	// are in another file. Anything may have stood there.
	Gap int `json:"gap,omitempty"`
}

// Calls reports a turn in which a tool is called.
func (t Turn) Calls() bool { return t.Role != RoleTool && t.Tool.Name != "" }

// Tool is a tool as one turn uses it.
type Tool struct {
	Name string `json:"name"`
	Kind Kind   `json:"kind,omitempty"`
	// Call is the trace's id of the call. The answer has the same one.
	Call string `json:"call,omitempty"`
	// Command is the command line of a shell, at most 4 KiB, in the call and in
	// its answer.
	Command string `json:"command,omitempty"`
}

// Report is what became of the bytes.
type Report struct {
	Records  int `json:"records"`            // read and understood, bookkeeping included
	Skipped  int `json:"skipped,omitempty"`  // left out because they could not be read
	Repaired int `json:"repaired,omitempty"` // bytes that were not UTF-8
	// Truncated: the file ends in the middle of a record.
	Truncated bool `json:"truncated,omitempty"`
	// Problems are the first of the Skipped, and the truncation.
	Problems []*Problem `json:"-"`
}

// maxProblems is how many a person wants to read.
const maxProblems = 20
