package postgres

import (
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Config says how to reach the database.
type Config struct {
	// URL is a connection string, or key=value pairs, of a login that is a
	// member of winnow_app. Required.
	URL string
	// RelayURL is the same for a login that is a member of winnow_relay. Empty
	// uses URL. Nothing connects with it until the outbox is used.
	RelayURL string
	// MaxConns bounds the connections of each of the two roles; the lease of
	// the relay takes one more. Default 8.
	MaxConns int
	// ConnectTimeout bounds one attempt to connect. Default 5 s.
	ConnectTimeout time.Duration
	// Tracer hears of every statement of the application's role; nil is none.
	// Statements travel in batches, so it should be a [pgx.BatchTracer] too.
	Tracer pgx.QueryTracer
}

// DefaultConfig is everything but the address.
func DefaultConfig() Config {
	return Config{MaxConns: 8, ConnectTimeout: 5 * time.Second}
}

// Validate reports every problem of the configuration at once.
func (c Config) Validate() error {
	var problems []error
	if c.URL == "" {
		problems = append(problems, errors.New("url: want a connection string, for example postgres://winnow@localhost/winnow"))
	}
	for name, url := range map[string]string{"url": c.URL, "relay url": c.RelayURL} {
		if url == "" {
			continue
		}
		if _, err := pgxpool.ParseConfig(url); err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", name, err)) // pgx leaves the password out
		}
	}
	if c.MaxConns < 0 {
		problems = append(problems, fmt.Errorf("max conns: %d, want 1 or more", c.MaxConns))
	}
	return errors.Join(problems...)
}

// withDefaults fills what was left at zero.
func (c Config) withDefaults() Config {
	d := DefaultConfig()
	if c.RelayURL == "" {
		c.RelayURL = c.URL
	}
	if c.MaxConns == 0 {
		c.MaxConns = d.MaxConns
	}
	if c.ConnectTimeout == 0 {
		c.ConnectTimeout = d.ConnectTimeout
	}
	return c
}
