package fleet_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/nats-io/nats.go"
	natsjs "github.com/nats-io/nats.go/jetstream"
	"go.uber.org/zap"

	"github.com/winnowhq/winnow/pkg/publish"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/fleet"
	"github.com/winnowhq/winnow/services/internal/devstack"
	devnats "github.com/winnowhq/winnow/services/internal/devstack/nats"
	devpostgres "github.com/winnowhq/winnow/services/internal/devstack/postgres"
	"github.com/winnowhq/winnow/services/internal/test/proposaltest"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
	"github.com/winnowhq/winnow/services/run"
	"github.com/winnowhq/winnow/services/triage"
)

// Benchmarks for the figures of SPEC §17 that need a whole fleet: a durable Postgres,
// a broker that always syncs, audit on, one tenant. Each benchmark does a fixed
// amount of work per iteration and reports its own unit; run them with -benchtime=1x.
// They never fail for being slow.

// BenchmarkBacklog measures from a preloaded stream to committed decisions, with
// relay and audit on.
func BenchmarkBacklog(b *testing.B) {
	preloaded := testenv.Amount(50_000, 2_000)
	for _, c := range []struct {
		name   string
		scopes int
		corpus func(seed uint64, n, scopes int) []*winnowv1.ProposalCreated
	}{
		{"scopes=50", 50, proposaltest.Week}, {"scopes=1", 1, proposaltest.Week},
		// What similar sentences become is a question of the rules, and more memories are
		// more work. Of these, versions with other rules keep the same number.
		{"apart=50", 50, proposaltest.Apart},
	} {
		if testing.Short() && c.name == "apart=50" {
			continue
		}
		b.Run(c.name, func(b *testing.B) {
			for range b.N {
				p := newPlant(b)
				p.preload(c.corpus(7, preloaded, c.scopes))
				b.ResetTimer()
				before, ours, allocated := testenv.CPUSeconds(), testenv.OwnCPUSeconds(), allocations()
				began := time.Now()
				stop := p.start()
				p.awaitSettled()
				took, burnt := time.Since(began), testenv.CPUSeconds()-before
				ours = testenv.OwnCPUSeconds() - ours
				allocated = allocations() - allocated
				b.StopTimer()
				stop()
				decided := p.number(`select count(*) from decisions`)
				b.ReportMetric(float64(preloaded)/took.Seconds(), "proposals/s")
				// This figure depends little on the machine's other load, unlike the
				// rate.
				b.ReportMetric(burnt*1e6/float64(preloaded), "cpu-µs/proposal")
				b.ReportMetric(max(0, burnt-ours)*1e6/float64(preloaded), "postgres-µs/proposal")
				// Hardly depends on other load either, and not on the processor.
				b.ReportMetric(float64(allocated)/float64(preloaded), "allocs/proposal")
				b.ReportMetric(float64(decided), "decisions")
				b.ReportMetric(p.number(`select count(*) from memories`), "memories")
				raw := p.rawCeiling(preloaded)
				b.ReportMetric(raw, "raw-rows/s")
				b.ReportMetric(float64(preloaded)/took.Seconds()/raw, "of-raw")
			}
		})
	}
}

// BenchmarkLatency publishes 200 proposals a second for ten seconds. The time of a
// decision is the time of its commit in Postgres.
func BenchmarkLatency(b *testing.B) {
	for range b.N {
		p := newPlant(b)
		stop := p.start()
		proposals := proposaltest.Week(11, testenv.Amount(2000, 200), 50)
		sent := make(map[string]time.Time, len(proposals))
		client, err := publish.New(p.nc)
		if err != nil {
			b.Fatal(err)
		}
		// The first event includes preparing the statements.
		p.publish(client, proposaltest.Week(12, 50, 50))
		b.ResetTimer()
		tick := time.NewTicker(time.Second / 200)
		for _, one := range proposals {
			<-tick.C
			sent[one.GetId()] = time.Now()
			p.publish(client, []*winnowv1.ProposalCreated{one})
		}
		tick.Stop()
		p.awaitSettled()
		b.StopTimer()
		stop()
		took := p.latencies(sent)
		for _, q := range []float64{0.5, 0.99} {
			at := took[min(int(q*float64(len(took))), len(took)-1)]
			b.ReportMetric(float64(at.Microseconds())/1000, fmt.Sprintf("p%g-ms", q*100))
		}
		b.ReportMetric(float64(len(took)), "decisions")
	}
}

