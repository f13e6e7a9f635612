package consult

import (
	"context"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"

	"github.com/winnowhq/winnow/services/internal/guard/redact"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/model/llm"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/telemetry"
)

// Config bounds what models may cost, and how often a failing one is called.
type Config struct {
	DailyTokens int           // of a tenant, in UTC; 0 sets no limit
	Failures    uint          // consecutive failures that open the circuit breaker; 0 means 5
	Cooldown    time.Duration // time without calls, unless the server asks for longer; 0 means 30 s
}

// Consult asks one model for many tenants. It is safe for concurrent use.
type Consult struct {
	model    llm.Model
	calls    store.Calls
	redactor *redact.Redactor
	config   Config
	log      *zap.Logger
	metrics  *metrics
	now      func() time.Time
	breaker  *breaker
	keys     oneAtATime
}

// New returns a Consult. It calls nothing yet.
func New(model llm.Model, calls store.Calls, redactor *redact.Redactor, config Config, log *zap.Logger, registry prometheus.Registerer, now func() time.Time) *Consult {
	m := newMetrics(registry)
	return &Consult{
		model: model, calls: calls, redactor: redactor, config: config, log: log, metrics: m, now: now,
		breaker: newBreaker(config, log, m.open.WithLabelValues(model.ID())),
	}
}

// Request is one question with its purpose and subject.
type Request struct {
	Purpose string // a word, such as distill; also a metric's label
	Subject string // id of the session or cluster that the question is about
	Prompt  string // version of the prompt
	// Question is the question itself. Ask sets its Key.
	Question llm.Question
}

// Ask returns the answer to a question: the stored one, else the model's. The error is
// store.ErrBudget, or one of package llm's, or the store's, or that of ctx. Within one
// process a question that is being asked is waited for. Two processes that ask the same
// at the same time may both call the model; one answer is stored.
func (c *Consult) Ask(ctx context.Context, tenant memory.Tenant, r Request) (llm.Answer, error) {
	answer, result, err := c.ask(ctx, tenant, r)
	c.metrics.calls.WithLabelValues(r.Purpose, string(result)).Inc()
	if err != nil {
		return llm.Answer{}, fmt.Errorf("consult about %s: %w", r.Purpose, err)
	}
	return answer, nil
}

func (c *Consult) ask(ctx context.Context, tenant memory.Tenant, r Request) (llm.Answer, outcome, error) {
	// The breaker is checked before the question is recorded: a question that will not
	// be asked must not use up the budget.
	if err := c.breaker.open(); err != nil {
		return llm.Answer{}, resultOf(err), err
	}
	q, found := c.redacted(tenant, r.Question)
	call := store.ModelCall{
		Key: keyOf(tenant, c.model.ID(), r), Purpose: r.Purpose, Model: c.model.ID(), Prompt: r.Prompt, Subject: r.Subject,
		At: c.now(), Expected: tokens(q.System) + tokens(q.User) + q.MaxTokens,
	}
	q.Key = call.Key
	release, err := c.keys.acquire(ctx, call.Key)
	if err != nil {
		return llm.Answer{}, resultOf(err), err
	}
	defer release()
	known, err := c.calls.BeginCall(ctx, tenant, call, c.config.DailyTokens)
	if err != nil {
		return llm.Answer{}, resultOf(err), fmt.Errorf("begin: %w", err)
	}
	if !known.AnsweredAt.IsZero() {
		return answerIn(known), resultStored, nil
	}
	if found > 0 {
		// The intake should have redacted these secrets, so this is worth a warning.
		c.log.Warn("secrets were replaced in a question to a model", zap.Int(telemetry.KeyCount, found), zap.String(telemetry.KeySubject, r.Subject))
	}
	answer, err := c.complete(ctx, r.Purpose, q)
	if err != nil {
		return llm.Answer{}, resultOf(err), err
	}
	answer, err = c.storeAnswer(ctx, tenant, call, answer)
	if err != nil {
		return llm.Answer{}, resultOf(err), err
	}
	return answer, resultAnswered, nil
}

// complete calls the model, unless the breaker is open.
func (c *Consult) complete(ctx context.Context, purpose string, q llm.Question) (llm.Answer, error) {
	began := time.Now()
	answer, err := c.breaker.call(ctx, func() (llm.Answer, error) { return c.model.Complete(ctx, q) })
	c.metrics.seconds.WithLabelValues(purpose).Observe(time.Since(began).Seconds())
	if err == nil {
		c.metrics.tokens.WithLabelValues(purpose, "input").Add(float64(answer.InputTokens))
		c.metrics.tokens.WithLabelValues(purpose, "output").Add(float64(answer.OutputTokens))
	}
	return answer, err
}

// storeTimeout bounds the storing of a paid answer in a process that is being stopped.
const storeTimeout = 5 * time.Second

// storeAnswer stores an answer without its secrets, also after the caller has gone: the
// answer is paid.
func (c *Consult) storeAnswer(ctx context.Context, tenant memory.Tenant, call store.ModelCall, a llm.Answer) (llm.Answer, error) {
	if ctx.Err() != nil {
		storing, done := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
		defer done()
		ctx = storing
	}
	a.Text, _ = c.redactor.Text(string(tenant), storable(a.Text))
	call.AnsweredAt, call.Answer, call.Stop = c.now(), a.Text, string(a.Stop)
	call.InputTokens, call.OutputTokens = max(a.InputTokens, 0), max(a.OutputTokens, 0)
	if err := c.calls.FinishCall(ctx, tenant, call); err != nil {
		return llm.Answer{}, fmt.Errorf("keep the answer: %w", err)
	}
	return a, nil
}

// redacted returns the question without secrets, and how many there were.
func (c *Consult) redacted(tenant memory.Tenant, q llm.Question) (llm.Question, int) {
	var inSystem, inUser []redact.Finding
	q.System, inSystem = c.redactor.Text(string(tenant), q.System)
	q.User, inUser = c.redactor.Text(string(tenant), q.User)
	return q, len(inSystem) + len(inUser)
}

// tokens estimates the tokens of a text (D27).
func tokens(text string) int { return (utf8.RuneCountInString(text) + 3) / 4 }

func answerIn(c store.ModelCall) llm.Answer {
	return llm.Answer{
		Text: c.Answer, Model: c.Model, Stop: llm.Stop(c.Stop), InputTokens: c.InputTokens, OutputTokens: c.OutputTokens,
	}
}

// resultOf returns the metric label of an error.
func resultOf(err error) outcome {
	for _, r := range []struct {
		is     error
		result outcome
	}{
		{store.ErrBudget, resultBudget},
		{llm.ErrUnavailable, resultUnavailable},
		{llm.ErrRefused, resultRefused},
		{llm.ErrAnswer, resultUnreadable},
		{context.Canceled, resultCanceled},
	} {
		if errors.Is(err, r.is) {
			return r.result
		}
	}
	return resultError
}
