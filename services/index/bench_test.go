package index_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/index"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/memoryfile/projection"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
)

// BenchmarkRender measures one decision's path into a file of so many memories:
// reading the rows (the metric read-ns/op), writing MEMORY.md and its topic files,
// and the commit.
func BenchmarkRender(b *testing.B) {
	for _, size := range testenv.Amounts(200, 10_000) {
		b.Run(fmt.Sprintf("memories=%d", size), func(b *testing.B) {
			r := setup(b)
			texts := make([]string, size)
			for i := range texts {
				texts[i] = fmt.Sprintf("Fact %d of the shop: `service-%d` listens on port %d and keeps %d connections open.", i, i%40, 8000+i, i%64)
			}
			r.promote(shop, texts...)
			r.step()
			var read time.Duration
			n := 0
			for b.Loop() {
				b.StopTimer()
				n++
				r.promote(shop, fmt.Sprintf("Another fact, %d.", n))
				began := time.Now()
				if _, err := projection.Active(b.Context(), r.store, tenant, shop); err != nil {
					b.Fatal(err)
				}
				read += time.Since(began)
				b.StartTimer()
				r.step()
			}
			b.ReportMetric(float64(read.Nanoseconds())/float64(n), "read-ns/op")
		})
	}
}

// BenchmarkIdle measures a round over so many scopes without changes.
func BenchmarkIdle(b *testing.B) {
	r := setup(b)
	for i := range testenv.Amount(1000, 50) {
		r.promote(memory.Scope(fmt.Sprintf("project:p%d", i)), fmt.Sprintf("Fact %d.", i))
	}
	r.step()
	for b.Loop() {
		if err := index.IdleStep(b.Context(), r.vaults); err != nil {
			b.Fatal(err)
		}
	}
}
