package digest_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/digest"
	"github.com/winnowhq/winnow/services/internal/bus/natstest"
	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
	pure "github.com/winnowhq/winnow/services/internal/review/page"
	"github.com/winnowhq/winnow/services/internal/schedule"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/store/postgres"
	"github.com/winnowhq/winnow/services/internal/store/postgres/pgtest"
	"github.com/winnowhq/winnow/services/internal/worker"
	"github.com/winnowhq/winnow/services/internal/worker/workertest"
)

// replicas are three replicas' clocks over one store.
type replicas struct {
	*testing.T
	watch
	store store.Store // of the test
	deps  [3]worker.Deps
	look  func(context.Context, worker.Deps) error
}

func newReplicas(t *testing.T, adjust func(*digest.Config), tenants ...memory.Tenant) *replicas {
	t.Helper()
	r := &replicas{T: t, look: digest.Look}
	db, out := pgtest.New(t), natstest.New(t)
	r.store = db.Store
	if err := postgres.Provision(t.Context(), db.URL, postgres.Options{Tenants: tenants}); err != nil {
		t.Fatal(err)
	}
	for i := range r.deps {
		r.deps[i] = workertest.Deps(t, out, db.As(t, "digest"))
		r.deps[i].Now = r.now
		if adjust != nil {
			digest.Settings.Change(&r.deps[i].Settings, adjust)
		}
	}
	return r
}

// at lets all replicas check at once, twice, and returns what is due: tenant, reviewer
// and slot of each event since the start.
func (r *replicas) at(now time.Time) map[string]int {
	r.Helper()
	r.set(now)
	for range 2 {
		var g errgroup.Group
		for _, deps := range r.deps {
			g.Go(func() error { return r.look(r.Context(), deps) })
		}
		if err := g.Wait(); err != nil {
			r.Fatal(err)
		}
	}
	rows, err := r.deps[0].Store.Unpublished(r.Context(), 1000)
	if err != nil {
		r.Fatal(err)
	}
	due := map[string]int{}
	for _, row := range rows {
		var msg winnowv1.DigestDue
		env, err := event.Parse(row.Subject, row.Header, row.Data, "")
		if err == nil {
			err = event.Unmarshal(env, &msg)
		}
		if err != nil || row.Subject != event.SubjectDigestDue || env.Tenant != row.Tenant {
			r.Fatalf("told %s of %s, %v", row.Subject, row.Tenant, err)
		}
		due[fmt.Sprintf("%s %s %s", row.Tenant, msg.GetReviewer(), msg.GetSlot())]++
	}
	return due
}

func (r *replicas) want(now time.Time, want ...string) {
	r.Helper()
	got := r.at(now)
	if len(got) != len(want) {
		r.Errorf("at %s: %v are due, want %v", now, got, want)
	}
	for _, w := range want {
		if got[w] != 1 {
			r.Errorf("at %s: %q is due %d times in %v, want once", now, w, got[w], got)
		}
	}
}

// S3.26, SPEC §4: a slot runs once, by any replica; missed slots run once and late; a
// tenant's schedule begins when the tenant is first seen.
func TestOneSlotOnce(t *testing.T) {
	t.Parallel()
	r := newReplicas(t, nil)
	r.want(monday.Add(-time.Hour))
	r.want(monday.Add(-time.Microsecond))
	first := "default local 2026-W48"
	r.want(monday, first)
	r.want(monday.Add(6*24*time.Hour), first)
	// No replica ran for three Mondays.
	late := "default local 2026-W51"
	r.want(monday.Add(3*week+5*time.Hour), first, late)
	r.want(monday.Add(4*week), first, late, "default local 2026-W52")
	// A clock that goes back repeats nothing.
	r.want(monday.Add(week), first, late, "default local 2026-W52")
}

