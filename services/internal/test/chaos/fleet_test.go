package chaos

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/nats-io/nats.go"
	natsjs "github.com/nats-io/nats.go/jetstream"

	workers "github.com/winnowhq/winnow/services/fleet"
	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/bus/jetstream"
	devpostgres "github.com/winnowhq/winnow/services/internal/devstack/postgres"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store/postgres"
	"github.com/winnowhq/winnow/services/internal/store/postgres/pgtest"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
)

// binaries is the folder of what the suite builds once: the workers, a gateway,
// and the broker that is killed.
var binaries string

func TestMain(m *testing.M) {
	if url := os.Getenv(asAttacker); url != "" {
		if err := attack(url); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if os.Getenv("WINNOW_CHAOS") != "" {
		if err := buildBinaries(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	testenv.Main(m)
}

// buildBinaries builds into bin/chaos of the repository, which git ignores. The folder
// stays, and `go build` links again only what has changed.
func buildBinaries() error {
	dir, err := filepath.Abs("../../../../bin/chaos")
	if err == nil {
		err = os.MkdirAll(dir, 0o755)
	}
	if err != nil {
		return err
	}
	binaries = dir
	// Without the debugger's tables a program is linked in a third less time.
	cmd := exec.Command("go", "build", "-ldflags=-w", "-o", dir+string(filepath.Separator),
		"github.com/winnowhq/winnow/cmd/winnow-ingest", "github.com/winnowhq/winnow/cmd/winnow-distill", "github.com/winnowhq/winnow/cmd/winnow-triage", "github.com/winnowhq/winnow/cmd/winnow-relay",
		"github.com/winnowhq/winnow/cmd/winnow", "github.com/winnowhq/winnow/cmd/winnow-consolidate", "github.com/winnowhq/winnow/cmd/winnow-digest", "github.com/winnowhq/winnow/cmd/winnow-index", "github.com/winnowhq/winnow/cmd/winnow-api", "github.com/winnowhq/winnow/cmd/winnow-learn",
		"github.com/winnowhq/winnow/examples/gateway", "github.com/nats-io/nats-server/v2")
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build: %w\n%s", err, text)
	}
	return nil
}

// fleet is a database, a broker and the workers on them.
type fleet struct {
	t      *testing.T
	log    *logBook
	store  *postgres.Store
	pool   *pgxpool.Pool // as the owner, for rows that no worker's role may read
	dbURL  string
	port   int
	broker *process
	// monitor is the port of the broker's health and figures, limit what it may store.
	monitor int
	limit   string
	// plainStreams leaves the streams unencrypted, so that a test can read their files.
	plainStreams bool
	dir          string // of the broker
	// cluster is a Postgres of the test's own, which it may kill; most share one.
	cluster        *devpostgres.Cluster
	clusterOptions devpostgres.Options
	nc             *nats.Conn
	js             natsjs.JetStream
}

const (
	// AckWait of the durables here. Messages of a worker that was killed, or that
	// stalled for so long, are delivered again after it; maxDeliver counts both.
	ackWait    = 2 * time.Second
	maxDeliver = 1000
	// waitTimeout bounds every wait for an effect; it allows for slow machines.
	waitTimeout = 4 * time.Minute
)

// chaosOnly skips a test outside `make chaos`.
func chaosOnly(t *testing.T) {
	t.Helper()
	if os.Getenv("WINNOW_CHAOS") == "" {
		testenv.Skip(t, "chaos", "runs real processes for minutes: make chaos")
	}
}

// newFleet starts a fleet for a test, which runs beside others from then on.
func newFleet(t *testing.T) *fleet {
	t.Helper()
	return newFleetWith(t, func(*fleet) {})
}

// newFleetWith is newFleet with something set before the broker starts.
func newFleetWith(t *testing.T, adjust func(*fleet)) *fleet {
	t.Helper()
	chaosOnly(t)
	t.Parallel()
	f := &fleet{t: t, log: &logBook{}, port: testenv.Port(t), monitor: testenv.Port(t), limit: "20GB", dir: t.TempDir()}
	adjust(f)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("last lines of the workers:\n%s", f.log.last())
		}
	})
	if f.dbURL == "" {
		f.dbURL = pgtest.URL(t)
	}
	f.store = pgtest.Connect(t, postgres.Config{URL: f.dbURL})
	f.pool = testenv.Pool(t, f.dbURL)

	f.startBroker()
	nc, err := nats.Connect(f.natsURL(), nats.UserInfo(tester, password(tester)), nats.MaxReconnects(-1), nats.ReconnectWait(100*time.Millisecond), nats.Timeout(waitTimeout))
	if err != nil {
		t.Fatalf("connect: %v", err)
	}
	t.Cleanup(nc.Close)
	js, err := natsjs.New(nc)
	if err != nil {
		t.Fatalf("jetstream: %v", err)
	}
	f.nc, f.js = nc, js
	f.provision()
	return f
}

