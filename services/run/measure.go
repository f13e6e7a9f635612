package run

import (
	"context"
	"fmt"

	"github.com/winnowhq/winnow/services/internal/model/embed"
	"github.com/winnowhq/winnow/services/internal/model/embed/static"
	"github.com/winnowhq/winnow/services/internal/vector"
	"github.com/winnowhq/winnow/services/internal/vector/embedded"
)

// Embedder is the embedder of a measurement.
type Embedder = embed.Embedder

// OfflineEmbedder returns an embedder that needs neither key nor network: static
// or none. Measurements use no other by default, so that their figures can be reproduced.
func OfflineEmbedder(name string) (Embedder, error) {
	switch name {
	case "", "static":
		return static.New(), nil
	case "none":
		return embed.None{}, nil
	}
	return nil, fmt.Errorf("embedder %q: want static or none", name)
}

// WordTable returns the embedder that compares single words in every search, with any
// model for texts.
func WordTable() Embedder { return static.New() }

// ScratchIndex returns a new, empty in-memory index of a generation, by the embedded
// driver.
func ScratchIndex(ctx context.Context, g vector.Generation) (vector.Index, error) {
	backend, err := embedded.New(embedded.DefaultConfig(), nil)
	if err != nil {
		return nil, err
	}
	if err := backend.Create(ctx, g); err != nil {
		return nil, err
	}
	return backend.Open(ctx, g)
}
