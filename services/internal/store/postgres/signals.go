package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

var signalTable = newTable("signals", "s", []field[memory.Signal]{
	tenantOf(func(s *memory.Signal) *memory.Tenant { return &s.Tenant }),
	textOf("id", func(s *memory.Signal) *string { return &s.ID }),
	textOf("memory_id", func(s *memory.Signal) *string { return &s.MemoryID }),
	textOf("scope", func(s *memory.Signal) *memory.Scope { return &s.Scope }),
	textOf("type", func(s *memory.Signal) *memory.SignalType { return &s.Type }),
	boolOf("positive", func(s *memory.Signal) *bool { return &s.Positive }),
	floatOf("share", func(s *memory.Signal) *float64 { return &s.Share }),
	textOf("session_id", func(s *memory.Signal) *string { return &s.SessionID }),
	textOf("principal", func(s *memory.Signal) *string { return &s.Principal }),
	originOf("highest", func(s *memory.Signal) *memory.Origin { return &s.Highest }),
	textOf("note", func(s *memory.Signal) *string { return &s.Note }),
	timeOf("recorded_at", func(s *memory.Signal) *time.Time { return &s.At }),
})

var aggregateTable = newTable("signal_aggregates", "a", []field[memory.SignalAggregate]{
	tenantOf(func(a *memory.SignalAggregate) *memory.Tenant { return &a.Tenant }),
	textOf("memory_id", func(a *memory.SignalAggregate) *string { return &a.MemoryID }),
	textOf("principal", func(a *memory.SignalAggregate) *string { return &a.Principal }),
	originOf("highest", func(a *memory.SignalAggregate) *memory.Origin { return &a.Highest }),
	floatOf("explicit_pos", func(a *memory.SignalAggregate) *float64 { return &a.ExplicitPos }),
	floatOf("explicit_neg", func(a *memory.SignalAggregate) *float64 { return &a.ExplicitNeg }),
	floatOf("usage_pos", func(a *memory.SignalAggregate) *float64 { return &a.UsagePos }),
	floatOf("usage_neg", func(a *memory.SignalAggregate) *float64 { return &a.UsageNeg }),
	floatOf("outcome_pos", func(a *memory.SignalAggregate) *float64 { return &a.OutcomePos }),
	floatOf("outcome_neg", func(a *memory.SignalAggregate) *float64 { return &a.OutcomeNeg }),
	timeOf("last_rollup", func(a *memory.SignalAggregate) *time.Time { return &a.LastRollup }),
})

var learnedTable = newTable("learned", "l", []field[memory.Learned]{
	tenantOf(func(l *memory.Learned) *memory.Tenant { return &l.Tenant }),
	textOf("memory_id", func(l *memory.Learned) *string { return &l.MemoryID }),
	textOf("scope", func(l *memory.Learned) *memory.Scope { return &l.Scope }),
	floatOf("initial", func(l *memory.Learned) *float64 { return &l.Initial }),
	int4Of("signals", func(l *memory.Learned) *int { return &l.Signals }),
	timeOf("last_signal", func(l *memory.Learned) *time.Time { return &l.LastSignal }),
	timeOf("decayed_at", func(l *memory.Learned) *time.Time { return &l.DecayedAt }),
	int4Of("pruned", func(l *memory.Learned) *int { return &l.Pruned }),
})

var weightTable = newTable("project_weights", "w", []field[memory.ProjectWeights]{
	textOf("scope", func(w *memory.ProjectWeights) *memory.Scope { return &w.Scope }),
	floatOf("explicit_alpha", func(w *memory.ProjectWeights) *float64 { return &w.ExplicitAlpha }),
	floatOf("explicit_beta", func(w *memory.ProjectWeights) *float64 { return &w.ExplicitBeta }),
	floatOf("usage_alpha", func(w *memory.ProjectWeights) *float64 { return &w.UsageAlpha }),
	floatOf("usage_beta", func(w *memory.ProjectWeights) *float64 { return &w.UsageBeta }),
	floatOf("outcome_alpha", func(w *memory.ProjectWeights) *float64 { return &w.OutcomeAlpha }),
	floatOf("outcome_beta", func(w *memory.ProjectWeights) *float64 { return &w.OutcomeBeta }),
})

