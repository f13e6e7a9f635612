package llm

import (
	"errors"
	"time"
)

// Errors of a model. Callers use [errors.Is].
var (
	// ErrUnavailable: cannot be reached, is overloaded, or answers with an error
	// of its own. Trying again later is right (D24); [After] says how much later,
	// where the server does.
	ErrUnavailable = errors.New("the model is unavailable")
	// ErrRefused: the server will not take this question, now or later: a wrong
	// model name, a wrong key, a question that is too long. A person has to
	// change something.
	ErrRefused = errors.New("the model's server refuses the request")
	// ErrAnswer: the server's answer is none: no choices, no JSON, too long.
	ErrAnswer = errors.New("the answer of the model's server cannot be read")
)

// Busy is an ErrUnavailable whose server said when to come back.
type Busy struct {
	Wait time.Duration // above zero
	Err  error
}

func (b *Busy) Error() string { return b.Err.Error() }

// Unwrap gives the cause.
func (b *Busy) Unwrap() error { return b.Err }

// After is how long a server asked to be left alone, 0 when it did not say.
func After(err error) time.Duration {
	var b *Busy
	if errors.As(err, &b) {
		return b.Wait
	}
	return 0
}
