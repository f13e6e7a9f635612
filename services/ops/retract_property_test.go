package ops_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/winnowhq/winnow/services/internal/judge"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/ops"
)

// After a retraction, no active row contains or counts the source's words, for
// any order of statements. The undo of the retraction restores every row.
func TestRetractAnythingAndBack(t *testing.T) {
	t.Parallel()
	for seed := range uint64(12) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.happen(rand.New(rand.NewPCG(seed, 7)), 18)
			before := b.snapshot()
			done := b.retract(ops.RetractRequest{Principal: "bot"}, true)
			b.without("bot")
			if !done.Applied {
				return // nothing of it stood
			}
			b.undo(done.ID, false)
			if after := b.snapshot(); after != before {
				t.Errorf("not as before the retraction:\n%s\nwant\n%s", after, before)
			}
		})
	}
}

// happen lets agents make statements in random order and a person answer some.
func (b *bench) happen(r *rand.Rand, steps int) {
	b.Helper()
	texts := []string{fact, moved, updated, lint, ports, backup}
	for range steps {
		if waiting, err := b.ops.Waiting(b.Context(), "", 0); err == nil && len(waiting) > 0 && r.IntN(6) == 0 {
			answer := ops.Answer{Action: []string{ops.ActionPromote, ops.ActionReject}[r.IntN(2)]}
			if _, err := b.ops.Decide(b.Context(), waiting[r.IntN(len(waiting))].ID, answer); err != nil {
				b.Fatal(err)
			}
			b.relearn()
			continue
		}
		b.who = []string{"bot", "other", "third"}[r.IntN(3)]
		b.in = fmt.Sprint(b.who, "-", r.IntN(2))
		b.judge([]string{"", "- "}[r.IntN(2)] + texts[r.IntN(len(texts))])
	}
	b.who, b.in = "", ""
}

// relearn reads the lane again, as triage does after another commit.
func (b *bench) relearn() {
	b.Helper()
	for _, m := range b.active() {
		b.lane.Upsert(judge.EntryOfMemory(m, b.evidence(m.ID)))
	}
	open := map[string]bool{}
	for _, p := range b.open() {
		open[p.ID] = true
		b.lane.Upsert(judge.EntryOfProposal(p, memory.RoleOpen, b.evidence(p.ID)))
	}
	all, err := b.ops.Store.Proposals(b.Context(), memory.DefaultTenant, store.ProposalQuery{})
	if err != nil {
		b.Fatal(err)
	}
	for _, p := range all {
		if !open[p.ID] {
			b.lane.Remove(p.ID)
		}
	}
}

func (b *bench) active() []memory.Memory {
	b.Helper()
	list, err := b.ops.Store.Memories(b.Context(), memory.DefaultTenant, store.MemoryQuery{States: []memory.State{memory.StateActive}})
	if err != nil {
		b.Fatal(err)
	}
	return list
}

func (b *bench) open() []memory.Proposal {
	b.Helper()
	list, err := b.ops.Store.Proposals(b.Context(), memory.DefaultTenant, store.ProposalQuery{States: []memory.ProposalState{memory.ProposalNeedsReview}})
	if err != nil {
		b.Fatal(err)
	}
	return list
}

func (b *bench) evidence(id string) []memory.Evidence {
	b.Helper()
	list, err := b.ops.Store.Evidence(b.Context(), memory.DefaultTenant, id)
	if err != nil {
		b.Fatal(err)
	}
	return list
}

// without checks that no active or open row has evidence of a principal.
func (b *bench) without(principal string) {
	b.Helper()
	var standing []string
	for _, m := range b.active() {
		standing = append(standing, m.ID)
		if m.Principal == principal {
			b.Errorf("%s %q is in service", m.ID, m.Text)
		}
	}
	for _, p := range b.open() {
		standing = append(standing, p.ID)
		if p.Principal == principal {
			b.Errorf("%s %q waits for a person", p.ID, p.Text)
		}
	}
	for _, id := range standing {
		for _, e := range b.evidence(id) {
			if e.Principal == principal {
				b.Errorf("%s counts %s of %s", id, e.ProposalID, principal)
			}
		}
	}
}