var (
	// A session that said the same before fails winnow_expect, which is
	// store.ErrConflict: the recorder reads again and finds it.
	insertSignals = `
with hit as (` + signalTable.insert + `
	on conflict do nothing
	returning 1)
select winnow_expect(cardinality($2::text[]), (select count(*) from hit))`

	// A signal that another roll-up took is gone, and its sum would count twice.
	deleteSignals = `
with hit as (
	delete from signals s using ` + byKey("signals", `($2::text[]) as r (id)`, "id") + ` where s.ctid = t.at
	returning 1)
select winnow_expect(cardinality($2::text[]), (select count(*) from hit))`

	upsertAggregates = aggregateTable.insert + `
on conflict (tenant, memory_id, principal) do update set highest = excluded.highest,
	explicit_pos = excluded.explicit_pos, explicit_neg = excluded.explicit_neg, usage_pos = excluded.usage_pos,
	usage_neg = excluded.usage_neg, outcome_pos = excluded.outcome_pos, outcome_neg = excluded.outcome_neg,
	last_rollup = excluded.last_rollup`

	// The initial confidence is that of the first signal.
	upsertLearned = learnedTable.insert + `
on conflict (tenant, memory_id) do update set signals = excluded.signals, last_signal = excluded.last_signal,
	decayed_at = excluded.decayed_at, pruned = excluded.pruned`

	// Rows are inserted in the order of scopes, so that two transactions do not wait for
	// each other.
	addWeights = weightTable.insert + `
order by r.scope
on conflict (tenant, scope) do update set
	explicit_alpha = project_weights.explicit_alpha + excluded.explicit_alpha,
	explicit_beta = project_weights.explicit_beta + excluded.explicit_beta,
	usage_alpha = project_weights.usage_alpha + excluded.usage_alpha,
	usage_beta = project_weights.usage_beta + excluded.usage_beta,
	outcome_alpha = project_weights.outcome_alpha + excluded.outcome_alpha,
	outcome_beta = project_weights.outcome_beta + excluded.outcome_beta`

	selectLearned = `select ` + learnedTable.columns + ` from learned l where l.tenant = $1 and l.memory_id = any ($2)`

	selectAggregates = `select ` + aggregateTable.columns + ` from signal_aggregates a
where a.tenant = $1 and a.memory_id = any ($2) order by a.memory_id, a.principal`

	selectWeights = `select ` + weightTable.columns + ` from project_weights w where w.tenant = $1 and w.scope = any ($2)`

	// No memory is read that had no signal.
	selectLearnedPage = `
select ` + memoryColumns + ` from (
	select l.memory_id from learned l where l.tenant = $1 and l.memory_id > $2 order by l.memory_id limit $3) l
` + byID("memories", "$1", "l.memory_id") + ` m order by m.id`
)

const (
	selectRecent = `
select s.memory_id, s.principal, max(s.highest),
	coalesce(sum(s.share) filter (where s.type = 'explicit' and s.positive), 0),
	coalesce(sum(s.share) filter (where s.type = 'explicit' and not s.positive), 0),
	coalesce(sum(s.share) filter (where s.type = 'usage' and s.positive), 0),
	coalesce(sum(s.share) filter (where s.type = 'usage' and not s.positive), 0),
	coalesce(sum(s.share) filter (where s.type = 'outcome' and s.positive), 0),
	coalesce(sum(s.share) filter (where s.type = 'outcome' and not s.positive), 0)
from signals s where s.tenant = $1 and s.memory_id = any ($2)
group by s.memory_id, s.principal order by s.memory_id, s.principal`

	selectUncounted = `
select session_id, memory_id, principal, served_at from served
where tenant = $1 and not counted order by served_at limit $2`

	// A row may have been counted by another replica: the set's signals are then
	// refused, and nothing is written.
	countServed = `
with hit as (
	update served s set counted = true
	from unnest($2::text[], $3::text[]) as r (session_id, memory_id)
	where s.tenant = $1 and s.session_id = r.session_id and s.memory_id = r.memory_id and not s.counted
	returning 1)
select winnow_expect(cardinality($2::text[]), (select count(*) from hit))`
)

func (w *writer) signals(b *pgx.Batch, rows []memory.Signal) {
	b.Queue(insertSignals, signalTable.values(w, rows)...)
}

func (w *writer) droppedSignals(b *pgx.Batch, ids []string) {
	b.Queue(deleteSignals, string(w.tenant), ids)
}

func (w *writer) aggregates(b *pgx.Batch, rows []memory.SignalAggregate) {
	b.Queue(upsertAggregates, aggregateTable.values(w, rows)...)
}

