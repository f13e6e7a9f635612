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
)

// The way of a session: published, stored, distilled. The model is scripted and
// speaks HTTP on the same machine, so its own work is part of the figures.

// BenchmarkSessions counts (S4.35) sessions a second from a preloaded stream to their
// distilled rows, proposals in the outbox and triage at work on them: beside a
// model that answers at once, and by rules.
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
		b.Run(c.name, func(b *testing.B) {
			for range b.N {
				p := newPlant(b)
				if c.model {
					p.model(0)
				}
				p.distil(c.sessions, c.bytes)
			}
		})
	}
}

// BenchmarkSlowModel is a model that thinks for a second: what is counted is how
// many sessions a minute the hands of one process bring through.
func BenchmarkSlowModel(b *testing.B) {
	for range b.N {
		p := newPlant(b)
		p.model(time.Second)
		p.distil(200, 10_000)
	}
}

// BenchmarkMemory reports the heap after a thousand and after ten thousand
// sessions, which is to be the same.
func BenchmarkMemory(b *testing.B) {
	for range b.N {
		p := newPlant(b)
		p.model(0)
		for _, total := range []int{1000, 10_000} {
			p.distil(total-int(p.number(`select count(*) from sessions`)), 10_000)
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			b.ReportMetric(float64(m.HeapAlloc)/(1<<20), fmt.Sprintf("heap-MB@%d", total))
		}
	}
}

// model configures a scripted one with this latency.
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

// distil publishes so many more sessions and waits until all are distilled.
func (p *plant) distil(sessions, bytes int) {
	p.b.Helper()
	client, err := publish.New(p.nc)
	if err != nil {
		p.b.Fatal(err)
	}
	before := int(p.number(`select count(*) from sessions`))
	ctx, cancel := context.WithTimeout(p.b.Context(), time.Hour) // without one the library gives each five seconds
	defer cancel()
	for n := range sessions {
		if _, err := client.SessionCompleted(ctx, sessiontest.Event(1, before+n, bytes)); err != nil {
			p.b.Fatal(err)
		}
	}
	p.b.StartTimer()
	began, burnt := time.Now(), cpuSeconds()
	stop := p.start()
	want := float64(before + sessions)
	for p.number(`select count(*) from sessions where state = 'distilled'`) < want {
		time.Sleep(20 * time.Millisecond) // another process's work has no signal here
	}
	took := time.Since(began)
	burnt = cpuSeconds() - burnt
	p.b.StopTimer()
	stop()
	p.b.ReportMetric(float64(sessions)/took.Seconds(), "sessions/s")
	p.b.ReportMetric(float64(sessions)/took.Minutes(), "sessions/min")
	// Hardly depends on what else the machine does, unlike the rate. The model's
	// server, the broker and Postgres are in it.
	p.b.ReportMetric(burnt*1e3/float64(sessions), "cpu-ms/session")
	p.b.ReportMetric(p.number(`select coalesce(sum(extracted), 0)::int from sessions`)/want, "lessons/session")
	p.b.ReportMetric(p.number(`select count(*) from model_calls`), "calls")
}
