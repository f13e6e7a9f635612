package consolidate

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/winnowhq/winnow/services/internal/consolidation/trigger"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// Config says when a run is needed, and bounds what it does and costs.
type Config struct {
	trigger.Config
	Clustering string `koanf:"clustering" help:"How memories are grouped: complete, where every two of a group are similar and the order does not matter, or greedy, as the seeds do it."`
	Gate       string `koanf:"gate" help:"What becomes of a merged text that alters or invents a detail: enforce (it is repaired or not used) or warn (it is used, and the run says so)."`

	Rest       time.Duration `koanf:"rest" help:"How long a scope must have got no memory before its count asks for a run, so that a run sees a burst whole; five minutes after its first memory the run is asked for all the same. 0 asks at once."`
	RunTimeout time.Duration `koanf:"run_timeout" help:"How long a run may take. What is left then is skipped, and the next run takes it up."`
	Workers    int           `koanf:"concurrency" help:"Groups that one process merges at once."`

	Model        string        `koanf:"model" help:"The model that merges, as the server at llm.url names it. Empty takes llm.model."`
	Timeout      time.Duration `koanf:"timeout" help:"How long one question to a model may take."`
	AnswerTokens int           `koanf:"answer_tokens" help:"Tokens of an answer of the model at most."`
	Language     string        `koanf:"language" help:"Language of the questions to a model, such as en or de, where no reviewer of the scope has one. Empty follows the memories."`
	DailyTokens  int           `koanf:"daily_tokens" help:"Tokens that a tenant's models may cost in a day (UTC); then texts are joined without a model. 0 sets no limit."`

	WeeklyPromptTokens int `koanf:"weekly_prompt_tokens" help:"Tokens of a user's memories that a weekly question shows at most; of a longer list another part each week. 0 shows all."`
	WeeklyAnswerTokens int `koanf:"weekly_answer_tokens" help:"Tokens of an answer to a weekly question at most."`
}

// The values of clustering and gate.
const (
	clusteringComplete = "complete"
	clusteringGreedy   = "greedy"
	gateEnforce        = "enforce"
	gateWarn           = "warn"
)

// DefaultConfig returns the seeds' numbers: ten minutes for a run (S4.71), ten groups at
// once (S4.97).
func DefaultConfig() Config {
	return Config{
		Config: trigger.DefaultConfig(), Clustering: clusteringComplete, Gate: gateEnforce,
		Rest: 5 * time.Second, RunTimeout: 10 * time.Minute, Workers: 10,
		Timeout: 60 * time.Second, AnswerTokens: 2000, DailyTokens: 2_000_000,
		WeeklyPromptTokens: 16_000, WeeklyAnswerTokens: 8000,
	}
}

// Validate returns an error that names every invalid value.
func (c Config) Validate() error {
	errs := []error{c.Config.Validate()}
	for _, choice := range []struct {
		name, value string
		of          []string
	}{
		{"clustering", c.Clustering, []string{clusteringComplete, clusteringGreedy}},
		{"gate", c.Gate, []string{gateEnforce, gateWarn}},
	} {
		if !slices.Contains(choice.of, choice.value) {
			errs = append(errs, fmt.Errorf("%s: %q is none of %v", choice.name, choice.value, choice.of))
		}
	}
	if c.Rest < 0 {
		errs = append(errs, errors.New("rest: give 0 or a duration such as 5s"))
	}
	if c.RunTimeout <= 0 {
		errs = append(errs, errors.New("run_timeout: give a duration above zero, such as 10m"))
	}
	if c.Workers < 1 || c.Workers > 256 {
		errs = append(errs, errors.New("concurrency: give 1 to 256"))
	}
	if c.Timeout <= 0 {
		errs = append(errs, errors.New("timeout: give a duration above zero, such as 60s"))
	}
	if c.AnswerTokens < 1 {
		errs = append(errs, errors.New("answer_tokens: give 1 or more"))
	}
	if c.WeeklyPromptTokens < 0 {
		errs = append(errs, errors.New("weekly_prompt_tokens: give 0 for all memories, or a number of tokens"))
	}
	if c.WeeklyAnswerTokens < 1 {
		errs = append(errs, errors.New("weekly_answer_tokens: give 1 or more"))
	}
	if c.DailyTokens < 0 {
		errs = append(errs, errors.New("daily_tokens: give 0 for no limit, or a number of tokens"))
	}
	return errors.Join(errs...)
}

var (
	// Settings are the worker's.
	Settings = worker.SettingsAt(trigger.Key, DefaultConfig)
	// Scheduler are the settings of the runs by interval, under the seed's name.
	Scheduler = worker.SettingsAt(trigger.SchedulerKey, trigger.DefaultScheduler)
)

// model returns the model that the settings name for consolidation.
func model(all worker.Configured) worker.ModelChoice {
	c := Settings.In(all)
	return worker.ModelChoice{Name: c.Model, Timeout: c.Timeout, AnswerTokens: c.AnswerTokens}
}
