package embed

import "errors"

// Errors that an embedder returns, wrapped. Callers use [errors.Is]. On any of
// them no vector of the call is returned.
var (
	// ErrUnavailable says that the model cannot be reached now, is overloaded
	// or answers too slowly; trying again later is right.
	ErrUnavailable = errors.New("embedder unavailable")
	// ErrInvalid says that the settings are wrong for the model (key, name,
	// dimension); trying again is useless until they change. The message names
	// the setting.
	ErrInvalid = errors.New("embedder refuses the request")
	// ErrAnswer says that the model answered something that is not the vectors
	// asked for: not JSON, too few, NaN. Nothing of it is used; trying again
	// later may help.
	ErrAnswer = errors.New("embedder gave an unusable answer")
)
