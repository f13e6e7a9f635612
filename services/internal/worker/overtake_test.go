package worker_test

import (
	"fmt"
	"testing"

	"github.com/winnowhq/winnow/pkg/event"
	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/worker"
	"github.com/winnowhq/winnow/services/internal/worker/workertest"
)

// by is a proposal on the subject of a principal.
func by(principal, id string) bus.Outgoing {
	p := proposal(id, "note of "+principal+" "+id)
	p.Subject = event.SubjectProposalCreated + "." + principal
	return p
}

// flooded returns a stopped worker behind whose durable one principal's events wait, far
// more than the durable delivers at once, and two of another's after them.
func flooded(t *testing.T, flood int, adjust ...func(*worker.Deps)) (*workertest.Bench, []uint64) {
	t.Helper()
	def := notes()
	def.Durable.Overtake, def.Durable.MaxPending = true, 256
	def.Config = append(def.Config, worker.Fairness)
	b := workertest.New(t, def, adjust...)
	b.Stop()
	seqs := b.Publish(many(flood, "note")...)
	return b, append(seqs, b.Publish(by("human", "one"), by("human", "two"))...)
}

// positions returns at which place, in the order of the decisions, the proposals of a
// principal were decided.
func positions(list []memory.Proposal, principal string) (at []int) {
	for i, p := range list {
		if p.Principal == principal {
			at = append(at, i)
		}
	}
	return at
}

// One principal that sends thousands does not hold up another's two: they take effect
// among the first batches, and everything takes effect once. Issue 14, item 1.
func TestFloodHoldsUpNobody(t *testing.T) {
	t.Parallel()
	const flood = 6000
	b, seqs := flooded(t, flood)
	b.Start()
	b.Await(seqs...)
	assertOnce(t, b, flood+2)
	at := positions(b.Proposals(memory.DefaultTenant), "human")
	if limit := 6 * notes().Batch; len(at) != 2 || at[1] >= limit {
		t.Errorf("the two of the other were decided at the places %v of %d, want both before %d", at, flood, limit)
	}
}

// A flood uses all that others leave: with nobody else nothing is postponed, and no
// event is handled out of turn.
func TestLoneFloodIsNotHeldBack(t *testing.T) {
	t.Parallel()
	def := notes()
	def.Durable.Overtake = true
	b := workertest.New(t, def)
	b.Stop()
	seqs := b.Publish(many(2000, "note")...)
	b.Start()
	b.Await(seqs...)
	assertOnce(t, b, 2000)
	for _, name := range []string{"winnow_events_overtook_total", "winnow_events_postponed_total"} {
		if n := b.Counter(name, "notes"); n != 0 {
			t.Errorf("%s is %d", name, n)
		}
	}
}

// Above its rate a principal's events wait and none is lost, though they occupy all that
// the durable delivers; those of another are not concerned.
func TestRateLimitPostponesAndDropsNothing(t *testing.T) {
	t.Parallel()
	const flood = 600
	var limited worker.FairnessConfig
	b, seqs := flooded(t, flood, func(d *worker.Deps) {
		worker.Fairness.Change(&d.Settings, func(c *worker.FairnessConfig) {
			c.Rate, c.Burst = 300, 64
			limited = *c
		})
	})
	b.Start()
	b.Await(seqs...)
	assertOnce(t, b, flood+2)
	if n := b.Counter("winnow_events_postponed_total", "notes"); n < flood/2 {
		t.Errorf("%d were postponed, with a burst of %d", n, limited.Burst)
	}
	at := positions(b.Proposals(memory.DefaultTenant), "human")
	if len(at) != 2 || at[1] >= flood/2 {
		t.Errorf("the two of the other were decided at the places %v of %d", at, flood)
	}
	if letters := b.DeadLetters(); len(letters) != 0 {
		t.Errorf("%d dead letters", len(letters))
	}
}

// Events of one principal that overtake keep their order, and a letter that must be
// written is written once, in its turn.
func TestOvertakingKeepsOrderAndLettersOnce(t *testing.T) {
	t.Parallel()
	const flood, mine = 4000, 300
	b, seqs := flooded(t, flood)
	bad := by("human", "bad")
	bad.Data = []byte(`{"id":"bad","scope":"project:shop","text":"permanent"}`)
	seqs = append(seqs, b.Publish(bad)...)
	var later []bus.Outgoing
	for i := range mine {
		later = append(later, by("human", fmt.Sprintf("mine%04d", i)))
	}
	seqs = append(seqs, b.Publish(later...)...)
	b.Start()
	b.Await(seqs...)
	assertOnce(t, b, flood+2+mine)
	last := ""
	for _, p := range b.Proposals(memory.DefaultTenant) {
		if p.Principal != "human" || len(p.EventID) < 5 {
			continue
		}
		if p.EventID <= last {
			t.Fatalf("%s was decided after %s", p.EventID, last)
		}
		last = p.EventID
	}
	if letters := b.DeadLetters(); len(letters) != 1 {
		t.Errorf("%d dead letters, want one", len(letters))
	}
}
