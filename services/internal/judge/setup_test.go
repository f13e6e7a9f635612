package judge

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/judge/wording"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/model/embed/static"
)

const testScope = memory.Scope("project:shop")

// counter returns ids that sort in order of creation.
func counter() func(string) string {
	n := 0
	return func(prefix string) string { n++; return fmt.Sprintf("%s%026d", prefix, n) }
}

// embedding is the analyzer of the default installation, made once: it indexes
// its vocabulary at the first text.
var embedding = sync.OnceValue(func() *wording.Analyzer {
	a, err := wording.NewEmbeddingAnalyzer(static.New())
	if err != nil {
		panic(err) // the table is in the binary
	}
	return a
})

// byBoth runs a test by words alone and with vectors beside them.
func byBoth(t *testing.T, test func(t *testing.T, a *wording.Analyzer)) {
	t.Helper()
	for _, a := range []*wording.Analyzer{wording.NewAnalyzer(), embedding()} {
		t.Run(SimilarityOf(a).Source(), func(t *testing.T) {
			t.Parallel()
			test(t, a)
		})
	}
}

// testLane is an empty lane of the default installation.
func testLane(t testing.TB, policy string) *Lane {
	t.Helper()
	return laneBy(t, policy, embedding())
}

func laneBy(t testing.TB, policy string, a *wording.Analyzer) *Lane {
	t.Helper()
	p, _, err := ShippedPolicy(policy)
	if err != nil {
		t.Fatal(err)
	}
	return NewLane(LaneConfig{
		Tenant: memory.DefaultTenant, Scope: testScope, Policy: p, Similarity: SimilarityOf(a), Analyzer: a, NewID: counter(),
	})
}

func proposal(id, text string) memory.Proposal {
	return memory.Proposal{
		ID: id, Tenant: memory.DefaultTenant, Scope: testScope, Text: text, Principal: "agent-1",
		Origin: memory.OriginAgent, Authority: memory.OriginAgent,
	}
}

var testNow = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
