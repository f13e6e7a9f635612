package relay_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/bus/natstest"
	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/store/postgres/pgtest"
	"github.com/winnowhq/winnow/services/internal/store/signed"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
	"github.com/winnowhq/winnow/services/internal/worker"
	"github.com/winnowhq/winnow/services/internal/worker/workertest"
	"github.com/winnowhq/winnow/services/relay"
)

// link commits one audit entry.
func link(t *testing.T, s store.Store, subject string) {
	t.Helper()
	set := change.Set{Audit: []change.Audit{{Actor: memory.ActorTriage, Principal: "agent", Action: "proposal.decided", Subject: subject, Body: map[string]string{"a": "b"}}}}
	if _, err := s.Commit(t.Context(), memory.DefaultTenant, set, store.InboxKey{}); err != nil {
		t.Fatal(err)
	}
}

// The relay signs what grew, and only what goes on from the head in the stream: neither a
// log that was cut off nor one that was written anew gets a signature, until an operator
// with the key accepts it. Keys are rotated and streams lost meanwhile.
func TestHeadsAreSigned(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	server := natstest.New(t, reader, relay.Definition.Durable)
	pub := server.Publisher(t)
	key := func(secret string) signed.Key {
		k, err := signed.NewKey(strings.Repeat(secret, 40))
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	first, second := key("a"), key("b")
	clock := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	deps := workertest.Deps(t, server, db.Store)
	deps.Now = func() time.Time { clock = clock.Add(time.Hour); return clock }
	sign := func(k signed.Key) {
		deps.Signer = &k
		relay.SignHeads(t.Context(), deps)
	}
	last := func() signed.Head {
		t.Helper()
		note, err := pub.Last(t.Context(), bus.SubjectAuditHead+"default")
		if err != nil || note == nil {
			return signed.Head{}
		}
		h, err := signed.Open(string(note))
		if err != nil {
			t.Fatalf("%s: %v", note, err)
		}
		return h
	}
	check := func(trusted ...string) signed.Report {
		t.Helper()
		notes, err := db.Store.SignedHeads(t.Context(), memory.DefaultTenant, 0)
		if err != nil {
			t.Fatal(err)
		}
		var found []signed.Found
		for _, n := range notes {
			found = append(found, signed.Found{Place: "database", Note: n})
		}
		if note, err := pub.Last(t.Context(), bus.SubjectAuditHead+"default"); err == nil && note != nil {
			found = append(found, signed.Found{Place: "stream", Note: string(note)})
		}
		r, err := db.Store.VerifyAudit(t.Context(), memory.DefaultTenant, signed.Seqs(found)...)
		if err != nil || r.BrokenAt != 0 {
			t.Fatalf("the chain itself: %+v, %v", r, err)
		}
		return signed.Check(signed.Chain{Tenant: memory.DefaultTenant, Links: r.Links, First: r.First, Last: r.Last,
			Hash: func(seq int64) string { return r.Hashes[seq] }}, trusted, found)
	}

	link(t, db.Store, "prop_1")
	relay.SignHeads(t.Context(), deps)
	if h := last(); h.Seq != 0 {
		t.Errorf("signed without a key: %+v", h)
	}
	sign(first)
	link(t, db.Store, "prop_2")
	sign(first)
	was := last()
	if was.Seq != 2 || was.Public != first.Public() {
		t.Fatalf("signed %+v", was)
	}
	sign(first)
	if h := last(); h != was {
		t.Errorf("a chain that did not grow was signed again: %+v", h)
	}
	if r := check(first.Public()); len(r.Problems) > 0 || r.Newest == nil || r.Newest.Seq != 2 {
		t.Errorf("a whole chain: %+v", r)
	}

	// The owner of the database cuts the newest link off, with its head, and removes the
	// signatures in the database.
	owner := testenv.Pool(t, db.URL)
	exec := func(s string) {
		t.Helper()
		if _, err := owner.Exec(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	exec(`delete from audit_signatures; delete from audit_events where link = (select link from audit_links where seq = 2);
		delete from audit_bodies where link = (select link from audit_links where seq = 2); delete from audit_links where seq = 2;
		update audit_heads set seq = 1, hash = (select hash from audit_links where seq = 1)`)
	sign(first)
	if h := last(); h != was {
		t.Errorf("a chain that was cut off was signed: %+v", h)
	}
	if r := check(first.Public()); len(r.Problems) != 1 || !strings.Contains(r.Problems[0], "ends at link 1, and link 2 was signed") {
		t.Errorf("a chain that was cut off: %+v", r)
	}
	// It goes on with other links, and is longer than what was signed.
	link(t, db.Store, "prop_3")
	link(t, db.Store, "prop_4")
	sign(first)
	sign(second)
	if h := last(); h != was {
		t.Errorf("a chain that was written anew was signed: %+v", h)
	}
	if r := check(first.Public()); len(r.Problems) != 1 || !strings.Contains(r.Problems[0], "link 2 is not the one that was signed") {
		t.Errorf("a chain that was written anew: %+v", r)
	}

	// It was a backup that was restored, says an operator, once without the key.
	accept := func(k signed.Key) {
		t.Helper()
		r, err := db.Store.VerifyAudit(t.Context(), memory.DefaultTenant)
		if err != nil {
			t.Fatal(err)
		}
		h := signed.Head{Tenant: memory.DefaultTenant, Seq: r.Links, Hash: r.Head, At: deps.Now(), Accepted: true, Since: 1}
		if err := db.Store.KeepSigned(t.Context(), h.Tenant, h.Seq, k.Sign(h)); err != nil {
			t.Fatal(err)
		}
	}
	accept(second)
	sign(first)
	if h := last(); h != was {
		t.Errorf("a stranger accepted the chain: %+v", h)
	}
	accept(first)
	link(t, db.Store, "prop_5")
	sign(first)
	if h := last(); h.Seq != 4 || h.Accepted {
		t.Errorf("after accepting: %+v", h)
	}
	if r := check(first.Public()); len(r.Problems) > 0 || r.Newest.Seq != 4 {
		t.Errorf("after accepting: %+v", r)
	}

	// Another key signs the same link again, and both are believed where both are named.
	sign(second)
	if h := last(); h.Seq != 4 || h.Public != second.Public() {
		t.Errorf("after the rotation: %+v", h)
	}
	if r := check(first.Public(), second.Public()); len(r.Problems) > 0 || r.Newest == nil {
		t.Errorf("after the rotation: %+v", r)
	}
	// The stream is lost; the copies in the database still bind the chain, and the relay
	// publishes a new head.
	server.RecreateStream(t, bus.StreamAudit)
	if r := check(first.Public(), second.Public()); len(r.Problems) > 0 || r.Newest == nil || r.Place != "database" {
		t.Errorf("without the stream: %+v", r)
	}
	sign(second)
	if h := last(); h.Seq != 4 {
		t.Errorf("with a new stream: %+v", h)
	}
}

// The active relay signs when it begins to lead.
func TestLeaderSignsAtOnce(t *testing.T) {
	t.Parallel()
	r := setup(t)
	link(t, r.store, "prop_1")
	key, err := signed.NewKey(strings.Repeat("k", 40))
	if err != nil {
		t.Fatal(err)
	}
	r.start(func(d *worker.Deps) { d.Signer = &key })
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	for {
		notes, err := r.store.SignedHeads(ctx, memory.DefaultTenant, 1)
		if err != nil {
			t.Fatal(err)
		}
		if len(notes) == 1 {
			break
		}
	}
}
