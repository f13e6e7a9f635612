package qdrant

import (
	"errors"
	"fmt"
	"net"
	"regexp"
	"strconv"
	"time"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
)

// Config names the server and its collections.
type Config struct {
	Address string // host:port of the gRPC interface, usually port 6334
	APIKey  string // a key or a token; empty for none
	TLS     bool
	// Prefix begins the name of every collection: <prefix>_g1, <prefix>_g2, …
	// Two installations on one server differ in it.
	Prefix string
	// Alias is the name that points at the active generation.
	Alias string
	// ReadTimeout and WriteTimeout bound one request. A hanging server must not delay a
	// search longer than reading from Postgres instead.
	ReadTimeout  time.Duration
	WriteTimeout time.Duration
}

// DefaultConfig returns the settings of a server on this machine.
func DefaultConfig() Config {
	return Config{
		Address: "localhost:6334", Prefix: "winnow", Alias: "memory_observations",
		ReadTimeout: 2 * time.Second, WriteTimeout: 30 * time.Second,
	}
}

// plainName matches allowed parts of a collection's name.
var plainName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// Validate reports every value that cannot be used.
func (c Config) Validate() error {
	var errs []error
	if _, _, err := c.hostPort(); err != nil {
		errs = append(errs, err)
	}
	for what, name := range map[string]string{"prefix": c.Prefix, "alias": c.Alias} {
		if !plainName.MatchString(name) {
			errs = append(errs, fmt.Errorf("%s %q: want up to 64 letters, digits, _ or -", what, name))
		}
	}
	if c.ReadTimeout <= 0 || c.WriteTimeout <= 0 {
		errs = append(errs, errors.New("timeouts must be positive"))
	}
	return errors.Join(errs...)
}

func (c Config) hostPort() (string, int, error) {
	host, digits, err := net.SplitHostPort(c.Address)
	if err != nil {
		return "", 0, fmt.Errorf("address: %w", err)
	}
	port, err := strconv.ParseUint(digits, 10, 16)
	if err != nil || host == "" {
		return "", 0, fmt.Errorf("address %q: want host:port", c.Address)
	}
	return host, int(port), nil
}

// maxMessage is the largest message in bytes, enough for a page of vectors.
const maxMessage = 64 << 20

// dial returns a client. It connects on first use.
func (c Config) dial() (*qdrant.Client, error) {
	host, port, err := c.hostPort()
	if err != nil {
		return nil, err
	}
	return qdrant.NewClient(&qdrant.Config{
		Host: host, Port: port, APIKey: c.APIKey, UseTLS: c.TLS,
		// Requests share one connection. Several would recover one by one after an
		// outage, and every other request would fail meanwhile.
		PoolSize: 1,
		// The client's version check is off: it only warns, and waits up to a minute
		// for a server that is down; Ready checks better.
		SkipCompatibilityCheck: true,
		// Pings detect a connection that died silently; each request has its own
		// timeout. The client's default of two seconds would cut a long write off where
		// a busy machine stalls for three.
		KeepAliveTimeout: 10,
		GrpcOptions: []grpc.DialOption{
			grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxMessage), grpc.MaxCallSendMsgSize(maxMessage)),
			// gRPC's own backoff grows to two minutes, long after the server is back.
			grpc.WithConnectParams(grpc.ConnectParams{
				Backoff:           backoff.Config{BaseDelay: 100 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: 3 * time.Second},
				MinConnectTimeout: 2 * time.Second,
			}),
		},
	})
}
