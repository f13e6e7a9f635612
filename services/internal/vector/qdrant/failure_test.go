package qdrant_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/vector"
	"github.com/winnowhq/winnow/services/internal/vector/qdrant"
	"github.com/winnowhq/winnow/services/internal/vector/qdranttest"
	"github.com/winnowhq/winnow/services/internal/vector/vectortest"
)

var generation = vector.Generation{N: 1, Model: "test/8", Dim: 8, Analyzer: "test-1", AvgLen: 20}

// everywhere is a filter on a whole tenant.
func everywhere(ctx context.Context, x vector.Index) error {
	_, err := x.Near(ctx, vector.Everywhere("acme"), []float32{1, 0, 0, 0, 0, 0, 0, 0}, -2, 1)
	return err
}

// Promise 7: with Qdrant down every call returns the one error that sends readers to
// Postgres, and works again without a restart when Qdrant is back.
func TestDownAndBack(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	server := qdranttest.Start(t, qdranttest.Version)
	b := open(t, server.Address)
	if err := b.Create(ctx, generation); err != nil {
		t.Fatal(err)
	}
	x, err := b.Open(ctx, generation)
	if err != nil {
		t.Fatal(err)
	}
	docs := vectortest.Random("acme", generation, 20, 1)
	if err := x.Put(ctx, docs); err != nil {
		t.Fatal(err)
	}

	server.Stop()
	_, openErr := b.Open(ctx, generation)
	_, activeErr := b.Active(ctx)
	_, statsErr := x.Stats(ctx, "acme")
	_, versionsErr := x.Versions(ctx, "acme", "", 10)
	for what, err := range map[string]error{
		"search": everywhere(ctx, x), "put": x.Put(ctx, docs), "ready": b.Ready(ctx), "create": b.Create(ctx, generation),
		"open": openErr, "active": activeErr, "stats": statsErr, "versions": versionsErr,
		"purge": x.Purge(ctx, "acme", time.Now()), "drop": b.Drop(ctx, generation),
	} {
		if !errors.Is(err, vector.ErrUnavailable) {
			t.Errorf("%s: error %v, want %v", what, err, vector.ErrUnavailable)
		}
	}

	qdranttest.Resume(t, qdranttest.Version, server.Address, server)
	healing, cancel := context.WithTimeout(ctx, hangTimeout)
	defer cancel()
	for everywhere(healing, x) != nil {
		if healing.Err() != nil {
			t.Fatal("the index did not heal")
		}
	}
	if stats, err := x.Stats(ctx, "acme"); err != nil || stats.Live != len(docs) {
		t.Errorf("stats %+v (%v), want %d live", stats, err, len(docs))
	}
}

// A server that does not answer counts as down: the read timeout is the driver's and
// not the caller's.
func TestSilentServer(t *testing.T) {
	t.Parallel()
	address := qdranttest.Silent(t)
	b := open(t, address, func(c *qdrant.Config) { c.ReadTimeout = 50 * time.Millisecond })
	if err := b.Ready(t.Context()); !errors.Is(err, vector.ErrUnavailable) {
		t.Errorf("error %v, want %v", err, vector.ErrUnavailable)
	}
	hasty, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if err := b.Ready(hasty); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want the caller's own %v", err, context.DeadlineExceeded)
	}
}

// An older server would silently ignore the version guard.
func TestRefusesOldServers(t *testing.T) {
	t.Parallel()
	for version, accepted := range map[string]bool{
		"1.15.3": false, "1.18.9": false, "0.20.0": false, "": false, "nonsense": false,
		"1.19.0": true, "1.20.1-dev": true, "2.0.0": true,
	} {
		err := open(t, qdranttest.Start(t, version).Address).Ready(t.Context())
		if accepted && err != nil || !accepted && (!errors.Is(err, vector.ErrUnavailable) || !strings.Contains(err.Error(), "1.19")) {
			t.Errorf("version %q: error %v, accepted should be %v", version, err, accepted)
		}
	}
}

// Creating again completes an interrupted creation.
func TestCreateIsResumed(t *testing.T) {
	t.Parallel()
	server := qdranttest.Start(t, qdranttest.Version)
	b := open(t, server.Address)
	if err := b.Create(t.Context(), generation); err != nil {
		t.Fatal(err)
	}
	server.ForgetFieldIndexes()
	x, err := b.Open(t.Context(), generation)
	if err != nil {
		t.Fatal(err)
	}
	if err := everywhere(t.Context(), x); !errors.Is(err, vector.ErrInvalid) {
		t.Errorf("without indexes: error %v, want strict mode's refusal", err)
	}
	if err := b.Create(t.Context(), generation); err != nil {
		t.Fatal(err)
	}
	if err := everywhere(t.Context(), x); err != nil {
		t.Errorf("after the second creation: %v", err)
	}
}

func TestConfigNamesEveryProblem(t *testing.T) {
	t.Parallel()
	_, err := qdrant.New(qdrant.Config{Address: "nowhere", Prefix: "a b"})
	for _, want := range []string{"address", "prefix", "timeouts"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not name the %s", err, want)
		}
	}
}

// Every outage names its cause in words for a reader and its remedy for the operator, and
// the error for a log has the address.
func TestOutageNamesItsCause(t *testing.T) {
	t.Parallel()
	down := qdranttest.Start(t, qdranttest.Version)
	down.Stop()
	keyed := qdranttest.Start(t, qdranttest.Version, qdranttest.Key("secret"))
	wrong := func(c *qdrant.Config) { c.APIKey = "guessed" }
	secure := func(c *qdrant.Config) { c.TLS = true }
	soon := func(c *qdrant.Config) { c.ReadTimeout = 50 * time.Millisecond }
	for name, c := range map[string]struct {
		address, cause, remedy string
		change                 []func(*qdrant.Config)
	}{
		"down":      {down.Address, "nothing listens there", "qdrant.url", nil},
		"no key":    {keyed.Address, "refuses the key", "qdrant.api_key", nil},
		"wrong key": {keyed.Address, "refuses the key", "qdrant.api_key", []func(*qdrant.Config){wrong}},
		"no TLS":    {keyed.Address, "no secure connection", "qdrant.tls", []func(*qdrant.Config){secure}},
		"silent":    {qdranttest.Silent(t), "no answer in time", "busy", []func(*qdrant.Config){soon}},
		"old":       {qdranttest.Start(t, "1.18.3").Address, "too old", "1.19", nil},
	} {
		err := open(t, c.address, c.change...).Ready(t.Context())
		cause, remedy := vector.CauseOf(err)
		if !errors.Is(err, vector.ErrUnavailable) || !strings.Contains(cause, c.cause) || !strings.Contains(remedy, c.remedy) {
			t.Errorf("%s: cause %q, remedy %q: %v", name, cause, remedy, err)
		}
		if strings.Contains(cause, c.address) || name != "old" && !strings.Contains(err.Error(), c.address) {
			t.Errorf("%s: the address belongs into the error alone: %v", name, err)
		}
	}
}
