package cluster_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/winnowhq/winnow/services/internal/consolidation/cluster"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
)

// BenchmarkFind groups memories of 256 values as they come from a year of
// sessions: groups of about fifteen, one in ten a copy.
func BenchmarkFind(b *testing.B) {
	for _, n := range testenv.Amounts(1_000, 10_000, 50_000) {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			items := clustered(rand.New(rand.NewPCG(1, 1)), n, 256, 0.45)
			config := cluster.DefaultConfig(0.8)
			var result cluster.Result
			for b.Loop() {
				var err error
				if result, err = cluster.Find(b.Context(), items, config); err != nil {
					b.Fatal(err)
				}
			}
			var memory runtime.MemStats
			runtime.ReadMemStats(&memory)
			b.ReportMetric(float64(memory.Sys)/(1<<20), "MB-from-system")
			b.ReportMetric(float64(result.Pairs), "pairs")
			b.ReportMetric(float64(len(result.Groups)), "groups")
			b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/float64(n)/float64(n)*2e9, "ns/pair")
		})
	}
}

// BenchmarkPairs measures the comparison alone.
func BenchmarkPairs(b *testing.B) {
	for _, n := range testenv.Amounts(1_000, 10_000, 50_000) {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			var vectors [][]float32
			for _, item := range clustered(rand.New(rand.NewPCG(1, 1)), n, 256, 0.45) {
				vectors = append(vectors, item.Vector)
			}
			for b.Loop() {
				if _, _, err := cluster.Pairs(b.Context(), vectors, 0.8, 4_000_000); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
