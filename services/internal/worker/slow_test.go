package worker_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/ident"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/store/postgres"
	"github.com/winnowhq/winnow/services/internal/store/postgres/pgtest"
	"github.com/winnowhq/winnow/services/internal/worker"
	"github.com/winnowhq/winnow/services/internal/worker/workertest"
)

// doing is what a slow worker under test does with an event.
type doing func(context.Context, worker.Deps, worker.Event) (change.Set, error)

// chores is the smallest slow worker: it works on proposals and due digests with the
// given concurrency.
func chores(concurrency int, do doing) worker.Definition {
	return worker.Definition{
		Name: "chores",
		Durable: bus.Durable{
			Stream: bus.StreamIntake, Name: "chores",
			Filters: []string{
				event.SubjectProposalCreated, event.SubjectProposalCreated + ".>",
				event.SubjectDigestDue, event.SubjectDigestDue + ".>",
			},
			AckWait: 30 * time.Second, MaxPending: 64, MaxDeliver: 5,
		},
		Concurrency: func(worker.Deps) int { return concurrency },
		Work:        func(d worker.Deps) (worker.Work, error) { return chore{d, do}, nil },
	}
}

type chore struct {
	deps worker.Deps
	do   doing
}

func (c chore) Do(ctx context.Context, e worker.Event) (change.Set, error) {
	return c.do(ctx, c.deps, e)
}

// noted returns the effect of an event: a row with the event's id, and an event.
func noted(_ context.Context, d worker.Deps, e worker.Event) (change.Set, error) {
	id, eventID := d.NewID(memory.PrefixProposal), d.NewID(memory.PrefixEvent)
	return change.Set{
		Proposals: []memory.Proposal{{
			ID: id, Tenant: e.Tenant, Scope: "project:shop", State: memory.ProposalNeedsReview, Text: e.Subject,
			Principal: e.Principal.ID, EventID: e.ID, CreatedAt: d.Now(), LastConfirmed: d.Now(), SeenCount: 1,
		}},
		Events: []change.Event{{
			ID: eventID, Subject: event.SubjectProposalDecided, Type: event.TypeFor(event.SubjectProposalDecided),
			Message: &winnowv1.ProposalDecided{Id: eventID, ProposalId: id, EventId: e.ID},
		}},
	}, nil
}

// Promise 1 of SPEC §16 holds for slow work as for fast: every event is delivered
// twice and takes effect once, also when both deliveries are in progress at once.
func TestSlowRedeliveryIsHarmless(t *testing.T) {
	t.Parallel()
	b := workertest.New(t, chores(4, noted))
	for _, fate := range b.Deliver(many(40, "note")...) {
		if !fate.Acked {
			t.Errorf("message %d was not acknowledged: %s", fate.Sequence, fate.Reason)
		}
	}
	assertOnce(t, b, 40)
	if ok, dup := b.Settled("ok"), b.Settled("duplicate"); ok != 40 || dup != 40 {
		t.Errorf("metrics count %d ok and %d duplicates, want 40 and 40", ok, dup)
	}
	unpublished, err := b.Store().Unpublished(t.Context(), 100)
	if err != nil || len(unpublished) != 40 {
		t.Errorf("%d events were told, %v; want 40", len(unpublished), err)
	}
}

// A decision about a row that changed meanwhile is made again at once, on the current
// row, without another delivery.
func TestSlowConflictIsDecidedAgain(t *testing.T) {
	t.Parallel()
	row := memory.Proposal{
		ID: ident.New(memory.PrefixProposal), Tenant: memory.DefaultTenant, Scope: "project:shop", State: memory.ProposalNeedsReview,
		Text: "counted", EventID: "before", CreatedAt: time.Now(), LastConfirmed: time.Now(), SeenCount: 1,
	}
	var tries atomic.Int32
	b := workertest.New(t, chores(1, func(ctx context.Context, d worker.Deps, e worker.Event) (change.Set, error) {
		p, err := d.Store.Proposal(ctx, e.Tenant, row.ID)
		if err != nil {
			return change.Set{}, err
		}
		set := change.Set{ProposalUpdates: []change.ProposalUpdate{{
			ID: p.ID, State: p.State, SeenCount: p.SeenCount + 1, LastConfirmed: p.LastConfirmed, Expect: p.Version,
		}}}
		if tries.Add(1) <= 2 { // somebody else is faster, twice
			if _, err := d.Store.Commit(ctx, e.Tenant, set, store.InboxKey{}); err != nil {
				return change.Set{}, err
			}
		}
		return set, nil
	}))
	if _, err := b.Store().Commit(t.Context(), row.Tenant, change.Set{Proposals: []memory.Proposal{row}}, store.InboxKey{}); err != nil {
		t.Fatal(err)
	}
	if fate := b.DeliverOnce(proposal("a", "count"))[0]; !fate.Acked || fate.Deliveries != 1 {
		t.Errorf("fate: %+v", fate)
	}
	got, err := b.Store().Proposal(t.Context(), row.Tenant, row.ID)
	if err != nil || got.SeenCount != 4 || tries.Load() != 3 {
		t.Errorf("counted to %d in %d tries, %v; want each of three once", got.SeenCount, tries.Load(), err)
	}
}

