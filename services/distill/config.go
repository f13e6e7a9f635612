package distill

import (
	"errors"
	"time"

	"github.com/winnowhq/winnow/services/internal/confidence"
	"github.com/winnowhq/winnow/services/internal/session/extract"
	"github.com/winnowhq/winnow/services/internal/session/trust"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// Config bounds what distillation does and its cost. The names are the seed's
// (S4.15).
type Config struct {
	QueueBatch int    `koanf:"queue_batch_size" help:"Sessions that one process takes from the queue at most, whatever worker_count says."`
	Workers    int    `koanf:"worker_count" help:"Sessions that one process distills at once."`
	Model      string `koanf:"extraction_model" help:"The model that distills, as the server at llm.url names it. Empty takes llm.model."`
	extract.Bounds
	DailyTokens int           `koanf:"daily_tokens" help:"Tokens that a tenant's models may cost in a day (UTC); then rules do the work. 0 sets no limit."`
	Timeout     time.Duration `koanf:"timeout" help:"How long one question to a model may take."`
}

// DefaultConfig returns settings for a small model at an ordinary price.
func DefaultConfig() Config {
	return Config{QueueBatch: 10, Workers: 8, Bounds: extract.DefaultBounds(), DailyTokens: 2_000_000, Timeout: 60 * time.Second}
}

// Validate returns an error that names every invalid value.
func (c Config) Validate() error {
	errs := []error{c.Bounds.Validate()}
	if c.QueueBatch < 1 {
		errs = append(errs, errors.New("queue_batch_size: give 1 or more"))
	}
	if c.Workers < 1 || c.Workers > 256 {
		errs = append(errs, errors.New("worker_count: give 1 to 256"))
	}
	if c.DailyTokens < 0 {
		errs = append(errs, errors.New("daily_tokens: give 0 for no limit, or a number of tokens"))
	}
	if c.Timeout <= 0 {
		errs = append(errs, errors.New("timeout: give a duration above zero, such as 60s"))
	}
	return errors.Join(errs...)
}

var (
	// Settings are the distiller's, under the seed's name.
	Settings = worker.SettingsAt("reasoning_bank.distillation", DefaultConfig)
	// trusted lists what a session may quote; the same setting as the intake's.
	trusted = worker.SettingsAt("trust", trust.DefaultConfig)
	// Learning says how sure Winnow is of a lesson at first; the same setting as that of
	// the workers that change it.
	Learning = worker.SettingsAt(confidence.Section, confidence.DefaultConfig)
)

// model returns the model that the settings name for distillation.
func model(all worker.Configured) worker.ModelChoice {
	c := Settings.In(all)
	return worker.ModelChoice{Name: c.Model, Timeout: c.Timeout, AnswerTokens: c.AnswerTokens}
}
