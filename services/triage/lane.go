package triage

import (
	"fmt"

	"github.com/winnowhq/winnow/services/internal/judge"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// laneKey names a lane. A scope may have two: the whole one, and a narrow one
// while that is not there.
type laneKey struct {
	tenant memory.Tenant
	scope  memory.Scope
	narrow bool // holds what is new, open or settled; the index is asked for the rest
}

// cachedLane is a lane with what the cache knows of it. The lane itself belongs
// to its loader, then to the batch that judges; the rest to the cache's lock.
type cachedLane struct {
	*judge.Lane
	key      laneKey
	registry int64    // the registry version that it was made with
	guests   []string // rows that the index named for the batch that judges

	cached bool
	fresh  bool // loaded for events that are on their way back, and not used yet
	pins   int  // batches that will judge in it
	broken bool // holds verdicts that never came into force
	size   int  // bytes that the cache counts it for
	used   int64
}

// configure makes the lane follow the registry. It is the costly part of a change
// in the registry: the lines of boot files are analysed.
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

// apply brings rows that changed into the lane, and takes out those that left.
func (l *cachedLane) apply(rows *store.LaneRows) { l.applyBeside(rows, func() {}) }

// applyBeside is apply that lets others go first after each row.
func (l *cachedLane) applyBeside(rows *store.LaneRows, yield func()) {
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

// invite brings rows into the lane for one batch.
func (l *cachedLane) invite(rows *store.LaneRows) {
	for _, m := range rows.Memories {
		if !l.Has(m.ID) {
			l.guests = append(l.guests, m.ID)
		}
	}
	for _, p := range rows.Proposals {
		if !l.Has(p.ID) {
			l.guests = append(l.guests, p.ID)
		}
	}
	l.apply(rows)
}

// dismiss takes out what was invited: the lane of a scope of any size stays
// small.
func (l *cachedLane) dismiss() {
	for _, id := range l.guests {
		l.Remove(id)
	}
	l.guests = l.guests[:0]
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

// retiredTerms are the terms that are retired in a scope.
func retiredTerms(registry []memory.Retired, scope memory.Scope) []string {
	var out []string
	for _, r := range registry {
		if r.Scope == "" || r.Scope == scope {
			out = append(out, r.Term)
		}
	}
	return out
}
