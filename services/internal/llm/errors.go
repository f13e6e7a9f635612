package llm

import "errors"

// Errors of a model. Callers use [errors.Is].
var (
	// ErrUnavailable: cannot be reached, is overloaded, or answers with an error
	// of its own. Trying again later is right (D24).
	ErrUnavailable = errors.New("the model is unavailable")
	// ErrRefused: the server will not take this question, now or later: a wrong
	// model name, a wrong key, a question that is too long. A person has to
	// change something.
	ErrRefused = errors.New("the model's server refuses the request")
	// ErrAnswer: the server's answer is none: no choices, no JSON, too long.
	ErrAnswer = errors.New("the answer of the model's server cannot be read")
)
