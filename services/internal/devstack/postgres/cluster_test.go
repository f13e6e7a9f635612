package postgres

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
)

// folder is a temporary folder that the server's user can pass through, which
// t.TempDir is not for root.
func folder(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "winnow-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o711); err != nil {
		t.Fatal(err)
	}
	return dir
}

// begin starts a cluster, or skips where there is no PostgreSQL.
func begin(t testing.TB, opts Options) *Cluster {
	t.Helper()
	c, err := Start(t.Context(), opts)
	if errors.Is(err, ErrNoBinaries) {
		if strings.Contains(os.Getenv("WINNOW_REQUIRE"), "postgres") {
			t.Fatal(err)
		}
		withoutPrograms(t, err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Stop(context.Background()) })
	return c
}

// query returns the one text that a statement yields, or runs it if it yields
// nothing.
func query(t testing.TB, url, statement string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	var text string
	if err := conn.QueryRow(t.Context(), statement).Scan(&text); err != nil && !errors.Is(err, pgx.ErrNoRows) {
		t.Fatalf("%s: %v", statement, err)
	}
	return text
}

func TestDataOutlivesRestart(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(folder(t), "data")
	c := begin(t, Options{DataDir: dir, Settings: quick})
	query(t, c.URL("postgres"), `create table kept (id int)`)
	for range 2 { // the second time returns the same
		if err := c.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	<-c.Done()
	again := begin(t, Options{DataDir: dir, Settings: quick})
	if got := query(t, again.URL("postgres"), `select 'kept'::regclass::text`); got != "kept" {
		t.Errorf("table after restart: %q", got)
	}
}

func TestStopCutShort(t *testing.T) {
	t.Parallel()
	c := begin(t, Options{DataDir: filepath.Join(folder(t), "data"), Settings: quick})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	// Either the server was quicker than the select, or the caller hears of it.
	if err := c.Stop(ctx); err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("stop: %v", err)
	}
	<-c.Done()
}

// The promises of doc.go, asked of the server itself.
func TestSettings(t *testing.T) {
	t.Parallel()
	durable := begin(t, Options{DataDir: filepath.Join(folder(t), "data")})
	ephemeral := begin(t, Options{DataDir: filepath.Join(folder(t), "data"), Ephemeral: true})
	for name, want := range map[string]string{
		"fsync": "on", "full_page_writes": "on", "synchronous_commit": "on", "listen_addresses": "",
	} {
		if got := query(t, durable.URL("postgres"), "show "+name); got != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
	if got := query(t, ephemeral.URL("postgres"), "show fsync"); got != "off" {
		t.Errorf("ephemeral fsync = %q, want off", got)
	}
	info, err := os.Stat(durable.socketDir)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("socket folder %v, err %v: its mode is the authentication, want 0700", info.Mode(), err)
	}
}

// PostgreSQL refuses root, and root is what containers give us.
func TestServerIsNotRoot(t *testing.T) {
	t.Parallel()
	c := begin(t, Options{DataDir: filepath.Join(folder(t), "data"), Ephemeral: true})
	info, err := os.Stat(filepath.Join(c.opts.DataDir, "PG_VERSION"))
	if err != nil {
		t.Fatal(err)
	}
	uid := info.Sys().(*syscall.Stat_t).Uid
	if uid == 0 {
		t.Error("data belongs to root")
	}
	if os.Geteuid() != 0 && int(uid) != os.Geteuid() {
		t.Errorf("data belongs to %d, want ourselves", uid)
	}
}

// A failing statement quotes what it was given; the log must not keep it.
func TestLogHoldsNoTexts(t *testing.T) {
	t.Parallel()
	c := begin(t, Options{DataDir: filepath.Join(folder(t), "data"), Ephemeral: true})
	conn, err := pgx.Connect(t.Context(), c.URL("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	for _, statement := range []string{
		`create temp table u (a text unique)`, `insert into u values ('canary')`,
		`insert into u values ('canary')`, `select 'canary'::int`, `select canary`,
	} {
		conn.Exec(t.Context(), statement)
	}
	text, err := os.ReadFile(filepath.Join(c.opts.DataDir, logName))
	if err != nil || strings.Contains(string(text), "canary") {
		t.Errorf("log (err %v):\n%s", err, text)
	}
}

func TestSecondOwnerIsRefused(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(folder(t), "data")
	begin(t, Options{DataDir: dir, Ephemeral: true})
	if _, err := Start(t.Context(), Options{DataDir: dir}); !errors.Is(err, ErrInUse) {
		t.Errorf("start: %v, want ErrInUse", err)
	}
	if err := Remove(t.Context(), dir); !errors.Is(err, ErrInUse) {
		t.Errorf("remove: %v, want ErrInUse", err)
	}
}

// Test processes that start at once share one seed and nothing else.
func TestSeedIsSharedByConcurrentStarts(t *testing.T) {
	t.Parallel()
	home := folder(t)
	t.Run("starts", func(t *testing.T) {
		for _, name := range []string{"a", "b", "c"} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				c := begin(t, Options{DataDir: filepath.Join(home, name), Seed: filepath.Join(home, "seed"), Ephemeral: true})
				query(t, c.URL("postgres"), `create table mine (id int)`)
			})
		}
	})
}

func TestRemove(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(folder(t), "data")
	c := begin(t, Options{DataDir: dir, Ephemeral: true})
	if err := c.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 2 { // nothing there is fine too
		if err := Remove(t.Context(), dir); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("data folder after removal: %v", err)
	}
}
