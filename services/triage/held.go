package triage

import (
	"context"
	"fmt"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// heldLanes are the lanes of one batch: pinned from its preparation on, exact
// under their locks.
type heldLanes struct {
	cache  *laneCache
	tenant memory.Tenant
	lanes  map[memory.Scope]*cachedLane
	later  map[memory.Scope]error // scopes without a lane for now, and why
	judged []*cachedLane          // what was brought up to date for verdicts
	alone  bool                   // keeps the other batches out
}

// refresh brings the lanes of the scopes to the locked version and keeps the other
// batches out until release. asked has what the index named, by scope.
// ErrConflict when another batch broke a lane meanwhile.
func (h *heldLanes) refresh(ctx context.Context, scopes []memory.Scope, view store.LaneView, asked map[memory.Scope]*asked) error {
	c := h.cache
	c.judging.Lock()
	h.alone = true
	since := make(map[memory.Scope]int64, len(scopes))
	lanes := make([]*cachedLane, 0, len(scopes))
	c.mu.Lock()
	for _, scope := range scopes {
		l := h.lanes[scope]
		if l.broken {
			c.mu.Unlock()
			return fmt.Errorf("lane of %s: %w", scope, store.ErrConflict)
		}
		since[scope] = l.Version()
		lanes = append(lanes, l)
	}
	c.mu.Unlock()
	registry, err := h.registry(ctx, view)
	if err != nil {
		return err
	}
	news, err := view.Lanes(ctx, since)
	if err != nil {
		return fmt.Errorf("read lanes: %w", err)
	}
	for i := range news {
		l := h.lanes[news[i].Scope]
		if err := l.configure(c.policies, registry); err != nil {
			return err
		}
		l.apply(&news[i])
		l.SetVersion(news[i].Version)
		if a := asked[news[i].Scope]; a != nil && l.key.narrow {
			rows, err := view.Rows(ctx, news[i].Scope, a.missing(l), a.hashes)
			if err != nil {
				return fmt.Errorf("read rows of a lane: %w", err)
			}
			l.invite(&rows)
		}
	}
	// What came in so far is committed; from here on verdicts are not.
	h.judged = lanes
	return nil
}

// registry is the tenant's registry under the lock.
func (h *heldLanes) registry(ctx context.Context, view store.LaneView) (store.Registry, error) {
	c := h.cache
	c.mu.Lock()
	known, ok := c.registry[h.tenant]
	c.mu.Unlock()
	registry, err := view.Registry(ctx, known.Version)
	if err != nil {
		return registry, fmt.Errorf("read registry: %w", err)
	}
	if ok && known.Version == registry.Version {
		return known, nil
	}
	c.sawRegistry(h.tenant, registry)
	return registry, nil
}

// newPolicies are the policies of the judged lanes whose text the store may not
// have yet. A decision can be derived again only with the text it was made by.
func (h *heldLanes) newPolicies() []change.Policy {
	h.cache.mu.Lock()
	defer h.cache.mu.Unlock()
	var out []change.Policy
	seen := make(map[string]bool)
	for _, l := range h.judged {
		p := l.Policy()
		if !seen[p.Version()] && !h.cache.kept[keptPolicy{h.tenant, p.Version()}] {
			seen[p.Version()] = true
			out = append(out, change.Policy{Name: p.Name, Version: p.Version(), Text: p.Text()})
		}
	}
	return out
}

// release gives the lanes back. A committed batch moved each lane that it judged
// in to the version that its commit gave the scope; any other leaves lanes that
// must not be trusted.
func (h *heldLanes) release(committed bool) {
	c := h.cache
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, l := range h.judged {
		if committed {
			l.SetVersion(l.Version() + 1)
			c.kept[keptPolicy{h.tenant, l.Policy().Version()}] = true
		} else {
			l.broken = true
		}
	}
	for _, l := range h.lanes {
		if h.alone {
			l.dismiss()
		}
		c.unpin(l)
	}
	c.evict()
	c.metrics.remembers(c.held.Len(), c.bytes)
	if h.alone {
		c.judging.Unlock()
	}
}
