package triage_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/store/postgres/pgtest"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
	"github.com/winnowhq/winnow/services/internal/worker"
	"github.com/winnowhq/winnow/services/internal/worker/workertest"
	"github.com/winnowhq/winnow/services/triage"
)

// coldRows is the size of the scope that is loaded.
var coldRows = sync.OnceValue(func() int { return testenv.Amount(200_000, 5_000) })

// BenchmarkColdLane loads the lane of a large scope while other scopes are in use. It
// compares the latency of those before and during the load, in one process, on shared
// processors. Events of the large scope are snoozed until the load is complete;
// cold-s is when the first of them took effect.
func BenchmarkColdLane(b *testing.B) {
	db := pgtest.New(b)
	const insert = `insert into memories (tenant, id, scope, state, kind, section, title, description, body, category, tags, topics,
	importance, confidence, outcome, principal, origin, authority, created_at, last_confirmed, seen_count, proposal_id, decision_id,
	archive_reason, successor_id, version)
select 'default', 'mem_' || lpad(n::text, 26, '0'), 'project:cold', 'active', 'fact', 'Notes', '', '',
	'2026-03-02: the ' || (array['cache','queue','worker','index','proxy'])[1 + n % 5] || ' of ' || chr(96) || 'services/part-' || n || '.go'
	|| chr(96) || ' keeps its ' || (array['token','session','lock','batch','cursor','header','volume'])[1 + n % 7] || ' for ' || (n * 7919 % 9000)
	|| ' ms since the ' || (array['deploy','backup','migration','release'])[1 + n % 4] || ' failed under load ' || n % 997,
	'', '{}', '{}', 5, 0.5, '', 'agent', 2, 2, now(), now(), 1, '', '', '', '', 1 + n / 500
from generate_series(1, $1::int) n`
	pool := testenv.Pool(b, db.URL)
	for _, s := range []string{`insert into scopes (tenant, id, version) values ('default', 'project:cold', 1000)`, `analyze`} {
		if _, err := pool.Exec(b.Context(), s); err != nil {
			b.Fatal(err)
		}
	}
	if _, err := pool.Exec(b.Context(), insert, coldRows()); err != nil {
		b.Fatal(err)
	}
	if _, err := pool.Exec(b.Context(), "analyze memories"); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		bench := workertest.New(b, triage.Definition, func(d *worker.Deps) {
			d.Store = db.Store
			triage.Lanes.Change(&d.Settings, func(c *triage.LaneConfig) { *c = triage.LaneConfig{Lanes: 1000, Memory: 4096, Rows: 2 * coldRows()} })
		})
		next := 0
		propose := func(scope string) bus.Outgoing {
			next++
			return sent(fmt.Sprintf("evt_%d", next), "", func(p *winnowv1.ProposalCreated) {
				p.Scope = scope
				p.Text = fmt.Sprintf("2026-03-02: the cache of `parts/%d.go` keeps its tokens for %d ms since the deploy failed.", next, next*7919%9000)
			})
		}
		// others publishes to other scopes at a steady rate and returns the sorted
		// latencies.
		others := func(n int) []time.Duration {
			pace := time.NewTicker(time.Second / 100)
			defer pace.Stop()
			seqs, began := make([]uint64, n), make([]time.Time, n)
			for i := range n {
				<-pace.C
				began[i] = time.Now()
				seqs[i] = bench.Publish(propose(fmt.Sprintf("project:p%d", i%40)))[0]
			}
			took := make([]time.Duration, n)
			for i, fate := range bench.Await(seqs...) {
				took[i] = fate.At.Sub(began[i])
			}
			slices.Sort(took)
			return took
		}
		others(200) // warms up
		calm := others(testenv.Amount(1000, 100))
		asked := time.Now()
		cold := bench.Publish(propose("project:cold"), propose("project:cold"), propose("project:cold"))
		loading := others(testenv.Amount(1000, 100))
		loaded := bench.Counter("winnow_triage_lane_loads_total", "whole")
		fates := bench.Await(cold...)
		if !fates[0].Acked {
			b.Fatalf("an event of the large scope: %+v", fates[0])
		}
		ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
		b.ReportMetric(ms(calm[len(calm)/2]), "calm-p50-ms")
		b.ReportMetric(ms(calm[len(calm)*99/100]), "calm-p99-ms")
		b.ReportMetric(ms(loading[len(loading)/2]), "loading-p50-ms")
		b.ReportMetric(ms(loading[len(loading)*99/100]), "loading-p99-ms")
		b.ReportMetric(float64(loading[len(loading)*99/100])/float64(calm[len(calm)*99/100]), "p99-ratio")
		b.ReportMetric(fates[0].At.Sub(asked).Seconds(), "cold-s")
		b.ReportMetric(float64(loaded-40), "loads-ended-meanwhile")
		bench.Stop()
	}
}
