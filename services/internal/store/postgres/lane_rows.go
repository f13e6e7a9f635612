package postgres

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// The outline of lanes: ids alone, newest changes first, by the index by which a
// lane is read.
var (
	outlineVersions = `
select r.id, coalesce(s.version, 0) from unnest($2::text[]) as r (id)
left join lateral (
	select t.version from scopes t where t.tenant = $1 and t.id >= r.id and t.id <= r.id order by t.id limit 1) as s on true`

	outlineMemories = `
select l.scope, m.id from unnest($2::text[]) as l (scope)
cross join lateral (
	select id from memories where tenant = $1 and scope = l.scope and version > 0 and state = 'active'
	order by version desc limit $3) as m`

	outlineProposals = `
select l.scope, p.id from unnest($2::text[]) as l (scope)
cross join lateral (
	select id from proposals where tenant = $1 and lane and scope = l.scope and version > 0
		and state in ('pending', 'needs_review')
	order by version desc limit $3) as p`

	outlineSettled = `
select l.scope, p.id from unnest($2::text[]) as l (scope)
cross join lateral (
	select * from proposals where tenant = $1 and lane and scope = l.scope and state = 'rejected'
	order by version desc limit $4) as p
` + settlement + `
where s.decided_at > $3`
)

// LaneOutlines implements [store.LaneReader].
func (s *Store) LaneOutlines(ctx context.Context, tenant memory.Tenant, most int, scopes ...memory.Scope) ([]store.LaneOutline, error) {
	scopes = slices.Compact(slices.Sorted(slices.Values(scopes)))
	out := make([]store.LaneOutline, len(scopes))
	at := make(map[memory.Scope]*store.LaneOutline, len(scopes))
	for i, scope := range scopes {
		out[i].Scope = scope
		at[scope] = &out[i]
	}
	names := column(scopes, func(s *memory.Scope) string { return string(*s) })
	var scope memory.Scope
	collect := func(add func(l *store.LaneOutline, id string)) func(pgx.Rows) error {
		return func(rows pgx.Rows) error {
			var id string
			_, err := pgx.ForEachRow(rows, []any{&scope, &id}, func() error {
				add(at[scope], id)
				return nil
			})
			return err
		}
	}
	settled := make(map[memory.Scope][]string)
	err := s.read(ctx, tenant, func(b *pgx.Batch) {
		t := string(tenant)
		b.Queue(outlineVersions, t, names).Query(func(rows pgx.Rows) error {
			var version int64
			_, err := pgx.ForEachRow(rows, []any{&scope, &version}, func() error {
				at[scope].Version = version
				return nil
			})
			return err
		})
		b.Queue(outlineMemories, t, names, most+1).Query(collect(func(l *store.LaneOutline, id string) { l.Memories = append(l.Memories, id) }))
		b.Queue(outlineProposals, t, names, most+1).Query(collect(func(l *store.LaneOutline, id string) { l.Proposals = append(l.Proposals, id) }))
		b.Queue(outlineSettled, t, names, time.Now().Add(-settledFor), min(most, settledLimit)).Query(
			collect(func(l *store.LaneOutline, id string) { settled[l.Scope] = append(settled[l.Scope], id) }))
	})
	if err != nil {
		return nil, mapError("outline lanes", err)
	}
	for i := range out {
		l := &out[i]
		l.More = len(l.Memories) > most || len(l.Proposals) > most
		l.Memories, l.Proposals = l.Memories[:min(len(l.Memories), most)], l.Proposals[:min(len(l.Proposals), most)]
		l.Proposals = append(l.Proposals, settled[l.Scope]...)
		slices.Sort(l.Memories)
		slices.Sort(l.Proposals)
	}
	return out, nil
}

