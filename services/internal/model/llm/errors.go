package llm

import (
	"errors"
	"time"
)

// Errors of a model. Callers use [errors.Is].
var (
	// ErrUnavailable reports a model that cannot be reached, is overloaded, or answers
	// with an error of its own. A later retry may succeed (D24); [After] returns how
	// much later, where the server says so.
	ErrUnavailable = errors.New("the model is unavailable")
	// ErrRefused reports a question that the server will never accept as it is: a wrong
	// model name, a wrong key, a question that is too long. A person has to change
	// something.
	ErrRefused = errors.New("the model's server refuses the request")
	// ErrAnswer reports an unusable answer: no choices, no JSON, too long.
	ErrAnswer = errors.New("the answer of the model's server cannot be read")
)

// Busy is an ErrUnavailable with the time that the server asked to wait.
type Busy struct {
	Wait time.Duration // above zero
	Err  error
}

func (b *Busy) Error() string { return b.Err.Error() }

// Unwrap returns the cause.
func (b *Busy) Unwrap() error { return b.Err }

// After returns how long a server asked to wait, 0 when it did not say.
func After(err error) time.Duration {
	var b *Busy
	if errors.As(err, &b) {
		return b.Wait
	}
	return 0
}
