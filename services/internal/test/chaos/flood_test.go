package chaos

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/winnowhq/winnow/pkg/publish"
	"github.com/winnowhq/winnow/services/internal/test/proposaltest"
	"github.com/winnowhq/winnow/services/triage"
)

// flood is what one principal has sent, and what somebody else sends meanwhile, one at each
// tick. It is 60,000 in `make storm`, and as long as one needs to see the rule in CI.
type flood struct {
	size, others int
	pace         time.Duration
}

// floodOf returns the flood of this run.
func floodOf() flood {
	if stormFor() > 0 {
		return flood{size: 60_000, others: 100, pace: 200 * time.Millisecond}
	}
	return flood{size: 8_000, others: 40, pace: 50 * time.Millisecond}
}

// One principal has published its flood before the workers start, and another
// publishes one now and then. Each of those is decided while the flood still waits,
// after a few batches of it, and every proposal of both is decided once. How many of
// the flood were decided in between does not depend on the machine; the times are
// printed.
func TestFloodOfOnePrincipal(t *testing.T) {
	f := newFleet(t)
	of := floodOf()
	flooder := f.publisher("agent")
	ctx, cancel := context.WithTimeout(t.Context(), 2*waitTimeout)
	defer cancel()
	if _, err := flooder.Batch(ctx, proposaltest.Week(20261122, of.size, 50)); err != nil {
		t.Fatalf("flood: %v", err)
	}
	f.run("triage", "triage", "")
	f.run("relay", "relay", "")
	eventually(t, waitTimeout, "triage begins", func() (bool, string) { return f.decided() > 0, "nothing decided" })

	other := f.publisher("human")
	var sent []string
	tick := time.NewTicker(of.pace)
	defer tick.Stop()
	began := time.Now()
	for i, p := range proposaltest.Apart(7, of.others, 5) {
		<-tick.C
		if left := of.size - f.count(`select count(*) from decisions d join proposals p on p.tenant = d.tenant and p.id = d.proposal_id where p.principal = 'agent'`); left < of.size/10 {
			t.Logf("the flood was nearly over after %d of the other's", i)
			break
		}
		p.Id, p.Scope = fmt.Sprintf("other-%03d", i), p.GetScope()+"-other"
		f.publish(other, p)
		sent = append(sent, p.GetId())
	}
	t.Logf("%d proposals of the other beside %d of one principal in %s", len(sent), of.size, time.Since(began).Round(time.Millisecond))
	f.awaitDecided(of.size + len(sent))
	t.Logf("all decided after %s", time.Since(began).Round(time.Millisecond))

	// A proposal has the time at which the stream stored it, a decision its own.
	var passed []int
	var took []time.Duration
	for _, id := range sent {
		passed = append(passed, f.count(`
select count(*) from proposals o
join decisions mine on mine.tenant = o.tenant and mine.proposal_id = o.id
join decisions d on d.tenant = o.tenant and d.decided_at > o.created_at and d.decided_at < mine.decided_at
join proposals p on p.tenant = d.tenant and p.id = d.proposal_id and p.principal = 'agent'
where o.event_id = $1`, id))
		took = append(took, time.Duration(f.count(`
select (extract(epoch from mine.decided_at - o.created_at) * 1e6)::bigint from proposals o
join decisions mine on mine.tenant = o.tenant and mine.proposal_id = o.id where o.event_id = $1`, id))*time.Microsecond)
	}
	slices.Sort(passed)
	slices.Sort(took)
	at := func(q float64) int { return min(int(q*float64(len(took))), len(took)-1) }
	t.Logf("published to decided: p50 %s, p99 %s, longest %s; of the flood decided meanwhile: at most %d",
		took[at(.5)], took[at(.99)], took[len(took)-1], passed[len(passed)-1])
	if limit := 4 * triage.Definition.Batch; passed[len(passed)-1] > limit {
		t.Errorf("%d proposals of the flood were decided before one of the other, want at most %d", passed[len(passed)-1], limit)
	}
	f.awaitNone("every event is published", `select count(*) from outbox where published_at is null`)
	f.exactlyOnce(of.size + len(sent))
}

// publisher returns a client that publishes as a principal.
func (f *fleet) publisher(principal string) *publish.Client {
	f.t.Helper()
	client, err := publish.New(f.nc, publish.WithPrincipal(principal))
	if err != nil {
		f.t.Fatalf("publisher: %v", err)
	}
	return client
}
