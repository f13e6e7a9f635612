package triage

import (
	"context"
	"fmt"
	"sync"

	"github.com/winnowhq/winnow/services/internal/judge"
	"github.com/winnowhq/winnow/services/internal/judge/wording"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// maxCachedRows bounds how many stored texts one process keeps analysed, about
// 3 kB each, of which 1 kB is the vector. Lanes that were not used for longest go first; a lane that is
// asked for again is read anew.
const maxCachedRows = 170_000

// laneCache remembers lanes between batches, so that a batch reads only what
// changed since. It is right because a lane is used only under its scope's lock
// and brought to the locked version first. Safe for concurrent use: one batch
// at a time holds it, which costs nothing, as commits of one process are
// sequential.
type laneCache struct {
	mu       sync.Mutex
	policies *policies
	analyzer *wording.Analyzer
	newID    func(prefix string) string

	lanes    map[laneKey]*cachedLane
	registry map[memory.Tenant]store.Registry
	kept     map[keptPolicy]bool // versions that the store has for replays
	clock    int64               // of uses
}

type laneKey struct {
	tenant memory.Tenant
	scope  memory.Scope
}

type keptPolicy struct {
	tenant  memory.Tenant
	version string
}

type cachedLane struct {
	*judge.Lane
	registry int64 // the registry version that it was made with
	used     int64
}

func newLaneCache(p *policies, a *wording.Analyzer, newID func(string) string) *laneCache {
	return &laneCache{
		policies: p, analyzer: a, newID: newID,
		lanes: make(map[laneKey]*cachedLane), registry: make(map[memory.Tenant]store.Registry),
		kept: make(map[keptPolicy]bool),
	}
}

// heldLanes are the lanes of one batch, exact under their locks.
type heldLanes struct {
	cache  *laneCache
	tenant memory.Tenant
	scopes []memory.Scope
}

// hold brings the lanes of the scopes up to date and keeps the cache until
// release.
func (c *laneCache) hold(ctx context.Context, tenant memory.Tenant, scopes []memory.Scope, view store.LaneView) (*heldLanes, error) {
	c.mu.Lock()
	h := &heldLanes{cache: c, tenant: tenant, scopes: scopes}
	if err := c.refresh(ctx, h, view); err != nil {
		h.release(false)
		return nil, err
	}
	return h, nil
}

func (c *laneCache) refresh(ctx context.Context, h *heldLanes, view store.LaneView) error {
	registry, err := view.Registry(ctx, c.registry[h.tenant].Version)
	if err != nil {
		return fmt.Errorf("read registry: %w", err)
	}
	if known, ok := c.registry[h.tenant]; !ok || known.Version != registry.Version {
		c.registry[h.tenant] = registry
	}
	registry = c.registry[h.tenant]

	since := make(map[memory.Scope]int64, len(h.scopes))
	for _, scope := range h.scopes {
		since[scope] = 0
		if l := c.lanes[laneKey{h.tenant, scope}]; l != nil {
			since[scope] = l.Version()
		}
	}
	news, err := view.Lanes(ctx, since)
	if err != nil {
		return fmt.Errorf("read lanes: %w", err)
	}
	for i := range news {
		if err := c.bring(h.tenant, &news[i], registry); err != nil {
			return err
		}
	}
	return nil
}

// bring applies the news of one scope to its lane.
func (c *laneCache) bring(tenant memory.Tenant, rows *store.LaneRows, registry store.Registry) error {
	key := laneKey{tenant, rows.Scope}
	l := c.lanes[key]
	if l == nil {
		policy, err := c.policies.of(rows.Scope.Kind(), registry.Policies)
		if err != nil {
			return fmt.Errorf("scope %s: %w", rows.Scope, err)
		}
		l = &cachedLane{registry: -1, Lane: judge.NewLane(judge.LaneConfig{
			Tenant: tenant, Scope: rows.Scope, Policy: policy, Similarity: judge.SimilarityOf(c.analyzer), Analyzer: c.analyzer, NewID: c.newID,
		})}
		c.lanes[key] = l
	}
	if l.registry != registry.Version {
		policy, err := c.policies.of(rows.Scope.Kind(), registry.Policies)
		if err != nil {
			return fmt.Errorf("scope %s: %w", rows.Scope, err)
		}
		l.SetPolicy(policy)
		l.SetRulesOff(registry.RulesOff)
		l.SetRetired(RetiredTerms(registry.Retired, rows.Scope))
		l.SetBoot(bootFilesOf(registry.BootFiles, rows.Scope))
		l.registry = registry.Version
	}
	l.apply(rows)
	c.clock++
	l.used = c.clock
	return nil
}

// apply brings rows that changed into the lane, and takes out those that left.
func (l *cachedLane) apply(rows *store.LaneRows) {
	for _, m := range rows.Memories {
		if m.State == memory.StateActive {
			l.Upsert(judge.EntryOfMemory(m, rows.Witnesses[m.ID]))
		} else {
			l.Remove(m.ID)
		}
	}
	for _, p := range rows.Proposals {
		settled, isSettled := rows.Settled[p.ID]
		switch {
		case isSettled:
			p.CreatedAt = settled.When()
			l.Upsert(judge.EntryOfProposal(p, memory.RoleSettled, nil))
		case p.State.Open():
			l.Upsert(judge.EntryOfProposal(p, memory.RoleOpen, rows.Witnesses[p.ID]))
		default:
			l.Remove(p.ID)
		}
	}
	l.SetVersion(rows.Version)
}

// bootFilesOf picks the boot files that agents of a scope load.
func bootFilesOf(files []memory.BootFile, scope memory.Scope) []memory.BootFile {
	var out []memory.BootFile
	for _, f := range files {
		if f.Scope == "" || f.Scope == scope {
			out = append(out, f)
		}
	}
	return out
}

// RetiredTerms are the terms that are retired in a scope.
func RetiredTerms(registry []memory.Retired, scope memory.Scope) []string {
	var out []string
	for _, r := range registry {
		if r.Scope == "" || r.Scope == scope {
			out = append(out, r.Term)
		}
	}
	return out
}

// newPolicies are the policies of the held lanes whose text the store may not
// have yet. A decision can be derived again only with the text it was made by.
func (h *heldLanes) newPolicies() []change.Policy {
	var out []change.Policy
	seen := make(map[string]bool)
	for _, scope := range h.scopes {
		p := h.lane(scope).Policy()
		if !seen[p.Version()] && !h.cache.kept[keptPolicy{h.tenant, p.Version()}] {
			seen[p.Version()] = true
			out = append(out, change.Policy{Name: p.Name, Version: p.Version(), Text: p.Text()})
		}
	}
	return out
}

func (h *heldLanes) lane(scope memory.Scope) *judge.Lane {
	return h.cache.lanes[laneKey{h.tenant, scope}].Lane
}

// release gives the cache back. A committed batch moved each lane to the
// version that its commit gave the scope; any other leaves lanes that must not
// be trusted.
func (h *heldLanes) release(committed bool) {
	defer h.cache.mu.Unlock()
	for _, scope := range h.scopes {
		key := laneKey{h.tenant, scope}
		l := h.cache.lanes[key]
		switch {
		case l == nil:
		case committed:
			l.SetVersion(l.Version() + 1)
			h.cache.kept[keptPolicy{h.tenant, l.Policy().Version()}] = true
		default:
			delete(h.cache.lanes, key)
		}
	}
	h.cache.evict()
}

// evict forgets the lanes that were not used for longest until the rest fits.
func (c *laneCache) evict() {
	total := 0
	for _, l := range c.lanes {
		total += l.Len()
	}
	for total > maxCachedRows && len(c.lanes) > 1 {
		var oldest laneKey
		var used int64
		for key, l := range c.lanes {
			if used == 0 || l.used < used {
				oldest, used = key, l.used
			}
		}
		total -= c.lanes[oldest].Len()
		delete(c.lanes, oldest)
	}
}

// policies picks the policy of a kind of scope.
type policies struct {
	chosen map[memory.ScopeKind]*judge.Policy // by configuration
	parsed map[string]*judge.Policy           // stored ones by version
}

func newPolicies(names map[memory.ScopeKind]string) (*policies, error) {
	p := &policies{chosen: make(map[memory.ScopeKind]*judge.Policy), parsed: make(map[string]*judge.Policy)}
	for _, kind := range []memory.ScopeKind{memory.ScopeUser, memory.ScopeProject, memory.ScopeTeam, memory.ScopeOrg} {
		name := names[kind]
		if name == "" {
			name = judge.DefaultPolicyName(kind)
		}
		policy, _, err := judge.ShippedPolicy(name)
		if err != nil {
			return nil, fmt.Errorf("policy for %s scopes: %w", kind, err)
		}
		p.chosen[kind] = policy
	}
	return p, nil
}

// of is the policy in force: the one activated in the store, else the
// configured one. Called under the cache's lock.
func (p *policies) of(kind memory.ScopeKind, stored map[memory.ScopeKind]change.Policy) (*judge.Policy, error) {
	row, ok := stored[kind]
	if !ok {
		return p.chosen[kind], nil
	}
	if policy := p.parsed[row.Version]; policy != nil {
		return policy, nil
	}
	policy, err := judge.ParsePolicy([]byte(row.Text))
	if err != nil {
		return nil, fmt.Errorf("stored policy %s %s: %w", row.Name, row.Version, err)
	}
	p.parsed[row.Version] = policy
	return policy, nil
}
