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
	codeUnexpected = "WN001" // winnow_expect: a row moved on
	codeNoTenant   = "WN002" // winnow_tenant: a bug here, never the caller's
)

// mapError turns what the driver returned into the port's words. op says what
// was being done. It never repeats a row's values: PostgreSQL keeps those in
// the detail, which is left out.
func mapError(op string, err error) error {
	if err == nil {
		return nil
	}
	if sentinel := classify(err); sentinel != nil {
		return fmt.Errorf("%s: %w: %w", op, sentinel, err)
	}
	return fmt.Errorf("%s: %w", op, err)
}

// classify returns the sentinel for err, nil when there is none or when err
// has one already.
func classify(err error) error {
	var connect *pgconn.ConnectError
	switch {
	case errors.Is(err, context.Canceled):
		return nil
	case errors.As(err, &connect):
		// The time for one attempt is ours: its end is not the caller's.
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

// classifyState sorts SQLSTATEs, mostly by their class (the first two digits).
func classifyState(code string) error {
	switch code {
	case codeUnexpected:
		return store.ErrConflict
	case "42P01", "42703", "42883": // no such table, column, function
		return store.ErrMigration
	case "57014", "55P03": // cancelled by a timeout, lock not available
		return store.ErrUnavailable
	}
	if len(code) != 5 {
		return nil
	}
	switch code[:2] {
	case "40": // serialization failure, deadlock: decided anew, it may succeed
		return store.ErrConflict
	case "22", "23": // malformed value, constraint
		return store.ErrInvalid
	case "08", "53", "57", "58": // connection, resources, shutdown, system
		return store.ErrUnavailable
	}
	return nil
}

// isDuplicateRole says that another process made or changed the same role at
// the same time.
func isDuplicateRole(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && (pg.Code == "42710" || pg.Code == "23505")
}
