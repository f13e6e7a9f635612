package openai

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
	openai "github.com/sashabaranov/go-openai"

	"github.com/winnowhq/winnow/services/internal/model/llm"
	"github.com/winnowhq/winnow/services/internal/model/wire"
)

// Model calls one model of one server. It is safe for concurrent use.
type Model struct {
	config Config
	client *openai.Client
	forms  forms
}

var _ llm.Model = (*Model)(nil)

// New checks the settings. It does not call the server, so that a process starts while
// the server is down. The error is [llm.ErrRefused] and names the setting.
func New(config Config) (*Model, error) {
	config, err := config.filled()
	if err != nil {
		return nil, err
	}
	settings := openai.DefaultConfig(config.Key)
	settings.BaseURL = config.URL
	settings.HTTPClient = &wire.Client{HTTP: &http.Client{}, Limit: config.MaxBytes}
	return &Model{config: config, client: openai.NewClientWithConfig(settings)}, nil
}

// jitter is the part of a pause by which it varies, so that workers that failed
// together do not retry together.
const jitter = 0.2

// retries is the retry policy: transient failures are retried, never earlier than the
// server asks for. A wait beyond the deadline is not begun: the caller can use the time
// better.
func (c Config) retries(deadline time.Time) retrypolicy.RetryPolicy[openai.ChatCompletionResponse] {
	return retrypolicy.NewBuilder[openai.ChatCompletionResponse]().
		HandleIf(func(_ openai.ChatCompletionResponse, err error) bool {
			_, again := wire.Retry(err)
			return again
		}).
		AbortIf(func(_ openai.ChatCompletionResponse, err error) bool {
			wait, _ := wire.Retry(err)
			return time.Now().Add(wait).After(deadline)
		}).
		WithMaxAttempts(c.Attempts).
		WithBackoff(c.Backoff, max(c.Timeout, 2*c.Backoff)).
		WithJitterFactor(jitter).
		WithDelayFunc(func(e failsafe.ExecutionAttempt[openai.ChatCompletionResponse]) time.Duration {
			if wait, _ := wire.Retry(e.LastError()); wait > 0 {
				return time.Duration(float64(wait) / (1 - jitter))
			}
			return -1 // the backoff
		}).
		ReturnLastFailure().
		Build()
}

// ID implements [llm.Model]: the server's name of the model.
func (m *Model) ID() string { return m.config.Model }

// Complete implements [llm.Model].
func (m *Model) Complete(ctx context.Context, q llm.Question) (llm.Answer, error) {
	asking, done := context.WithTimeout(wire.WithKey(ctx, q.Key), m.config.Timeout)
	defer done()
	for form := m.forms.known(); ; {
		answer, err := m.retry(asking, form.request(m.config, q))
		if err == nil {
			m.forms.learn(form)
			return answer, nil
		}
		if ctx.Err() != nil {
			return llm.Answer{}, ctx.Err()
		}
		other, ok := form.next(q, err)
		if !ok {
			return llm.Answer{}, fmt.Errorf("ask %s: %w", m.ID(), named(err))
		}
		form = other
	}
}

// retry makes a request until it succeeds, fails for good, or the attempts are used up.
func (m *Model) retry(ctx context.Context, r openai.ChatCompletionRequest) (llm.Answer, error) {
	deadline, _ := ctx.Deadline() // Complete sets one
	retries := failsafe.With(m.config.retries(deadline)).WithContext(ctx)
	response, err := retries.Get(func() (openai.ChatCompletionResponse, error) {
		response, err := m.client.CreateChatCompletion(ctx, r)
		return response, sorted(err)
	})
	if err != nil {
		return llm.Answer{}, sorted(err)
	}
	return answerOf(response)
}

// sorted wraps an error of the library or of the context in the type for its cause: an
// unreadable answer, or none.
func sorted(err error) error {
	f, u := (*wire.Fault)(nil), (*wire.Unreadable)(nil)
	switch {
	case err == nil, errors.As(err, &f), errors.As(err, &u), errors.Is(err, openai.ErrReasoningModelMaxTokensDeprecated):
		return err
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return &wire.Fault{Err: err}
	}
	return &wire.Unreadable{Err: err}
}
