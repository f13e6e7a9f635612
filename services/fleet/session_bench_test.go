package fleet_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/winnowhq/winnow/pkg/publish"
	"github.com/winnowhq/winnow/services/distill"
	"github.com/winnowhq/winnow/services/internal/model/llm/llmtest"
	"github.com/winnowhq/winnow/services/internal/test/sessiontest"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
)

// The path of a session: published, stored, distilled. The model is scripted and
// speaks HTTP on the same machine, so its own work is part of the figures.

// BenchmarkSessions measures sessions a second (S4.35) from a preloaded stream to the
// distilled rows, with proposals in the outbox and triage running. One case has a
// model that answers at once, the other has rules.
func BenchmarkSessions(b *testing.B) {
	for _, c := range []struct {
		name     string
		sessions int
		bytes    int
		model    bool
	}{
		{"model/10kB", 2000, 10_000, true}, {"model/68kB", 600, 68_000, true},
		{"rules/10kB", 2000, 10_000, false}, {"rules/68kB", 600, 68_000, false},
	} {
		if testing.Short() && c.bytes > 10_000 {
			continue
		}
		b.Run(c.name, func(b *testing.B) {
			for range b.N {
				p := newPlant(b)
				if c.model {
					p.model(0)
				}
				p.distil(testenv.Amount(c.sessions, 40), c.bytes)
			}
		})
	}
}

// BenchmarkSlowModel measures how many sessions a minute the concurrency of one
// process completes with a model that takes a second to answer.
func BenchmarkSlowModel(b *testing.B) {
	for range b.N {
		p := newPlant(b)
		p.model(time.Second)
		p.distil(testenv.Amount(200, 20), 10_000)
	}
}

// BenchmarkMemory reports the heap after a thousand and after ten thousand sessions;
// both should be equal.
func BenchmarkMemory(b *testing.B) {
	for range b.N {
		p := newPlant(b)
		p.model(0)
		for _, total := range []int{testenv.Amount(1000, 100), testenv.Amount(10_000, 200)} {
			p.distil(total-int(p.number(`select count(*) from sessions`)), 10_000)
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			b.ReportMetric(float64(m.HeapAlloc)/(1<<20), fmt.Sprintf("heap-MB@%d", total))
		}
	}
}

// model configures a scripted model with this latency.
func (p *plant) model(delay time.Duration) {
	p.b.Helper()
	reply, err := llmtest.Named("valid", delay)
	if err != nil {
		p.b.Fatal(err)
	}
	s := llmtest.NewServer(p.b, llmtest.Always(reply))
	s.Forget()
	p.cfg.LLM.URL, p.cfg.LLM.Model = s.URL, "scripted"
	distill.Settings.Change(&p.cfg.Workers, func(c *distill.Config) { c.DailyTokens = 0 })
}

// distil publishes n more sessions and waits until all are distilled.
func (p *plant) distil(sessions, bytes int) {
	p.b.Helper()
	client, err := publish.New(p.nc)
	if err != nil {
		p.b.Fatal(err)
	}
	before := int(p.number(`select count(*) from sessions`))
	ctx, cancel := context.WithTimeout(p.b.Context(), time.Hour) // without a deadline the library allows five seconds each
	defer cancel()
	for n := range sessions {
		if _, err := client.SessionCompleted(ctx, sessiontest.Event(1, before+n, bytes)); err != nil {
			p.b.Fatal(err)
		}
	}
	p.b.StartTimer()
	began, burnt := time.Now(), testenv.CPUSeconds()
	stop := p.start()
	want := float64(before + sessions)
	for p.number(`select count(*) from sessions where state = 'distilled'`) < want {
		time.Sleep(20 * time.Millisecond) // another process's work sends no signal
	}
	took := time.Since(began)
	burnt = testenv.CPUSeconds() - burnt
	p.b.StopTimer()
	stop()
	p.b.ReportMetric(float64(sessions)/took.Seconds(), "sessions/s")
	p.b.ReportMetric(float64(sessions)/took.Minutes(), "sessions/min")
	// This figure depends little on the machine's other load, unlike the rate. It
	// includes the model's server, the broker and Postgres.
	p.b.ReportMetric(burnt*1e3/float64(sessions), "cpu-ms/session")
	p.b.ReportMetric(p.number(`select coalesce(sum(extracted), 0)::int from sessions`)/want, "lessons/session")
	p.b.ReportMetric(p.number(`select count(*) from model_calls`), "calls")
}
