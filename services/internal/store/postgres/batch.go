package postgres

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// CommitBatch implements [store.Lanes].
func (s *Store) CommitBatch(ctx context.Context, tenant memory.Tenant, b store.Batch, decide store.DecideFunc) (_ store.Committed, err error) {
	defer func() { _ = s.noted(err) }()
	if len(b.Items) == 0 {
		return store.Committed{}, nil
	}
	tx, fresh, err := s.claimItems(ctx, tenant, b)
	if err != nil {
		return store.Committed{}, mapError("claim batch", err)
	}
	defer tx.end()
	if len(fresh) == 0 {
		return store.Committed{}, nil
	}
	scopes := scopesOf(b.Items, fresh)
	create := scopes
	if b.RefuseUnknownScopes {
		create = nil
	}
	locked, registry, err := tx.lockLanes(ctx, scopes, create)
	if err != nil {
		return store.Committed{}, mapError("lock lanes", err)
	}
	set, err := decide(ctx, fresh, &laneView{tx: tx, locked: locked, registry: registry})
	if err != nil {
		return store.Committed{}, fmt.Errorf("decide batch: %w", err)
	}
	if set.Slot != nil || len(set.Sessions)+len(set.Judged) > 0 {
		return store.Committed{}, fmt.Errorf("write batch: %w: a batch claims no slot and takes no session in", store.ErrInvalid)
	}
	w, err := newWriter(tenant, set, locked)
	if err != nil {
		return store.Committed{}, fmt.Errorf("write batch: %w", err)
	}
	if err := tx.commit(ctx, w); err != nil {
		return store.Committed{}, mapError("write batch", err)
	}
	return store.Committed{Fresh: fresh, Versions: w.versions, AuditSeq: w.audit.seq}, nil
}

const claimKeys = `
insert into inbox (tenant, consumer, key) select $1, $2, unnest($3::text[])
on conflict do nothing returning key`

// claimItems starts the transaction and returns the items without an earlier
// claim, as sorted indexes. The keys are inserted in sorted order: an insert waits
// for another open transaction with the same key, and unsorted waits could
// deadlock.
func (s *Store) claimItems(ctx context.Context, tenant memory.Tenant, b store.Batch) (*transaction, []int, error) {
	index := make(map[string]int, len(b.Items))
	keys := make([]string, 0, len(b.Items))
	for i, item := range b.Items {
		if _, twice := index[item.Key]; !twice {
			index[item.Key] = i
			keys = append(keys, item.Key)
		}
	}
	slices.Sort(keys)

	var fresh []int
	tx, err := s.begin(ctx, tenant, func(batch *pgx.Batch) {
		batch.Queue(claimKeys, string(tenant), b.Consumer, keys).Query(func(rows pgx.Rows) error {
			claimed, err := pgx.CollectRows(rows, pgx.RowTo[string])
			for _, key := range claimed {
				fresh = append(fresh, index[key])
			}
			return err
		})
	})
	slices.Sort(fresh)
	return tx, fresh, err
}

func scopesOf(items []store.Item, fresh []int) []memory.Scope {
	scopes := make([]memory.Scope, len(fresh))
	for i, at := range fresh {
		scopes[i] = items[at].Scope
	}
	slices.Sort(scopes)
	return slices.Compact(scopes)
}

// lane is a scope with a row that this transaction has locked.
type lane struct {
	scope   memory.Scope
	version int64 // before the commit
}

const (
	createScopes = `
insert into scopes (tenant, id) select $1, unnest($2::text[]) on conflict do nothing`

	registryVersion = `
select coalesce((select version from registry_heads where tenant = $1), 0)`
)

// lockScopes locks the scopes one by one in the given (sorted) order. A lateral
// join guarantees that order in every plan. [byID] explains why one condition for
// all scopes is not used.
const lockScopes = `
select s.id, s.version from unnest($2::text[]) as r (id) cross join lateral (
	select t.id, t.version from scopes t where t.tenant = $1 and t.id >= r.id and t.id <= r.id
	order by t.id limit 1 for update) as s`

// lockLanes creates the missing scopes of create, then locks scopes. Both lists
// are sorted and without repetition. A transaction that creates waits only for
// creators, and one that locks waits only for lockers, so that no two transactions
// wait for each other. lockLanes also returns the registry's version, which every
// batch needs.
func (tx *transaction) lockLanes(ctx context.Context, scopes, create []memory.Scope) ([]lane, int64, error) {
	var locked []lane
	var registry int64
	ids := column(scopes, func(s *memory.Scope) string { return string(*s) })
	err := tx.send(ctx, func(b *pgx.Batch) {
		if len(create) > 0 {
			b.Queue(createScopes, string(tx.tenant), column(create, func(s *memory.Scope) string { return string(*s) }))
		}
		if len(scopes) == 0 {
			return
		}
		b.Queue(lockScopes, string(tx.tenant), ids).Query(func(rows pgx.Rows) (err error) {
			locked, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (l lane, err error) {
				err = row.Scan(&l.scope, &l.version)
				return l, err
			})
			return err
		})
		b.Queue(registryVersion, string(tx.tenant)).QueryRow(func(row pgx.Row) error { return row.Scan(&registry) })
	})
	if err != nil {
		return nil, 0, err
	}
	if len(locked) < len(scopes) {
		return nil, 0, fmt.Errorf("%w: %s", store.ErrUnknownScope, firstMissing(scopes, locked))
	}
	return locked, registry, nil
}

// firstMissing returns the first of scopes that was not locked.
func firstMissing(scopes []memory.Scope, locked []lane) memory.Scope {
	for i, scope := range scopes {
		if i >= len(locked) || locked[i].scope != scope {
			return scope
		}
	}
	return ""
}

// commit writes the set and commits, in one round trip.
func (tx *transaction) commit(ctx context.Context, w *writer) error {
	var encoding error
	err := tx.send(ctx, func(b *pgx.Batch) {
		if encoding = w.queue(b); encoding != nil {
			*b = pgx.Batch{}
			return
		}
		b.Queue("commit")
	})
	if encoding != nil {
		return encoding
	}
	return err
}
