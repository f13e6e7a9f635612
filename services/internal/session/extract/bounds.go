package extract

import "errors"

// Bounds limits what is extracted from one session, and what a model is shown
// and may answer. See [DefaultBounds].
type Bounds struct {
	MaxExtractions int `koanf:"max_extractions_per_session" help:"Lessons that one session may yield, 0 to 3."`
	PromptTokens   int `koanf:"prompt_tokens" help:"Tokens of a session that a model is shown; beginning, end and failures come first."`
	AnswerTokens   int `koanf:"answer_tokens" help:"Tokens that an answer may have."`
}

// DefaultBounds returns bounds for a small model.
func DefaultBounds() Bounds {
	return Bounds{MaxExtractions: 3, PromptTokens: 12_000, AnswerTokens: 1_500}
}

// Validate returns an error that names every invalid value.
func (b Bounds) Validate() error {
	var errs []error
	if b.MaxExtractions < 0 || b.MaxExtractions > 3 {
		errs = append(errs, errors.New("max_extractions_per_session: give 0 to 3"))
	}
	if b.PromptTokens < 500 {
		errs = append(errs, errors.New("prompt_tokens: give 500 or more"))
	}
	if b.AnswerTokens < 100 {
		errs = append(errs, errors.New("answer_tokens: give 100 or more"))
	}
	return errors.Join(errs...)
}
