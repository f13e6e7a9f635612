package ingest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/winnowhq/winnow/services/ingest"
	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
	"github.com/winnowhq/winnow/services/internal/worker/workertest"
)

// BenchmarkSessions takes sessions from NATS to Postgres, all of it real, in one
// process beside both servers.
func BenchmarkSessions(b *testing.B) {
	for _, size := range []int{10_000, 68_000} {
		b.Run(fmt.Sprintf("%dkB", size/1000), func(b *testing.B) {
			batch := testenv.Amount(200, 20)
			bench := workertest.New(b, ingest.Definition)
			n := 0
			for b.Loop() {
				b.StopTimer()
				var events []bus.Outgoing
				for range batch {
					n++
					events = append(events, finished(fmt.Sprintf("evt_%d", n), "", numbered(n, size), scoped))
				}
				b.StartTimer()
				for _, f := range bench.DeliverOnce(events...) {
					if !f.Acked {
						b.Fatal(f.Reason)
					}
				}
			}
			b.ReportMetric(float64(b.N*batch)/b.Elapsed().Seconds(), "sessions/s")
		})
	}
}

// numbered is a session of about size bytes that no other one equals.
func numbered(n, size int) string {
	var t strings.Builder
	fmt.Fprintf(&t, `{"winnow":"1","id":"s-%d"}`+"\n", n)
	for w := (&written{size: 300}); t.Len() < size; w.i++ {
		t.WriteString(strings.Replace(w.turn(w.i), "step", fmt.Sprintf("step %d of", n), 1))
	}
	return t.String()
}
