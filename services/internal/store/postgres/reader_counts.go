package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

const (
	selectScopes = `
select s.id, s.version, coalesce(m.active, 0), coalesce(p.open, 0), coalesce(m.archived, 0)
from scopes s
left join (
	select scope, count(*) filter (where state = 'active') as active,
		count(*) filter (where state = 'archived') as archived
	from memories where tenant = $1 group by scope) m on m.scope = s.id
left join (
	select scope, count(*) as open from proposals
	where tenant = $1 and lane and state in ('pending', 'needs_review') group by scope) p on p.scope = s.id
where s.tenant = $1 order by s.id`

	scopeVersions = `
select id, version from scopes where tenant = $1 and (cardinality($2::text[]) = 0 or id = any ($2))`

	// The ids of a kind lie between "team:" and "team;" in the primary key: the
	// semicolon follows the colon. The inner order keeps the planner from joining
	// instead, which reads every scope of the tenant.
	selectScopeNames = `
select s.id from unnest($2::text[]) as k (kind) cross join lateral (
	select id from scopes t where t.tenant = $1 and t.id > k.kind || ':' and t.id < k.kind || ';'
	order by t.tenant, t.id) s
order by s.id`

	countProposals = `
select state, count(*) from proposals where tenant = $1 and created_at >= $2 group by state`

	countMemories = `
select state, count(*) from memories where tenant = $1 and created_at >= $2 group by state`

	// A review stores the rule of the answered decision but not its verdict, so
	// the verdict is joined from the decision.
	countRules = `
with answers as (
	select distinct on (rule, proposal_id) rule, overrode, agreed from reviews
	where tenant = $1 and reviewed_at >= $2 order by rule, proposal_id, reviewed_at desc, id desc),
reviewed as (
	select a.rule, d.verdict, count(*) as n, count(*) filter (where not a.agreed) as overrode
	from answers a join decisions d on d.tenant = $1 and d.id = a.overrode group by a.rule, d.verdict),
decided as (
	select rule, verdict, count(*) as n from decisions
	where tenant = $1 and decided_at >= $2 group by rule, verdict)
select coalesce(d.rule, r.rule), coalesce(d.verdict, r.verdict), coalesce(d.n, 0), coalesce(r.n, 0),
	coalesce(r.overrode, 0)
from decided d full join reviewed r on d.rule = r.rule and d.verdict = r.verdict
order by 1, 2`

	tally = `
select scope, actor, verdict, rule, count(*) from decisions
where tenant = $1 and decided_at > coalesce($2, '-infinity'::timestamptz)
	and decided_at <= coalesce($3, 'infinity'::timestamptz)
group by scope, actor, verdict, rule order by scope, actor, verdict, rule`

	decisionSpan = `
select count(*), coalesce(min(id), ''), coalesce(max(id), '') from decisions
where tenant = $1 and scope = $2 and version > $3 and version <= $4`
)

// Scopes implements [store.Reader].
func (s *Store) Scopes(ctx context.Context, tenant memory.Tenant) ([]store.ScopeStatus, error) {
	return list(ctx, s, tenant, "list scopes", func(row pgx.CollectableRow) (st store.ScopeStatus, err error) {
		err = row.Scan(&st.Scope, &st.Version, &st.Active, &st.Open, &st.Archived)
		return st, err
	}, selectScopes, string(tenant))
}

// ScopeVersions implements [store.Reader].
func (s *Store) ScopeVersions(ctx context.Context, tenant memory.Tenant, scopes ...memory.Scope) (map[memory.Scope]int64, error) {
	versions := make(map[memory.Scope]int64, len(scopes))
	wanted := column(scopes, func(s *memory.Scope) string { return string(*s) })
	err := s.readOne(ctx, tenant, func(b *pgx.Batch) {
		b.Queue(scopeVersions, string(tenant), wanted).Query(func(rows pgx.Rows) error {
			var scope memory.Scope
			var version int64
			_, err := pgx.ForEachRow(rows, []any{&scope, &version}, func() error {
				versions[scope] = version
				return nil
			})
			return err
		})
	})
	return versions, mapError("scope versions", err)
}

// ScopeNames implements [store.Reader].
func (s *Store) ScopeNames(ctx context.Context, tenant memory.Tenant, kinds ...memory.ScopeKind) ([]memory.Scope, error) {
	return list(ctx, s, tenant, "scope names", pgx.RowTo[memory.Scope], selectScopeNames,
		string(tenant), column(kinds, func(k *memory.ScopeKind) string { return string(*k) }))
}

// Counts implements [store.Reader].
func (s *Store) Counts(ctx context.Context, tenant memory.Tenant, since time.Time) (store.Counts, error) {
	c := store.Counts{Proposals: map[memory.ProposalState]int{}, Memories: map[memory.State]int{}}
	t := string(tenant)
	if since.IsZero() {
		since = time.Unix(0, 0) // the year 1 is outside what some clients can store
	}
	err := s.read(ctx, tenant, func(b *pgx.Batch) {
		b.Queue(countProposals, t, since).Query(func(rows pgx.Rows) error { return collectCounts(rows, c.Proposals) })
		b.Queue(countMemories, t, since).Query(func(rows pgx.Rows) error { return collectCounts(rows, c.Memories) })
		b.Queue(countRules, t, since).Query(func(rows pgx.Rows) (err error) {
			c.Rules, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (r store.RuleCount, err error) {
				err = row.Scan(&r.Rule, &r.Verdict, &r.Decided, &r.Reviewed, &r.Overrode)
				return r, err
			})
			return err
		})
	})
	return c, mapError("count", err)
}

// Tally implements [store.Reader].
func (s *Store) Tally(ctx context.Context, tenant memory.Tenant, from, until time.Time) ([]store.TallyLine, error) {
	return list(ctx, s, tenant, "tally", func(row pgx.CollectableRow) (l store.TallyLine, err error) {
		err = row.Scan(&l.Scope, &l.Actor, &l.Verdict, &l.Rule, &l.N)
		return l, err
	}, tally, string(tenant), stamp(from), stamp(until))
}

func collectCounts[S ~string](rows pgx.Rows, into map[S]int) error {
	var state S
	var n int
	_, err := pgx.ForEachRow(rows, []any{&state, &n}, func() error {
		into[state] = n
		return nil
	})
	return err
}

// DecisionSpan implements [store.Reader].
func (s *Store) DecisionSpan(ctx context.Context, tenant memory.Tenant, scope memory.Scope, after, until int64) (span store.DecisionSpan, err error) {
	err = s.read(ctx, tenant, func(b *pgx.Batch) {
		b.Queue(decisionSpan, string(tenant), string(scope), after, until).QueryRow(func(row pgx.Row) error {
			return row.Scan(&span.Count, &span.First, &span.Last)
		})
	})
	return span, mapError("count decisions", err)
}
