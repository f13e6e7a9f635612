package storetest

import (
	"slices"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/ident"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

func digest(reviewer, slot, code string) memory.Digest {
	at := now()
	return memory.Digest{
		ID: ident.New(memory.PrefixDigest), Tenant: tenant, Reviewer: reviewer, Slot: slot, Code: code, Language: "de",
		From: at.Add(-time.Hour), Until: at, CreatedAt: at, ExpiresAt: at.Add(time.Hour),
		Text: "1. Soll „x“ bleiben?\n", Items: []memory.DigestItem{
			{Number: 1, ProposalID: "prop_1", DecisionID: "dec_1", Advice: memory.AdviceReplace},
			{Number: 2, ProposalID: "prop_2", DecisionID: "dec_2", Advice: memory.AdviceReview},
		},
		Spots: []memory.DigestSpot{{Number: 1, MemoryID: "mem_1", DecisionID: "dec_3"}},
	}
}

func reply(d memory.Digest, text string, at time.Time) memory.DigestReply {
	return memory.DigestReply{
		ID: ident.New(memory.PrefixReply), Tenant: d.Tenant, DigestID: d.ID, Principal: "gateway", Text: text,
		Answer: "done", Applied: true, Decisions: []string{"dec_8", "dec_9"}, Undoes: "rep_0", At: at,
	}
}

// A digest is read as it was sent, independent of later changes of its items.
func testDigests(t *testing.T, s store.Store) {
	ctx := t.Context()
	first, quiet, later := digest("anna", "2026-W46", "k7f3"), digest("ben", "2026-W46", "q2x9"), digest("anna", "2026-W47", "k7f3")
	quiet.From, quiet.Items, quiet.Spots = time.Time{}, nil, nil // the first one of all, with nothing to ask
	quiet.CreatedAt = first.CreatedAt.Add(time.Second)
	later.CreatedAt = first.CreatedAt.Add(time.Minute)
	mustCommit(t, s, change.Set{Digests: []memory.Digest{later, first}})
	commitBatch(t, s, change.Set{Digests: []memory.Digest{quiet}}, scopeA)

	same(t, first)(s.Digest(ctx, tenant, first.ID))
	same(t, quiet)(s.Digest(ctx, tenant, quiet.ID))
	same(t, later)(s.DigestByCode(ctx, tenant, "k7f3"))
	for name, c := range map[string]struct {
		reviewer string
		limit    int
		want     []string
	}{
		"all":      {"", 0, []string{later.ID, quiet.ID, first.ID}},
		"newest":   {"", 2, []string{later.ID, quiet.ID}},
		"reviewer": {"anna", 0, []string{later.ID, first.ID}},
		"nobody":   {"carl", 0, nil},
	} {
		got, err := s.Digests(ctx, tenant, c.reviewer, c.limit)
		if err != nil || !slices.EqualFunc(got, c.want, func(d memory.Digest, id string) bool { return d.ID == id }) {
			t.Errorf("digests %s: %d, %v", name, len(got), err)
		}
	}
	wantError(t, second(s.Digest(ctx, tenant, "dig_none")), store.ErrNotFound)
	wantError(t, second(s.DigestByCode(ctx, tenant, "none")), store.ErrNotFound)
}

// A reviewer gets one digest for a slot: the commit of a second one fails with
// ErrConflict and writes nothing.
func testDigestOncePerSlot(t *testing.T, s store.Store) {
	sent, again := digest("anna", "2026-W47", "k7f3"), digest("anna", "2026-W47", "p0p0")
	mustCommit(t, s, change.Set{Digests: []memory.Digest{sent}})
	_, err := s.Commit(t.Context(), tenant, change.Set{
		Digests: []memory.Digest{digest("ben", "2026-W47", "q2x9"), again}, Audit: []change.Audit{audited(again.ID)},
	}, store.InboxKey{})
	wantError(t, err, store.ErrConflict)
	if got, err := s.Digests(t.Context(), tenant, "", 0); err != nil || len(got) != 1 || got[0].ID != sent.ID {
		t.Errorf("digests %+v, %v; want the one that was sent", got, err)
	}
}

func testDigestReplies(t *testing.T, s store.Store) {
	ctx := t.Context()
	d, at := digest("anna", "2026-W47", "k7f3"), now()
	done, unclear := reply(d, "1 ja", at), reply(d, "hm?", at.Add(-time.Minute))
	unclear.Applied, unclear.Decisions, unclear.Undoes = false, nil, ""
	mustCommit(t, s, change.Set{Digests: []memory.Digest{d}, DigestReplies: []memory.DigestReply{done, unclear}})
	got, err := s.DigestReplies(ctx, tenant, d.ID)
	if err != nil || len(got) != 2 {
		t.Fatalf("%d replies, %v", len(got), err)
	}
	same(t, unclear)(got[0], nil)
	same(t, done)(got[1], nil)

	for name, r := range map[string]memory.DigestReply{
		"of no digest":         reply(memory.Digest{ID: "dig_none", Tenant: tenant}, "1", at),
		"to another tenant's":  reply(memory.Digest{ID: d.ID, Tenant: other}, "1", at),
		"with a word too many": reply(d, "a\x00b", at),
	} {
		if _, err := s.Commit(ctx, tenant, change.Set{DigestReplies: []memory.DigestReply{r}}, store.InboxKey{}); err == nil {
			t.Errorf("reply %s was kept", name)
		} else {
			wantError(t, err, store.ErrInvalid)
		}
	}
}

func testReviewers(t *testing.T, s store.Store) {
	anna, rest := memory.Reviewer{Principal: "anna", Scope: scopeB, Language: "en"}, memory.Reviewer{Principal: "ben"}
	english := memory.Reviewer{Principal: "anna", Scope: scopeA, Language: "en"}
	german := english
	german.Language = "de"
	for range 2 { // twice is the same as once, and the last of a row counts
		mustCommit(t, s, change.Set{Reviewers: []memory.Reviewer{rest, english, anna, german}})
	}
	got, err := s.Reviewers(t.Context(), tenant)
	if err != nil || !slices.Equal(got, []memory.Reviewer{german, anna, rest}) {
		t.Fatalf("reviewers %+v, %v", got, err)
	}
	// One set moves a scope from one reviewer to another.
	heir := memory.Reviewer{Principal: "ben", Scope: scopeA}
	mustCommit(t, s, change.Set{ReviewersGone: []memory.Reviewer{german, {Principal: "nobody"}}, Reviewers: []memory.Reviewer{heir}})
	if got, err = s.Reviewers(t.Context(), tenant); err != nil || !slices.Equal(got, []memory.Reviewer{anna, rest, heir}) {
		t.Errorf("reviewers %+v, %v", got, err)
	}
}

// SPEC §16.8: a tenant does not see another tenant's digests, also when all names
// are equal.
func testDigestTenants(t *testing.T, s store.Store) {
	ctx := t.Context()
	d, slot := digest("anna", "2026-W47", "k7f3"), change.Slot{Schedule: "digest", At: now()}
	mustCommit(t, s, change.Set{
		Digests: []memory.Digest{d}, DigestReplies: []memory.DigestReply{reply(d, "1", now())},
		Reviewers: []memory.Reviewer{{Principal: "anna"}}, Slot: &slot, Audit: []change.Audit{audited(d.ID)},
	})
	wantError(t, second(s.Digest(ctx, other, d.ID)), store.ErrNotFound)
	wantError(t, second(s.DigestByCode(ctx, other, d.Code)), store.ErrNotFound)
	digests, errD := s.Digests(ctx, other, "", 0)
	replies, errR := s.DigestReplies(ctx, other, d.ID)
	reviewers, errV := s.Reviewers(ctx, other)
	last, errL := s.LastSlot(ctx, other, slot.Schedule)
	seq, hash, errA := s.AuditHead(ctx, other)
	if len(digests)+len(replies)+len(reviewers) != 0 || !last.IsZero() || seq != 0 || hash != "" {
		t.Errorf("%s sees %v, %v, %v, %v, %d", other, digests, replies, reviewers, last, seq)
	}
	for _, err := range []error{errD, errR, errV, errL, errA} {
		if err != nil {
			t.Error(err)
		}
	}
	// The other tenant's reviewer of that name, and its slot, are its own.
	own := d
	own.Tenant = other
	done, err := s.Commit(ctx, other, change.Set{
		Digests: []memory.Digest{own}, Slot: &slot, ReviewersGone: []memory.Reviewer{{Principal: "anna"}},
	}, store.InboxKey{})
	if err != nil || done {
		t.Errorf("the same of another tenant: done %v, %v", done, err)
	}
	if left, err := s.Reviewers(ctx, tenant); err != nil || len(left) != 1 {
		t.Errorf("reviewers left %v, %v", left, err)
	}
}
