package consult

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/circuitbreaker"
	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"

	"github.com/winnowhq/winnow/services/internal/model/llm"
	"github.com/winnowhq/winnow/services/internal/telemetry"
)

const (
	defaultFailures = 5
	defaultCooldown = 30 * time.Second
)

// breaker stops calling a server after repeated failures, whether an outage or rejected
// credentials, until the cooldown has passed. Further calls would cost every event the
// server's timeout, and a wrong key stays wrong. After the cooldown one question tries
// the server. It is safe for concurrent use.
type breaker struct {
	circuit circuitbreaker.CircuitBreaker[llm.Answer]
	call    func(context.Context, func() (llm.Answer, error)) (llm.Answer, error)
	last    atomic.Pointer[error] // of the last failure
}

func newBreaker(c Config, log *zap.Logger, open prometheus.Gauge) *breaker {
	failures, cooldown := c.Failures, c.Cooldown
	if failures == 0 {
		failures = defaultFailures
	}
	if cooldown <= 0 {
		cooldown = defaultCooldown
	}
	b := &breaker{}
	b.circuit = circuitbreaker.NewBuilder[llm.Answer]().
		HandleIf(func(_ llm.Answer, err error) bool {
			return errors.Is(err, llm.ErrUnavailable) || errors.Is(err, llm.ErrRefused)
		}).
		WithFailureThreshold(failures).
		WithDelayFunc(func(e failsafe.ExecutionAttempt[llm.Answer]) time.Duration {
			return max(cooldown, llm.After(e.LastError()))
		}).
		OnOpen(func(circuitbreaker.StateChangedEvent) {
			open.Set(1)
			log.Warn("the model is left alone for a while", zap.NamedError(telemetry.KeyError, b.why()))
		}).
		OnClose(func(circuitbreaker.StateChangedEvent) {
			open.Set(0)
			log.Info("the model answers again")
		}).
		Build()
	executor := failsafe.With[llm.Answer](b.circuit)
	b.call = func(ctx context.Context, ask func() (llm.Answer, error)) (llm.Answer, error) {
		answer, err := executor.WithContext(ctx).Get(func() (llm.Answer, error) {
			answer, err := ask()
			if err != nil {
				b.last.Store(&err)
			}
			return answer, err
		})
		if errors.Is(err, circuitbreaker.ErrOpen) {
			err = b.refusal()
		}
		return answer, err
	}
	return b
}

// open returns why the model is not called now, nil when it may be.
func (b *breaker) open() error {
	if b.circuit.IsOpen() && b.circuit.RemainingDelay() > 0 {
		return b.refusal()
	}
	return nil
}

// refusal returns the last failure with the remaining wait. While one question tries
// the server, the others may come back shortly.
func (b *breaker) refusal() error {
	return &llm.Busy{
		Wait: max(b.circuit.RemainingDelay(), time.Second),
		Err:  fmt.Errorf("it is left alone after failing repeatedly: %w", b.why()),
	}
}

// why returns the last failure.
func (b *breaker) why() error {
	if last := b.last.Load(); last != nil {
		return *last
	}
	return llm.ErrUnavailable
}
