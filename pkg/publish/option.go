package publish

import (
	"context"
	"fmt"

	"github.com/winnowhq/winnow/pkg/event"
)

// DefaultInFlight is how many events of a batch are unconfirmed at a time.
const DefaultInFlight = 256

// Option changes how a Client publishes.
type Option func(*config) error

type config struct {
	principal string
	source    string
	json      bool
	inFlight  int
	trace     func(context.Context) (traceparent, tracestate string)
}

// WithPrincipal publishes as the registered principal token, the last token of
// the subject. The server enforces it by this user's publish permissions.
// Without it the fleet's default principal applies, which strict mode refuses.
func WithPrincipal(token string) Option {
	return func(c *config) error {
		if !event.ValidPrincipal(token) {
			return fmt.Errorf("%w: principal %q; use 1 to %d of A-Z a-z 0-9 - _", event.ErrSubject, token, event.MaxPrincipal)
		}
		c.principal = token
		return nil
	}
}

// WithSource names the publishing program in ce-source. People see it; nothing
// trusts it.
func WithSource(name string) Option {
	return func(c *config) error {
		c.source = name
		return nil
	}
}

// WithJSON sends payloads as JSON instead of protobuf: larger, and readable
// with `nats sub`.
func WithJSON() Option {
	return func(c *config) error {
		c.json = true
		return nil
	}
}

// WithInFlight sets how many events of a batch are unconfirmed at a time, from
// 1. The default is DefaultInFlight.
func WithInFlight(n int) Option {
	return func(c *config) error {
		if n < 1 {
			return fmt.Errorf("in flight %d: must be at least 1", n)
		}
		c.inFlight = n
		return nil
	}
}

// WithTrace adds to every event the W3C trace context that f finds in the
// caller's context. f must be safe for concurrent use.
func WithTrace(f func(context.Context) (traceparent, tracestate string)) Option {
	return func(c *config) error {
		c.trace = f
		return nil
	}
}
