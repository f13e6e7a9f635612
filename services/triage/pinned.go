package triage

import (
	"context"
	"fmt"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// pinnedLanes are the lanes of one batch: pinned by its preparation, and exact under
// the locks of their scopes.
type pinnedLanes struct {
	cache       *laneCache
	tenant      memory.Tenant
	lanes       map[memory.Scope]*cachedLane
	unavailable map[memory.Scope]error // why a scope has no lane for now
	judged      []*cachedLane          // refreshed lanes, which verdicts may have changed
	exclusive   bool                   // holds cache.judging
}

// refresh brings the lanes of the scopes to the locked version and excludes other
// batches until release. named has what the index named, by scope. The error is
// ErrConflict when another batch broke a lane meanwhile.
func (h *pinnedLanes) refresh(ctx context.Context, scopes []memory.Scope, view store.LaneView, named map[memory.Scope]*candidates) error {
	c := h.cache
	c.judging.Lock()
	h.exclusive = true
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
		if a := named[news[i].Scope]; a != nil && l.key.narrow {
			rows, err := view.Rows(ctx, news[i].Scope, a.missing(l), a.hashes)
			if err != nil {
				return fmt.Errorf("read rows of a lane: %w", err)
			}
			l.addTransient(&rows)
		}
	}
	// All rows so far are committed; the verdicts that follow are not.
	h.judged = lanes
	return nil
}

// registry returns the tenant's registry as it is under the lock.
func (h *pinnedLanes) registry(ctx context.Context, view store.LaneView) (store.Registry, error) {
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

// newPolicies returns the policies of the judged lanes whose text the store may not
// have yet. A replay needs the text by which the decision was made.
func (h *pinnedLanes) newPolicies() []change.Policy {
	h.cache.mu.Lock()
	defer h.cache.mu.Unlock()
	var out []change.Policy
	seen := make(map[string]bool)
	for _, l := range h.judged {
		p := l.Policy()
		if !seen[p.Version()] && !h.cache.storedPolicies[policyKey{h.tenant, p.Version()}] {
			seen[p.Version()] = true
			out = append(out, change.Policy{Name: p.Name, Version: p.Version(), Text: p.Text()})
		}
	}
	return out
}

// release unpins the lanes. A commit moved each judged lane to the version that it
// gave the scope. Without a commit the judged lanes are marked broken.
func (h *pinnedLanes) release(committed bool) {
	c := h.cache
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, l := range h.judged {
		if committed {
			l.SetVersion(l.Version() + 1)
			c.storedPolicies[policyKey{h.tenant, l.Policy().Version()}] = true
		} else {
			l.broken = true
		}
	}
	for _, l := range h.lanes {
		if h.exclusive {
			l.removeTransient()
		}
		c.unpin(l, h.exclusive)
	}
	c.evict()
	c.metrics.setCached(c.cached.Len(), c.bytes)
	if h.exclusive {
		c.judging.Unlock()
	}
}
