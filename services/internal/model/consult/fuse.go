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

// fuse leaves a server alone that fails again and again, whether it is down or
// will not have us: asking on would cost every event its time, and a wrong key
// gets no better. After the cooldown one question tries it. It is safe for
// concurrent use.
type fuse struct {
	breaker circuitbreaker.CircuitBreaker[llm.Answer]
	through func(context.Context, func() (llm.Answer, error)) (llm.Answer, error)
	last    atomic.Pointer[error] // of the last failure
}

func newFuse(c Config, log *zap.Logger, open prometheus.Gauge) *fuse {
	failures, cooldown := c.Failures, c.Cooldown
	if failures == 0 {
		failures = defaultFailures
	}
	if cooldown <= 0 {
		cooldown = defaultCooldown
	}
	f := &fuse{}
	f.breaker = circuitbreaker.NewBuilder[llm.Answer]().
		HandleIf(func(_ llm.Answer, err error) bool {
			return errors.Is(err, llm.ErrUnavailable) || errors.Is(err, llm.ErrRefused)
		}).
		WithFailureThreshold(failures).
		WithDelayFunc(func(e failsafe.ExecutionAttempt[llm.Answer]) time.Duration {
			return max(cooldown, llm.After(e.LastError()))
		}).
		OnOpen(func(circuitbreaker.StateChangedEvent) {
			open.Set(1)
			log.Warn("the model is left alone for a while", zap.NamedError(telemetry.KeyError, f.why()))
		}).
		OnClose(func(circuitbreaker.StateChangedEvent) {
			open.Set(0)
			log.Info("the model answers again")
		}).
		Build()
	executor := failsafe.With[llm.Answer](f.breaker)
	f.through = func(ctx context.Context, ask func() (llm.Answer, error)) (llm.Answer, error) {
		answer, err := executor.WithContext(ctx).Get(func() (llm.Answer, error) {
			answer, err := ask()
			if err != nil {
				f.last.Store(&err)
			}
			return answer, err
		})
		if errors.Is(err, circuitbreaker.ErrOpen) {
			err = f.held()
		}
		return answer, err
	}
	return f
}

// blown is why the model is not asked now, nil when it may be.
func (f *fuse) blown() error {
	if f.breaker.IsOpen() && f.breaker.RemainingDelay() > 0 {
		return f.held()
	}
	return nil
}

// held is the last failure, and how long the model is left alone for it. While
// one question tries the server, the others come back shortly.
func (f *fuse) held() error {
	return &llm.Busy{
		Wait: max(f.breaker.RemainingDelay(), time.Second),
		Err:  fmt.Errorf("it is left alone after failing repeatedly: %w", f.why()),
	}
}

// why is the last failure.
func (f *fuse) why() error {
	if last := f.last.Load(); last != nil {
		return *last
	}
	return llm.ErrUnavailable
}
