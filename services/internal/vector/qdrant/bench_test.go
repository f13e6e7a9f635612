package qdrant_test

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
	"github.com/winnowhq/winnow/services/internal/vector/qdranttest"
	"github.com/winnowhq/winnow/services/internal/vector/vectortest"
)

// wide is a generation as the static table makes it.
var wide = vector.Generation{N: 1, Model: "test/256", Dim: 256, Analyzer: "test-1", AvgLen: 20}

// texts returns random documents whose words are spread as in a language: of 20,000, the
// first ones far more often. Among few words equal scores abound, and the driver asks for
// more until it has seen all of them.
func texts(n int) []vector.Doc {
	docs := vectortest.Random("acme", wide, n, 1)
	r := rand.New(rand.NewPCG(7, 7))
	spread := rand.NewZipf(r, 1.1, 5, 20_000)
	for i := range docs {
		words := make([]string, 15+r.IntN(60))
		for j := range words {
			words[j] = fmt.Sprint("word", spread.Uint64())
		}
		docs[i].Terms = vector.Weigh(words, wide.AvgLen)
	}
	return docs
}

// BenchmarkLoad fills an empty generation of a server with the costs of a real one, as a
// rebuild does.
func BenchmarkLoad(b *testing.B) {
	for _, n := range testenv.Amounts(10_000, 100_000) {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			docs := texts(n)
			truth := vectortest.Truth(docs, 500)
			for b.Loop() {
				backend := open(b, qdranttest.Start(b, qdranttest.Version, qdranttest.Paced()).Address)
				x := filled(b, backend, wide, nil)
				done, err := vector.Reconcile(b.Context(), x, "acme", truth, "", time.Now(), nil)
				if err != nil || done.Written != n {
					b.Fatalf("%+v, %v", done, err)
				}
			}
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "docs/s")
		})
	}
}

// BenchmarkPut writes new versions of documents that are there: the cost of guards.
func BenchmarkPut(b *testing.B) {
	docs := texts(testenv.Amount(10_000, 1_000))
	x := filled(b, open(b, qdranttest.Start(b, qdranttest.Version, qdranttest.Paced()).Address), wide, docs)
	for b.Loop() {
		for i := range docs {
			docs[i].Version += int64(len(docs))
		}
		if err := x.Put(b.Context(), docs); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(docs))*float64(b.N)/b.Elapsed().Seconds(), "docs/s")
}

// BenchmarkSearch runs hybrid searches of 100 and 100 hits from clients that each wait for
// their answer, on a server with the costs of a real one.
func BenchmarkSearch(b *testing.B) {
	docs := texts(testenv.Amount(10_000, 1_000))
	backend := open(b, qdranttest.Start(b, qdranttest.Version, qdranttest.Paced()).Address)
	filled(b, backend, wide, docs)
	for _, clients := range []int{1, 8} {
		b.Run(fmt.Sprintf("n=%d/clients=%d", len(docs), clients), func(b *testing.B) {
			took := make([]time.Duration, b.N)
			var next atomic.Int64
			var all sync.WaitGroup
			b.ResetTimer()
			for range clients {
				all.Go(func() {
					for i := next.Add(1) - 1; i < int64(b.N); i = next.Add(1) - 1 {
						d := &docs[(int(i)*37)%len(docs)]
						started := time.Now()
						x, err := backend.Serving(b.Context())
						if err != nil {
							b.Error(err)
							return
						}
						q := vector.Query{Dense: d.Dense, Terms: d.Terms.Tokens[:min(5, len(d.Terms.Tokens))], Limit: 100}
						lists, err := x.Search(b.Context(), vector.Everywhere("acme"), q)
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
			b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
		})
	}
}
