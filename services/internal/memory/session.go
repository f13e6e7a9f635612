package memory

import "time"

// Session is one finished agent conversation or task, redacted, with its outcome.
// The trace is stored in rows of its own.
type Session struct {
	ID     string `json:"id"` // sess_…
	Tenant Tenant `json:"tenant"`
	Scope  Scope  `json:"scope"`

	// Name is the publisher's name of the session. Proposals and searches refer
	// to their session by name; another publisher may use the same name.
	Name      string `json:"name"`
	EventID   string `json:"event_id,omitempty"`
	Principal string `json:"principal,omitempty"` // the publisher, from the credential
	// Highest is the principal's highest origin when the session was ingested. No
	// span of the session has a higher authority.
	Highest Origin `json:"highest"`

	Format   string `json:"format"`            // format of the trace, such as claude-code
	Agent    string `json:"agent,omitempty"`   // name of the agent in the trace
	Source   string `json:"source,omitempty"`  // the publishing program, as it names itself
	Project  string `json:"project,omitempty"` // such as github.com/acme/api
	Task     string `json:"task,omitempty"`    // the user's request, one line
	Language string `json:"language,omitempty"`

	Outcome         string    `json:"outcome"` // success, failure or unknown
	OutcomeInferred bool      `json:"outcome_inferred"`
	OutcomeBasis    string    `json:"outcome_basis,omitempty"` // basis of an inferred outcome
	StartedAt       time.Time `json:"started_at,omitzero"`
	EndedAt         time.Time `json:"ended_at,omitzero"`
	IngestedAt      time.Time `json:"ingested_at,omitzero"`

	// Hash covers the roles, tools and redacted texts, with every secret replaced
	// by the same mark. A session that is sent twice has the same hash in any
	// layout, and an attacker cannot test candidates for a secret against the
	// hash.
	Hash       string `json:"hash"`
	Turns      int    `json:"turns"`      // stored
	Skipped    int    `json:"skipped"`    // unreadable and omitted
	Redactions int    `json:"redactions"` // secrets replaced before storing
	External   int    `json:"external"`   // turns with external words
	Bytes      int64  `json:"bytes"`      // of text in the stored turns

	State SessionState `json:"state"`
	// The result of distillation; empty before.
	DistilledAt time.Time `json:"distilled_at,omitzero"`
	Distiller   string    `json:"distiller,omitempty"` // rules-1, or the model's id
	Prompt      string    `json:"prompt,omitempty"`    // version of the prompt, when a model answered
	Extracted   int       `json:"extracted"`           // texts proposed
	Ungrounded  int       `json:"ungrounded"`          // extractions dropped because the trace does not support them
	Note        string    `json:"note,omitempty"`      // why rules replaced the model, or why nothing was extracted
}

// SessionState is the processing state of a session.
type SessionState string

// The states of a session.
const (
	SessionIngested  SessionState = "ingested"  // awaits distillation
	SessionDistilled SessionState = "distilled" // Extracted counts the results
)
