package memory

import "time"

// Session is one finished agent conversation or task, as it is kept: redacted,
// with its outcome, and with the trace stored beside it.
type Session struct {
	ID     string `json:"id"` // sess_…
	Tenant Tenant `json:"tenant"`
	Scope  Scope  `json:"scope"`

	// Name is what the publisher calls it. Proposals and searches name their
	// session so; another publisher may use the same name.
	Name      string `json:"name"`
	EventID   string `json:"event_id,omitempty"`
	Principal string `json:"principal,omitempty"` // who published it, from the credential
	// Highest is what the principal might claim when the session came in: no span
	// of it is worth more.
	Highest Origin `json:"highest"`

	Format   string `json:"format"`            // how the trace was written, such as claude-code
	Agent    string `json:"agent,omitempty"`   // what worked, as the trace calls it
	Source   string `json:"source,omitempty"`  // the publishing program, by its own word
	Project  string `json:"project,omitempty"` // such as github.com/acme/api
	Task     string `json:"task,omitempty"`    // what was asked, one line
	Language string `json:"language,omitempty"`

	Outcome         string    `json:"outcome"` // success, failure or unknown
	OutcomeInferred bool      `json:"outcome_inferred"`
	OutcomeBasis    string    `json:"outcome_basis,omitempty"` // what an inferred one rests on
	StartedAt       time.Time `json:"started_at,omitzero"`
	EndedAt         time.Time `json:"ended_at,omitzero"`
	IngestedAt      time.Time `json:"ingested_at,omitzero"`

	// Hash is of the roles, tools and redacted texts, in which every secret counts
	// as the same: a session sent twice has it twice, in any layout, and nobody
	// can try candidates for a secret against it.
	Hash       string `json:"hash"`
	Turns      int    `json:"turns"`      // stored
	Skipped    int    `json:"skipped"`    // could not be read and were left out
	Redactions int    `json:"redactions"` // secrets replaced before storing
	External   int    `json:"external"`   // turns whose words came from outside
	Bytes      int64  `json:"bytes"`      // of text in the stored turns

	State SessionState `json:"state"`
	// What distillation made of it; empty until then.
	DistilledAt time.Time `json:"distilled_at,omitzero"`
	Distiller   string    `json:"distiller,omitempty"` // rules-1, or the model's id
	Prompt      string    `json:"prompt,omitempty"`    // version of the prompt, where a model spoke
	Extracted   int       `json:"extracted"`           // texts proposed
	Ungrounded  int       `json:"ungrounded"`          // extractions dropped because the trace does not bear them out
	Note        string    `json:"note,omitempty"`      // why rules stood in for the model, or nothing was made of it
}

// SessionState is how far a session has come.
type SessionState string

// The states of a session.
const (
	SessionIngested  SessionState = "ingested"  // waits for distillation
	SessionDistilled SessionState = "distilled" // looked at; Extracted says what came of it
)
