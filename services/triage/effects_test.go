package triage

import (
	"fmt"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/ident"
	"github.com/winnowhq/winnow/services/internal/judge"
	"github.com/winnowhq/winnow/services/internal/judge/wording"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// S3.1: a thousand copies promote one; their writes are one row's counter.
func TestThousandCopies(t *testing.T) {
	t.Parallel()
	policy, _, err := judge.ShippedPolicy("standard")
	if err != nil {
		t.Fatal(err)
	}
	lane := judge.NewLane(judge.LaneConfig{
		Tenant: memory.DefaultTenant, Scope: "project:shop", Policy: policy,
		Similarity: judge.Lexical{}, Analyzer: wording.NewAnalyzer(), NewID: ident.New,
	})
	var all change.Set
	for i := range 1000 {
		d, out := lane.Judge(judge.Item{Proposal: memory.Proposal{
			ID: fmt.Sprintf("%s%04d", memory.PrefixProposal, i), Tenant: memory.DefaultTenant, Scope: "project:shop",
			Text: "2026-02-03: `chi` was upgraded to 5.1.0 in `go.mod`.", Principal: "agent-1",
			Origin: memory.OriginAgent, Authority: memory.OriginAgent,
		}}, time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC))
		addTo(&all, d, &out, "", ident.New)
	}
	set := all.Coalesced()
	if len(set.Memories) != 1 || len(set.MemoryUpdates) != 1 || set.MemoryUpdates[0].SeenCount != 1000 || len(set.Evidence) != 1000 || len(set.Decisions) != 1000 {
		t.Errorf("%d memories, %d updates, %d evidence, %d decisions", len(set.Memories), len(set.MemoryUpdates), len(set.Evidence), len(set.Decisions))
	}
}