// An event that no further attempt can handle becomes a dead letter and does not stop
// the others.
func TestSlowPoison(t *testing.T) {
	t.Parallel()
	b := workertest.New(t, chores(2, func(ctx context.Context, d worker.Deps, e worker.Event) (change.Set, error) {
		set, err := noted(ctx, d, e)
		switch e.ID {
		case "bug":
			return change.Set{}, worker.Permanent("bug", errBug)
		case "panic":
			panic(errBug)
		case "invalid":
			set.Proposals[0].Text = "\x00"
		}
		return set, err
	}))
	classes := []string{"bug", "panic", "invalid"}
	events := many(6, "note")
	for _, class := range classes {
		events = append(events, proposal(class, class))
	}
	for i, fate := range b.DeliverOnce(events...) {
		if fate.Acked != (i < 6) {
			t.Errorf("event %d: %+v", i, fate)
		}
	}
	assertOnce(t, b, 6)
	var got []string
	for _, l := range b.DeadLetters() {
		got = append(got, l.Reason.Class)
	}
	if slices.Sort(got); !slices.Equal(got, slices.Sorted(slices.Values(classes))) {
		t.Errorf("letters of the classes %v, want %v", got, classes)
	}
}

// Slow work that fails is retried, and becomes a dead letter before the last delivery
// is used. The delays are real, so the limit is two.
func TestSlowWorkIsExhausted(t *testing.T) {
	t.Parallel()
	def := chores(1, func(context.Context, worker.Deps, worker.Event) (change.Set, error) { return change.Set{}, errBug })
	def.Durable.MaxDeliver = 2
	b := workertest.New(t, def)
	if fate := b.DeliverOnce(proposal("a", "fails"))[0]; fate.Acked {
		t.Errorf("fate: %+v", fate)
	}
	if l := b.DeadLetters(); len(l) != 1 || l[0].Reason.Class != "exhausted" || !strings.Contains(l[0].Reason.Text, errBug.Error()) {
		t.Errorf("letters: %+v", l)
	}
}

// due returns an internal event, as the relay publishes it.
func due(id, subject string, tenant memory.Tenant) bus.Outgoing {
	header := map[string][]string{}
	if tenant != "" {
		header["winnow-tenant"] = []string{string(tenant)}
	}
	return bus.Outgoing{ID: id, Subject: subject, Header: header, Data: fmt.Appendf(nil, `{"id":%q,"reviewer":"anna"}`, id)}
}

// An internal event belongs to the tenant that the relay wrote on it. A publisher
// outside cannot choose a tenant: it has that of its registration, and the subject
// takes no principal.
func TestTenantOfAnInternalEvent(t *testing.T) {
	t.Parallel()
	const acme = memory.Tenant("acme")
	db := pgtest.New(t)
	if err := postgres.Provision(t.Context(), db.URL, postgres.Options{Tenants: []memory.Tenant{acme}}); err != nil {
		t.Fatal(err)
	}
	b := workertest.New(t, chores(2, noted), func(d *worker.Deps) { d.Store = db.Store })

	claimed := proposal("claimed", "of another tenant")
	claimed.Header = map[string][]string{"winnow-tenant": {string(acme)}}
	squatter := proposal("own", "has the id of an internal event")
	fates := b.DeliverOnce(
		claimed, squatter,
		due("~1", event.SubjectDigestDue, ""),
		due("~2", event.SubjectDigestDue+".agent", acme),
		due("~3", event.SubjectDigestDue, "unheard-of"),
	)
	for i, fate := range fates {
		if fate.Acked != (i < 2) {
			t.Errorf("event %d: %+v", i, fate)
		}
	}
	again := due("own~", event.SubjectDigestDue, acme)
	again.Header["ce-id"] = []string{"own"}
	if fate := b.DeliverOnce(again)[0]; !fate.Acked {
		t.Errorf("the internal event: %+v", fate)
	}

	var classes []string
	for _, l := range b.DeadLetters() {
		classes = append(classes, l.Reason.Class)
	}
	if slices.Sort(classes); !slices.Equal(classes, []string{"invalid", "principal", "subject"}) {
		t.Errorf("letters of the classes %v", classes)
	}
	own, theirs := b.Proposals(memory.DefaultTenant), b.Proposals(acme)
	if len(own) != 2 || own[0].Principal != "agent" || own[1].Principal != "agent" {
		t.Errorf("of the publisher's tenant: %+v, want two of the agent", own)
	}
	if len(theirs) != 1 || theirs[0].EventID != "own" || theirs[0].Principal != "" {
		t.Errorf("of %s: %+v, want the internal event of no principal", acme, theirs)
	}
}

// A definition has one form.
func TestDefinitionHasOneForm(t *testing.T) {
	t.Parallel()
	both := notes()
	both.Work = chores(1, noted).Work
	neither := notes()
	neither.Handle = nil
	for name, def := range map[string]worker.Definition{"both": both, "neither": neither} {
		deps := worker.Deps{Bus: worker.Bus{Source: func(bus.Durable) (bus.Source, error) { return nil, errors.New("not asked") }}}
		if _, err := worker.NewPipeline(def, deps, 0); err == nil || !strings.Contains(err.Error(), "either") {
			t.Errorf("%s forms: %v", name, err)
		}
	}
}
