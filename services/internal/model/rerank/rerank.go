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
	// ErrUnavailable reports a reranker that cannot be reached now, is overloaded or
	// too slow.
	ErrUnavailable = errors.New("reranker unavailable")
	// ErrInvalid reports wrong settings; the message names which.
	ErrInvalid = errors.New("reranker refuses the request")
	// ErrAnswer reports an answer other than a score for each text.
	ErrAnswer = errors.New("reranker gave an unusable answer")
)
