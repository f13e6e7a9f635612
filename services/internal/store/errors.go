package store

import "errors"

// Errors that a driver returns, wrapped. Callers use [errors.Is].
var (
	// ErrNotFound says that no row of this tenant has the id.
	ErrNotFound = errors.New("not found")
	// ErrConflict says that a row changed after the change set was decided. The
	// event is redelivered and decided again.
	ErrConflict = errors.New("changed since it was read")
	// ErrUnknownScope says that the scope does not exist and that
	// scopes.auto_create is off. Remedy: create it, or turn auto_create on.
	ErrUnknownScope = errors.New("unknown scope")
	// ErrUnavailable says that the store cannot be reached or is shutting down.
	// The error is transient: retry later.
	ErrUnavailable = errors.New("store unavailable")
	// ErrInvalid says that the store refuses a value (a constraint, a malformed
	// value). The error is permanent: do not retry.
	ErrInvalid = errors.New("store refuses the value")
	// ErrNotOperator says that this process's login may not change principals. The
	// command line of an operator does it.
	ErrNotOperator = errors.New("this login is no operator")
	// ErrMigration says that the schema is not at the version this binary
	// needs. Remedy: winnow migrate.
	ErrMigration = errors.New("schema is at another version")
)
