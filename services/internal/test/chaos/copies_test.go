package chaos

import (
	"context"
	"fmt"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/winnowhq/winnow/pkg/publish"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// A thousand sessions report the same insight at once and four processes judge
// them: exactly one becomes memory, the others are its evidence (SPEC §6, D5).
func TestThousandCopiesPromoteOnce(t *testing.T) {
	f := newFleet(t)
	const copies = 1000
	proposals := make([]*winnowv1.ProposalCreated, copies)
	for i := range proposals {
		proposals[i] = &winnowv1.ProposalCreated{
			Id:         fmt.Sprintf("evt_copy_%04d", i),
			Scope:      "project:copies",
			SessionId:  fmt.Sprintf("session-%04d", i),
			Text:       "2026-11-17: `pgbouncer` pool size raised to 40 in `deploy/pgbouncer.ini` after the checkout timeouts.",
			ObservedAt: timestamppb.New(time.Date(2026, 11, 17, 10, 0, 0, 0, time.UTC)),
		}
	}
	f.publishAll(proposals)
	for i := range 4 {
		f.run(fmt.Sprintf("triage-%d", i), "triage", "")
	}
	f.awaitDecided(copies)

	if n := f.count(`select count(*) from memories where state = 'active'`); n != 1 {
		t.Errorf("active memories: %d, want 1", n)
	}
	if n := f.count(`select count(*) from proposals where state = 'promoted'`); n != 1 {
		t.Errorf("promoted proposals: %d, want 1", n)
	}
	if n := f.count(`select count(*) from proposals p join memories m on m.tenant = p.tenant and p.target = m.id
		where p.state in ('rejected', 'merged')`); n != copies-1 {
		t.Errorf("copies linked to the memory: %d, want %d", n, copies-1)
	}
	if n := f.count(`select count(*) from evidence e join memories m on m.tenant = e.tenant and e.subject = m.id`); n < copies-1 {
		t.Errorf("evidence of the memory: %d, want at least %d", n, copies-1)
	}
	if n := f.count(`select max(seen_count) from memories`); n != copies {
		t.Errorf("seen count: %d, want %d", n, copies)
	}
	f.auditVerifies()
}

// publishAll preloads the stream.
func (f *fleet) publishAll(proposals []*winnowv1.ProposalCreated) {
	f.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), waitTimeout)
	defer cancel()
	client, err := publish.New(f.nc)
	if err != nil {
		f.t.Fatalf("publisher: %v", err)
	}
	for _, p := range proposals {
		if _, err := client.Proposal(ctx, p); err != nil {
			f.t.Fatalf("publish %s: %v", p.GetId(), err)
		}
	}
}

// awaitDecided waits until so many proposals have a decision.
func (f *fleet) awaitDecided(want int) {
	f.t.Helper()
	eventually(f.t, waitTimeout, "every proposal decided", func() (bool, string) {
		n := f.count(`select count(distinct proposal_id) from decisions`)
		return n >= want, fmt.Sprintf("%d of %d", n, want)
	})
}

func (f *fleet) auditVerifies() {
	f.t.Helper()
	report, err := f.store.VerifyAudit(context.Background(), memory.DefaultTenant)
	if err != nil {
		f.t.Fatalf("audit: %v", err)
	}
	if report.BrokenAt != 0 || report.Links == 0 {
		f.t.Errorf("audit: broken at %d (%s), %d links", report.BrokenAt, report.Problem, report.Links)
	}
}
