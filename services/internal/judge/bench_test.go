package judge

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/judge/wording"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// benchVocabulary has words of notes about software; texts drawn from it share
// words as real ones do.
var benchVocabulary = strings.Fields(`server cache queue deploy config token timeout retry index build image test pipeline release cluster
 node database migration schema worker event session login request response header payload client gateway proxy certificate secret
 backup restore metric alert dashboard log trace volume disk memory thread lock batch stream topic consumer producer partition
 checkout branch commit review merge hook linter formatter compiler package module dependency version registry artifact bucket
 upload download report invoice customer order payment refund currency tax address email template locale translation font color
 layout button form field table column row query filter sort page cursor limit offset window interval schedule cron job task`)

func benchText(rng *rand.Rand) string {
	w := func() string { return benchVocabulary[rng.IntN(len(benchVocabulary))] }
	return fmt.Sprintf("2026-%02d-%02d: the %s %s of `%s/%s-%d.go` now keeps its %s %s for %d ms because the %s %s failed when the %s %s was %s under load %d",
		1+rng.IntN(12), 1+rng.IntN(28), w(), w(), w(), w(), rng.IntN(5000), w(), w(), rng.IntN(9000), w(), w(), w(), w(), w(), rng.IntN(900))
}

// BenchmarkJudge measures one verdict in a lane of n memories, on texts of about 200
// bytes of which none repeats another, by words alone and with vectors.
func BenchmarkJudge(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 50_000} {
		for _, a := range []*wording.Analyzer{wording.NewAnalyzer(), embedding()} {
			b.Run(fmt.Sprintf("memories=%d/by=%s", n, SimilarityOf(a).Source()), func(b *testing.B) { benchJudge(b, n, a) })
		}
	}
}

func benchJudge(b *testing.B, n int, a *wording.Analyzer) {
	rng := rand.New(rand.NewPCG(3, 4))
	lane := laneBy(b, "standard", a)
	for i := range n {
		lane.Upsert(Entry{ID: fmt.Sprintf("mem_%d", i), Role: memory.RoleMemory, Text: benchText(rng), Authority: memory.OriginAgent})
	}
	items := make([]Item, 4096)
	for i := range items {
		items[i] = Item{Proposal: proposal(fmt.Sprintf("prop_%d", i), benchText(rng))}
	}
	now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		it := items[i%len(items)]
		it.Proposal.ID = fmt.Sprintf("prop_%d", i)
		_, out := lane.Judge(it, now)
		if out.Memory != nil { // keep the lane at its size
			lane.Remove(out.Memory.ID)
		} else {
			lane.Remove(it.Proposal.ID)
		}
	}
}
