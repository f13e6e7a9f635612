package vector

import (
	"cmp"
	"errors"
	"fmt"
)

// Errors that a driver returns, wrapped. Callers use [errors.Is].
var (
	// ErrUnavailable reports an index that cannot be reached or is closed. The caller
	// may retry later; until then Postgres answers.
	ErrUnavailable = errors.New("vector index unavailable")
	// ErrNoGeneration reports a generation that does not exist, or that none is active
	// yet. Remedy: winnow index rebuild.
	ErrNoGeneration = errors.New("no such index generation")
	// ErrForeign reports a collection or an alias on the server that another installation
	// made. The message names it. Remedy: a prefix of its own for each installation.
	ErrForeign = errors.New("the index on the server belongs to another installation")
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

// Outage is an [ErrUnavailable] whose cause is known.
type Outage struct {
	// Cause says in plain words what is wrong, without addresses or keys, so that every
	// reader of an answer may see it: "the server refuses the key".
	Cause string
	// Remedy is for the operator.
	Remedy string
	Err    error // the driver's, for a log
}

// Error returns the whole story.
func (o *Outage) Error() string {
	return fmt.Sprintf("%v: %s: %v", ErrUnavailable, o.Cause, o.Err)
}

// Is makes an outage an ErrUnavailable.
func (o *Outage) Is(target error) bool { return target == ErrUnavailable }

// Unwrap returns the driver's error.
func (o *Outage) Unwrap() error { return o.Err }

// CauseOf returns what is wrong in plain words, and the operator's remedy, for any error
// of an index. Both are for every reader.
func CauseOf(err error) (cause, remedy string) {
	var o *Outage
	if errors.As(err, &o) {
		return o.Cause, cmp.Or(o.Remedy, "start the index server, or look at qdrant.url")
	}
	return "no answer in time", "start the index server, or look at qdrant.url"
}
