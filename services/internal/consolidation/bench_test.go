package consolidation_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/consolidation"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
)

// scope makes the memories of a busy scope: groups of about fifteen on one thing, a
// tenth of them said twice. Vectors have 256 values.
func scope(n int) []consolidation.Candidate {
	r := rand.New(rand.NewPCG(1, 1))
	words := make([]string, 4000)
	for i := range words {
		words[i] = fmt.Sprintf("%c%c%c%c%c", 'a'+r.IntN(26), 'a'+r.IntN(26), 'a'+r.IntN(26), 'a'+r.IntN(26), 'a'+r.IntN(26))
	}
	centres := make([][]float32, n/15+1)
	for i := range centres {
		centres[i] = make([]float32, 256)
		for d := range centres[i] {
			centres[i][d] = float32(r.NormFloat64())
		}
	}
	list := make([]consolidation.Candidate, n)
	for i := range list {
		c := r.IntN(len(centres))
		var b strings.Builder
		fmt.Fprintf(&b, "Service `svc-%05d`", c)
		for range 14 {
			// Words are as unequal as those of a language.
			fmt.Fprintf(&b, " %s", words[int(float64(len(words))*r.Float64()*r.Float64()*r.Float64())])
		}
		fmt.Fprintf(&b, " in `job_%d`.", r.IntN(n))
		text, v := b.String(), make([]float32, 256)
		for d := range v {
			v[d] = centres[c][d] + 0.45*float32(r.NormFloat64())
		}
		if i > 0 && r.IntN(10) == 0 {
			from := list[r.IntN(i)]
			text, v = "- "+from.Text, from.Vector
		}
		list[i] = consolidation.Candidate{Memory: memory.Memory{
			ID: fmt.Sprintf("mem_%07d", i), Tenant: "t", Scope: "project:x", State: memory.StateActive, Kind: memory.KindFact, Text: text,
			Origin: memory.OriginAgent, Authority: memory.OriginAgent, CreatedAt: t0.Add(time.Duration(i) * time.Minute), Importance: 5,
		}, Vector: v}
	}
	return list
}

// BenchmarkFind plans whole scopes (S4.96, S4.98).
func BenchmarkFind(b *testing.B) {
	for _, n := range testenv.Amounts(1_000, 10_000, 50_000, 100_000) {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			list := scope(n)
			runtime.GC()
			var plan consolidation.Plan
			for b.Loop() {
				var err error
				if plan, err = consolidation.Find(b.Context(), list, nil, consolidation.DefaultConfig(0.70, 0.98, true)); err != nil {
					b.Fatal(err)
				}
			}
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			b.ReportMetric(float64(m.Sys)/(1<<20), "MB-from-system")
			b.ReportMetric(float64(len(plan.Groups)), "groups")
			b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/float64(n)*1e6, "µs/memory")
		})
	}
}
