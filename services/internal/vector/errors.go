package vector

import "errors"

// Errors that a driver returns, wrapped. Callers use [errors.Is].
var (
	// ErrUnavailable reports an index that cannot be reached or is closed. The caller
	// may retry later; until then Postgres answers.
	ErrUnavailable = errors.New("vector index unavailable")
	// ErrNoGeneration reports a generation that does not exist, or that none is active
	// yet. Remedy: winnow index rebuild.
	ErrNoGeneration = errors.New("no such index generation")
	// ErrGeneration reports an existing generation with another model, dimension or
	// analyzer than named: its vectors must not be compared.
	ErrGeneration = errors.New("index generation differs")
	// ErrDimension reports a vector whose length differs from its generation's.
	ErrDimension = errors.New("wrong vector dimension")
	// ErrVector reports a vector without a direction: it holds NaN or an infinity, or
	// its length is zero.
	ErrVector = errors.New("vector has no direction")
	// ErrNoTenant reports a filter without a tenant or without scopes. It is always a
	// programming error.
	ErrNoTenant = errors.New("filter without a tenant and scopes")
	// ErrInvalid reports a value that the index will never accept (an id that is no
	// ULID, a version out of range); a retry is useless.
	ErrInvalid = errors.New("vector index refuses the value")
)
