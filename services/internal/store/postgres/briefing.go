package postgres

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// replanned makes the transaction plan each statement with its actual values, for reads
// that are rare and whose way depends on the values. A generic plan made for empty
// tables would read whole tables. What each start of a session reads has [readInOrder]
// instead: planning anew costs about 0.4 ms for each statement, more than running it.
const replanned = `set local plan_cache_mode = force_custom_plan`

// An index that ends with the id yields the newest rows first when read
// backwards: one short read for each scope and kind. The lists are small, so
// sorting their union is cheap. The order's place in the text is %s.
var (
	newestOfScopes = `
select ` + memoryColumns + ` from unnest($2::text[]) with ordinality as s (scope, place)
cross join lateral (
	select m.* from unnest($3::text[]) as k (kind)
	cross join lateral (
		select * from memories t
		where t.tenant = $1 and t.scope = s.scope and t.kind = k.kind and t.state = 'active'
		order by t.id desc limit $4) m
	order by m.id desc limit $4) m
where m.confidence >= $5 and ($7::timestamptz is null or m.created_at > $7) order by s.place, %s limit $6`

	newestOfIndexedKinds = `
select ` + memoryColumns + ` from unnest($2::text[]) as k (kind)
cross join lateral (
	select * from memories t
	where t.tenant = $1 and t.kind = k.kind and t.state = 'active' and t.kind in ('rule', 'preference', 'strategy')
	order by t.id desc limit $3) m
where m.confidence >= $4 and ($6::timestamptz is null or m.created_at > $6) order by %s limit $5`

	newestOfKinds = `
select ` + memoryColumns + ` from (
	select * from memories t
	where t.tenant = $1 and t.state = 'active' and t.kind = any ($2::text[]) order by t.id desc limit $3) m
where m.confidence >= $4 and ($6::timestamptz is null or m.created_at > $6) order by %s limit $5`

	newestOfAll = `
select ` + memoryColumns + ` from (
	select * from memories t where t.tenant = $1 and t.state = 'active' order by t.id desc limit $2) m
where m.confidence >= $3 and ($5::timestamptz is null or m.created_at > $5) order by %s limit $4`

	archivedOfScopes = `
select ` + memoryColumns + ` from unnest($2::text[]) with ordinality as s (scope, place)
cross join lateral (
	select * from memories t
	where t.tenant = $1 and t.state = 'archived' and t.archived_at > $3 and t.scope = s.scope
	order by t.archived_at desc limit $4) m
order by s.place, m.archived_at desc, m.id desc`

	archivedOfAll = `
select ` + memoryColumns + ` from memories m
where m.tenant = $1 and m.state = 'archived' and m.archived_at > $2
order by m.archived_at desc limit $3`

	selectPromotions = `
select ` + decisionColumns + ` from decisions d
where d.tenant = $1 and d.verdict = 'promoted' and d.actor = 'triage'
	and d.decided_at > coalesce($2, '-infinity'::timestamptz) and d.decided_at <= coalesce($3, 'infinity'::timestamptz)
	and (d.decided_at, d.id) < (coalesce($4, 'infinity'::timestamptz), $5)
order by d.decided_at desc, d.id desc limit $6`
)

// hasNewestIndex reports whether [newestOfIndexedKinds] has an index for the kind.
func hasNewestIndex(k memory.Kind) bool {
	return k == memory.KindRule || k == memory.KindPreference || k == memory.KindStrategy
}

// Newest implements [store.Briefings].
func (s *Store) Newest(ctx context.Context, tenant memory.Tenant, q store.NewestQuery) ([]memory.Memory, error) {
	kinds := column(q.Kinds, func(k *memory.Kind) string { return string(*k) })
	others := func(k memory.Kind) bool { return !hasNewestIndex(k) }
	query, args, plan := newestOfAll, []any{string(tenant), q.Each}, readInOrder
	byWeight := "m.importance desc, m.confidence desc, m.id desc"
	switch {
	case len(q.Scopes) > 0:
		if len(kinds) == 0 {
			kinds = everyKind()
		}
		query, args = newestOfScopes, []any{string(tenant), scopeNames(q.Scopes), kinds, q.Each}
		byWeight = "array_position($3::text[], m.kind), " + byWeight
	case len(kinds) > 0 && !slices.ContainsFunc(q.Kinds, others):
		query, args = newestOfIndexedKinds, []any{string(tenant), kinds, q.Each}
		byWeight = "array_position($2::text[], m.kind), " + byWeight
	case len(kinds) > 0:
		query, args, plan = newestOfKinds, []any{string(tenant), kinds, q.Each}, replanned
		byWeight = "array_position($2::text[], m.kind), " + byWeight
	}
	order := "m.id desc"
	if q.Order == store.ByWeight {
		order = byWeight
	}
	most := pgtype.Int8{Int64: int64(q.Most), Valid: q.Most > 0} // a limit of null is none
	return listUnder(ctx, s, plan, tenant, "read the newest memories", scanMemory, fmt.Sprintf(query, order), append(args, q.MinConfidence, most, stamp(q.Since))...)
}

// everyKind returns all kinds that a row can have.
func everyKind() []string {
	all := []string{"", string(memory.KindSummaryArchived)}
	for _, k := range memory.Kinds() {
		all = append(all, string(k))
	}
	return all
}

// Archived implements [store.Briefings].
func (s *Store) Archived(ctx context.Context, tenant memory.Tenant, q store.ArchivedQuery) ([]memory.Memory, error) {
	query, args := archivedOfAll, []any{string(tenant), q.Since, q.Each}
	if len(q.Scopes) > 0 {
		query, args = archivedOfScopes, []any{string(tenant), scopeNames(q.Scopes), q.Since, q.Each}
	}
	return listUnder(ctx, s, readInOrder, tenant, "read what left", scanMemory, query, args...)
}

// Promotions implements [store.Briefings].
func (s *Store) Promotions(ctx context.Context, tenant memory.Tenant, q store.PromotionQuery) ([]memory.Decision, error) {
	return listPlanned(ctx, s, tenant, "list promotions", scanDecision, selectPromotions,
		string(tenant), stamp(q.Since), stamp(q.Until), stamp(q.After.At), q.After.ID, q.Limit)
}

func scopeNames(scopes []memory.Scope) []string {
	return column(scopes, func(s *memory.Scope) string { return string(*s) })
}

// listPlanned is [list] with a plan for the actual values, see [replanned].
func listPlanned[T any](ctx context.Context, s *Store, tenant memory.Tenant, op string, scan pgx.RowToFunc[T], query string, args ...any) ([]T, error) {
	return listUnder(ctx, s, replanned, tenant, op, scan, query, args...)
}

// listUnder is [list] with a setting of the planner for its transaction.
func listUnder[T any](ctx context.Context, s *Store, setting string, tenant memory.Tenant, op string, scan pgx.RowToFunc[T], query string, args ...any) ([]T, error) {
	var found []T
	err := s.read(ctx, tenant, func(b *pgx.Batch) {
		b.Queue(setting)
		b.Queue(query, args...).Query(func(rows pgx.Rows) (err error) {
			found, err = pgx.CollectRows(rows, scan)
			return err
		})
	})
	return found, mapError(op, err)
}
