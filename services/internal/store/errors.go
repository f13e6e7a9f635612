package store

import "errors"

// Errors that a driver returns, wrapped. Callers use [errors.Is].
var (
	// ErrNotFound says that no row of this tenant has the id.
	ErrNotFound = errors.New("not found")
	// ErrConflict says that a row moved on since the change was decided. The
	// event goes round again and is decided anew.
	ErrConflict = errors.New("changed since it was read")
	// ErrUnknownScope says that the scope does not exist and that
	// scopes.auto_create is off. Remedy: create it, or turn auto_create on.
	ErrUnknownScope = errors.New("unknown scope")
	// ErrUnavailable says that the store cannot be reached or is shutting down;
	// trying again later is right.
	ErrUnavailable = errors.New("store unavailable")
	// ErrInvalid says that the store refuses a value for good (a constraint, a
	// malformed value); trying again is useless.
	ErrInvalid = errors.New("store refuses the value")
	// ErrMigration says that the schema is not at the version this binary
	// needs. Remedy: winnow migrate.
	ErrMigration = errors.New("schema is at another version")
)
