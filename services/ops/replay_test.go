package ops_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protojson"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/ident"
	"github.com/winnowhq/winnow/services/internal/judge"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/model/embed/static"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/worker/workertest"
	"github.com/winnowhq/winnow/services/ops"
	"github.com/winnowhq/winnow/services/triage"
)

// A decision is replayed with the policy that made it, even after that policy
// was replaced and when no binary ships it (promise 2, S3.32).
func TestReplayUsesThePolicyOfTheTime(t *testing.T) {
	t.Parallel()
	b := workertest.New(t, triage.Definition)
	_, standard, err := judge.ShippedPolicy("standard")
	if err != nil {
		t.Fatal(err)
	}
	activate := func(note string) {
		t.Helper()
		text := standard + "\n# " + note + "\n"
		p, err := judge.ParsePolicy([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		set := change.Set{Policies: []change.Policy{{Name: p.Name, Version: p.Version(), Text: text, ScopeKind: memory.ScopeProject}}}
		if _, err := b.Store().Commit(t.Context(), memory.DefaultTenant, set, store.InboxKey{}); err != nil {
			t.Fatal(err)
		}
	}
	send := func(id, text string) {
		t.Helper()
		data, err := protojson.Marshal(&winnowv1.ProposalCreated{Scope: "project:shop", Text: text})
		if err != nil {
			t.Fatal(err)
		}
		b.Deliver(bus.Outgoing{ID: id, Subject: event.SubjectProposalCreated, Data: data})
	}
	send("evt_0", "2026-11-16: `redis` raised to 7.4 in `deploy/cache.yaml`.")
	activate("first")
	send("evt_1", "2026-11-17: `pgbouncer` pool size raised to 40 in `deploy/pgbouncer.ini`.")
	activate("second")
	send("evt_2", "2026-11-18: the job `nightly.yml` runs at 03:00 UTC.")

	o := &ops.Ops{Store: b.Store(), Tenant: memory.DefaultTenant, Person: "local", Now: time.Now, NewID: ident.New, Meaning: static.New()}
	report, err := o.ReplayAll(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if report.Same != 3 || report.Different != 0 || report.Skipped != 0 {
		t.Errorf("replayed: %+v", report)
	}
	versions := map[string]bool{}
	decisions, err := b.Store().Decisions(t.Context(), memory.DefaultTenant, store.DecisionQuery{})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range decisions {
		versions[d.PolicyVersion] = true
	}
	if len(versions) != 3 {
		t.Errorf("policies used: %v", slices.Sorted(maps.Keys(versions)))
	}
}

// A decision of an earlier version is no difference: its comparison is not at hand any
// more, and the report says so.
func TestReplayOfAnEarlierVersion(t *testing.T) {
	t.Parallel()
	b := workertest.New(t, triage.Definition)
	data, err := protojson.Marshal(&winnowv1.ProposalCreated{Scope: "project:shop", Text: "2026-11-18: the job `nightly.yml` runs at 03:00 UTC."})
	if err != nil {
		t.Fatal(err)
	}
	b.Deliver(bus.Outgoing{ID: "evt_0", Subject: event.SubjectProposalCreated, Data: data})
	decisions, err := b.Store().Decisions(t.Context(), memory.DefaultTenant, store.DecisionQuery{})
	if err != nil || len(decisions) != 1 {
		t.Fatalf("%d decisions, %v", len(decisions), err)
	}
	old := decisions[0]
	old.ID, old.Calibration, old.Reason = ident.New(memory.PrefixDecision), "mix-1", "as it was worded then"
	if _, err := b.Store().Commit(t.Context(), memory.DefaultTenant, change.Set{Decisions: []memory.Decision{old}}, store.InboxKey{}); err != nil {
		t.Fatal(err)
	}
	o := &ops.Ops{Store: b.Store(), Tenant: memory.DefaultTenant, Person: "local", Now: time.Now, NewID: ident.New, Meaning: static.New()}
	report, err := o.ReplayAll(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if report.Same != 1 || report.Different != 0 || report.Skipped != 1 {
		t.Errorf("replayed: %+v", report)
	}
	one, err := o.ReplayDecision(t.Context(), old.ID)
	if err != nil {
		t.Fatal(err)
	}
	if one.Same || !strings.Contains(one.Skipped, "an earlier version, which compared with mix-1") {
		t.Errorf("replayed: %+v", one)
	}
}
