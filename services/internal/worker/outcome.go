package worker

import (
	"errors"
	"time"
)

// PermanentError marks an event that no further try can help. Class is from a
// small closed set and becomes the dead letter's reason and a metric label.
type PermanentError struct {
	Class string
	Err   error
}

func (e *PermanentError) Error() string { return e.Err.Error() }

// Unwrap gives the cause.
func (e *PermanentError) Unwrap() error { return e.Err }

// Permanent wraps err so that its event goes to the dead letters at once.
func Permanent(class string, err error) error {
	return &PermanentError{Class: class, Err: err}
}

// SnoozeError asks for another delivery later without counting as a failure:
// a dependency is down, or somebody else has the event in hand.
type SnoozeError struct {
	After time.Duration
	Err   error
}

func (e *SnoozeError) Error() string { return e.Err.Error() }

// Unwrap gives the cause.
func (e *SnoozeError) Unwrap() error { return e.Err }

// Snooze wraps err so that its event comes back after a while.
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
