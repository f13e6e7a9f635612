package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/winnowhq/winnow/services/internal/model/llm"
	"github.com/winnowhq/winnow/services/internal/model/llm/openai"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// LLMConfig selects the language model, if any.
type LLMConfig struct {
	URL   string `koanf:"url" help:"Base of an OpenAI-compatible server, such as http://localhost:11434/v1. Empty asks no model: rules distil."`
	Model string `koanf:"model" help:"The model, as that server names it."`
	Key   string `koanf:"key" secret:"true" help:"Bearer key of that server."`
}

// choices returns the models that the workers request, each once, by the server's name.
// Where some worker has a model, one for which none is named works without; where no
// worker has, the choice without a name is returned, for its error.
func (c Config) choices(defs []worker.Definition) []worker.ModelChoice {
	var named, unnamed []worker.ModelChoice
	for _, d := range defs {
		if d.Needs.Model == nil {
			continue
		}
		switch choice := c.choice(d); {
		case choice.Name == "":
			unnamed = append(unnamed, choice)
		case !slices.Contains(named, choice):
			named = append(named, choice)
		}
	}
	if len(named) == 0 {
		return unnamed
	}
	return named
}

// choice returns the model that a worker requests.
func (c Config) choice(d worker.Definition) worker.ModelChoice {
	choice := d.Needs.Model(c.Workers)
	choice.Name = cmp.Or(choice.Name, c.LLM.Model)
	return choice
}

// llmProblem returns a description of a problem of the settings, or "".
func (c Config) llmProblem(defs []worker.Definition) string {
	named := c.LLM.Model != ""
	for _, choice := range c.choices(defs) {
		named = named || choice.Name != ""
		if c.LLM.URL == "" {
			continue
		}
		if _, err := c.newModel(choice); err != nil {
			return err.Error()
		}
	}
	if c.LLM.URL == "" && named {
		return "a model is named, and no server that has it"
	}
	return ""
}

// newModel returns the chosen model of the configured server, without a request to it.
func (c Config) newModel(choice worker.ModelChoice) (*watchedModel, error) {
	m, err := openai.New(openai.Config{
		URL: c.LLM.URL, Model: choice.Name, Key: c.LLM.Key, Timeout: choice.Timeout, MaxTokens: choice.AnswerTokens,
	})
	if err != nil {
		return nil, err
	}
	return &watchedModel{Model: m}, nil
}

// MeasuringModel returns the model for a measurement at an address, by the given name or
// else the configured one, with the configured key and the limits of a worker. It returns
// nil for an empty address.
func (c Config) MeasuringModel(d worker.Definition, address, name string) (llm.Model, error) {
	if address == "" {
		return nil, nil
	}
	c.LLM.URL = address
	choice := c.choice(d)
	choice.Name = cmp.Or(name, choice.Name, "default")
	m, err := c.newModel(choice)
	if err != nil {
		return nil, fmt.Errorf("--model-url: %w", err)
	}
	return m, nil
}

// distiller describes, for a person, what draws lessons from sessions.
func (c Config) distiller(defs []worker.Definition) string {
	if c.LLM.URL == "" {
		return "rules (rules-1); asks no model, nothing leaves this machine"
	}
	host := "its server"
	if u, err := url.Parse(c.LLM.URL); err == nil {
		u.User = nil
		host = strings.TrimSuffix(u.String(), "/")
	}
	var names []string
	for _, choice := range c.choices(defs) {
		names = append(names, choice.Name)
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), " and ") + " at " + host + "; rules (rules-1) stand in where it cannot answer"
}

// watchedModel stores the outcome of its last request, for readiness. Safe for concurrent
// use.
type watchedModel struct {
	llm.Model
	last atomic.Pointer[error]
}

// Complete implements [llm.Model].
func (m *watchedModel) Complete(ctx context.Context, q llm.Question) (llm.Answer, error) {
	a, err := m.Model.Complete(ctx, q)
	if !errors.Is(err, context.Canceled) { // a cancelled request says nothing about the model
		m.last.Store(&err)
	}
	return a, err
}

// state returns the model's line for readiness: ok, not requested yet, or that the
// process works without the model for now.
func (m *watchedModel) state() string {
	switch last := m.last.Load(); {
	case last == nil:
		return "not asked yet"
	case *last != nil:
		return "degraded, events wait for it or rules do its work: " + (*last).Error()
	}
	return "ok"
}