func (w *writer) learned(b *pgx.Batch, rows []memory.Learned) {
	b.Queue(upsertLearned, learnedTable.values(w, rows)...)
}

func (w *writer) weightGains(b *pgx.Batch, rows []memory.ProjectWeights) {
	b.Queue(addWeights, weightTable.values(w, rows)...)
}

func (w *writer) countedServed(b *pgx.Batch, rows []change.Served) {
	b.Queue(countServed, string(w.tenant),
		column(rows, func(r *change.Served) string { return r.SessionID }),
		column(rows, func(r *change.Served) string { return r.MemoryID }))
}

// Standings implements [store.Signals].
func (s *Store) Standings(ctx context.Context, tenant memory.Tenant, memories ...string) (map[string]store.Standing, error) {
	found := make(map[string]store.Standing, len(memories))
	if len(memories) == 0 {
		return found, nil
	}
	err := s.read(ctx, tenant, func(b *pgx.Batch) {
		b.Queue(selectLearned, string(tenant), memories).Query(func(rows pgx.Rows) error {
			list, err := pgx.CollectRows(rows, learnedTable.scan)
			for _, l := range list {
				found[l.MemoryID] = store.Standing{Learned: l}
			}
			return err
		})
		b.Queue(selectAggregates, string(tenant), memories).Query(func(rows pgx.Rows) error {
			list, err := pgx.CollectRows(rows, aggregateTable.scan)
			for _, a := range list {
				one := found[a.MemoryID]
				one.Old = append(one.Old, a)
				found[a.MemoryID] = one
			}
			return err
		})
		b.Queue(selectRecent, string(tenant), memories).Query(func(rows pgx.Rows) error {
			list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (a memory.SignalAggregate, err error) {
				a.Tenant = tenant
				err = row.Scan(&a.MemoryID, &a.Principal, (*origin)(&a.Highest), &a.ExplicitPos, &a.ExplicitNeg,
					&a.UsagePos, &a.UsageNeg, &a.OutcomePos, &a.OutcomeNeg)
				return a, err
			})
			for _, a := range list {
				one := found[a.MemoryID]
				one.Recent = append(one.Recent, a)
				found[a.MemoryID] = one
			}
			return err
		})
	})
	return found, mapError("read what was learned", err)
}

// Signals implements [store.Signals].
func (s *Store) Signals(ctx context.Context, tenant memory.Tenant, q store.SignalQuery) ([]memory.Signal, error) {
	var f filter
	f.where("s.tenant = $", string(tenant))
	if len(q.Memories) > 0 {
		f.where("s.memory_id = any ($)", q.Memories)
	}
	f.whereText("s.principal = $", q.Principal)
	if !q.Before.IsZero() {
		f.where("s.recorded_at < $", q.Before)
	}
	query := f.query(`select `+signalTable.columns+` from signals s`, "s.recorded_at, s.id", "", false, q.Limit)
	return list(ctx, s, tenant, "list signals", signalTable.scan, query, f.args...)
}

// ProjectWeights implements [store.Signals].
func (s *Store) ProjectWeights(ctx context.Context, tenant memory.Tenant, scopes ...memory.Scope) (map[memory.Scope]memory.ProjectWeights, error) {
	rows, err := list(ctx, s, tenant, "read weights", weightTable.scan, selectWeights, string(tenant),
		column(scopes, func(s *memory.Scope) string { return string(*s) }))
	found := make(map[memory.Scope]memory.ProjectWeights, len(rows))
	for _, w := range rows {
		found[w.Scope] = w
	}
	return found, err
}

// Uncounted implements [store.Signals].
func (s *Store) Uncounted(ctx context.Context, tenant memory.Tenant, limit int) ([]store.Served, error) {
	return list(ctx, s, tenant, "read what was served and not counted", scanServed, selectUncounted, string(tenant), limit)
}

// LearnedPage implements [store.Signals].
func (s *Store) LearnedPage(ctx context.Context, tenant memory.Tenant, after string, limit int) ([]memory.Memory, error) {
	return list(ctx, s, tenant, "list what was learned of", scanMemory, selectLearnedPage, string(tenant), after, limit)
}

// insertServed inserts in one order. Two concurrent answers of a session with the
// same memories in different orders would deadlock, and the server would abort one.
const insertServed = `
insert into served (tenant, session_id, memory_id, principal, served_at)
select $1, r.*
from unnest($2::text[], $3::text[], $4::text[], $5::timestamptz[]) as r (session_id, memory_id, principal, served_at)
order by r.session_id, r.memory_id, r.served_at
on conflict do nothing`

