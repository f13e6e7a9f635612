package testenv

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// databaseTimeout bounds the creation and removal of a database. It only ends a hung
// server.
const databaseTimeout = 2 * time.Minute

// Postgres returns a pool on an empty database for this test. Both end with the test.
func Postgres(t testing.TB) *pgxpool.Pool {
	t.Helper()
	return Pool(t, EmptyDatabase(t))
}

// Pool opens a pool that is closed when the test ends. Open it after the database,
// because cleanups run in reverse.
func Pool(t testing.TB, url string) *pgxpool.Pool {
	t.Helper()
	pool, err := pgxpool.New(t.Context(), url)
	if err != nil {
		t.Fatalf("open pool: %v", err)
	}
	t.Cleanup(pool.Close)
	return pool
}

// EmptyDatabase makes an empty database and returns its superuser's URL.
func EmptyDatabase(t testing.TB) string {
	t.Helper()
	return clone(t, server(t), "template0")
}

// Database makes a database for this test by copying a template, and returns its
// superuser's URL. The template is built by build on first use of key and then
// shared by all tests, so key must change with what build does: a hash of the
// migrations, say. build must close its connections before it returns.
//
// Roles are not part of a database. build runs once for each server, but a
// server given by WINNOW_TEST_POSTGRES_URL may have the roles already.
func Database(t testing.TB, key string, build func(ctx context.Context, url string) error) string {
	t.Helper()
	s := server(t)
	template, err := s.ensureTemplate(t.Context(), key, build)
	if err != nil {
		t.Fatalf("build template database: %v", err)
	}
	return clone(t, s, template)
}

// ensureTemplate builds the template of key unless it exists. An advisory lock admits
// one builder, among the tests of this process and, on a given server, among
// processes. The template gets its name last, so an unfinished one is never used.
func (s *pgServer) ensureTemplate(ctx context.Context, key string, build func(context.Context, string) error) (string, error) {
	sum := sha256.Sum256([]byte(key))
	name := "tmpl_" + hex.EncodeToString(sum[:8])
	draft := name + "_draft"

	ctx, cancel := context.WithTimeout(ctx, databaseTimeout)
	defer cancel()
	conn, err := pgx.Connect(ctx, s.urlOf("postgres"))
	if err != nil {
		return "", fmt.Errorf("connect: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx)) // ends the advisory lock too

	if _, err := conn.Exec(ctx, `select pg_advisory_lock(hashtextextended($1, 0))`, name); err != nil {
		return "", fmt.Errorf("wait for builder: %w", err)
	}
	var there bool
	err = conn.QueryRow(ctx, `select exists (select from pg_database where datname = $1)`, name).Scan(&there)
	if err != nil {
		return "", fmt.Errorf("look for template: %w", err)
	}
	if there {
		return name, nil
	}
	if _, err := conn.Exec(ctx, `drop database if exists `+draft+` with (force)`); err != nil {
		return "", fmt.Errorf("drop cut-off draft: %w", err)
	}
	if _, err := conn.Exec(ctx, `create database `+draft+` template template0`); err != nil {
		return "", fmt.Errorf("make draft: %w", err)
	}
	if err := build(ctx, s.urlOf(draft)); err != nil {
		return "", err
	}
	if err := execWhenFree(ctx, conn, `alter database `+draft+` rename to `+name); err != nil {
		return "", fmt.Errorf("name template: %w", err)
	}
	return name, nil
}

// Copy makes a database that holds what the one at url holds, as a restored backup
// does. It waits until nothing uses the original, so its connections must be
// closed. It is dropped when the test ends.
func Copy(t testing.TB, url string) string {
	t.Helper()
	at, err := pgx.ParseConfig(url)
	if err != nil {
		t.Fatalf("copy a database: %v", err)
	}
	return clone(t, server(t), at.Database)
}

// clone copies a template to a database that is dropped with the test.
func clone(t testing.TB, s *pgServer, template string) string {
	t.Helper()
	name := "test_" + strings.ToLower(rand.Text())
	// Copying files takes half the processor time of writing every page to the log.
	// PostgreSQL 14 knows no strategies; it copies files.
	create := `create database ` + name + ` template ` + template
	err := s.exec(t.Context(), create+` strategy file_copy`)
	if pg := new(pgconn.PgError); errors.As(err, &pg) && pg.Code == "42601" {
		err = s.exec(t.Context(), create)
	}
	if err != nil {
		t.Fatalf("make test database: %v", err)
	}
	t.Cleanup(func() {
		// The test's context has ended by now.
		if err := s.exec(context.WithoutCancel(t.Context()), `drop database if exists `+name+` with (force)`); err != nil {
			t.Errorf("drop test database: %v", err)
		}
	})
	return s.urlOf(name)
}

// exec runs one statement on a connection of its own: making and dropping
// databases must not happen inside a transaction or beside other work.
func (s *pgServer) exec(ctx context.Context, statement string) error {
	ctx, cancel := context.WithTimeout(ctx, databaseTimeout)
	defer cancel()
	conn, err := pgx.Connect(ctx, s.urlOf("postgres"))
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	return execWhenFree(ctx, conn, statement)
}

// execWhenFree runs a statement about a database once no session uses it any more. A
// session ends a little later than its client sees. The server alone waits for five
// seconds.
func execWhenFree(ctx context.Context, conn *pgx.Conn, statement string) error {
	for {
		_, err := conn.Exec(ctx, statement)
		var pg *pgconn.PgError
		if !errors.As(err, &pg) || pg.Code != "55006" || ctx.Err() != nil {
			return err
		}
	}
}
