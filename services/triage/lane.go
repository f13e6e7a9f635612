package triage

import (
	"fmt"

	"github.com/winnowhq/winnow/services/internal/judge"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// laneKey identifies a cached lane. A large scope may have two: the whole lane, and a
// narrow one that is used until the whole lane is loaded.
type laneKey struct {
	tenant memory.Tenant
	scope  memory.Scope
	narrow bool // holds new, open and settled texts; the index names the others
}

// cachedLane is a lane with its state in the cache. The lane belongs to its loader,
// and then to the batch that judges. The other fields are guarded by laneCache.mu.
type cachedLane struct {
	*judge.Lane
	key       laneKey
	registry  int64    // version of the registry that the lane is configured by
	transient []string // ids of rows that the index named, for the current batch only

	cached bool
	fresh  bool  // loaded for snoozed events and not used yet
	pins   int   // batches that use the lane
	broken bool  // holds verdicts that never took effect
	size   int   // bytes, as counted by the cache
	used   int64 // laneCache.clock at the last use
}

// configure applies the registry to the lane. It is the costly part of a change in
// the registry: it analyses the lines of boot files.
func (l *cachedLane) configure(p *policies, registry store.Registry) error {
	if l.registry == registry.Version {
		return nil
	}
	policy, err := p.of(l.key.scope.Kind(), registry.Policies)
	if err != nil {
		return fmt.Errorf("scope %s: %w", l.key.scope, err)
	}
	l.SetPolicy(policy)
	l.SetRulesOff(registry.RulesOff)
	l.SetRetired(retiredTerms(registry.Retired, l.key.scope))
	l.SetBoot(bootFilesOf(registry.BootFiles, l.key.scope))
	l.registry = registry.Version
	return nil
}

// apply adds changed rows to the lane and removes rows that left the scope.
func (l *cachedLane) apply(rows *store.LaneRows) { l.applyYielding(rows, func() {}) }

// applyYielding is apply with a call of yield after each row.
func (l *cachedLane) applyYielding(rows *store.LaneRows, yield func()) {
	for _, m := range rows.Memories {
		if m.State == memory.StateActive {
			l.Upsert(judge.EntryOfMemory(m, rows.Witnesses[m.ID]))
		} else {
			l.Remove(m.ID)
		}
		yield()
	}
	for _, p := range rows.Proposals {
		settled, isSettled := rows.Settled[p.ID]
		switch {
		case p.Offer():
			// Neither a waiting twin nor a text that a person said no to: the no was to
			// the merge.
			l.Remove(p.ID)
		case isSettled:
			p.CreatedAt = settled.When()
			l.Upsert(judge.EntryOfProposal(p, memory.RoleSettled, nil))
		case p.State.Open():
			l.Upsert(judge.EntryOfProposal(p, memory.RoleOpen, rows.Witnesses[p.ID]))
		default:
			l.Remove(p.ID)
		}
		yield()
	}
}

// addTransient adds rows to the lane for one batch.
func (l *cachedLane) addTransient(rows *store.LaneRows) {
	for _, m := range rows.Memories {
		if !l.Has(m.ID) {
			l.transient = append(l.transient, m.ID)
		}
	}
	for _, p := range rows.Proposals {
		if !l.Has(p.ID) {
			l.transient = append(l.transient, p.ID)
		}
	}
	l.apply(rows)
}

// removeTransient removes the rows that addTransient added, so that a narrow lane
// stays small.
func (l *cachedLane) removeTransient() {
	for _, id := range l.transient {
		l.Remove(id)
	}
	l.transient = l.transient[:0]
}

// bootFilesOf returns the boot files that agents of a scope load.
func bootFilesOf(files []memory.BootFile, scope memory.Scope) []memory.BootFile {
	var out []memory.BootFile
	for _, f := range files {
		if f.Scope == "" || f.Scope == scope {
			out = append(out, f)
		}
	}
	return out
}

// retiredTerms returns the terms that are retired in a scope.
func retiredTerms(registry []memory.Retired, scope memory.Scope) []string {
	var out []string
	for _, r := range registry {
		if r.Scope == "" || r.Scope == scope {
			out = append(out, r.Term)
		}
	}
	return out
}
