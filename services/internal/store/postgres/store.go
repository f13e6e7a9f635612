package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/winnowhq/winnow/services/internal/store"
)

var _ store.Store = (*Store)(nil)

// The roles that connections run as. Owner owns the schema and is used by
// migrations and provisioning alone.
const (
	roleOwner = "winnow_owner"
	roleApp   = "winnow_app"
	roleRelay = "winnow_relay"
)

// Store is the canonical store. Make one with [Open]; it is safe for concurrent
// use.
type Store struct {
	app   *pgxpool.Pool // row security, one tenant per transaction
	relay *pgxpool.Pool // outbox and retention of all tenants
}

// Open prepares the connections; it connects to nothing yet, so that a process
// can start before its database. Ready says whether it can be used.
func Open(ctx context.Context, cfg Config) (*Store, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	cfg = cfg.withDefaults()
	app, err := openPool(ctx, cfg, cfg.URL, roleApp)
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	cfg.Tracer = nil
	relay, err := openPool(ctx, cfg, cfg.RelayURL, roleRelay)
	if err != nil {
		app.Close()
		return nil, fmt.Errorf("open store: %w", err)
	}
	return &Store{app: app, relay: relay}, nil
}

// openPool makes a pool whose connections give up every right but the role's.
func openPool(ctx context.Context, cfg Config, url, role string) (*pgxpool.Pool, error) {
	pc, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	pc.MaxConns = int32(cfg.MaxConns)
	pc.MinConns = 0
	pc.ConnConfig.Tracer = cfg.Tracer
	pc.ConnConfig.ConnectTimeout = cfg.ConnectTimeout
	params := pc.ConnConfig.RuntimeParams
	params["application_name"] = role
	params["timezone"] = "UTC"
	// A process that hangs inside a transaction must not hold lanes for ever.
	params["idle_in_transaction_session_timeout"] = "60s"
	// Statements are few and fixed, their parameters are arrays: planning each
	// call anew costs more than it finds, and a plan made while a table was
	// still empty must not scan it once it is full.
	params["plan_cache_mode"] = "force_generic_plan"
	params["enable_seqscan"] = "off"
	params["jit"] = "off"
	pc.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, "set role "+role)
		return err
	}
	return pgxpool.NewWithConfig(ctx, pc)
}

// Ready implements [store.Store].
func (s *Store) Ready(ctx context.Context) error {
	want, err := latestVersion()
	if err != nil {
		return err
	}
	var have int64
	err = s.app.QueryRow(ctx, `select coalesce(max(version_id), 0) from goose_db_version where is_applied`).Scan(&have)
	if err != nil {
		return mapError("check schema", err)
	}
	if have != want {
		return fmt.Errorf("%w: it is at %d and this binary needs %d; run: winnow migrate", store.ErrMigration, have, want)
	}
	return nil
}

// Close implements [store.Store].
func (s *Store) Close() {
	s.app.Close()
	s.relay.Close()
}
