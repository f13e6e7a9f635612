package postgres

import (
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Config holds the addresses and limits of the connections to the database.
type Config struct {
	// URL is a connection string, or key=value pairs, of a login that is a
	// member of winnow_app. Required.
	URL string
	// RelayURL is the connection string of a login that is a member of
	// winnow_relay. Empty uses URL. The store connects with RelayURL on the
	// first use of the outbox.
	RelayURL string
	// OperatorURL is the connection string of a login that is a member of
	// winnow_operator. Empty uses URL. The store connects with OperatorURL at the first
	// change of a principal.
	OperatorURL string
	// Worker names the worker that connects, such as "triage". Its connections have the
	// rights of that worker's role alone ([access.Role]) where the login is a member of
	// it, else those of winnow_app. Empty, for a process of several workers and for the
	// command line, is winnow_app.
	Worker string
	// MaxConns bounds the connections of each role. The lease of the
	// relay needs one connection more. Default 8.
	MaxConns int
	// ConnectTimeout bounds one attempt to connect. Default 5 s.
	ConnectTimeout time.Duration
	// Recent is how old an answer may be about who a caller is and what a scope belongs to,
	// unless this store changed it since; 0 reads each time. A process uses [Recent].
	Recent time.Duration
	// Tracer traces every statement of the application's role; nil is none.
	// Statements are sent in batches, so a Tracer should implement
	// [pgx.BatchTracer] too.
	Tracer pgx.QueryTracer
}

// Recent is how long a revoked key, a narrowed principal or an unlinked scope may still be
// honoured by a process that did not make the change. An idle process looks at each request,
// so it honours none.
const Recent = 250 * time.Millisecond

// DefaultConfig returns the default of every field except the address.
func DefaultConfig() Config {
	return Config{MaxConns: 8, ConnectTimeout: 5 * time.Second}
}

// Validate reports every problem of the configuration at once.
func (c Config) Validate() error {
	var problems []error
	if c.URL == "" {
		problems = append(problems, errors.New("url: want a connection string, for example postgres://winnow@localhost/winnow"))
	}
	for name, url := range map[string]string{"url": c.URL, "relay url": c.RelayURL, "operator url": c.OperatorURL} {
		if url == "" {
			continue
		}
		if _, err := pgxpool.ParseConfig(url); err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", name, err)) // pgx omits the password
		}
	}
	if c.MaxConns < 0 {
		problems = append(problems, fmt.Errorf("max conns: %d, want 1 or more", c.MaxConns))
	}
	return errors.Join(problems...)
}

// withDefaults returns c with defaults for its zero fields.
func (c Config) withDefaults() Config {
	d := DefaultConfig()
	if c.RelayURL == "" {
		c.RelayURL = c.URL
	}
	if c.OperatorURL == "" {
		c.OperatorURL = c.URL
	}
	if c.MaxConns == 0 {
		c.MaxConns = d.MaxConns
	}
	if c.ConnectTimeout == 0 {
		c.ConnectTimeout = d.ConnectTimeout
	}
	return c
}
