package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/puddle/v2"

	"github.com/winnowhq/winnow/services/internal/store"
)

// Our own SQLSTATEs, raised by functions of the schema.
const (
	codeUnexpected = "WN001" // winnow_expect: a row changed since the decision
	codeNoTenant   = "WN002" // winnow_tenant: a bug of this package, never of the caller
)

// mapError wraps an error of the driver with the port's sentinel and with op, the
// operation that failed. The result never contains a row's values: PostgreSQL
// reports values in the detail, which is omitted.
func mapError(op string, err error) error {
	if err == nil {
		return nil
	}
	if sentinel := classify(err); sentinel != nil {
		return fmt.Errorf("%s: %w: %w", op, sentinel, err)
	}
	return fmt.Errorf("%s: %w", op, err)
}

// classify returns the sentinel for err, or nil when none applies or err wraps one
// already.
func classify(err error) error {
	var connect *pgconn.ConnectError
	switch {
	case errors.Is(err, context.Canceled):
		return nil
	case errors.As(err, &connect):
		// ConnectTimeout, not the caller's context, bounds one attempt to connect.
		return store.ErrUnavailable
	case errors.Is(err, context.DeadlineExceeded):
		return nil
	case errors.Is(err, pgx.ErrNoRows):
		return store.ErrNotFound
	}
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return classifyState(pg.Code)
	}
	var network net.Error
	switch {
	case errors.As(err, &network), pgconn.SafeToRetry(err),
		errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF),
		errors.Is(err, net.ErrClosed), errors.Is(err, puddle.ErrClosedPool):
		return store.ErrUnavailable
	}
	return nil
}

// classifyState returns the sentinel of a SQLSTATE, mostly by its class (the first
// two characters).
func classifyState(code string) error {
	switch code {
	case codeUnexpected:
		return store.ErrConflict
	case "23P01": // a second active summary of a topic: another commit wrote one meanwhile
		return store.ErrConflict
	case "42P01", "42703", "42883": // no such table, column, function
		return store.ErrMigration
	case "57014", "55P03", "25006": // cancelled by a timeout, lock not available, read-only server
		return store.ErrUnavailable
	}
	if len(code) != 5 {
		return nil
	}
	switch code[:2] {
	case "40": // serialization failure, deadlock: a new decision may succeed
		return store.ErrConflict
	case "22", "23": // malformed value, constraint
		return store.ErrInvalid
	case "08", "53", "57", "58": // connection, resources, shutdown, system
		return store.ErrUnavailable
	}
	return nil
}

// isDuplicateRole reports whether another process created or changed the same role
// at the same time.
func isDuplicateRole(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && (pg.Code == "42710" || pg.Code == "23505")
}

// diskFull reports whether the server refused to write because its disk is full.
func diskFull(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == "53100"
}

// denied reports whether the role may not do what was asked.
func denied(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == "42501"
}