// RecordServed implements [store.ServedLog].
func (s *Store) RecordServed(ctx context.Context, tenant memory.Tenant, list []store.Served) error {
	if len(list) == 0 {
		return nil
	}
	type row = store.Served
	return s.write(ctx, tenant, "record what was served", insertServed, string(tenant),
		column(list, func(r *row) string { return r.SessionID }),
		column(list, func(r *row) string { return r.MemoryID }),
		column(list, func(r *row) string { return r.Principal }),
		column(list, func(r *row) pgtype.Timestamptz { return stamp(r.At) }))
}

// ServedIn implements [store.ServedLog].
func (s *Store) ServedIn(ctx context.Context, tenant memory.Tenant, sessions ...string) ([]store.Served, error) {
	const query = `
select session_id, memory_id, principal, served_at from served
where tenant = $1 and session_id = any ($2) order by session_id, memory_id`
	return list(ctx, s, tenant, "read what was served", scanServed, query, string(tenant), sessions)
}

// ServedOf implements [store.ServedLog].
func (s *Store) ServedOf(ctx context.Context, tenant memory.Tenant, memories ...string) ([]store.Served, error) {
	const query = `
select session_id, memory_id, principal, served_at from served
where tenant = $1 and memory_id = any ($2) order by memory_id, session_id`
	return list(ctx, s, tenant, "read where it was served", scanServed, query, string(tenant), memories)
}

func scanServed(row pgx.CollectableRow) (r store.Served, err error) {
	err = row.Scan(&r.SessionID, &r.MemoryID, &r.Principal, nullable(&r.At))
	return r, err
}

// Uses implements [store.ServedLog].
func (s *Store) Uses(ctx context.Context, tenant memory.Tenant, session string, memories ...string) (map[string]int, error) {
	return s.uses.Do(ctx, string(tenant), usesIn{session, memories}, func(ctx context.Context, list []usesIn) ([]map[string]int, error) {
		return s.usesOf(ctx, tenant, list)
	})
}

// usesIn asks in how many sessions but one memories were served.
type usesIn struct {
	session  string
	memories []string
}

// usesOf returns the memories that were served, with the number of sessions, for each
// question: all questions of a tenant that wait at the same time.
func (s *Store) usesOf(ctx context.Context, tenant memory.Tenant, list []usesIn) ([]map[string]int, error) {
	// Each memory by the index of memories: a plan that was made while the table was empty
	// read all of it. A range of one id has an order that only that index has, see [byID].
	const query = `
select r.asked, r.id, u.n from unnest($2::int4[], $3::text[], $4::text[]) as r (asked, id, session) cross join lateral (
	select count(*) as n from (
		select from served s where s.tenant = $1 and s.memory_id >= r.id and s.memory_id <= r.id and s.session_id <> r.session
		order by s.tenant, s.memory_id
	) l) u
where u.n > 0`
	var asked []int32
	var ids, sessions []string
	for i := range list {
		for _, id := range list[i].memories {
			asked, ids, sessions = append(asked, int32(i)), append(ids, id), append(sessions, list[i].session)
		}
	}
	uses := make([]map[string]int, len(list))
	for i := range uses {
		uses[i] = make(map[string]int, len(list[i].memories))
	}
	err := s.readOne(ctx, tenant, func(b *pgx.Batch) {
		b.Queue(query, string(tenant), asked, ids, sessions).Query(func(rows pgx.Rows) error {
			var of, n int
			var id string
			_, err := pgx.ForEachRow(rows, []any{&of, &id, &n}, func() error {
				uses[of][id] = n
				return nil
			})
			return err
		})
	})
	return uses, mapError("count what was served", err)
}

// LastServed implements [store.ServedLog].
func (s *Store) LastServed(ctx context.Context, tenant memory.Tenant, principal, session string) (time.Time, error) {
	const query = `
select served_at from served where tenant = $1 and principal = $2 and session_id <> $3
order by served_at desc limit 1`
	rows, err := list(ctx, s, tenant, "read when something was served", pgx.RowTo[time.Time], query, string(tenant), principal, session)
	if err != nil || len(rows) == 0 {
		return time.Time{}, err
	}
	return rows[0].UTC(), nil
}