// BenchmarkDevStart measures `winnow dev` on an empty folder: initdb, migrations,
// broker, workers, ready.
func BenchmarkDevStart(b *testing.B) {
	for range b.N {
		cfg := run.DefaultConfig()
		cfg.StateDir, cfg.StartTimeout = openDir(b), patience
		d, err := run.StartDev(b.Context(), cfg, run.DevOptions{}, zap.NewNop(), fleet.All...)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(d.Took.Seconds(), "cold-s")
		b.ReportMetric(residentMB(b), "MB")
		if err := d.Stop(); err != nil {
			b.Fatal(err)
		}
	}
}

// plant is a database and a broker, both durable.
type plant struct {
	b   *testing.B
	cfg run.Config
	pg  *pgx.Conn
	nc  *nats.Conn
	js  natsjs.JetStream
}

func newPlant(b *testing.B) *plant {
	b.Helper()
	b.StopTimer()
	dir := openDir(b)
	cluster, err := devpostgres.Start(b.Context(), devpostgres.Options{
		DataDir: filepath.Join(dir, "postgres"), Settings: map[string]string{"track_commit_timestamp": "on"},
	})
	if err != nil {
		b.Skipf("postgres: %v", err)
	}
	b.Cleanup(func() { _ = cluster.Stop(context.Background()) })
	server, err := devnats.Start(b.Context(), devnats.Options{
		StoreDir: filepath.Join(dir, "nats"), Key: "benchmark key, thirty-two bytes!",
		Credentials: devstack.Credentials{User: "bench", Password: "bench"},
	})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(server.Shutdown)

	cfg := run.DefaultConfig()
	cfg.Postgres.URL, cfg.Postgres.OwnerURL = cluster.URL("postgres"), ""
	cfg.NATS.URL, cfg.NATS.User, cfg.NATS.Password = server.URL(), "bench", "bench"
	cfg.HTTP.Addr = "127.0.0.1:0"
	cfg.Redact.Key = "benchmark"
	cfg.StartTimeout = patience
	if err := run.Migrate(b.Context(), cfg); err != nil {
		b.Fatal(err)
	}
	if _, err := run.Provision(b.Context(), cfg, zap.NewNop(), fleet.All...); err != nil {
		b.Fatal(err)
	}
	p := &plant{b: b, cfg: cfg}
	if p.pg, err = pgx.Connect(b.Context(), cluster.URL("postgres")); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = p.pg.Close(context.Background()) })
	if p.nc, err = server.Connect(nats.UserInfo("bench", "bench")); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(p.nc.Close)
	if p.js, err = natsjs.New(p.nc, natsjs.WithDefaultTimeout(patience)); err != nil {
		b.Fatal(err)
	}
	return p
}

// openDir returns a folder that the unprivileged user of root's Postgres may enter.
func openDir(b *testing.B) string {
	b.Helper()
	dir, err := os.MkdirTemp("", "winnow-bench-")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o711); err != nil {
		b.Fatal(err)
	}
	return dir
}

// preload fills the stream before a worker reads it.
func (p *plant) preload(proposals []*winnowv1.ProposalCreated) {
	p.b.Helper()
	client, err := publish.New(p.nc)
	if err != nil {
		p.b.Fatal(err)
	}
	p.publish(client, proposals)
}

func (p *plant) publish(client *publish.Client, proposals []*winnowv1.ProposalCreated) {
	p.b.Helper()
	if _, err := client.Batch(p.b.Context(), proposals); err != nil {
		p.b.Fatalf("publish: %v", err)
	}
}

// start runs the fleet in this process and returns a function that stops it.
func (p *plant) start() (stop func()) {
	ctx, cancel := context.WithCancel(p.b.Context())
	var running sync.WaitGroup
	running.Go(func() {
		if err := run.Fleet(ctx, p.cfg, zap.NewNop(), fleet.All...); err != nil {
			p.b.Errorf("fleet: %v", err)
		}
	})
	return func() { cancel(); running.Wait() }
}

