package qdrant_test

import (
	"bytes"
	"log/slog"
	"net"
	"strconv"
	"testing"

	qdrantclient "github.com/qdrant/go-client/qdrant"

	"github.com/winnowhq/winnow/services/internal/vector/qdrant"
	"github.com/winnowhq/winnow/services/internal/vector/qdranttest"
)

// client returns the client of another program on the same server.
func client(t testing.TB, address string) *qdrantclient.Client {
	t.Helper()
	host, digits, _ := net.SplitHostPort(address)
	port, err := strconv.Atoi(digits)
	if err != nil {
		t.Fatal(err)
	}
	c, err := qdrantclient.NewClient(&qdrantclient.Config{Host: host, Port: port, PoolSize: 1, SkipCompatibilityCheck: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// create makes a collection as another program would.
func create(t testing.TB, c *qdrantclient.Client, name string) error {
	t.Helper()
	return c.CreateCollection(t.Context(), &qdrantclient.CreateCollection{
		CollectionName: name,
		VectorsConfig: qdrantclient.NewVectorsConfigMap(map[string]*qdrantclient.VectorParams{
			"image": {Size: 4, Distance: qdrantclient.Distance_Cosine},
		}),
	})
}

// The key reaches the server, and nothing is written about it by the client: a command
// would print that each time. The driver says where it crosses a network unprotected.
// Not parallel: the client writes to the process's one log.
func TestKeyWithoutTLS(t *testing.T) {
	var written bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&written, nil)))
	defer slog.SetDefault(before)
	server := qdranttest.Start(t, qdranttest.Version, qdranttest.Key("secret"))
	if err := open(t, server.Address, func(c *qdrant.Config) { c.APIKey = "secret" }).Ready(t.Context()); err != nil {
		t.Error(err)
	}
	if written.Len() > 0 {
		t.Errorf("the client wrote %q", written.String())
	}
	for address, exposed := range map[string]bool{
		"localhost:6334": false, "127.0.0.1:6334": false, "[::1]:6334": false, "qdrant:6334": true, "10.0.0.7:6334": true,
	} {
		c := qdrant.Config{Address: address, APIKey: "secret"}
		withTLS, without := c, c
		withTLS.TLS, without.APIKey = true, ""
		if c.Exposed() != exposed || withTLS.Exposed() || without.Exposed() {
			t.Errorf("%s: exposed %v, with TLS %v, without a key %v", address, c.Exposed(), withTLS.Exposed(), without.Exposed())
		}
	}
}
