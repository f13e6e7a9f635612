package worker_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/worker"
	"github.com/winnowhq/winnow/services/internal/worker/workertest"
)

// BenchmarkPipeline measures the pipeline's own cost, from a filled stream to the last
// acknowledgement. Its handler writes one row and one event per proposal and decides
// nothing. The difference to a real worker is that worker's cost.
func BenchmarkPipeline(b *testing.B) {
	for _, scopes := range []int{1, 40} {
		b.Run(fmt.Sprintf("scopes=%d", scopes), func(b *testing.B) {
			def := notes()
			def.Batch = 256
			gate := make(chan struct{})
			bench := workertest.New(b, def, func(d *worker.Deps) {
				d.Reached = func(p worker.Point) {
					if p == worker.PointBeforeHandle {
						<-gate
					}
				}
			})
			out := make([]bus.Outgoing, b.N)
			for i := range out {
				out[i] = proposal(fmt.Sprintf("e%07d", i), fmt.Sprintf("note %d", i))
				out[i].Data = fmt.Appendf(nil, `{"scope":"project:p%d","text":"note %d"}`, i%scopes, i)
			}
			seqs := bench.Publish(out...)
			b.ResetTimer()
			close(gate)
			bench.Await(seqs...)
			b.StopTimer()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
		})
	}
}

// BenchmarkLatency measures the time from publishing to the settled decision at 200
// events per second.
func BenchmarkLatency(b *testing.B) {
	bench := workertest.New(b, notes())
	bench.DeliverOnce(proposal("first", "warms the connections up"))
	pace := time.NewTicker(time.Second / 200)
	defer pace.Stop()
	seqs := make([]uint64, b.N)
	began := make([]time.Time, b.N)
	for i := range b.N {
		<-pace.C
		began[i] = time.Now()
		seqs[i] = bench.Publish(proposal(fmt.Sprintf("e%07d", i), fmt.Sprintf("note %d", i)))[0]
	}
	took := make([]time.Duration, b.N)
	for i, fate := range bench.Await(seqs...) {
		took[i] = fate.At.Sub(began[i])
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[b.N/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[b.N*99/100].Microseconds())/1000, "p99-ms")
}
