package worker

import (
	"errors"
	"time"
)

// PermanentError marks an event that no further attempt can handle. Class comes from
// a small closed set; it becomes the dead letter's reason and a metric label.
type PermanentError struct {
	Class string
	Err   error
}

func (e *PermanentError) Error() string { return e.Err.Error() }

// Unwrap gives the cause.
func (e *PermanentError) Unwrap() error { return e.Err }

// Permanent wraps err so that its event becomes a dead letter at once.
func Permanent(class string, err error) error {
	return &PermanentError{Class: class, Err: err}
}

// SnoozeError asks for a later redelivery without counting as a failure: a
// dependency is unavailable, or another worker is processing the event.
type SnoozeError struct {
	After time.Duration
	Err   error
}

func (e *SnoozeError) Error() string { return e.Err.Error() }

// Unwrap gives the cause.
func (e *SnoozeError) Unwrap() error { return e.Err }

// Snooze wraps err so that its event is redelivered after a delay.
func Snooze(after time.Duration, err error) error {
	return &SnoozeError{After: after, Err: err}
}

// asPermanent returns the permanent error in err's chain, or nil.
func asPermanent(err error) *PermanentError {
	var p *PermanentError
	if errors.As(err, &p) {
		return p
	}
	return nil
}
