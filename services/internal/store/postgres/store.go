package postgres

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/store/postgres/access"
	"github.com/winnowhq/winnow/services/internal/store/postgres/recent"
	"github.com/winnowhq/winnow/services/internal/store/postgres/together"
	"github.com/winnowhq/winnow/services/internal/store/postgres/wire"
)

var _ store.Store = (*Store)(nil)

// The roles that connections run as. roleOwner owns the schema; only migrations
// and provisioning use it.
const (
	roleOwner    = "winnow_owner"
	roleApp      = access.App
	roleRelay    = access.Relay
	roleOperator = "winnow_operator" // a member of roleApp that also registers principals
)

// Store is the canonical store. Create a Store with [Open]. A Store is safe for
// concurrent use.
type Store struct {
	app   *pgxpool.Pool // row security, one tenant per transaction
	relay *pgxpool.Pool // outbox and retention of all tenants
	// operator is app with the rights of an operator. It connects at the first change
	// of a principal; a worker's login cannot.
	operator *pgxpool.Pool
	role     string // that a worker's connections should have
	// callers and around are what requests ask again and again; their keys name the tenant,
	// or the principal or key of one tenant.
	callers *recent.Cache[callerKey, caller]
	around  *recent.Cache[aroundKey, aroundScope]
	// uses are the questions, by tenant, that every search asks about what it found.
	uses together.Calls[usesIn, map[string]int]
	// full is set while the server is known to refuse writes for want of disk space.
	full *atomic.Bool
}

// Open prepares the connection pools but does not connect, so that a process can
// start before its database. Ready reports whether the store can be used.
func Open(ctx context.Context, cfg Config) (*Store, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	cfg = cfg.withDefaults()
	app, err := openPool(ctx, cfg, cfg.URL, access.Role(cfg.Worker))
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	cfg.Tracer = nil
	relay, err := openPool(ctx, cfg, cfg.RelayURL, roleRelay)
	if err != nil {
		app.Close()
		return nil, fmt.Errorf("open store: %w", err)
	}
	operator, err := openPool(ctx, cfg, cfg.OperatorURL, roleOperator)
	if err != nil {
		app.Close()
		relay.Close()
		return nil, fmt.Errorf("open store: %w", err)
	}
	return &Store{
		app: app, relay: relay, operator: operator, role: access.Role(cfg.Worker), full: new(atomic.Bool),
		callers: recent.New[callerKey, caller](cfg.Recent), around: recent.New[aroundKey, aroundScope](cfg.Recent),
	}, nil
}

// Wider returns the login of this process when it has the rights of all workers though its
// worker has a role of its own, as a login of an older installation; otherwise nothing.
func (s *Store) Wider(ctx context.Context) (login string, err error) {
	var is string
	if s.role == roleApp || s.role == roleRelay {
		return "", nil
	}
	err = s.app.QueryRow(ctx, `select session_user::text, current_user::text`).Scan(&login, &is)
	if is != roleApp {
		login = ""
	}
	return login, mapError("read role", err)
}

// idleInTransaction is the server's setting for how long a session may hold locks without
// saying anything.
const idleInTransaction = "idle_in_transaction_session_timeout"

// openPool creates a pool of connections with the rights of role only. A connection takes
// the role once, when it is made, so a transaction costs no round trip for it.
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
	// A process that hangs inside a transaction must not lock lanes for ever.
	if params[idleInTransaction] == "" { // the URL may say otherwise
		params[idleInTransaction] = "60s"
	}
	// The statements are few and constant, and their parameters are arrays.
	// Planning each call costs more than a custom plan saves. Without sequential
	// scans, a plan made for an empty table stays good for a full one.
	params["plan_cache_mode"] = "force_generic_plan"
	params["enable_seqscan"] = "off"
	params["jit"] = "off"
	pc.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		wire.Register(conn.TypeMap())
		_, err := conn.Exec(ctx, access.Become(role))
		return err
	}
	return pgxpool.NewWithConfig(ctx, pc)
}

// Ready implements [store.Store]. A server whose disk is full answers queries and
// refuses writes; then Ready writes a little until that succeeds again.
func (s *Store) Ready(ctx context.Context) error {
	want, err := latestVersion()
	if err != nil {
		return err
	}
	var have int64
	var readOnly bool
	err = s.app.QueryRow(ctx, `
select coalesce(max(version_id), 0), current_setting('transaction_read_only') = 'on' from goose_db_version where is_applied`).Scan(&have, &readOnly)
	switch {
	case err != nil:
		return mapError("check schema", err)
	case have != want:
		return fmt.Errorf("%w: it is at %d and this binary needs %d; run: winnow migrate", store.ErrMigration, have, want)
	case readOnly:
		return fmt.Errorf("%w: it is read-only; make it writable, or name the primary in postgres.url", store.ErrUnavailable)
	case s.full.Load():
		return s.hasRoom(ctx)
	}
	return nil
}

// spill sorts more than its memory holds, so that the server writes two MiB to its disk
// and removes them again. It needs no right and changes no row.
const spill = `
select count(*) from (select md5(g::text) as t from generate_series(1, 40000) g order by t offset 0) s`

// hasRoom returns nil once the server can write to its disk again.
func (s *Store) hasRoom(ctx context.Context) error {
	err := pgx.BeginFunc(ctx, s.app, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "set local work_mem = '64kB'"); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, spill)
		return err
	})
	switch {
	case diskFull(err):
		return fmt.Errorf("%w: its disk is full; make room, and the workers go on by themselves", store.ErrUnavailable)
	case err != nil:
		return mapError("write to disk", err)
	}
	s.full.Store(false)
	return nil
}

// noted remembers that a write failed because the disk is full, for Ready.
func (s *Store) noted(err error) error {
	if diskFull(err) {
		s.full.Store(true)
	}
	return err
}

// Server is what a database server says of itself and of this login.
type Server struct {
	Version string    // of PostgreSQL, "17.2"
	Major   int       // of that version
	Now     time.Time // by the server's clock
	User    string    // the login of this process
	// Shared are the other logins with the rights of the whole application (winnow_app),
	// which is one for all workers.
	Shared []string
}

// Server asks the server about itself. Any login may.
func (s *Store) Server(ctx context.Context) (v Server, err error) {
	err = s.app.QueryRow(ctx, `
select current_setting('server_version'), current_setting('server_version_num')::int / 10000, clock_timestamp(), session_user::text,
  coalesce((select array_agg(distinct l.rolname::text order by l.rolname::text) from pg_auth_members m
    join pg_roles r on r.oid = m.roleid join pg_roles l on l.oid = m.member
    where r.rolname = 'winnow_app' and l.rolcanlogin and not l.rolsuper and l.rolname <> session_user), '{}')`).
		Scan(&v.Version, &v.Major, &v.Now, &v.User, &v.Shared)
	return v, mapError("ask the server about itself", err)
}

// Close implements [store.Store].
func (s *Store) Close() {
	s.app.Close()
	s.relay.Close()
	s.operator.Close()
}
