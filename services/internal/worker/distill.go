package worker

import (
	"errors"
	"time"
)

// DistillConfig bounds what distillation does and what it may cost. The names
// are the seed's (S4.15).
type DistillConfig struct {
	QueueBatch     int           `koanf:"queue_batch_size" help:"Sessions that one process takes from the queue at most, whatever worker_count says."`
	Workers        int           `koanf:"worker_count" help:"Sessions that one process distills at once."`
	Model          string        `koanf:"extraction_model" help:"The model that distills, as the server at llm.url names it. Empty takes llm.model."`
	MaxExtractions int           `koanf:"max_extractions_per_session" help:"Lessons that one session may yield, 0 to 3."`
	PromptTokens   int           `koanf:"prompt_tokens" help:"Tokens of a session that a model is shown; beginning, end and failures come first."`
	AnswerTokens   int           `koanf:"answer_tokens" help:"Tokens that an answer may have."`
	DailyTokens    int           `koanf:"daily_tokens" help:"Tokens that a tenant's models may cost in a day (UTC); then rules do the work. 0 sets no limit."`
	Timeout        time.Duration `koanf:"timeout" help:"How long one question to a model may take."`
}

// DefaultDistillConfig suits a small model at an ordinary price.
func DefaultDistillConfig() DistillConfig {
	return DistillConfig{
		QueueBatch: 10, Workers: 8, MaxExtractions: 3, PromptTokens: 12_000, AnswerTokens: 1_500, DailyTokens: 2_000_000, Timeout: 60 * time.Second,
	}
}

// Validate names every value that cannot be used.
func (c DistillConfig) Validate() error {
	var errs []error
	if c.QueueBatch < 1 {
		errs = append(errs, errors.New("queue_batch_size: give 1 or more"))
	}
	if c.Workers < 1 || c.Workers > 256 {
		errs = append(errs, errors.New("worker_count: give 1 to 256"))
	}
	if c.MaxExtractions < 0 || c.MaxExtractions > 3 {
		errs = append(errs, errors.New("max_extractions_per_session: give 0 to 3"))
	}
	if c.PromptTokens < 500 {
		errs = append(errs, errors.New("prompt_tokens: give 500 or more"))
	}
	if c.AnswerTokens < 100 {
		errs = append(errs, errors.New("answer_tokens: give 100 or more"))
	}
	if c.DailyTokens < 0 {
		errs = append(errs, errors.New("daily_tokens: give 0 for no limit, or a number of tokens"))
	}
	if c.Timeout <= 0 {
		errs = append(errs, errors.New("timeout: give a duration above zero, such as 60s"))
	}
	return errors.Join(errs...)
}
