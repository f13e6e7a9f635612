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

	"github.com/winnowhq/winnow/services/internal/vector"
)

// Config names the server and its collections.
type Config struct {
	Address string // host:port of the gRPC interface, usually port 6334
	APIKey  string // a key or a token; empty for none
	TLS     bool
	// Prefix begins the name of every collection: <prefix>_g1, <prefix>_g2, … The alias
	// that points at the active generation follows it. Two installations on one server
	// differ in it.
	Prefix string
	// Stale is how long the active generation is remembered for searches.
	Stale time.Duration
	// ReadTimeout and WriteTimeout bound one request. A hanging server must not delay a
	// search longer than reading from Postgres instead.
	ReadTimeout  time.Duration
	WriteTimeout time.Duration
}

// DefaultPrefix is the prefix of an installation that has the server for itself.
const DefaultPrefix = "winnow"

// seedAlias is the name that the seed gives the index (S3.30).
const seedAlias = "memory_observations"

// alias returns the name that points at the active generation: that of the seed, behind
// a prefix of its own where the installation has one.
func (c Config) alias() string {
	if c.Prefix == DefaultPrefix {
		return seedAlias
	}
	return c.Prefix + "_" + seedAlias
}

// DefaultConfig returns the settings of a server on this machine.
func DefaultConfig() Config {
	return Config{
		Address: "localhost:6334", Prefix: DefaultPrefix, Stale: vector.Stale,
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
	if !plainName.MatchString(c.Prefix) {
		errs = append(errs, fmt.Errorf("prefix %q: want up to 64 letters, digits, _ or -", c.Prefix))
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

// headers returns what every request carries.
func (c Config) headers() map[string]string {
	if c.APIKey == "" {
		return nil
	}
	return map[string]string{"api-key": c.APIKey}
}

// Exposed reports whether the key crosses a network as plain text.
func (c Config) Exposed() bool {
	host, _, err := c.hostPort()
	if err != nil || c.APIKey == "" || c.TLS || host == "localhost" {
		return false
	}
	ip := net.ParseIP(host)
	return ip == nil || !ip.IsLoopback()
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
		Host: host, Port: port, UseTLS: c.TLS,
		// As a header of ours: the client's own field warns on standard error about a key
		// without TLS, in every command. [Config.Exposed] lets a process say it once.
		Headers: c.headers(),
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
