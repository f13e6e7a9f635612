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

// A person's rejection settles a question for settledFor. A scope loads at most
// settledLimit rejections; a question beyond either bound may be asked again.
const (
	settledFor   = 365 * 24 * time.Hour
	settledLimit = 2000
)

// sender runs the statements that are queued in one round trip, in a transaction
// of the tenant.
type sender func(ctx context.Context, queue func(*pgx.Batch)) error

// laneView implements [store.LaneView] inside a batch's transaction.
type laneView struct {
	tx       *transaction
	locked   []lane
	registry int64
}

// These queries read the changes of lanes: every row with a version above the one
// that the caller knows. For a lane that the caller does not know (version 0),
// they read the rows in force. The inner orders select the index, see [byID].
var (
	laneMemories = `
select ` + memoryColumns + `
from unnest($2::text[], $3::int8[]) as l (scope, since)
cross join lateral (
	select * from memories where tenant = $1 and scope = l.scope and version > l.since
		and (l.since > 0 or state = 'active') order by version) as m
order by m.scope, m.id`

	laneProposals = `
select ` + proposalColumns + `, s.id, s.principal, s.decided_at
from unnest($2::text[], $3::int8[]) as l (scope, since)
cross join lateral (
	select * from proposals where tenant = $1 and lane and scope = l.scope and version > l.since
		and (l.since > 0 or state in ('pending', 'needs_review')) order by version) as p
left ` + settlement + `
order by p.scope, p.id`

	laneSettled = `
select ` + proposalColumns + `, s.id, s.principal, s.decided_at
from unnest($2::text[]) as l (scope)
cross join lateral (
	select * from proposals where tenant = $1 and lane and scope = l.scope and state = 'rejected'
	order by version desc limit $4) as p
` + settlement + `
where s.decided_at > $3
order by p.scope, p.id`

	// Only rows of authority agent can be lifted, by two witnesses with distinct
	// principals and sessions, so a few witnesses of each row are enough. The
	// inner limit bounds the cost of a text that was repeated ten thousand times.
	laneWitnesses = `
select w.subject, w.proposal_id, w.principal, w.session_id, w.origin, w.observed_at
from unnest($2::text[]) as r (id)
cross join lateral (
	select distinct on (e.principal, e.session_id) e.*
	from (select * from evidence where tenant = $1 and subject = r.id order by id limit 512) as e
	order by e.principal, e.session_id, e.id limit $3) as w
order by w.subject, w.id`

	settlement = `
join lateral (
	select * from decisions t where p.state = 'rejected' and t.tenant = $1 and t.id >= p.decision_id and t.id <= p.decision_id
		and t.actor = 'person' and t.verdict = 'rejected' order by t.id limit 1) as s on true`
)

// Lanes implements [store.LaneView].
func (v *laneView) Lanes(ctx context.Context, since map[memory.Scope]int64) ([]store.LaneRows, error) {
	news, err := v.lanesAskedFor(since)
	if err != nil {
		return nil, err
	}
	at := make(map[memory.Scope]*store.LaneRows, len(news))
	var changed, unknown []string
	var versions []int64
	for i := range news {
		l := &news[i]
		at[l.Scope] = l
		// A lane at the version that the caller knows has no changes. With a warm
		// cache that holds for every lane, and no query is sent.
		if known := since[l.Scope]; known < l.Version {
			changed = append(changed, string(l.Scope))
			versions = append(versions, known)
			if known == 0 {
				unknown = append(unknown, string(l.Scope))
			}
		}
	}
	if len(changed) == 0 {
		return news, nil
	}
	proposals := func(rows pgx.Rows) error { return collectLaneProposals(rows, at) }
	err = v.tx.send(ctx, func(b *pgx.Batch) {
		tenant := string(v.tx.tenant)
		b.Queue(laneMemories, tenant, changed, versions).Query(func(rows pgx.Rows) error { return collectLaneMemories(rows, at) })
		b.Queue(laneProposals, tenant, changed, versions).Query(proposals)
		if len(unknown) > 0 {
			b.Queue(laneSettled, tenant, unknown, time.Now().Add(-settledFor), settledLimit).Query(proposals)
		}
	})
	if err == nil {
		err = witnesses(ctx, v.tx.send, v.tx.tenant, news)
	}
	return news, mapError("read lanes", err)
}

// maxWitnesses bounds the witnesses that are read for one row.
const maxWitnesses = 16

// witnesses fills in the evidence of the rows that a second principal could lift.
func witnesses(ctx context.Context, send sender, tenant memory.Tenant, news []store.LaneRows) error {
	at := make(map[string]*store.LaneRows)
	for i := range news {
		l := &news[i]
		for j := range l.Memories {
			if m := &l.Memories[j]; m.State == memory.StateActive && m.Authority == memory.OriginAgent {
				at[m.ID] = l
			}
		}
		for j := range l.Proposals {
			if p := &l.Proposals[j]; p.State.Open() && p.Authority == memory.OriginAgent {
				at[p.ID] = l
			}
		}
	}
	if len(at) == 0 {
		return nil
	}
	ids := slices.Sorted(maps.Keys(at))
	return send(ctx, func(b *pgx.Batch) {
		b.Queue(laneWitnesses, string(tenant), ids, maxWitnesses).Query(func(rows pgx.Rows) error {
			var e memory.Evidence
			_, err := pgx.ForEachRow(rows, []any{
				&e.Subject, &e.ProposalID, &e.Principal, &e.SessionID, (*origin)(&e.Origin), nullable(&e.ObservedAt),
			}, func() error {
				l := at[e.Subject]
				if l.Witnesses == nil {
					l.Witnesses = make(map[string][]memory.Evidence)
				}
				l.Witnesses[e.Subject] = append(l.Witnesses[e.Subject], e)
				return nil
			})
			return err
		})
	})
}

// lanesAskedFor returns the result without rows, sorted by scope.
func (v *laneView) lanesAskedFor(since map[memory.Scope]int64) ([]store.LaneRows, error) {
	news := make([]store.LaneRows, 0, len(since))
	for _, scope := range slices.Sorted(maps.Keys(since)) {
		i, ok := slices.BinarySearchFunc(v.locked, scope, func(l lane, s memory.Scope) int {
			return compareScopes(l.scope, s)
		})
		if !ok {
			return nil, fmt.Errorf("%w: the lane of %s is not locked", store.ErrInvalid, scope)
		}
		news = append(news, store.LaneRows{Scope: scope, Version: v.locked[i].version, Settled: map[string]store.Settlement{}})
	}
	return news, nil
}

func compareScopes(a, b memory.Scope) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func collectLaneProposals(rows pgx.Rows, at map[memory.Scope]*store.LaneRows) error {
	var p memory.Proposal
	var decision, principal *string
	var decided *time.Time
	targets := append(proposalTargets(&p), &decision, &principal, &decided)
	_, err := pgx.ForEachRow(rows, targets, func() error {
		l := laneAt(at, p.Scope)
		l.Proposals = append(l.Proposals, p)
		if decision != nil {
			l.Settled[p.ID] = store.Settlement{
				DecisionID: *decision, Principal: *principal, At: decided.UTC().Format(time.DateOnly),
			}
		}
		return nil
	})
	return err
}

// Registry implements [store.LaneView].
func (v *laneView) Registry(ctx context.Context, since int64) (store.Registry, error) {
	if since == v.registry {
		return store.Registry{Version: v.registry}, nil
	}
	var r store.Registry
	err := v.tx.send(ctx, func(b *pgx.Batch) { queueRegistry(b, v.tx.tenant, &r) })
	return r, mapError("read registry", err)
}

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
