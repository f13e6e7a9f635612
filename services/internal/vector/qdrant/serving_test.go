package qdrant_test

import (
	"context"
	"errors"
	"maps"
	"strings"
	"testing"
	"time"

	qdrantclient "github.com/qdrant/go-client/qdrant"

	"github.com/winnowhq/winnow/services/internal/vector"
	"github.com/winnowhq/winnow/services/internal/vector/qdrant"
	"github.com/winnowhq/winnow/services/internal/vector/qdranttest"
	"github.com/winnowhq/winnow/services/internal/vector/vectortest"
)

// long keeps the serving generation in mind for all of a test.
func long(c *qdrant.Config) { c.Stale = time.Hour }

// filled creates a generation with documents and makes it the active one.
func filled(t testing.TB, b *qdrant.Backend, g vector.Generation, docs []vector.Doc) vector.Index {
	t.Helper()
	if err := b.Create(t.Context(), g); err != nil {
		t.Fatal(err)
	}
	x, err := b.Open(t.Context(), g)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(x.Put(t.Context(), docs), b.Activate(t.Context(), g)); err != nil {
		t.Fatal(err)
	}
	return x
}

// asks searches as a reader does, and returns the generation and the number of hits.
func asks(ctx context.Context, b vector.Backend) (generation, hits int, err error) {
	x, err := b.Serving(ctx)
	if err != nil {
		return 0, 0, err
	}
	v := make([]float32, x.Generation().Dim)
	v[0] = 1
	lists, err := x.Search(ctx, vector.Everywhere("acme"), vector.Query{Dense: v, Terms: []uint32{1}, Limit: 10})
	return x.Generation().N, len(lists.Dense), err
}

// A search is one request. The generation is asked for once, and again when another
// process has replaced it.
func TestSearchIsOneRequest(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	server := qdranttest.Start(t, qdranttest.Version)
	operator, reader := open(t, server.Address), open(t, server.Address, long)
	filled(t, operator, generation, vectortest.Random("acme", generation, 20, 1))
	if _, hits, err := asks(ctx, reader); err != nil || hits != 10 {
		t.Fatalf("%d hits, %v", hits, err)
	}
	before := server.Requests()
	for range 5 {
		if _, hits, err := asks(ctx, reader); err != nil || hits != 10 {
			t.Fatalf("%d hits, %v", hits, err)
		}
	}
	before["QueryBatch"] += 5
	if after := server.Requests(); !maps.Equal(after, before) {
		t.Errorf("requests %v, want %v", after, before)
	}

	next := generation
	next.N, next.Dim = 2, 16
	filled(t, operator, next, vectortest.Random("acme", next, 20, 2))
	if n, _, err := asks(ctx, reader); err != nil || n != 1 {
		t.Errorf("generation %d answers (%v), want the remembered one", n, err)
	}
	if err := operator.Drop(ctx, generation); err != nil {
		t.Fatal(err)
	}
	if _, _, err := asks(ctx, reader); !errors.Is(err, vector.ErrNoGeneration) {
		t.Errorf("what was dropped answers: %v", err)
	}
	if n, hits, err := asks(ctx, reader); err != nil || n != 2 || hits != 10 {
		t.Errorf("then generation %d with %d hits (%v), want 2 with 10", n, hits, err)
	}
}

