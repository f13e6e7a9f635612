package qdrant

import (
	"context"
	"fmt"
	"time"

	"github.com/qdrant/go-client/qdrant"

	"github.com/winnowhq/winnow/services/internal/vector"
)

// Activate implements [vector.Backend]. All alias operations take effect as one step.
func (b *Backend) Activate(ctx context.Context, g vector.Generation) error {
	if err := b.check(ctx, g); err != nil {
		return err
	}
	_, before, err := b.serving(ctx)
	if err != nil {
		return err
	}
	b.known.Store(nil)
	actions := []*qdrant.AliasOperations{qdrant.NewAliasDelete(b.config.alias())}
	if before != "" && before != b.config.alias() {
		actions = append(actions, qdrant.NewAliasDelete(before))
	}
	actions = append(actions, qdrant.NewAliasCreate(b.config.alias(), b.name(g.N)))
	return b.write(ctx, "switch alias", func(ctx context.Context) error {
		return b.client.UpdateAliases(ctx, actions)
	})
}

// Active implements [vector.Backend].
func (b *Backend) Active(ctx context.Context) (vector.Generation, error) {
	collection, _, err := b.serving(ctx)
	if err != nil {
		return vector.Generation{}, err
	}
	if collection == "" {
		return vector.Generation{}, fmt.Errorf("%w: no alias %s", vector.ErrNoGeneration, b.config.alias())
	}
	return b.describe(ctx, collection)
}

// remembered is a generation that served at a moment.
type remembered struct {
	index *index
	until time.Time
}

// Serving implements [vector.Backend]: it asks the server at most once in the time that
// the settings give, so that a search is one request.
func (b *Backend) Serving(ctx context.Context) (vector.Index, error) {
	if known := b.known.Load(); known != nil && time.Now().Before(known.until) {
		return known.index, nil
	}
	asked := time.Now()
	g, err := b.Active(ctx)
	if err != nil {
		return nil, err
	}
	x := &index{backend: b, generation: g, collection: b.name(g.N)}
	b.known.Store(&remembered{index: x, until: asked.Add(b.config.Stale)})
	return x, nil
}

// serving returns the collection behind the alias and the name of the alias, both empty
// when there is none. An installation with a prefix of its own had the seed's alias
// before; it still counts where it points at a collection of this prefix.
func (b *Backend) serving(ctx context.Context) (collection, alias string, err error) {
	var found []*qdrant.AliasDescription
	err = b.read(ctx, "read aliases", func(ctx context.Context) (err error) {
		found, err = b.client.ListAliases(ctx)
		return err
	})
	if err != nil {
		return "", "", err
	}
	for _, a := range found {
		_, ours := b.numberOf(a.GetCollectionName())
		switch a.GetAliasName() {
		case b.config.alias():
			if !ours {
				return "", "", fmt.Errorf("%w: alias %s points at %s; set qdrant.prefix to a name of its own for each installation",
					vector.ErrForeign, a.GetAliasName(), a.GetCollectionName())
			}
			return a.GetCollectionName(), a.GetAliasName(), nil
		case seedAlias:
			if ours {
				collection, alias = a.GetCollectionName(), a.GetAliasName()
			}
		}
	}
	return collection, alias, nil
}

// describe reads the generation that a collection's metadata name.
func (b *Backend) describe(ctx context.Context, collection string) (vector.Generation, error) {
	var g vector.Generation
	err := b.read(ctx, "describe collection", func(ctx context.Context) error {
		info, err := b.client.GetCollectionInfo(ctx, collection)
		g = generationOf(info.GetConfig().GetMetadata())
		return err
	})
	if err == nil && b.name(g.N) != collection {
		return g, fmt.Errorf("%w: collection %s is none of ours; set qdrant.prefix to a name that no other program uses, or drop it", vector.ErrForeign, collection)
	}
	return g, err
}
