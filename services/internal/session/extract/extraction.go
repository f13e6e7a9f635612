package extract

import (
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/session/transcript"
)

// RulesVersion names the extractor without a model, as memory.Session.Distiller
// has it.
const RulesVersion = "rules-1"

// MaxMemories is the most memories that one session may yield (S4.11).
const MaxMemories = 3

// Limits of a text, in characters (S4.10). The seed gives no limit for the
// content; a lesson that is longer is a report.
const (
	MaxTitle       = 50
	MaxDescription = 200
	MaxContent     = 2000
	maxTags        = 8
	maxTag         = 40
	MaxQuote       = 600
	MaxQuotes      = 16
)

// Outcomes that a strategy can have.
const (
	OutcomeSuccess = "success"
	OutcomeFailure = "failure"
)

// Session is a session with its turns, redacted and in their order, from which
// lessons are drawn.
type Session struct {
	memory.Session
	Lines []transcript.Line
}

// Extraction is one lesson.
type Extraction struct {
	// Kind is strategy, fact, preference, convention or decision.
	Kind memory.Kind `json:"kind"`
	// Title, Description and Outcome are a strategy's: its name, when it helps,
	// and how the work ended from which it was learned.
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	// Text stands alone: it can be read without the session.
	Text    string   `json:"text"`
	Tags    []string `json:"tags,omitempty"`
	Outcome string   `json:"outcome,omitempty"`
	// Confidence is recorded with a strategy (S4.14).
	Confidence float64 `json:"confidence,omitempty"`
	// Evidence holds the passages that prove the text. After [Ground] every
	// quotation is the session's own words, with the turn that has them.
	Evidence []Quote `json:"evidence"`
}

// Quote is a passage of one turn.
type Quote struct {
	Turn int    `json:"turn"` // its N, from 1
	Text string `json:"text"`
}

// Confidence returns the initial confidence of a strategy by the outcome of its
// session (S4.14, D30).
func Confidence(outcome string) float64 {
	switch outcome {
	case OutcomeSuccess:
		return 0.7
	case OutcomeFailure:
		return 0.6
	}
	return 0.5
}

// settle sets the fields that follow from the others.
func (e *Extraction) settle(s Session) {
	if e.Kind != memory.KindStrategy {
		e.Title, e.Description, e.Outcome, e.Confidence = "", "", "", 0
		return
	}
	if e.Outcome == "" && s.Outcome != "unknown" {
		e.Outcome = s.Outcome
	}
	// The outcome is the session's, not the extraction's: a model that calls
	// its lesson a success does not make it more certain.
	e.Confidence = Confidence(s.Outcome)
}
