package qdrant_test

import (
	"crypto/rand"
	"strings"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/test/testenv"
	"github.com/winnowhq/winnow/services/internal/vector"
	"github.com/winnowhq/winnow/services/internal/vector/qdrant"
	"github.com/winnowhq/winnow/services/internal/vector/qdranttest"
	"github.com/winnowhq/winnow/services/internal/vector/vectortest"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// The real client against the server in this repository.
func TestConformance(t *testing.T) {
	t.Parallel()
	vectortest.Run(t, func(t testing.TB) vector.Backend {
		return open(t, qdranttest.Start(t, qdranttest.Version).Address)
	})
}

// The real client against a real server, where there is one.
func TestConformanceReal(t *testing.T) {
	t.Parallel()
	address := qdranttest.Real(t)
	vectortest.Run(t, func(t testing.TB) vector.Backend {
		prefix := "test_" + strings.ToLower(rand.Text())
		qdranttest.Remove(t, address, prefix)
		return open(t, address, func(c *qdrant.Config) { c.Prefix = prefix })
	})
}

// hangTimeout is for a server that hangs, not a measure of speed.
const hangTimeout = time.Minute

// open returns a backend on a server of the test's own.
func open(t testing.TB, address string, change ...func(*qdrant.Config)) *qdrant.Backend {
	t.Helper()
	config := qdrant.DefaultConfig()
	config.Address, config.ReadTimeout, config.WriteTimeout = address, hangTimeout, hangTimeout
	for _, c := range change {
		c(&config)
	}
	b, err := qdrant.New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b
}