// Rows of lanes by their ids, see [byID].
var (
	rowsMemories = `
select ` + memoryColumns + ` from unnest($2::text[]) as r (id)
` + byID("memories", "$1", "r.id") + ` as m order by m.scope, m.id`

	rowsProposals = `
select ` + proposalColumns + `, s.id, s.principal, s.decided_at from unnest($2::text[]) as r (id)
` + byID("proposals", "$1", "r.id") + ` as p
left ` + settlement + `
order by p.scope, p.id`

	// Of a locked scope, those with the same words; for the order see [byID].
	sameMemories = `
select ` + memoryColumns + ` from unnest($3::bytea[]) as r (hash)
cross join lateral (
	select * from memories where tenant = $1 and scope = $2 and text_hash >= r.hash and text_hash <= r.hash
		and text_hash is not null and state = 'active'
	order by text_hash limit $4) as m`

	sameProposals = `
select ` + proposalColumns + `, s.id, s.principal, s.decided_at from unnest($3::bytea[]) as r (hash)
cross join lateral (
	select * from proposals where tenant = $1 and scope = $2 and text_hash >= r.hash and text_hash <= r.hash
		and text_hash is not null and lane and state in ('pending', 'needs_review', 'rejected')
	order by text_hash limit $4) as p
left ` + settlement + `
where p.state <> 'rejected' or s.decided_at > $5`
)

// sameLimit is how many rows with the same words are read: there is one, unless
// somebody imported them.
const sameLimit = 8

// LaneRows implements [store.LaneReader].
func (s *Store) LaneRows(ctx context.Context, tenant memory.Tenant, memories, proposals []string) ([]store.LaneRows, error) {
	at := make(map[memory.Scope]*store.LaneRows)
	err := s.read(ctx, tenant, func(b *pgx.Batch) {
		if len(memories) > 0 {
			b.Queue(rowsMemories, string(tenant), memories).Query(func(rows pgx.Rows) error { return collectLaneMemories(rows, at) })
		}
		if len(proposals) > 0 {
			b.Queue(rowsProposals, string(tenant), proposals).Query(func(rows pgx.Rows) error { return collectLaneProposals(rows, at) })
		}
	})
	if err != nil {
		return nil, mapError("read rows of lanes", err)
	}
	out := make([]store.LaneRows, 0, len(at))
	for _, scope := range slices.Sorted(maps.Keys(at)) {
		out = append(out, *at[scope])
	}
	read := func(ctx context.Context, queue func(*pgx.Batch)) error { return s.read(ctx, tenant, queue) }
	return out, mapError("read witnesses", witnesses(ctx, read, tenant, out))
}

// Rows implements [store.LaneView].
func (v *laneView) Rows(ctx context.Context, scope memory.Scope, memories []string, hashes []memory.TextHash) (store.LaneRows, error) {
	news, err := v.lanesAskedFor(map[memory.Scope]int64{scope: 0})
	if err != nil {
		return store.LaneRows{}, err
	}
	at := map[memory.Scope]*store.LaneRows{scope: &news[0]}
	tenant, lane := string(v.tx.tenant), string(scope)
	err = v.tx.send(ctx, func(b *pgx.Batch) {
		if len(memories) > 0 {
			b.Queue(rowsMemories, tenant, memories).Query(func(rows pgx.Rows) error { return collectLaneMemories(rows, at) })
		}
		if len(hashes) > 0 {
			given := column(hashes, func(h *memory.TextHash) []byte { return h[:] })
			b.Queue(sameMemories, tenant, lane, given, sameLimit).Query(func(rows pgx.Rows) error { return collectLaneMemories(rows, at) })
			b.Queue(sameProposals, tenant, lane, given, sameLimit, time.Now().Add(-settledFor)).Query(func(rows pgx.Rows) error {
				return collectLaneProposals(rows, at)
			})
		}
	})
	if err == nil {
		for other := range at {
			if other != scope {
				return store.LaneRows{}, fmt.Errorf("%w: rows of %s under the lock of %s", store.ErrInvalid, other, scope)
			}
		}
		err = witnesses(ctx, v.tx.send, v.tx.tenant, news)
	}
	return news[0], mapError("read rows of a lane", err)
}

func collectLaneMemories(rows pgx.Rows, at map[memory.Scope]*store.LaneRows) error {
	list, err := pgx.CollectRows(rows, scanMemory)
	for _, m := range list {
		l := laneAt(at, m.Scope)
		l.Memories = append(l.Memories, m)
	}
	return err
}

// laneAt is the entry of a scope, made where it is missing.
func laneAt(at map[memory.Scope]*store.LaneRows, scope memory.Scope) *store.LaneRows {
	l := at[scope]
	if l == nil {
		l = &store.LaneRows{Scope: scope, Settled: map[string]store.Settlement{}}
		at[scope] = l
	}
	return l
}
