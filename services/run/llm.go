package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync/atomic"

	"github.com/winnowhq/winnow/services/internal/model/llm"
	"github.com/winnowhq/winnow/services/internal/model/llm/openai"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// LLMConfig says which language model is asked, if any.
type LLMConfig struct {
	URL   string `koanf:"url" help:"Base of an OpenAI-compatible server, such as http://localhost:11434/v1. Empty asks no model: rules distil."`
	Model string `koanf:"model" help:"The model, as that server names it."`
	Key   string `koanf:"key" secret:"true" help:"Bearer key of that server."`
}

// ReasoningBankConfig groups settings under the seed's own name.
type ReasoningBankConfig struct {
	Distillation worker.DistillConfig `koanf:"distillation"`
}

// llmProblem says what is wrong with the settings, empty when nothing is.
func (c Config) llmProblem() string {
	if c.LLM.URL == "" {
		if c.distillModel() != "" {
			return "a model is named, and no server that has it"
		}
		return ""
	}
	if _, err := c.newModel(); err != nil {
		return err.Error()
	}
	return ""
}

// distillModel is the name of the model that distils, empty for none.
func (c Config) distillModel() string {
	return cmp.Or(c.ReasoningBank.Distillation.Model, c.LLM.Model)
}

// newModel makes the configured one, nil for none. It asks no server yet.
func (c Config) newModel() (*watchedModel, error) {
	if c.LLM.URL == "" {
		return nil, nil
	}
	m, err := openai.New(openai.Config{
		URL: c.LLM.URL, Model: c.distillModel(), Key: c.LLM.Key,
		Timeout: c.ReasoningBank.Distillation.Timeout, MaxTokens: c.ReasoningBank.Distillation.AnswerTokens,
	})
	if err != nil {
		return nil, err
	}
	return &watchedModel{Model: m}, nil
}

// MeasuringModel is what a measurement asks at this address, by this name, or the
// configured one, with the configured key and bounds. An empty address asks
// nobody: nil.
func (c Config) MeasuringModel(address, name string) (llm.Model, error) {
	if address == "" {
		return nil, nil
	}
	c.LLM.URL, c.LLM.Model, c.ReasoningBank.Distillation.Model = address, cmp.Or(name, c.distillModel(), "default"), ""
	m, err := c.newModel()
	if err != nil {
		return nil, fmt.Errorf("--model-url: %w", err)
	}
	return m, nil
}

// distiller says in plain words who draws lessons from sessions.
func (c Config) distiller() string {
	if c.LLM.URL == "" {
		return "rules (rules-1); asks no model, nothing leaves this machine"
	}
	host := "its server"
	if u, err := url.Parse(c.LLM.URL); err == nil {
		u.User = nil
		host = strings.TrimSuffix(u.String(), "/")
	}
	return c.distillModel() + " at " + host + "; rules (rules-1) stand in where it cannot answer"
}

// watchedModel remembers how its last question ended, for those who ask how this
// process is. It is safe for concurrent use.
type watchedModel struct {
	llm.Model
	last atomic.Pointer[error]
}

// Complete implements [llm.Model].
func (m *watchedModel) Complete(ctx context.Context, q llm.Question) (llm.Answer, error) {
	a, err := m.Model.Complete(ctx, q)
	if !errors.Is(err, context.Canceled) { // which says nothing about the model
		m.last.Store(&err)
	}
	return a, err
}

// state is what there is to say about the model: ok, not asked yet, or that the
// process works without it for now.
func (m *watchedModel) state() string {
	switch last := m.last.Load(); {
	case last == nil:
		return "not asked yet"
	case *last != nil:
		return "degraded, events wait for it or rules do its work: " + (*last).Error()
	}
	return "ok"
}
