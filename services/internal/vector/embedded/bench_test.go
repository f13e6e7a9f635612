package embedded_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/test/testenv"
	"github.com/winnowhq/winnow/services/internal/vector"
	"github.com/winnowhq/winnow/services/internal/vector/vectortest"
)

// sizes are those that SPEC §17 names.
var sizes = sync.OnceValue(func() []int { return testenv.Amounts(10_000, 100_000) })

// BenchmarkSearch runs whole queries, 100 by meaning and 100 by words, from 8 clients
// that each wait for their answer. x/bandwidth is the p99 divided by the time that the
// processors take merely to read the vectors of all 8 once: an exact scan that reads
// every float32 for each of them cannot come below 1, and one that skips by bytes not
// below a quarter.
func BenchmarkSearch(b *testing.B) {
	const clients = 8
	for _, n := range sizes() {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			x, docs := filled(b, n)
			queries := queriesOf(docs)
			bound := vectortest.ReadTime(n*generation.Dim) * clients
			took := make([]time.Duration, b.N)
			var next atomic.Int64
			var all sync.WaitGroup
			b.ResetTimer()
			for range clients {
				all.Go(func() {
					for i := next.Add(1) - 1; i < int64(b.N); i = next.Add(1) - 1 {
						started := time.Now()
						lists, err := x.Search(b.Context(), vector.Everywhere("acme"), queries[int(i)%len(queries)])
						took[i] = time.Since(started)
						if err != nil || len(lists.Dense) != 100 {
							b.Errorf("%d hits: %v", len(lists.Dense), err)
							return
						}
					}
				})
			}
			all.Wait()
			b.StopTimer()
			slices.Sort(took)
			p99 := took[len(took)*99/100]
			b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
			b.ReportMetric(float64(p99.Microseconds())/1000, "p99-ms")
			b.ReportMetric(float64(p99)/float64(bound), "x/bandwidth")
		})
	}
}

// BenchmarkSearchAlone runs one client: the cost of a query without concurrency.
func BenchmarkSearchAlone(b *testing.B) {
	for _, n := range sizes() {
		x, docs := filled(b, n)
		queries := queriesOf(docs)
		for name, half := range map[string]func(vector.Query) vector.Query{
			"both":    func(q vector.Query) vector.Query { return q },
			"dense":   func(q vector.Query) vector.Query { q.Terms = nil; return q },
			"lexical": func(q vector.Query) vector.Query { q.Dense = nil; return q },
		} {
			b.Run(fmt.Sprintf("n=%d/%s", n, name), func(b *testing.B) {
				for i := 0; b.Loop(); i++ {
					if _, err := x.Search(b.Context(), vector.Everywhere("acme"), half(queries[i%len(queries)])); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkLoad fills a tenant from rows in memory: what the index itself adds to
// reading them from Postgres.
func BenchmarkLoad(b *testing.B) {
	for _, n := range sizes() {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			truth := vectortest.Truth(vectortest.Random("acme", generation, n, 1), 2000)
			for b.Loop() {
				if got := live(b, opened(b, open(b, truth)), "acme"); got != n {
					b.Fatalf("%d documents, want %d", got, n)
				}
			}
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}

// BenchmarkPut updates one document among many, as the projector does.
func BenchmarkPut(b *testing.B) {
	x, docs := filled(b, testenv.Amount(100_000, 10_000))
	version := int64(1 << 30)
	for i := 0; b.Loop(); i++ {
		d := docs[i%len(docs)]
		d.Version = version
		version++
		if err := x.Put(b.Context(), []vector.Doc{d}); err != nil {
			b.Fatal(err)
		}
	}
}

// filled returns an index of n documents of one tenant.
func filled(b *testing.B, n int) (vector.Index, []vector.Doc) {
	b.Helper()
	docs := vectortest.Random("acme", generation, n, 1)
	x := opened(b, open(b, nil))
	if err := x.Put(b.Context(), docs); err != nil {
		b.Fatal(err)
	}
	return x, docs
}

// queriesOf makes queries from documents: a vector near theirs, and four of their
// words.
func queriesOf(docs []vector.Doc) []vector.Query {
	r := rand.New(rand.NewPCG(9, 9))
	queries := make([]vector.Query, 64)
	for i := range queries {
		d := docs[r.IntN(len(docs))]
		v := slices.Clone(d.Dense)
		for j := range v {
			v[j] += float32(r.NormFloat64()) / 2
		}
		queries[i] = vector.Query{Dense: v, Terms: d.Terms.Tokens[:min(4, len(d.Terms.Tokens))], Limit: 100}
	}
	return queries
}
