package qdranttest

import (
	"context"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"

	"github.com/qdrant/go-client/qdrant"
	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/wait"

	"github.com/winnowhq/winnow/services/internal/test/testenv"
)

// AddressVariable names the gRPC address, host:port, of a running Qdrant on which tests
// may create collections. Tests delete them again.
const AddressVariable = "WINNOW_TEST_QDRANT"

// capability is its name in WINNOW_REQUIRE.
const capability = "qdrant"

// image is the oldest server version that the driver accepts.
const image = "qdrant/qdrant:v1.19.0"

// Real returns host:port of a real server: the given one, or a container that runs
// until the test ends. Without either it skips the test with the reason.
func Real(t testing.TB) string {
	t.Helper()
	if given := os.Getenv(AddressVariable); given != "" {
		return given
	}
	address, stop, err := container(t.Context())
	if err != nil {
		testenv.Skip(t, capability, fmt.Sprintf("%s is not set, and no container: %v", AddressVariable, err))
	}
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Errorf("stop qdrant: %v", err)
		}
	})
	return address
}

// container runs Qdrant in Docker.
func container(ctx context.Context) (address string, stop func() error, err error) {
	defer func() {
		// The library panics where it finds no Docker at all.
		if r := recover(); r != nil {
			err = fmt.Errorf("docker: %v", r)
		}
	}()
	c, err := testcontainers.Run(ctx, image,
		testcontainers.WithExposedPorts("6334/tcp"),
		testcontainers.WithWaitStrategy(wait.ForLog("gRPC listening on").WithOccurrence(1)),
	)
	if err != nil {
		return "", nil, fmt.Errorf("docker: %w", err)
	}
	host, err := c.Host(ctx)
	if err != nil {
		return "", nil, fmt.Errorf("docker: %w", err)
	}
	port, err := c.MappedPort(ctx, "6334/tcp")
	if err != nil {
		return "", nil, fmt.Errorf("docker: %w", err)
	}
	return net.JoinHostPort(host, port.Port()), func() error { return testcontainers.TerminateContainer(c) }, nil
}

// Remove deletes the collections with a prefix when the test ends, so that a permanent
// server is left clean.
func Remove(t testing.TB, address, prefix string) {
	t.Helper()
	t.Cleanup(func() {
		ctx := context.WithoutCancel(t.Context())
		host, port, _ := net.SplitHostPort(address)
		var number int
		if _, err := fmt.Sscan(port, &number); err != nil {
			t.Errorf("address %q: %v", address, err)
			return
		}
		client, err := qdrant.NewClient(&qdrant.Config{Host: host, Port: number, SkipCompatibilityCheck: true, PoolSize: 1})
		if err != nil {
			t.Errorf("connect to clean up: %v", err)
			return
		}
		defer func() { _ = client.Close() }()
		names, err := client.ListCollections(ctx)
		if err != nil {
			t.Errorf("list what to clean up: %v", err)
		}
		for _, name := range names {
			if strings.HasPrefix(name, prefix) {
				if err := client.DeleteCollection(ctx, name); err != nil {
					t.Errorf("clean up %s: %v", name, err)
				}
			}
		}
	})
}
