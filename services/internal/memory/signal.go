package memory

import "time"

// SignalType names the source of a signal (S4.16).
type SignalType string

// The types of signals.
const (
	SignalExplicit SignalType = "explicit" // somebody said that a memory helped, or did not
	SignalUsage    SignalType = "usage"    // a search showed a memory in a session
	SignalOutcome  SignalType = "outcome"  // work that used a memory succeeded, or failed
)

// Signal is one observation about the worth of a memory (S4.17). It is immutable.
// Signals are stored for 30 days, then added to a [SignalAggregate] (S4.25).
type Signal struct {
	ID        string     `json:"id"` // sig_…
	Tenant    Tenant     `json:"tenant"`
	MemoryID  string     `json:"memory_id"`
	Scope     Scope      `json:"scope"` // of the memory; its weights apply (S4.19)
	Type      SignalType `json:"type"`
	Positive  bool       `json:"positive"`             // it speaks for the memory
	Share     float64    `json:"share"`                // of a whole signal, above 0 up to 1: 0.5 for an implied outcome (D21)
	SessionID string     `json:"session_id,omitempty"` // the session's name, as the principal wrote it
	Principal string     `json:"principal"`            // who gave it, from the credential
	Highest   Origin     `json:"highest"`              // the principal's highest origin at that time
	Note      string     `json:"note,omitempty"`       // comment of an explicit signal, redacted
	At        time.Time  `json:"at"`
}

// SignalAggregate sums one principal's signals about one memory, in shares of whole
// signals (S4.18). Sums are stored for each principal, because the influence of each
// is bounded.
type SignalAggregate struct {
	Tenant      Tenant    `json:"tenant"`
	MemoryID    string    `json:"memory_id"`
	Principal   string    `json:"principal"`
	Highest     Origin    `json:"highest"` // the highest that any of its signals had
	ExplicitPos float64   `json:"explicit_pos"`
	ExplicitNeg float64   `json:"explicit_neg"`
	UsagePos    float64   `json:"usage_pos"`
	UsageNeg    float64   `json:"usage_neg"`
	OutcomePos  float64   `json:"outcome_pos"`
	OutcomeNeg  float64   `json:"outcome_neg"`
	LastRollup  time.Time `json:"last_rollup,omitzero"`
}

// Learned is what is stored of a memory since its first signal.
type Learned struct {
	Tenant   Tenant `json:"tenant"`
	MemoryID string `json:"memory_id"`
	Scope    Scope  `json:"scope"`
	// Initial is the memory's confidence before its first signal: the mean of the
	// prior (D20).
	Initial    float64   `json:"initial"`
	Signals    int       `json:"signals"` // ever recorded, without shares
	LastSignal time.Time `json:"last_signal"`
	DecayedAt  time.Time `json:"decayed_at,omitzero"` // up to when the evidence has decayed; zero for never
	// Pruned is the value of Signals when the memory was archived for its confidence.
	// A person may have restored it since: then it takes new signals to archive it again.
	Pruned int `json:"pruned,omitempty"`
}

// ProjectWeights are the two parameters of a Beta distribution for each type of signal
// (S4.19): how often signals of the type agreed with what was said explicitly.
type ProjectWeights struct {
	Scope         Scope   `json:"scope"`
	ExplicitAlpha float64 `json:"explicit_alpha"`
	ExplicitBeta  float64 `json:"explicit_beta"`
	UsageAlpha    float64 `json:"usage_alpha"`
	UsageBeta     float64 `json:"usage_beta"`
	OutcomeAlpha  float64 `json:"outcome_alpha"`
	OutcomeBeta   float64 `json:"outcome_beta"`
}
