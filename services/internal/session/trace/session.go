package trace

import (
	"cmp"
	"time"
)

// Role says who speaks in a turn.
type Role string

// The roles. A tool's call is a turn of the assistant, and its answer a turn of
// the tool.
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

// Session is an agent's conversation or task.
type Session struct {
	// ID is the publisher's own name of the session; may be empty.
	ID     string `json:"id,omitempty"`
	Format Format `json:"format"`
	// Agent is the program or model that worked, as the trace calls it.
	Agent string `json:"agent,omitempty"`
	// Project is github.com/acme/api where a git remote is known, otherwise the
	// last element of the folder; empty where the folder's name says nothing.
	Project string `json:"project,omitempty"`
	// Dir is the working folder, when the trace names it. A caller that can
	// read it derives the project better.
	Dir string `json:"dir,omitempty"`
	// Task is what was asked, one line of at most 200 runes.
	Task string `json:"task,omitempty"`

	Outcome Outcome `json:"outcome"`
	// OutcomeInferred: the outcome was derived from the turns, not stated.
	OutcomeInferred bool `json:"outcome_inferred"`
	// Basis is what an inferred outcome rests on; zero when there is none.
	Basis Basis `json:"basis,omitzero"`

	StartedAt time.Time `json:"started_at,omitzero"` // of the first turn that has a time, if not stated
	EndedAt   time.Time `json:"ended_at,omitzero"`   // of the last

	// Turns is empty in the result of format.Reader.Session.
	Turns []Turn `json:"turns,omitempty"`
	// Hash is the SHA-256, in hexadecimal, of roles, tools and texts. It does
	// not depend on the file's layout, ids or times.
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
	// Settled: the trace says how the call ended. When Settled is false, Error
	// false means nothing.
	Settled bool      `json:"settled,omitempty"`
	At      time.Time `json:"at,omitzero"`
	Line    int       `json:"line,omitempty"` // where it stands: line, or element of the list, from 1
	Cut     int       `json:"cut,omitempty"`  // bytes taken out of the middle of Text
	// Own: the answer comes from a subagent or a shell whose own turns are in
	// this trace, so what was read is judged there; or from the agent's program
	// itself.
	Own bool `json:"own,omitempty"`
	// Gap is how many records before this turn were left out as unreadable, or
	// are in another file. Their content is unknown.
	Gap int `json:"gap,omitempty"`
}

// Calls reports whether t calls a tool.
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

// Report says how much of a trace was read.
type Report struct {
	Records  int `json:"records"`            // read and understood, bookkeeping included
	Skipped  int `json:"skipped,omitempty"`  // left out because they could not be read
	Repaired int `json:"repaired,omitempty"` // bytes that were not UTF-8
	// Truncated: the file ends in the middle of a record.
	Truncated bool `json:"truncated,omitempty"`
	// Problems are the first of the Skipped, and the truncation.
	Problems []*Problem `json:"-"`
}

// maxProblems is how many problems are listed for a person to read.
const maxProblems = 20
