package run

import (
	"context"
	"errors"

	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/config"
	"github.com/winnowhq/winnow/services/internal/devstack/nats"
	"github.com/winnowhq/winnow/services/internal/devstack/postgres"
	"github.com/winnowhq/winnow/services/internal/store"
)

// Exit codes of every binary (SPEC §5).
const (
	ExitOK         = 0
	ExitFailure    = 1
	ExitUsage      = 2
	ExitConfig     = 3
	ExitDependency = 4
	ExitMigrations = 5
	ExitPartial    = 6
	ExitAudit      = 7
	// ExitInterrupted is the shells' code for an interrupt that was not a drain.
	ExitInterrupted = 130
)

// codeError gives an error a code that its kind does not imply.
type codeError struct {
	code int
	err  error
}

func (e *codeError) Error() string { return e.err.Error() }
func (e *codeError) Unwrap() error { return e.err }

// WithCode wraps err so that ExitCode returns code for it.
func WithCode(code int, err error) error {
	if err == nil {
		return nil
	}
	return &codeError{code: code, err: err}
}

// ExitCode returns the exit code of a process that ends with err.
func ExitCode(err error) int {
	var coded *codeError
	switch {
	case err == nil:
		return ExitOK
	case errors.As(err, &coded):
		return coded.code
	case len(config.Problems(err)) > 0:
		return ExitConfig
	case errors.Is(err, store.ErrMigration):
		return ExitMigrations
	case errors.Is(err, store.ErrUnavailable), errors.Is(err, bus.ErrUnavailable),
		errors.Is(err, bus.ErrNoConsumer), errors.Is(err, ErrNoInstance),
		errors.Is(err, nats.ErrPortTaken), errors.Is(err, postgres.ErrNoBinaries):
		return ExitDependency
	case errors.Is(err, context.Canceled):
		return ExitInterrupted
	default:
		return ExitFailure
	}
}
