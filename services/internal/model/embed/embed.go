package embed

import "context"

// Embedder turns texts into vectors of one model. It is safe for concurrent
// use, and the same text gives the same vector as long as the id is the same,
// up to the rounding of a remote model.
type Embedder interface {
	// ID names the model, its revision, its dimension and its quantisation, in
	// lower-case letters, digits, '.' and '-'. It never changes for a value.
	ID() string
	// Dim is the length of every vector; 0 says that there is no embedder.
	Dim() int
	// Embed returns one vector a text, in order, each of Euclidean length 1, or
	// nil for a text in which the model finds nothing. The vectors are the
	// caller's. No texts are no error. A call may take as many texts as the
	// caller has in hand; the embedder cuts them to what its model takes.
	//
	// The error is [ErrUnavailable], [ErrInvalid], [ErrAnswer] or that of ctx.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// None is the embedder of an installation without a model: everything has no
// vector and is compared by its words.
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
