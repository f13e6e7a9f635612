package storetest

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// A slot takes effect once, as an inbox key does, and both may guard a set.
func testSlotOnce(t *testing.T, s store.Store) {
	ctx := t.Context()
	first := change.Slot{Schedule: "digest", At: now().Truncate(time.Hour)}
	next := change.Slot{Schedule: "digest", At: first.At.Add(time.Hour)}
	key, fresh := store.InboxKey{Consumer: "digest", Key: "evt_1"}, store.InboxKey{Consumer: "digest", Key: "evt_2"}
	for i, c := range []struct {
		slot *change.Slot
		key  store.InboxKey
		done bool
	}{
		{&first, key, false},
		{&first, store.InboxKey{}, true},
		{&first, fresh, true}, // the key of a slot that ran stays free
		{nil, fresh, false},
		{&next, key, true}, // and so does the slot of a claimed key
		{&next, store.InboxKey{}, false},
		{&change.Slot{Schedule: "expiry", At: first.At}, store.InboxKey{}, false},
	} {
		set := change.Set{Slot: c.slot, Audit: []change.Audit{audited("dig_1")}}
		if done, err := s.Commit(ctx, tenant, set, c.key); err != nil || done != c.done {
			t.Fatalf("commit %d: done %v, %v", i, done, err)
		}
	}
	if r, err := s.VerifyAudit(ctx, tenant); err != nil || r.Links != 4 {
		t.Errorf("audit %+v, %v; want a link for each that took effect", r, err)
	}
	same(t, next.At)(s.LastSlot(ctx, tenant, "digest"))
	same(t, time.Time{})(s.LastSlot(ctx, tenant, "unheard"))

	_, err := s.CommitBatch(ctx, tenant, batchOf(scopeA), always(change.Set{Slot: &first}))
	wantError(t, err, store.ErrInvalid)
	_, err = s.Commit(ctx, tenant, change.Set{Slot: &change.Slot{Schedule: "digest"}}, store.InboxKey{})
	wantError(t, err, store.ErrInvalid)
}

// SPEC §4: every replica computes the due slot, and one of them runs it.
func testSlotReplicas(t *testing.T, s store.Store) {
	const replicas = 8
	slot := change.Slot{Schedule: "digest", At: now()}
	var ran atomic.Int32
	var g errgroup.Group
	for range replicas {
		g.Go(func() error {
			d := digest("anna", "2026-W47", "k7f3")
			done, err := s.Commit(t.Context(), tenant, change.Set{
				Slot: &slot, Digests: []memory.Digest{d}, Audit: []change.Audit{audited(d.ID)},
				Events: []change.Event{recorded("mem_1")},
			}, store.InboxKey{})
			if err == nil && !done {
				ran.Add(1)
			}
			return err
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	digests, err := s.Digests(t.Context(), tenant, "", 0)
	waiting, errO := s.Unpublished(t.Context(), 10)
	if err := errors.Join(err, errO); err != nil || ran.Load() != 1 || len(digests) != 1 || len(waiting) != 1 {
		t.Errorf("%d replicas ran the slot, %d digests, %d events, %v; want one of each", ran.Load(), len(digests), len(waiting), err)
	}
}

// A replica that fails leaves the slot to the next.
func testSlotFailure(t *testing.T, s store.Store) {
	d, slot := digest("anna", "2026-W47", "k7f3"), change.Slot{Schedule: "digest", At: now()}
	spoiled := d
	spoiled.Text = "a\x00b"
	_, err := s.Commit(t.Context(), tenant, change.Set{Slot: &slot, Digests: []memory.Digest{spoiled}}, store.InboxKey{})
	wantError(t, err, store.ErrInvalid)
	mustCommit(t, s, change.Set{Slot: &slot, Digests: []memory.Digest{d}})
}

// Retention deletes slots like inbox keys, except the latest slot of a schedule.
func testSlotRetention(t *testing.T, s store.Store) {
	slots := []time.Time{now().Add(-2 * time.Hour), now().Add(-time.Hour), now()}
	for _, at := range slots {
		mustCommit(t, s, change.Set{Slot: &change.Slot{Schedule: "digest", At: at}})
	}
	for _, c := range []struct {
		keep time.Duration
		want int64
	}{{0, 0}, {time.Hour, 0}, {time.Microsecond, 2}, {time.Microsecond, 0}} {
		n, err := s.Sweep(t.Context(), store.Retention{Inbox: c.keep})
		if err != nil || n["schedule_runs"] != c.want {
			t.Errorf("kept for %v: %v, %v; want %d", c.keep, n, err, c.want)
		}
	}
	same(t, slots[2])(s.LastSlot(t.Context(), tenant, "digest"))
}

// A name has one lease holder. Other names and the relay are independent.
func testLeaseByName(t *testing.T, s store.Store) {
	held, err := s.Lease(t.Context(), "vault/default")
	if err != nil {
		t.Fatal(err)
	}
	for name, take := range map[string]func(context.Context) (store.Lease, error){
		"another name": func(ctx context.Context) (store.Lease, error) { return s.Lease(ctx, "vault/acme") },
		"the relay":    s.Lead,
	} {
		if l, err := take(t.Context()); err != nil {
			t.Errorf("%s: %v", name, err)
		} else {
			l.Release()
		}
	}
	again := func(ctx context.Context) (store.Lease, error) { return s.Lease(ctx, "vault/default") }
	handsOver(t, held, again)
}

// handsOver checks that acquire obeys its context, and returns the lease after the
// holder's Release.
func handsOver(t *testing.T, held store.Lease, acquire func(context.Context) (store.Lease, error)) {
	t.Helper()
	brief, cancel := context.WithCancel(t.Context())
	var g errgroup.Group
	g.Go(func() error {
		if _, err := acquire(brief); !errors.Is(err, context.Canceled) {
			return errors.Join(errors.New("want the context's end"), err)
		}
		return nil
	})
	cancel()
	if err := g.Wait(); err != nil {
		t.Error(err)
	}
	next := make(chan store.Lease, 1)
	g.Go(func() error {
		l, err := acquire(t.Context())
		next <- l
		return err
	})
	select {
	case <-held.Lost():
		t.Error("lost without a reason")
	default:
	}
	held.Release()
	held.Release()
	if l := <-next; l != nil {
		l.Release()
	}
	if err := g.Wait(); err != nil {
		t.Error(err)
	}
}
