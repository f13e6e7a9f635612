package triage

import (
	"testing"

	"github.com/winnowhq/winnow/services/internal/ident"
	"github.com/winnowhq/winnow/services/internal/judge"
	"github.com/winnowhq/winnow/services/internal/judge/wording"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// An offer to merge memories is no waiting twin of a new text, and a no to the merge
// is no no to the text: triage judges against neither. A publisher's proposal with the
// same event id is judged against as ever.
func TestOffersAreNotJudgedAgainst(t *testing.T) {
	t.Parallel()
	policy, _, err := judge.ShippedPolicy("standard")
	if err != nil {
		t.Fatal(err)
	}
	l := &cachedLane{Lane: judge.NewLane(judge.LaneConfig{
		Tenant: memory.DefaultTenant, Scope: "project:shop", Policy: policy, Similarity: judge.Lexical{}, Analyzer: wording.NewAnalyzer(), NewID: ident.New,
	})}
	row := func(id, principal string, state memory.ProposalState) memory.Proposal {
		return memory.Proposal{
			ID: id, Tenant: memory.DefaultTenant, Scope: "project:shop", State: state, Text: "The pool of `billing` holds 20 connections.",
			Principal: principal, EventID: memory.OfferEvent("run_1"), Authority: memory.OriginAgent,
		}
	}
	l.apply(&store.LaneRows{
		Proposals: []memory.Proposal{
			row("prop_open", "", memory.ProposalNeedsReview), row("prop_no", "", memory.ProposalRejected), row("prop_bot", "bot", memory.ProposalNeedsReview),
		},
		Settled: map[string]store.Settlement{"prop_no": {}},
	})
	if l.Has("prop_open") || l.Has("prop_no") || !l.Has("prop_bot") {
		t.Errorf("open offer %v, declined offer %v, a publisher's proposal %v", l.Has("prop_open"), l.Has("prop_no"), l.Has("prop_bot"))
	}
}
