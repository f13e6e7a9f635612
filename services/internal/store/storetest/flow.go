package storetest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

func testAudit(t *testing.T, s store.Store) {
	ctx := t.Context()
	if seq, hash, err := s.AuditHead(ctx, tenant); err != nil || seq != 0 || hash != "" {
		t.Errorf("audit head %d %q, %v; want none yet", seq, hash, err)
	}
	c := commitBatch(t, s, change.Set{Audit: []change.Audit{audited("prop_1"), audited("prop_2")}}, scopeA)
	if c.AuditSeq != 1 {
		t.Errorf("audit head %d, want 1", c.AuditSeq)
	}
	if seq, hash, err := s.AuditHead(ctx, tenant); err != nil || seq != 1 || len(hash) != 64 {
		t.Errorf("audit head %d %q, %v", seq, hash, err)
	}
	if c = commitBatch(t, s, change.Set{}, scopeA); c.AuditSeq != 0 {
		t.Errorf("audit head %d of a batch that recorded nothing, want 0", c.AuditSeq)
	}
	mustCommit(t, s, change.Set{Audit: []change.Audit{audited("prop_1")}})

	r, err := s.VerifyAudit(ctx, tenant)
	if err != nil || r.Links != 2 || r.Events != 3 || r.Erased != 0 || r.BrokenAt != 0 || len(r.Head) != 64 {
		t.Fatalf("verify: %+v, %v", r, err)
	}
	if seq, hash, err := s.AuditHead(ctx, tenant); err != nil || seq != r.Links || hash != r.Head {
		t.Errorf("audit head %d %q, %v; want that of the chain", seq, hash, err)
	}
	events, err := s.AuditEvents(ctx, tenant, "", 0, 0)
	if err != nil || len(events) != 3 {
		t.Fatalf("%d events, %v", len(events), err)
	}
	var order []int64
	for _, e := range events {
		order = append(order, e.Seq*10+int64(e.N))
	}
	if !slices.Equal(order, []int64{20, 11, 10}) {
		t.Errorf("order %v, want newest first", order)
	}
	var body map[string]string
	if err := json.Unmarshal(events[0].Body, &body); err != nil || body["subject"] != "prop_1" || events[0].At.IsZero() {
		t.Errorf("event %+v: %v", events[0], err)
	}
	if about, err := s.AuditEvents(ctx, tenant, "prop_1", 2, 10); err != nil || len(about) != 1 || about[0].Seq != 1 {
		t.Errorf("about prop_1 before 2: %+v, %v", about, err)
	}
}

