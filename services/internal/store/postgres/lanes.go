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
		b.Queue(laneMemories, tenant, changed, versions).Query(func(rows pgx.Rows) error {
			list, err := pgx.CollectRows(rows, scanMemory)
			for _, m := range list {
				at[m.Scope].Memories = append(at[m.Scope].Memories, m)
			}
			return err
		})
		b.Queue(laneProposals, tenant, changed, versions).Query(proposals)
		if len(unknown) > 0 {
			b.Queue(laneSettled, tenant, unknown, time.Now().Add(-settledFor), settledLimit).Query(proposals)
		}
	})
	if err == nil {
		err = v.witnesses(ctx, news)
	}
	return news, mapError("read lanes", err)
}

// maxWitnesses bounds the witnesses that are read for one row.
const maxWitnesses = 16

// witnesses fills in the evidence of the rows that a second principal could lift.
func (v *laneView) witnesses(ctx context.Context, news []store.LaneRows) error {
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
	return v.tx.send(ctx, func(b *pgx.Batch) {
		b.Queue(laneWitnesses, string(v.tx.tenant), ids, maxWitnesses).Query(func(rows pgx.Rows) error {
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
		l := at[p.Scope]
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