// A connection that the server closes costs a search one more request and no error.
func TestSearchSurvivesAClosedConnection(t *testing.T) {
	t.Parallel()
	server := qdranttest.Start(t, qdranttest.Version)
	b := open(t, server.Address, long)
	filled(t, b, generation, vectortest.Random("acme", generation, 20, 1))
	if _, _, err := asks(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	server.CutNext(1)
	if _, hits, err := asks(t.Context(), b); err != nil || hits != 10 {
		t.Errorf("%d hits, %v", hits, err)
	}
	// A server that closes every connection is unavailable, for the reason that it gives.
	server.CutNext(1000)
	_, _, err := asks(t.Context(), b)
	if cause, remedy := vector.CauseOf(err); !errors.Is(err, vector.ErrUnavailable) || cause != "the connection broke" || remedy == "" {
		t.Errorf("error %v, cause %q, remedy %q", err, cause, remedy)
	}
}

// Two installations with prefixes of their own share a server: each has its alias, and
// neither sees, switches or drops what the other has.
func TestTwoInstallationsOnOneServer(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	address := qdranttest.Start(t, qdranttest.Version).Address
	second := generation
	second.Model = "test/another"
	here := open(t, address)
	there := open(t, address, func(c *qdrant.Config) { c.Prefix = "shop" })
	filled(t, here, generation, vectortest.Random("acme", generation, 20, 1))
	filled(t, there, second, vectortest.Random("acme", second, 7, 2))

	third := second
	third.N = 2
	filled(t, there, third, vectortest.Random("acme", third, 5, 3))
	if err := there.Drop(ctx, second); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[*qdrant.Backend]struct {
		g    vector.Generation
		hits int
	}{here: {generation, 10}, there: {third, 5}} {
		g, err := name.Active(ctx)
		list, listErr := name.Generations(ctx)
		if err := errors.Join(err, listErr); err != nil || g != want.g || len(list) != 1 || list[0] != want.g {
			t.Errorf("serves %+v of %+v (%v), want %+v alone", g, list, err, want.g)
		}
		if n, hits, err := asks(ctx, name); err != nil || n != want.g.N || hits != want.hits {
			t.Errorf("generation %d answers with %d (%v), want %d with %d", n, hits, err, want.g.N, want.hits)
		}
	}
}

// What somebody else made under our names is an error that says what and what to do, for
// reads and for writes, and is not changed.
func TestForeignIndexIsRefused(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	for name, occupy := range map[string]func(*testing.T, *qdrantclient.Client){
		"alias": func(t *testing.T, c *qdrantclient.Client) {
			if err := errors.Join(create(t, c, "elsewhere"), c.CreateAlias(ctx, "memory_observations", "elsewhere")); err != nil {
				t.Fatal(err)
			}
		},
		"collection": func(t *testing.T, c *qdrantclient.Client) {
			if err := create(t, c, "winnow_g1"); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address := qdranttest.Start(t, qdranttest.Version).Address
			occupy(t, client(t, address))
			b := open(t, address)
			var err error
			if name == "alias" {
				_, err = b.Active(ctx)
				if also := errors.Join(b.Create(ctx, generation), b.Activate(ctx, generation)); !errors.Is(also, vector.ErrForeign) {
					t.Errorf("switch: %v, want %v", also, vector.ErrForeign)
				}
			} else {
				_, err = b.Generations(ctx)
				for what, also := range map[string]error{"create": b.Create(ctx, generation), "drop": b.Drop(ctx, generation)} {
					if !errors.Is(also, vector.ErrForeign) {
						t.Errorf("%s: %v, want %v", what, also, vector.ErrForeign)
					}
				}
			}
			if !errors.Is(err, vector.ErrForeign) || !strings.Contains(err.Error(), "qdrant.prefix") {
				t.Errorf("error %v, want %v with the remedy", err, vector.ErrForeign)
			}
		})
	}
}

// An installation with a prefix that an older version gave the one alias of all finds its
// index by it, and has an alias of its own after the next switch.
func TestAliasOfAnOlderVersion(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	address := qdranttest.Start(t, qdranttest.Version).Address
	b := open(t, address, func(c *qdrant.Config) { c.Prefix = "shop" })
	if err := errors.Join(b.Create(ctx, generation), client(t, address).CreateAlias(ctx, "memory_observations", "shop_g1")); err != nil {
		t.Fatal(err)
	}
	if g, err := b.Active(ctx); err != nil || g != generation {
		t.Errorf("serves %+v, %v", g, err)
	}
	if err := b.Activate(ctx, generation); err != nil {
		t.Fatal(err)
	}
	aliases, err := client(t, address).ListAliases(ctx)
	if err != nil || len(aliases) != 1 || aliases[0].GetAliasName() != "shop_memory_observations" {
		t.Errorf("aliases %v, %v", aliases, err)
	}
}