// Two reviewers of two tenants: each gets a digest, and one tenant's registry does not
// affect the other.
func TestDueForEachTenantAndReviewer(t *testing.T) {
	t.Parallel()
	r := newReplicas(t, nil, acme)
	if _, err := r.store.Commit(t.Context(), acme, change.Set{Reviewers: []memory.Reviewer{
		{Principal: "zoe"}, {Principal: "yan", Scope: shop}, {Principal: "yan", Scope: blog},
	}}, store.InboxKey{}); err != nil {
		t.Fatal(err)
	}
	r.want(monday.Add(-time.Hour))
	r.want(monday.Add(time.Second), "default local 2026-W48", "acme zoe 2026-W48", "acme yan 2026-W48")
}

// Without a reviewer there is no due event.
func TestNoReviewerNoDigest(t *testing.T) {
	t.Parallel()
	r := newReplicas(t, nil)
	r.look = digest.LookForNobody
	r.want(monday.Add(-time.Hour))
	r.want(monday)
}

// D8: nine o'clock in Berlin is nine o'clock before and after daylight saving changes;
// a skipped time runs late, a repeated one runs once.
func TestDaylightSaving(t *testing.T) {
	t.Parallel()
	berlin := func(c *digest.Config) { c.Zone = "Europe/Berlin" }
	r := newReplicas(t, berlin)
	r.want(time.Date(2026, 10, 18, 0, 0, 0, 0, time.UTC))
	summer := time.Date(2026, 10, 19, 7, 0, 0, 0, time.UTC) // CEST
	r.want(summer.Add(-time.Second))
	r.want(summer, "default local 2026-W43")
	winter := time.Date(2026, 10, 26, 8, 0, 0, 0, time.UTC) // CET since the night before
	r.want(winter.Add(-time.Second), "default local 2026-W43")
	r.want(winter, "default local 2026-W43", "default local 2026-W44")

	night := newReplicas(t, func(c *digest.Config) { berlin(c); c.Schedule = "30 2 * * *" })
	night.want(time.Date(2026, 3, 28, 12, 0, 0, 0, time.UTC))
	// 02:30 does not exist on 29 March: it is 03:30 CEST.
	night.want(time.Date(2026, 3, 29, 1, 29, 59, 0, time.UTC))
	night.want(time.Date(2026, 3, 29, 1, 30, 0, 0, time.UTC), "default local 2026-03-29T03:30+02:00")

	twice := newReplicas(t, func(c *digest.Config) { berlin(c); c.Schedule = "30 2 * * *" })
	twice.want(time.Date(2026, 10, 24, 12, 0, 0, 0, time.UTC))
	once := "default local 2026-10-25T02:30+01:00"
	twice.want(time.Date(2026, 10, 25, 1, 30, 0, 0, time.UTC), once)
	twice.want(time.Date(2026, 10, 25, 12, 0, 0, 0, time.UTC), once)
}

// One digest for each slot and reviewer is a constraint of the store: two slots of one
// name would conflict.
func TestSlotsHaveNamesOfTheirOwn(t *testing.T) {
	t.Parallel()
	for _, rule := range []string{
		"0 9 * * 1", "0 9 * * MON", "30 2 * * 0", "0 9 * * *", "*/5 * * * *", "0 9 1 * *", "0 9 1 * 1", "0 9,17 * * 1", "0 9 * * 1-5",
		"0 0 9 * * 1", "*/10 * * * * *", "15,45 0 9 * * 1", "* * 2 * * *",
	} {
		s, err := schedule.New(rule, "Europe/Berlin")
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]time.Time{}
		// Across both changes to and from daylight saving.
		for _, at := range []time.Time{time.Date(2026, 3, 28, 12, 0, 0, 0, time.UTC), time.Date(2026, 10, 24, 12, 0, 0, 0, time.UTC)} {
			for range 2000 {
				if at = s.Next(at); at.IsZero() {
					t.Fatalf("%s: no slot", rule)
				}
				name := pure.SlotName(rule, at, s.Location())
				if other, is := seen[name]; is && !other.Equal(at) {
					t.Fatalf("%s: %s is the name of %s and of %s", rule, name, other, at)
				}
				seen[name] = at
			}
		}
	}
}
