package postgres

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// Commit implements [store.Committer]. Commit creates the missing scopes of new
// rows.
func (s *Store) Commit(ctx context.Context, tenant memory.Tenant, set change.Set, inbox store.InboxKey) (done bool, err error) {
	if set.Empty() && inbox == (store.InboxKey{}) {
		return false, nil
	}
	defer s.forget(&set)
	operates := len(set.Principals)+len(set.Keys) > 0
	if operates {
		s = &Store{app: s.operator, relay: s.relay, operator: s.operator, full: s.full}
	}
	defer func() { _ = s.noted(err) }()
	tx, done, scopes, err := s.claimKey(ctx, tenant, set, inbox)
	if err != nil {
		if operates && denied(err) {
			return false, fmt.Errorf("change a principal or add a key: %w; set postgres.operator_url to a member of winnow_operator: %w", store.ErrNotOperator, err)
		}
		return false, mapError("claim", err)
	}
	defer tx.end()
	if done {
		return true, nil
	}
	var locked []lane
	// A session may be the first row of its scope, and belongs to no lane.
	create := slices.Concat(scopes, column(set.Sessions, func(s *memory.Session) memory.Scope { return s.Scope }), set.ScopesKnown)
	for _, l := range set.ScopeLinks {
		create = append(create, l.Scope, l.Parent)
	}
	if len(create) > 0 {
		slices.Sort(create)
		if locked, _, err = tx.lockLanes(ctx, scopes, slices.Compact(create)); err != nil {
			return false, mapError("lock lanes", err)
		}
	}
	w, err := newWriter(tenant, set, locked)
	if err != nil {
		return false, fmt.Errorf("commit: %w", err)
	}
	return false, mapError("commit", tx.commit(ctx, w))
}

// scopesOfRows finds the lanes of stored rows. The read needs no lock, because a
// row never changes its scope.
var scopesOfRows = `
select p.id, p.scope from unnest($2::text[]) as r (id) ` + byID("proposals", "$1", "r.id") + ` p
union all
select m.id, m.scope from unnest($3::text[]) as r (id) ` + byID("memories", "$1", "r.id") + ` m`

// claimSlot returns no row when the slot has run. The insert waits for another
// replica's open transaction that claims the same slot.
const claimSlot = `
insert into schedule_runs (tenant, schedule, slot) values ($1, $2, $3)
on conflict do nothing returning schedule`

// claimKey starts the transaction and claims the slot and the inbox key where they
// are given; done means that either was claimed before. claimKey also returns the
// scopes that the set touches, sorted. The error is ErrNotFound for an update of
// an unknown row.
func (s *Store) claimKey(ctx context.Context, tenant memory.Tenant, set change.Set, inbox store.InboxKey) (tx *transaction, done bool, scopes []memory.Scope, err error) {
	proposals := column(set.ProposalUpdates, func(u *change.ProposalUpdate) string { return u.ID })
	memories := column(set.MemoryUpdates, func(u *change.MemoryUpdate) string { return u.ID })
	known, scopes := newRows(set)
	tx, err = s.begin(ctx, tenant, func(b *pgx.Batch) {
		claimed := func(rows pgx.Rows) error {
			keys, err := pgx.CollectRows(rows, pgx.RowTo[string])
			done = done || len(keys) == 0
			return err
		}
		if set.Slot != nil {
			b.Queue(claimSlot, string(tenant), set.Slot.Schedule, stamp(set.Slot.At)).Query(claimed)
		}
		if inbox != (store.InboxKey{}) {
			b.Queue(claimKeys, string(tenant), inbox.Consumer, []string{inbox.Key}).Query(claimed)
		}
		if len(proposals)+len(memories) == 0 {
			return
		}
		b.Queue(scopesOfRows, string(tenant), proposals, memories).Query(func(rows pgx.Rows) error {
			var id string
			var scope memory.Scope
			_, err := pgx.ForEachRow(rows, []any{&id, &scope}, func() error {
				known[id] = true
				scopes = append(scopes, scope)
				return nil
			})
			return err
		})
	})
	if err != nil || done {
		return tx, done, nil, err
	}
	for _, id := range slices.Concat(proposals, memories) {
		if !known[id] {
			tx.end()
			return nil, false, nil, fmt.Errorf("%w: %s", store.ErrNotFound, id)
		}
	}
	slices.Sort(scopes)
	return tx, false, slices.Compact(scopes), nil
}

// newRows returns the ids and the scopes of the rows that the set adds.
func newRows(set change.Set) (ids map[string]bool, scopes []memory.Scope) {
	ids = map[string]bool{}
	add := func(id string, scope memory.Scope) {
		ids[id] = true
		scopes = append(scopes, scope)
	}
	for i := range set.Proposals {
		add(set.Proposals[i].ID, set.Proposals[i].Scope)
	}
	for i := range set.Memories {
		add(set.Memories[i].ID, set.Memories[i].Scope)
	}
	for i := range set.Decisions {
		add(set.Decisions[i].ID, set.Decisions[i].Scope)
	}
	for i := range set.Workflows {
		add(set.Workflows[i].ID, set.Workflows[i].Scope)
	}
	for i := range set.WorkflowUpdates {
		add(set.WorkflowUpdates[i].ID, set.WorkflowUpdates[i].Scope)
	}
	return ids, scopes
}