func testAuditConcurrent(t *testing.T, s store.Store) {
	const writers, each = 4, 12
	var g errgroup.Group
	for i := range writers {
		scope := memory.Scope("project:" + string(rune('a'+i)))
		g.Go(func() error {
			for range each {
				_, err := s.CommitBatch(t.Context(), tenant, batchOf(scope), always(change.Set{
					Audit: []change.Audit{audited("x"), audited("y")},
				}))
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	r, err := s.VerifyAudit(t.Context(), tenant)
	if err != nil || r.BrokenAt != 0 || r.Links != writers*each || r.Events != 2*writers*each {
		t.Errorf("verify: %+v, %v", r, err)
	}
}

// An event to a reviewer is stored in JSON too where a gateway of that tenant, which speaks
// for that reviewer, chose it, and nowhere else; each of both is published once.
func testCopies(t *testing.T, s store.Store) {
	const anna, ben = "anna", "ben"
	gateway := func(owner memory.Tenant, id string, asJSON bool, speaksFor ...string) {
		t.Helper()
		p := memory.Principal{ID: id, Tenant: owner, Highest: memory.OriginAgent, SpeaksFor: speaksFor, EventsJSON: asJSON}
		if _, err := s.Commit(t.Context(), owner, change.Set{Principals: []memory.Principal{p}}, store.InboxKey{}); err != nil {
			t.Fatal(err)
		}
	}
	// told commits an answer to the reviewer and an event that is for no gateway, and
	// returns the subjects that wait. It publishes them.
	n := 0
	told := func(owner memory.Tenant, reviewer string) (subjects []string) {
		t.Helper()
		n++
		e := change.Event{
			ID: fmt.Sprintf("evt_%d", n), Subject: event.SubjectForReviewer(event.SubjectDigestAnswered, string(owner), reviewer),
			Message: &winnowv1.DigestAnswered{Id: "x", Reviewer: reviewer, Text: "Done: <1>"},
		}
		if _, err := s.Commit(t.Context(), owner, change.Set{Events: []change.Event{e, recorded("mem_1")}}, store.InboxKey{}); err != nil {
			t.Fatal(err)
		}
		rows, err := s.Unpublished(t.Context(), 10)
		if err != nil {
			t.Fatal(err)
		}
		published := map[int64]uint64{}
		for _, r := range rows {
			published[r.ID] = 1
			if !strings.HasPrefix(r.Subject, event.SubjectDigestAnswered) {
				continue
			}
			subjects = append(subjects, strings.TrimPrefix(r.Subject, e.Subject))
			env, err := event.Parse(r.Subject, r.Header, r.Data, "")
			var got winnowv1.DigestAnswered
			if err == nil {
				err = event.Unmarshal(env, &got)
			}
			if err != nil || env.ID != e.ID || env.Tenant != string(owner) || r.EventID != e.ID || got.GetText() != "Done: <1>" {
				t.Errorf("%s: %+v, %v, %v", r.Subject, env, &got, err)
			}
		}
		if err := s.MarkPublished(t.Context(), published); err != nil {
			t.Fatal(err)
		}
		return subjects
	}
	want := func(what string, got []string, want ...string) {
		t.Helper()
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	alone, both := []string{""}, []string{"", ".json"}

	gateway(tenant, "chat", false, "*")
	gateway(other, "chat-of-others", true, "*")
	want("no gateway of the tenant reads JSON", told(tenant, anna), alone...)
	gateway(tenant, "json", true, ben)
	want("one does for another reviewer", told(tenant, anna), alone...)
	want("one does", told(tenant, ben), both...)
	gateway(tenant, "hall", true, "*")
	gateway(tenant, "desk", true, anna, ben)
	want("three do", told(tenant, ben), both...)
	want("of every reviewer", told(tenant, "carl"), both...)
	want("a reviewer named as a pattern", told(tenant, "*"), both...)
	want("the other tenant's own", told(other, anna), both...)
	gateway(other, "chat-of-others", true)
	want("one that speaks for none any more", told(other, anna), alone...)
	gateway(tenant, "hall", false, "*")
	want("one that chose protobuf again", told(tenant, "carl"), alone...)
}

func testOutbox(t *testing.T, s store.Store) {
	ctx := t.Context()
	first, second := recorded("mem_1"), recorded("mem_2")
	commitBatch(t, s, change.Set{Events: []change.Event{first, second}}, scopeA)
	if _, err := s.Commit(ctx, other, change.Set{Events: []change.Event{recorded("mem_3")}}, store.InboxKey{}); err != nil {
		t.Fatal(err)
	}
	rows, err := s.Unpublished(ctx, 10)
	if err != nil || len(rows) != 3 {
		t.Fatalf("%d rows, %v; want those of all tenants", len(rows), err)
	}
	r := rows[0]
	if r.EventID != first.ID || r.Subject != first.Subject || r.Tenant != string(tenant) || r.At.IsZero() || len(r.Data) == 0 {
		t.Errorf("row %+v", r)
	}
	if got := r.Header["ce-id"]; !slices.Equal(got, []string{first.ID}) {
		t.Errorf("ce-id %v, want %s", got, first.ID)
	}
	// A subscriber has no credential to derive the event's tenant from.
	if own, foreign := r.Header["winnow-tenant"], rows[2].Header["winnow-tenant"]; !slices.Equal(own, []string{string(tenant)}) ||
		!slices.Equal(foreign, []string{string(other)}) {
		t.Errorf("tenants %v and %v", own, foreign)
	}
	if rows[1].EventID != second.ID || rows[2].Tenant != string(other) || rows[0].ID >= rows[1].ID {
		t.Errorf("order %+v", rows)
	}
	if st, err := s.OutboxStatus(ctx); err != nil || st.Waiting != 3 || st.Oldest < 0 {
		t.Errorf("status %+v, %v", st, err)
	}
	if err := s.MarkPublished(ctx, map[int64]uint64{rows[0].ID: 7, rows[2].ID: 9}); err != nil {
		t.Fatal(err)
	}
	if rows, err = s.Unpublished(ctx, 1); err != nil || len(rows) != 1 || rows[0].EventID != second.ID {
		t.Errorf("left %+v, %v; want the second", rows, err)
	}
	if err := s.MarkPublished(ctx, nil); err != nil {
		t.Error(err)
	}
}

func testRepublish(t *testing.T, s store.Store) {
	ctx := t.Context()
	commitBatch(t, s, change.Set{Events: []change.Event{recorded("mem_1"), recorded("mem_2")}}, scopeA)
	before, err := s.Unpublished(ctx, 10)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.MarkPublished(ctx, map[int64]uint64{before[0].ID: 1, before[1].ID: 2}); err != nil {
		t.Fatal(err)
	}
	if n, err := s.Republish(ctx, before[0].At.Add(time.Hour)); err != nil || n != 0 {
		t.Errorf("later than any row: %d, %v", n, err)
	}
	if n, err := s.Republish(ctx, before[0].At); err != nil || n != 2 {
		t.Fatalf("republish: %d, %v", n, err)
	}
	again, err := s.Unpublished(ctx, 10)
	if err != nil || len(again) != 2 || again[0].EventID != before[0].EventID {
		t.Errorf("waiting again: %+v, %v; want the same message ids", again, err)
	}
}

// A refused row is no longer unpublished, until RetryRefused.
func testRefused(t *testing.T, s store.Store) {
	ctx := t.Context()
	commitBatch(t, s, change.Set{Events: []change.Event{recorded("mem_1"), recorded("mem_2"), recorded("mem_3")}}, scopeA)
	rows, err := s.Unpublished(ctx, 10)
	if err != nil || len(rows) != 3 {
		t.Fatal(rows, err)
	}
	if err := s.MarkRefused(ctx, rows[1].ID, rows[0].ID); err != nil {
		t.Fatal(err)
	}
	if err := s.MarkPublished(ctx, map[int64]uint64{rows[2].ID: 1}); err != nil {
		t.Fatal(err)
	}
	if st, err := s.OutboxStatus(ctx); err != nil || st.Waiting != 0 {
		t.Errorf("after marks %+v, %v", st, err)
	}
	for id, want := range map[int64]bool{rows[0].ID: true, rows[2].ID: false, rows[2].ID + 1: false} {
		if found, err := s.RetryRefused(ctx, id); err != nil || found != want {
			t.Errorf("retry row %d: %v, %v, want %v", id, found, err, want)
		}
	}
	again, err := s.Unpublished(ctx, 10)
	if err != nil || len(again) != 1 || again[0].EventID != rows[0].EventID {
		t.Errorf("waiting again: %+v, %v", again, err)
	}
}

func testLease(t *testing.T, s store.Store) {
	lead, err := s.Lead(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	handsOver(t, lead, s.Lead)
}

func testSweep(t *testing.T, s store.Store) {
	ctx := t.Context()
	old := proposal(scopeA, memory.ProposalRejected, "old")
	old.CreatedAt = now().AddDate(-1, 0, 0)
	recent, open := proposal(scopeA, memory.ProposalRejected, "recent"), proposal(scopeA, memory.ProposalNeedsReview, "old and open")
	open.CreatedAt = old.CreatedAt
	m := remembered(scopeA, "m")
	m.CreatedAt = old.CreatedAt
	commitBatch(t, s, change.Set{
		Proposals: []memory.Proposal{old, recent, open}, Memories: []memory.Memory{m},
		Decisions: []memory.Decision{decision(old, memory.VerdictRejected, memory.ActorTriage)},
		Evidence:  []memory.Evidence{{ID: "evi_1", Tenant: tenant, Subject: old.ID, Principal: "agent"}},
		Events:    []change.Event{recorded("mem_1")},
	}, scopeA)
	if n, err := s.Sweep(ctx, store.Retention{}); err != nil || n["proposals"]+n["inbox"]+n["outbox"] != 0 {
		t.Fatalf("nothing is to go: %v, %v", n, err)
	}
	n, err := s.Sweep(ctx, store.DefaultRetention())
	if err != nil || n["proposals"] != 1 || n["decisions"] != 1 || n["evidence"] != 1 || n["inbox"]+n["outbox"] != 0 {
		t.Fatalf("default retention: %v, %v", n, err)
	}
	if rows, err := s.Proposals(ctx, tenant, store.ProposalQuery{}); err != nil || len(rows) != 2 {
		t.Errorf("%d proposals left, %v; want the recent and the open one", len(rows), err)
	}
	// Unpublished rows stay at any age. All claims are older than the retention.
	n, err = s.Sweep(ctx, store.Retention{Inbox: time.Microsecond, Outbox: time.Microsecond})
	if err != nil || n["inbox"] != 1 || n["outbox"] != 0 {
		t.Errorf("short retention: %v, %v", n, err)
	}
	if _, err := s.Memory(ctx, tenant, m.ID); err != nil {
		t.Errorf("memory: %v", err)
	}
	if err := s.Analyze(ctx); err != nil {
		t.Errorf("analyze: %v", err)
	}
}

func testClosed(t *testing.T, s store.Store) {
	s.Close()
	s.Close()
	wantError(t, s.Ready(t.Context()), store.ErrUnavailable)
	_, err := s.CommitBatch(t.Context(), tenant, batchOf(scopeA), always(change.Set{}))
	wantError(t, err, store.ErrUnavailable)
}
