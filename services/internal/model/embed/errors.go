package embed

import "errors"

// Errors that an embedder returns, wrapped. Callers use [errors.Is]. On any of
// them no vector of the call is returned.
var (
	// ErrUnavailable reports a model that cannot be reached now, is overloaded or
	// answers too slowly; a later retry may succeed.
	ErrUnavailable = errors.New("embedder unavailable")
	// ErrInvalid reports settings that are wrong for the model (key, name, dimension);
	// a retry is useless until they change. The message names the setting.
	ErrInvalid = errors.New("embedder refuses the request")
	// ErrAnswer reports an answer other than the requested vectors: not JSON, too few,
	// NaN. Nothing of it is used; a later retry may succeed.
	ErrAnswer = errors.New("embedder gave an unusable answer")
)
