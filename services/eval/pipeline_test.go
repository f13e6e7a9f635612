package eval

import (
	"cmp"
	"path/filepath"
	"slices"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/ident"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/model/embed/static"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
	"github.com/winnowhq/winnow/services/internal/worker/workertest"
	"github.com/winnowhq/winnow/services/triage"
)

// The evaluation runs the pure core in memory; the real pipeline, with stream,
// redaction, database and lane cache, gives the same verdict on every item
// (SPEC §18).
func TestPipelineAgreesWithEvaluation(t *testing.T) {
	t.Parallel()
	t.Run("our own cases", func(t *testing.T) {
		t.Parallel()
		agree(t, filepath.Join(testenv.Root(t), "services/internal/judge/testdata/holdout.jsonl"))
	})
	t.Run("shared data", func(t *testing.T) {
		t.Parallel()
		agree(t, filepath.Dir(testenv.Shared(t, "triage/triage_proposals.jsonl")))
	})
}

func agree(t *testing.T, path string) {
	t.Helper()
	report, err := Triage(path, TriageOptions{Embedder: static.New()})
	if err != nil {
		t.Fatal(err)
	}
	data, err := loadTriage(path)
	if err != nil {
		t.Fatal(err)
	}
	b := workertest.New(t, triage.Definition)
	seed(t, b.Store(), data)
	slices.SortStableFunc(data.Proposals, func(x, y LabelledProposal) int { return cmp.Compare(x.Seq, y.Seq) })
	var events []bus.Outgoing
	for _, p := range data.Proposals {
		msg := &winnowv1.ProposalCreated{Scope: "project:" + p.Store, Section: p.Section, Text: p.Text, Origin: p.Origin}
		if !p.ObservedAt.IsZero() {
			msg.ObservedAt = timestamppb.New(p.ObservedAt)
		}
		text, err := protojson.Marshal(msg)
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, bus.Outgoing{ID: p.ID, Subject: subjectOf(p), Data: text})
	}
	b.DeliverOnce(events...)

	got := verdicts(t, b)
	for _, want := range report.Items {
		g := got[want.ID]
		if g.Action != want.Action || g.Rule != want.Rule {
			t.Errorf("%s: pipeline %s by %s, evaluation %s by %s: %s", want.ID, g.Action, g.Rule, want.Action, want.Rule, want.Text)
		}
	}
}

// subjectOf returns the subject of a person where the case says so.
func subjectOf(p LabelledProposal) string {
	switch p.Origin {
	case "human", "first_party":
		return event.SubjectProposalCreated + ".human"
	}
	return event.SubjectProposalCreated
}

// seed stores the initial texts of the evaluation.
func seed(t *testing.T, s store.Store, data *TriageSet) {
	t.Helper()
	var set change.Set
	for _, m := range data.Memories {
		set.Memories = append(set.Memories, memory.Memory{
			ID: ident.New(memory.PrefixMemory), Tenant: memory.DefaultTenant, Scope: memory.Scope("project:" + m.Store),
			State: memory.StateActive, Kind: memory.KindFact, Section: m.Section, Text: m.Text, Importance: 5, Confidence: 0.6,
			Origin: memory.OriginAgent, Authority: memory.OriginAgent, Principal: "eval", SeenCount: 1,
			CreatedAt: firstDay, LastConfirmed: firstDay,
		})
	}
	for name, c := range data.Context {
		for _, term := range append(slices.Clone(c.RemovedTools), c.SupersededRefs...) {
			set.Retired = append(set.Retired, memory.Retired{
				ID: ident.New("ret_"), Tenant: memory.DefaultTenant, Scope: memory.Scope("project:" + name), Term: term, Kind: "tool", Principal: "eval",
			})
		}
	}
	if _, err := s.Commit(t.Context(), memory.DefaultTenant, set, store.InboxKey{}); err != nil {
		t.Fatal(err)
	}
}

// verdicts returns the final action on each proposal from the store.
func verdicts(t *testing.T, b *workertest.Bench) map[string]TriageItem {
	t.Helper()
	ctx, tenant := t.Context(), memory.DefaultTenant
	out := make(map[string]TriageItem)
	for _, p := range b.Proposals(tenant) {
		d, err := b.Store().Decision(ctx, tenant, p.DecisionID)
		if err != nil {
			t.Fatal(err)
		}
		item := TriageItem{ID: p.EventID, Action: actionOf(d), Rule: d.Rule}
		if d.MemoryID != "" {
			m, err := b.Store().Memory(ctx, tenant, d.MemoryID)
			if err != nil {
				t.Fatal(err)
			}
			if m.ArchiveReason == "merged" {
				item.Action, item.Rule = actionMerge, "absorbed"
			}
		}
		out[p.EventID] = item
	}
	return out
}
