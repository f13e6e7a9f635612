package testenv

import (
	"context"
	"fmt"
	"net"

	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/wait"
)

// containerImage is what CI tests the store against besides the oldest version.
const containerImage = "postgres:17-alpine"

// containerServer runs PostgreSQL in a container, for machines that have Docker
// but no PostgreSQL.
func containerServer(ctx context.Context) (s *pgServer, err error) {
	defer func() {
		// The library panics where it finds no Docker at all.
		if r := recover(); r != nil {
			err = fmt.Errorf("docker: %v", r)
		}
	}()
	container, err := testcontainers.Run(ctx, containerImage,
		testcontainers.WithEnv(map[string]string{"POSTGRES_HOST_AUTH_METHOD": "trust"}),
		testcontainers.WithCmd("postgres", "-c", "fsync=off", "-c", "max_connections=300"),
		testcontainers.WithExposedPorts("5432/tcp"),
		// The image starts the server twice; the first one is for its own setup.
		testcontainers.WithWaitStrategy(wait.ForLog("ready to accept connections").WithOccurrence(2)),
	)
	if err != nil {
		return nil, fmt.Errorf("docker: %w", err)
	}
	host, err := container.Host(ctx)
	if err != nil {
		return nil, fmt.Errorf("docker: %w", err)
	}
	port, err := container.MappedPort(ctx, "5432/tcp")
	if err != nil {
		return nil, fmt.Errorf("docker: %w", err)
	}
	address := net.JoinHostPort(host, port.Port())
	return &pgServer{
		urlOf: func(database string) string {
			return "postgres://postgres@" + address + "/" + database + "?sslmode=disable"
		},
		stop: func() error { return testcontainers.TerminateContainer(container) },
	}, nil
}
