package vector

import "errors"

// Errors that a driver returns, wrapped. Callers use [errors.Is].
var (
	// ErrUnavailable says that the index cannot be reached or is closed.
	// Trying again later is right; until then Postgres answers.
	ErrUnavailable = errors.New("vector index unavailable")
	// ErrNoGeneration says that the generation does not exist, or that none is
	// active yet. Remedy: winnow index rebuild.
	ErrNoGeneration = errors.New("no such index generation")
	// ErrGeneration says that the generation exists with another model,
	// dimension or analyzer than named: its vectors must not be compared.
	ErrGeneration = errors.New("index generation differs")
	// ErrDimension says that a vector has another length than its generation.
	ErrDimension = errors.New("wrong vector dimension")
	// ErrVector says that a vector has no direction: it holds NaN or an
	// infinity, or its length is zero.
	ErrVector = errors.New("vector has no direction")
	// ErrNoTenant says that a filter names no tenant, or no scopes. It is
	// always a programming error and never a state of the world.
	ErrNoTenant = errors.New("filter without a tenant and scopes")
	// ErrInvalid says that the index refuses a value for good (an id that is no
	// ULID, a version out of range); trying again is useless.
	ErrInvalid = errors.New("vector index refuses the value")
)
