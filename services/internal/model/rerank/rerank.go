package rerank

import (
	"context"
	"errors"
)

// Reranker scores texts against a question. It is safe for concurrent use.
type Reranker interface {
	// Rerank returns one score for each text, in order, each in [0,1], a better
	// answer higher. It answers in bounded time. The error is ErrUnavailable,
	// ErrInvalid, ErrAnswer or that of ctx; there are no scores then.
	Rerank(ctx context.Context, question string, texts []string) ([]float64, error)
}

// Errors of a reranker, wrapped.
var (
	// ErrUnavailable says that it cannot be reached now, is overloaded or too
	// slow.
	ErrUnavailable = errors.New("reranker unavailable")
	// ErrInvalid says that the settings are wrong; the message names which.
	ErrInvalid = errors.New("reranker refuses the request")
	// ErrAnswer says that it answered something that is not a score for each
	// text.
	ErrAnswer = errors.New("reranker gave an unusable answer")
)
