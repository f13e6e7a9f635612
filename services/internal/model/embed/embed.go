package embed

import "context"

// Embedder turns texts into vectors of one model. It is safe for concurrent use, and
// equal texts have equal vectors under one id, up to the rounding of a remote model.
type Embedder interface {
	// ID returns the model, its revision, dimension and quantisation, in lower-case
	// letters, digits, '.' and '-'. It never changes during the life of an embedder.
	ID() string
	// Dim returns the length of every vector; 0 means that there is no embedder.
	Dim() int
	// Embed returns one vector for each text, in order, each of Euclidean length 1, or
	// nil for a text in which the model finds nothing. The vectors are the caller's. An
	// empty list is no error. A call may have any number of texts; the embedder splits
	// them into batches.
	//
	// The error is [ErrUnavailable], [ErrInvalid], [ErrAnswer] or that of ctx.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// None is the embedder of an installation without a model: texts have no vector and are
// compared by their words.
type None struct{}

var _ Embedder = None{}

// ID implements [Embedder].
func (None) ID() string { return "none" }

// Dim implements [Embedder]. It is 0.
func (None) Dim() int { return 0 }

// Embed implements [Embedder]. Every vector is nil.
func (None) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return make([][]float32, len(texts)), nil
}
