package index_test

import (
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/index"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/store/postgres"
	"github.com/winnowhq/winnow/services/relay"
)

// SPEC §13: a burst of decisions in several scopes causes at most one commit for each
// scope and second. The trailers count every decision once, also decisions that were
// made early and committed late.
func TestBurst(t *testing.T) {
	t.Parallel()
	r := setupFleet(t, relay.Definition, index.Definition)
	scopes := []memory.Scope{"project:a", "project:b", "team:c"}
	var writers sync.WaitGroup
	const each, rounds = 3, 12
	for _, scope := range scopes {
		for w := range each {
			writers.Add(1)
			go func() {
				defer writers.Done()
				// Made before the other decisions and committed after them.
				late, _ := promoted(scope, memory.KindFact, "Notes", fmt.Sprintf("Late fact of writer %d.", w))
				for i := range rounds {
					set, _ := promoted(scope, memory.KindFact, "Notes", fmt.Sprintf("Fact %d of writer %d.", i, w), fmt.Sprintf("Detail %d of writer %d.", i, w))
					if _, err := r.store.Commit(t.Context(), tenant, set, store.InboxKey{}); err != nil {
						t.Error(err)
					}
					time.Sleep(100 * time.Millisecond) // spreads the burst over seconds; no check depends on it
				}
				if _, err := r.store.Commit(t.Context(), tenant, late, store.InboxKey{}); err != nil {
					t.Error(err)
				}
				r.deps.Publisher.Wake()
			}()
		}
	}
	writers.Wait()
	for _, scope := range scopes {
		r.promote(scope, "The end.") // so that the last trailer counts all decisions
		r.await(fmt.Sprintf("%s shows everything", scope), func() bool {
			for w := range each {
				if !r.shows(scope, "The end.") || !r.shows(scope, fmt.Sprintf("Late fact of writer %d.", w)) || !r.shows(scope, fmt.Sprintf("Fact %d of writer %d.", rounds-1, w)) {
					return false
				}
			}
			return r.rendered(scope)
		})
		r.checkHistory(scope, each*(2*rounds+1)+1)
	}
}

// checkHistory checks a scope's renderings: at most one in a second, increasing
// versions, and trailers that partition the decisions.
func (r *rig) checkHistory(scope memory.Scope, decisions int) {
	r.Helper()
	var at time.Time
	var version, counted int64
	commits := 0
	for _, e := range r.log(scope) {
		if e.Hand {
			continue
		}
		commits++
		if !e.At.After(at) {
			r.Errorf("%s: two commits at %v", scope, at)
		}
		at = e.At
		if e.Trailer.Version <= version {
			r.Errorf("%s: version %d after %d", scope, e.Trailer.Version, version)
		}
		span, err := r.store.DecisionSpan(r.Context(), tenant, scope, version, e.Trailer.Version)
		if err != nil || span.Count != e.Trailer.Decisions || span.First != e.Trailer.First || span.Last != e.Trailer.Last {
			r.Errorf("%s: trailer %+v, the store says %+v, %v", scope, e.Trailer, span, err)
		}
		version = e.Trailer.Version
		counted += int64(e.Trailer.Decisions)
	}
	if int(counted) != decisions {
		r.Errorf("%s: %d commits count %d decisions, want %d", scope, commits, counted, decisions)
	}
}

// Promise 8 (SPEC §16): every tenant has a repository of its own.
func TestTenantsHaveTheirOwn(t *testing.T) {
	t.Parallel()
	r := setup(t)
	const other = memory.Tenant("other")
	if err := postgres.Provision(t.Context(), r.db.URL, postgres.Options{Tenants: []memory.Tenant{other}}); err != nil {
		t.Fatal(err)
	}
	mine, _ := promoted(shop, memory.KindFact, "Notes", "The default tenant sells shoes.")
	theirs, _ := promoted(shop, memory.KindFact, "Notes", "The other tenant sells hats.")
	r.commit(tenant, mine)
	r.commit(other, theirs)
	r.step()
	v, err := r.deps.Vault(other)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ dir, has, lacks string }{
		{r.vault().Dir(), "shoes", "hats"}, {v.Dir(), "hats", "shoes"},
	} {
		if filepath.Dir(c.dir) != r.root {
			t.Errorf("%s is not in %s", c.dir, r.root)
		}
		if hits := grep(t, c.dir, c.has); hits == 0 {
			t.Errorf("%s lacks %q", c.dir, c.has)
		}
		if hits := grep(t, c.dir, c.lacks); hits > 0 {
			t.Errorf("%s has %q", c.dir, c.lacks)
		}
	}
	// An edit of one tenant's people changes that tenant only.
	r.replace(shop, "shoes", "boots")
	r.until("the edit is done", func() bool { return r.shows(shop, "The default tenant sells boots.") && r.noUnread() })
	list, err := r.store.Memories(t.Context(), other, store.MemoryQuery{Scope: shop})
	if err != nil || len(list) != 1 || list[0].State != memory.StateActive {
		t.Errorf("the other tenant has %+v, %v", list, err)
	}
}

// An unusable folder of one tenant does not stop the others.
func TestTenantDoesNotHoldUpOthers(t *testing.T) {
	t.Parallel()
	r := setup(t)
	const other = memory.Tenant("other")
	if err := postgres.Provision(t.Context(), r.db.URL, postgres.Options{Tenants: []memory.Tenant{other}}); err != nil {
		t.Fatal(err)
	}
	r.blockWithFile(filepath.Join(r.root, string(other)))
	theirs, _ := promoted(shop, memory.KindFact, "Notes", "The other tenant sells hats.")
	r.commit(other, theirs)
	r.promote(shop, pool)
	r.await("the default tenant has its file", func() bool {
		if err := r.tryStep(t.Context()); err == nil {
			t.Error("nothing was wrong")
		}
		return r.shows(shop, pool)
	})
}
