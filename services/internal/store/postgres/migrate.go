package postgres

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/store/postgres/access"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// Migration is one step of the schema.
type Migration struct {
	Version   int64
	Name      string
	AppliedAt time.Time // zero before the migration is applied
}

// Migrate brings the schema to the version of this binary. ownerURL is a login
// that may create roles, or a member of winnow_owner when the roles exist. Migrate
// is idempotent, and several processes may call it at once.
func Migrate(ctx context.Context, ownerURL string) error {
	if err := prepare(ctx, ownerURL); err != nil {
		return err
	}
	err := withProvider(ctx, ownerURL, func(p *goose.Provider) error {
		_, err := p.Up(ctx)
		return mapError("migrate", err)
	})
	if err != nil {
		return err
	}
	return grant(ctx, ownerURL)
}

// grant gives the roles of workers the rights of the matrix, as one transaction, so that
// a worker that runs meanwhile never misses one.
func grant(ctx context.Context, ownerURL string) error {
	conn, err := pgx.Connect(ctx, ownerURL)
	if err != nil {
		return mapError("grant", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	// Two processes that change the rights of a table at once would fail.
	const turn = "begin; set local role " + roleOwner + "; select pg_advisory_xact_lock(1464422992);\n"
	_, err = conn.PgConn().Exec(ctx, turn+access.Grant()+"commit").ReadAll()
	return mapError("grant", err)
}

// MigrateDown reverts the newest migrations until the schema is at version; 0
// removes everything. MigrateDown destroys the data of the reverted migrations.
func MigrateDown(ctx context.Context, ownerURL string, version int64) error {
	return withProvider(ctx, ownerURL, func(p *goose.Provider) error {
		_, err := p.DownTo(ctx, version)
		return mapError("migrate down", err)
	})
}

// MigrationStatus lists every migration in order.
func MigrationStatus(ctx context.Context, ownerURL string) ([]Migration, error) {
	var list []Migration
	err := withProvider(ctx, ownerURL, func(p *goose.Provider) error {
		status, err := p.Status(ctx)
		for _, s := range status {
			list = append(list, Migration{Version: s.Source.Version, Name: s.Source.Path, AppliedAt: s.AppliedAt})
		}
		return mapError("migration status", err)
	})
	return list, err
}

// Version returns the version of the schema and the version that this binary
// needs.
func Version(ctx context.Context, ownerURL string) (have, want int64, err error) {
	err = withProvider(ctx, ownerURL, func(p *goose.Provider) error {
		have, want, err = p.GetVersions(ctx)
		return mapError("schema version", err)
	})
	return have, want, err
}

// latestVersion returns the schema version that this binary needs.
func latestVersion() (int64, error) {
	names, err := fs.Glob(migrationFiles, "migrations/*.sql")
	if err != nil || len(names) == 0 {
		return 0, errors.Join(store.ErrMigration, err)
	}
	return goose.NumericComponent(names[len(names)-1])
}

// SchemaHash returns a hash of the roles, their rights, and every migration file.
func SchemaHash() string {
	h := sha256.New()
	h.Write([]byte(rolesSQL + access.CreateRoles() + access.Grant()))
	names, _ := fs.Glob(migrationFiles, "migrations/*.sql") // the pattern is well-formed
	for _, name := range names {
		text, _ := fs.ReadFile(migrationFiles, name) // embedded, so the read cannot fail
		h.Write(text)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// withProvider calls fn with a provider that migrates as winnow_owner. Only one
// process at a time migrates.
func withProvider(ctx context.Context, ownerURL string, fn func(*goose.Provider) error) (err error) {
	db, err := openOwner(ownerURL)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	files, err := fs.Sub(migrationFiles, "migrations")
	if err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 300))
	if err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	provider, err := goose.NewProvider(goose.DialectPostgres, db, files, goose.WithSessionLocker(locker))
	if err != nil {
		return mapError("migrations", err)
	}
	return fn(provider)
}

// openOwner connects as winnow_owner.
func openOwner(ownerURL string) (*sql.DB, error) {
	cfg, err := pgx.ParseConfig(ownerURL)
	if err != nil {
		return nil, fmt.Errorf("owner url: %w", err)
	}
	return stdlib.OpenDB(*cfg, stdlib.OptionAfterConnect(func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, "set role "+roleOwner)
		return err
	})), nil
}