// awaitSettled waits until the triage durable has no waiting and no unacknowledged
// messages. Acknowledgements follow the commit.
func (p *plant) awaitSettled() {
	p.b.Helper()
	d := triage.Definition.Durable
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for range tick.C {
		c, err := p.js.Consumer(p.b.Context(), d.Stream, d.Name)
		if err != nil {
			p.b.Fatal(err)
		}
		info := c.CachedInfo()
		if info.NumPending == 0 && info.NumAckPending == 0 && info.Delivered.Stream > 0 {
			return
		}
	}
}

func (p *plant) number(query string) float64 {
	p.b.Helper()
	var n float64
	if err := p.pg.QueryRow(p.b.Context(), query).Scan(&n); err != nil {
		p.b.Fatalf("%s: %v", query, err)
	}
	return n
}

// rawCeiling writes the rows of the run again into plain copies of the tables, in the
// same database and in batches of the same size, without claiming, deciding, auditing
// or publishing. It returns proposals per second.
func (p *plant) rawCeiling(n int) float64 {
	p.b.Helper()
	tables := []string{"inbox", "proposals", "decisions", "memories", "evidence", "outbox", "audit_events", "audit_bodies"}
	for _, table := range tables {
		if _, err := p.pg.Exec(p.b.Context(), fmt.Sprintf(
			`create table raw_%[1]s (like %[1]s including indexes); create temp table src_%[1]s as
			select (row_number() over ())::bigint as raw_n, t.* from %[1]s t; create index on src_%[1]s (raw_n)`, table)); err != nil {
			p.b.Fatalf("raw %s: %v", table, err)
		}
	}
	began := time.Now()
	for from := 0; from < n; from += triage.Definition.Batch {
		batch := &pgx.Batch{}
		batch.Queue("begin")
		for _, table := range tables {
			// The number of each table's rows for one batch of proposals.
			batch.Queue(fmt.Sprintf(`insert into raw_%[1]s select %[2]s from src_%[1]s s
				where raw_n > $1::bigint * (select max(raw_n) from src_%[1]s) / $3::bigint
				and raw_n <= $2::bigint * (select max(raw_n) from src_%[1]s) / $3::bigint`, table, p.columns(table)),
				from, min(from+triage.Definition.Batch, n), n)
		}
		batch.Queue("commit")
		if err := p.pg.SendBatch(p.b.Context(), batch).Close(); err != nil {
			p.b.Fatalf("raw: %v", err)
		}
	}
	return float64(n) / time.Since(began).Seconds()
}

func (p *plant) columns(table string) string {
	p.b.Helper()
	rows, _ := p.pg.Query(p.b.Context(), `select column_name from information_schema.columns
		where table_name = $1 and table_schema = 'public' order by ordinal_position`, table)
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		p.b.Fatal(err)
	}
	for i, n := range names {
		names[i] = `s."` + n + `"`
	}
	return strings.Join(names, ", ")
}

// latencies returns the times from publishing to the commit of the decision, sorted.
func (p *plant) latencies(sent map[string]time.Time) []time.Duration {
	p.b.Helper()
	rows, _ := p.pg.Query(p.b.Context(), `select event_id, pg_xact_commit_timestamp(xmin) from proposals`)
	var id string
	var at time.Time
	var took []time.Duration
	_, err := pgx.ForEachRow(rows, []any{&id, &at}, func() error {
		if began, ok := sent[id]; ok {
			took = append(took, at.Sub(began))
		}
		return nil
	})
	if err != nil || len(took) == 0 {
		p.b.Fatalf("latencies of %d: %v", len(took), err)
	}
	slices.Sort(took)
	return took
}

// residentMB returns the memory of this process and its children, with shared pages
// counted once (PSS), where the kernel reports it.
func residentMB(b *testing.B) float64 {
	b.Helper()
	runtime.GC()
	total := 0.0
	for _, pid := range append(testenv.Children(os.Getpid()), os.Getpid()) {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(text)) {
			if kb, ok := strings.CutPrefix(line, "Pss:"); ok {
				n, _ := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(kb), " kB"), 64)
				total += n / 1024
			}
		}
	}
	return total
}

// allocations counts what this process has allocated since its start.
func allocations() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Mallocs
}
