package distill_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/winnowhq/winnow/services/distill"
	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/model/llm/llmtest"
	"github.com/winnowhq/winnow/services/internal/session/format"
	"github.com/winnowhq/winnow/services/internal/session/trace"
	"github.com/winnowhq/winnow/services/internal/test/sessiontest"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// BenchmarkDistill is the distiller alone, from the event to its acknowledged
// effect: a real store and bus, and a scripted model that answers at once, whose
// server is part of the figures. The whole way is measured in package fleet.
func BenchmarkDistill(b *testing.B) {
	for _, size := range []int{10_000, 68_000} {
		for name, script := range map[string]llmtest.Script{"model": llmtest.Always(llmtest.Valid), "rules": nil} {
			b.Run(fmt.Sprintf("%s/%dkB", name, size/1000), func(b *testing.B) {
				r := setup(b, distill.Definition, script, func(d *worker.Deps) {
					distill.Settings.Change(&d.Settings, func(c *distill.Config) { c.DailyTokens = 0 })
				})
				if r.model != nil {
					r.model.Forget()
				}
				var events []bus.Outgoing
				for n := range b.N {
					s, err := format.Read(bytes.NewReader(sessiontest.Trace(3, n, size)), trace.Options{
						Format: trace.FormatChat, Limits: trace.DefaultLimits(),
					})
					if err != nil {
						b.Fatal(err)
					}
					_, e := keep(b, r.Store(), s.Turns, nil)
					events = append(events, e)
				}
				b.ResetTimer()
				r.DeliverOnce(events...)
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "sessions/s")
			})
		}
	}
}