func (f *fleet) natsURL() string { return "nats://127.0.0.1:" + strconv.Itoa(f.port) }

// configureBroker writes the broker's file and returns its path and the broker's
// environment.
func (f *fleet) configureBroker() (conf string, environ []string) {
	f.t.Helper()
	conf = filepath.Join(f.dir, "nats.conf")
	text, environ, err := brokerConfig(f.port, f.monitor, filepath.Join(f.dir, "stream"), f.limit)
	if err != nil {
		f.t.Fatal(err)
	}
	if f.plainStreams {
		text = strings.NewReplacer("cipher: chachapoly", "", `key: $`+jetstream.KeyVariable, "").Replace(text)
	}
	if err := os.WriteFile(conf, []byte(text), 0o600); err != nil {
		f.t.Fatal(err)
	}
	return conf, environ
}

func (f *fleet) startBroker() {
	conf, environ := f.configureBroker()
	f.broker = spawn(f.t, "broker", f.log, filepath.Join(binaries, "nats-server"), []string{"-c", conf}, environ)
	eventually(f.t, waitTimeout, "broker listens", func() (bool, string) {
		c, err := net.Dial("tcp", "127.0.0.1:"+strconv.Itoa(f.port))
		if err != nil {
			return false, err.Error()
		}
		_ = c.Close()
		return true, ""
	})
}

// run starts a worker in a process of its own, with settings beside those that
// all have.
func (f *fleet) run(name, worker, crashAt string, settings ...string) *process {
	env := append([]string{
		"WINNOW_POSTGRES_URL=" + f.dbURL,
		"WINNOW_NATS_URL=" + f.natsURL(),
		"WINNOW_NATS_USER=" + worker,
		"WINNOW_NATS_PASSWORD=" + password(worker),
		"WINNOW_HTTP_ADDR=127.0.0.1:0",
		"WINNOW_LOG_FORMAT=json",
		"WINNOW_LOG_LEVEL=info",
		"WINNOW_DRAIN_TIMEOUT=5s",
		"WINNOW_REDACT_KEY=only for tests",
	}, settings...)
	if crashAt != "" {
		env = append(env, "WINNOW_CRASH_AT="+crashAt)
	}
	return spawn(f.t, name, f.log, filepath.Join(binaries, "winnow-"+worker), nil, env)
}

// provision creates the streams and the durables, with a short AckWait.
func (f *fleet) provision() {
	f.t.Helper()
	t := jetstream.Topology{Replicas: 1}
	for _, def := range workers.All {
		for _, d := range def.Durables() {
			if d.Stream == bus.StreamMemory || d.Stream == bus.StreamIntake || d.Stream == bus.StreamSessions {
				d.AckWait, d.MaxDeliver = ackWait, maxDeliver
			}
			t.Durables = append(t.Durables, d)
		}
	}
	t.Durables = append(t.Durables, jetstream.Gateway(memory.Principal{Tenant: memory.DefaultTenant, ID: gateway, SpeaksFor: []string{"*"}}))
	ctx, cancel := context.WithTimeout(f.t.Context(), waitTimeout)
	defer cancel()
	if _, err := jetstream.Provision(ctx, f.nc, t); err != nil {
		f.t.Fatalf("provision: %v", err)
	}
}

// count is one number from the database.
func (f *fleet) count(query string, args ...any) int {
	f.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), waitTimeout)
	defer cancel()
	var n int
	if err := f.pool.QueryRow(ctx, query, args...).Scan(&n); err != nil {
		f.t.Fatalf("%s: %v", query, err)
	}
	return n
}
