package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

var runTable = newTable("runs", "r", []field[memory.Run]{
	tenantOf(func(r *memory.Run) *memory.Tenant { return &r.Tenant }),
	textOf("id", func(r *memory.Run) *string { return &r.ID }),
	textOf("scope", func(r *memory.Run) *memory.Scope { return &r.Scope }),
	textOf("strategy", func(r *memory.Run) *memory.RunStrategy { return &r.Strategy }),
	textOf("trigger", func(r *memory.Run) *memory.RunTrigger { return &r.Trigger }),
	textOf("state", func(r *memory.Run) *memory.RunState { return &r.State }),
	jsonOf("options", func(w *writer, r *memory.Run) string { return w.json.text(r.Options) }, func(r *memory.Run) any { return &r.Options }),
	{name: "dry_run", array: "bool[]", write: func(_ *writer, rows []memory.Run) any {
		return column(rows, func(r *memory.Run) bool { return r.Options.DryRun })
	}},
	timeOf("window_start", func(r *memory.Run) *time.Time { return &r.WindowStart }),
	timeOf("window_end", func(r *memory.Run) *time.Time { return &r.WindowEnd }),
	textOf("principal", func(r *memory.Run) *string { return &r.Principal }),
	timeOf("requested_at", func(r *memory.Run) *time.Time { return &r.RequestedAt }),
	timeOf("started_at", func(r *memory.Run) *time.Time { return &r.StartedAt }),
	timeOf("deadline", func(r *memory.Run) *time.Time { return &r.Deadline }),
	timeOf("ended_at", func(r *memory.Run) *time.Time { return &r.EndedAt }),
	int4Of("examined", func(r *memory.Run) *int { return &r.Examined }),
	int4Of("created", func(r *memory.Run) *int { return &r.Created }),
	int4Of("archived", func(r *memory.Run) *int { return &r.Archived }),
	int4Of("offered", func(r *memory.Run) *int { return &r.Offered }),
	int4Of("refused", func(r *memory.Run) *int { return &r.Refused }),
	int4Of("skipped", func(r *memory.Run) *int { return &r.Skipped }),
	int4Of("active_before", func(r *memory.Run) *int { return &r.Before }),
	int4Of("active_after", func(r *memory.Run) *int { return &r.After }),
	boolOf("over_limit", func(r *memory.Run) *bool { return &r.OverLimit }),
	textOf("reason", func(r *memory.Run) *string { return &r.Reason }),
	jsonOf("report", func(w *writer, r *memory.Run) string { return w.json.raw(r.Report) }, func(r *memory.Run) any { return &r.Report }),
	{
		name: "version", array: "int8[]", read: func(r *memory.Run) any { return &r.Version },
		write: func(_ *writer, rows []memory.Run) any { return column(rows, func(*memory.Run) int64 { return 1 }) },
	},
})

var itemTable = newTable("run_items", "i", []field[memory.RunItem]{
	tenantOf(func(i *memory.RunItem) *memory.Tenant { return &i.Tenant }),
	textOf("run_id", func(i *memory.RunItem) *string { return &i.RunID }),
	int4Of("n", func(i *memory.RunItem) *int { return &i.N }),
	textOf("action", func(i *memory.RunItem) *memory.RunAction { return &i.Action }),
	textOf("state", func(i *memory.RunItem) *memory.RunItemState { return &i.State }),
	wordsOf("sources", func(i *memory.RunItem) *[]string { return &i.Sources }),
	textOf("memory_id", func(i *memory.RunItem) *string { return &i.MemoryID }),
	textOf("proposal_id", func(i *memory.RunItem) *string { return &i.ProposalID }),
	textOf("reason", func(i *memory.RunItem) *string { return &i.Reason }),
	jsonOf("detail", func(w *writer, i *memory.RunItem) string { return w.json.raw(i.Detail) }, func(i *memory.RunItem) any { return &i.Detail }),
	timeOf("ended_at", func(i *memory.RunItem) *time.Time { return &i.EndedAt }),
})

var (
	runColumns, scanRun   = runTable.columns, runTable.scan
	itemColumns, scanItem = itemTable.columns, itemTable.scan
)

var (
	// A run that the index of open runs keeps out fails winnow_expect, which is
	// store.ErrConflict.
	insertRuns = `
with hit as (` + runTable.insert + `
	on conflict do nothing
	returning 1)
select winnow_expect(cardinality($2::text[]), (select count(*) from hit))`

	updateRuns = `
with hit as (
	update runs o set state = r.state, started_at = r.started_at, deadline = r.deadline, ended_at = r.ended_at,
		examined = r.examined, created = r.created, archived = r.archived, offered = r.offered, refused = r.refused,
		skipped = r.skipped, active_before = r.active_before, active_after = r.active_after, over_limit = r.over_limit,
		reason = r.reason, report = r.report::json, version = o.version + 1
	from ` + byKey("runs", `($2::text[], $3::text[], $4::timestamptz[], $5::timestamptz[], $6::timestamptz[], $7::int4[],
			$8::int4[], $9::int4[], $10::int4[], $11::int4[], $12::int4[], $13::int4[], $14::int4[], $15::bool[],
			$16::text[], $17::text[], $18::int8[])
		as r (id, state, started_at, deadline, ended_at, examined, created, archived, offered, refused, skipped,
			active_before, active_after, over_limit, reason, report, expect)`, "id") + `
	where o.ctid = t.at and (r.expect = 0 or r.expect = t.version)
	returning 1)
select winnow_expect(cardinality($2::text[]), (select count(*) from hit))`

	// The states that may follow each other, see memory.RunItemState.
	upsertItems = `
with hit as (` + itemTable.insert + `
	on conflict (tenant, run_id, n) do update set state = excluded.state, sources = excluded.sources,
		memory_id = excluded.memory_id, proposal_id = excluded.proposal_id, reason = excluded.reason,
		detail = excluded.detail, ended_at = excluded.ended_at
	where run_items.state = 'planned' or run_items.state in ('applied', 'offered') and excluded.state = 'undone'
	returning 1)
select winnow_expect(cardinality($2::text[]), (select count(*) from hit))`
)

const (
	insertMembers = `
insert into run_members (tenant, memory_id, run_id, n)
select $1, r.* from unnest($2::text[], $3::text[], $4::int4[]) as r on conflict do nothing`

	selectProgress = `
select state, count(*) from run_items where tenant = $1 and run_id = $2 group by state`

	// The limit stops the scan: the count of a large scope reads no more rows than
	// that of a small one.
	selectActiveCount = `
select count(*) from (
	select from memories m where m.tenant = $1 and m.scope = $2 and m.state = 'active' limit $3) m`

	// A reason may be followed by a colon and words.
	selectEroded = `
select count(*) from memories m
where m.tenant = $1 and m.scope = $2 and m.state = 'archived' and m.successor_id = ''
	and m.archived_at > coalesce($3, '-infinity'::timestamptz) and split_part(m.archive_reason, ':', 1) = any ($4)`

	selectLastRun = `
select r.ended_at from runs r
where r.tenant = $1 and r.scope = $2 and r.strategy = $3 and r.state in ('completed', 'partial', 'undone')
	and not r.dry_run and r.ended_at is not null
order by r.ended_at desc limit 1`

	selectUsage = `
select memory_id, count(*) from served where tenant = $1 and memory_id = any ($2) group by memory_id`
)

// eroding lists the reasons that count against the erosion budget.
var eroding = []string{memory.ReasonDropped, memory.ReasonFaded, memory.ReasonPruned, memory.ReasonHygiene}

func (w *writer) runs(b *pgx.Batch, rows []memory.Run) {
	b.Queue(insertRuns, runTable.values(w, rows)...)
}

func (w *writer) runUpdates(b *pgx.Batch, rows []change.RunUpdate) {
	type row = change.RunUpdate
	number := func(of func(*row) int) []int32 { return column(rows, func(u *row) int32 { return int32(of(u)) }) }
	b.Queue(updateRuns, string(w.tenant),
		column(rows, func(u *row) string { return u.ID }),
		column(rows, func(u *row) string { return string(u.State) }),
		column(rows, func(u *row) pgtype.Timestamptz { return stamp(u.StartedAt) }),
		column(rows, func(u *row) pgtype.Timestamptz { return stamp(u.Deadline) }),
		column(rows, func(u *row) pgtype.Timestamptz { return stamp(u.EndedAt) }),
		number(func(u *row) int { return u.Examined }),
		number(func(u *row) int { return u.Created }),
		number(func(u *row) int { return u.Archived }),
		number(func(u *row) int { return u.Offered }),
		number(func(u *row) int { return u.Refused }),
		number(func(u *row) int { return u.Skipped }),
		number(func(u *row) int { return u.Before }),
		number(func(u *row) int { return u.After }),
		column(rows, func(u *row) bool { return u.OverLimit }),
		column(rows, func(u *row) string { return u.Reason }),
		column(rows, func(u *row) string { return w.json.raw(u.Report) }),
		column(rows, func(u *row) int64 { return u.Expect }))
}

// runItems stores the steps, and which memories they touch.
func (w *writer) runItems(b *pgx.Batch, rows []memory.RunItem) {
	b.Queue(upsertItems, itemTable.values(w, rows)...)
	var members, runs []string
	var numbers []int32
	for i := range rows {
		for _, id := range append(rows[i].Sources[:len(rows[i].Sources):len(rows[i].Sources)], rows[i].MemoryID) {
			if id != "" {
				members, runs, numbers = append(members, id), append(runs, rows[i].RunID), append(numbers, int32(rows[i].N))
			}
		}
	}
	if len(members) > 0 {
		b.Queue(insertMembers, string(w.tenant), members, runs, numbers)
	}
}

// The reads of runs are few and plan anew, see [replanned]: tables that are empty when
// a worker starts have thousands of rows later.

// Run implements [store.Runs].
func (s *Store) Run(ctx context.Context, tenant memory.Tenant, id string) (memory.Run, error) {
	return one(ctx, s, tenant, id, scanRun, `select `+runColumns+` from runs r where r.tenant = $1 and r.id = $2`)
}

// Runs implements [store.Runs].
func (s *Store) Runs(ctx context.Context, tenant memory.Tenant, q store.RunQuery) ([]memory.Run, error) {
	var f filter
	table, limit := f.from("runs", "r", tenant, q.IDs, q.Limit)
	f.whereText("r.scope = $", string(q.Scope))
	f.whereText("r.strategy = $", string(q.Strategy))
	if len(q.States) > 0 {
		f.where("r.state = any ($)", column(q.States, func(st *memory.RunState) string { return string(*st) }))
		if openRuns(q.States) {
			// The condition of the partial index, which a parameter does not imply.
			f.conditions = append(f.conditions, "r.state in ('requested', 'running')")
		}
	}
	if !q.EndedAfter.IsZero() {
		f.where("r.ended_at > $", q.EndedAfter)
	}
	query := f.query(`select `+runColumns+` from `+table, "r.id", q.After, q.Newest, limit)
	return listPlanned(ctx, s, tenant, "list runs", scanRun, query, f.args...)
}

func openRuns(states []memory.RunState) bool {
	for _, state := range states {
		if r := (memory.Run{State: state}); !r.Open() {
			return false
		}
	}
	return true
}

// RunItem implements [store.Runs].
func (s *Store) RunItem(ctx context.Context, tenant memory.Tenant, runID string, n int) (memory.RunItem, error) {
	rows, err := listPlanned(ctx, s, tenant, "read a step of "+runID, scanItem,
		`select `+itemColumns+` from run_items i where i.tenant = $1 and i.run_id = $2 and i.n = $3`, string(tenant), runID, n)
	if err == nil && len(rows) == 0 {
		err = fmt.Errorf("%w: step %d of %s", store.ErrNotFound, n, runID)
	}
	return first(rows), err
}

// RunItems implements [store.Runs].
func (s *Store) RunItems(ctx context.Context, tenant memory.Tenant, runID string) ([]memory.RunItem, error) {
	return listPlanned(ctx, s, tenant, "read the steps of "+runID, scanItem,
		`select `+itemColumns+` from run_items i where i.tenant = $1 and i.run_id = $2 order by i.n`, string(tenant), runID)
}

// counted is a row of a count by a key.
type counted struct {
	key string
	n   int
}

func scanCounted(row pgx.CollectableRow) (c counted, err error) {
	err = row.Scan(&c.key, &c.n)
	return c, err
}

// RunProgress implements [store.Runs].
func (s *Store) RunProgress(ctx context.Context, tenant memory.Tenant, runID string) (map[memory.RunItemState]int, error) {
	rows, err := listPlanned(ctx, s, tenant, "count the steps of "+runID, scanCounted, selectProgress, string(tenant), runID)
	counts := make(map[memory.RunItemState]int, len(rows))
	for _, r := range rows {
		counts[memory.RunItemState(r.key)] = r.n
	}
	return counts, err
}

// ItemsOf implements [store.Runs].
func (s *Store) ItemsOf(ctx context.Context, tenant memory.Tenant, memories ...string) ([]memory.RunItem, error) {
	if len(memories) == 0 {
		return nil, nil
	}
	return listPlanned(ctx, s, tenant, "read the steps of memories", scanItem, `
select `+itemColumns+` from (select distinct run_id, n from run_members where tenant = $1 and memory_id = any ($2)) b
join run_items i on i.tenant = $1 and i.run_id = b.run_id and i.n = b.n
order by i.run_id, i.n`, string(tenant), memories)
}

// TakenBack implements [store.Runs].
func (s *Store) TakenBack(ctx context.Context, tenant memory.Tenant, scope memory.Scope) ([]memory.RunItem, error) {
	return listPlanned(ctx, s, tenant, "read undone steps", scanItem, `
select `+itemColumns+` from run_items i `+byID("runs", "$1", "i.run_id")+` r
where i.tenant = $1 and i.state = 'undone' and r.scope = $2 order by i.run_id, i.n`, string(tenant), string(scope))
}

// LastRun implements [store.Runs].
func (s *Store) LastRun(ctx context.Context, tenant memory.Tenant, scope memory.Scope, strategy memory.RunStrategy) (time.Time, error) {
	rows, err := listPlanned(ctx, s, tenant, "read the last run", pgx.RowTo[time.Time], selectLastRun, string(tenant), string(scope), string(strategy))
	if err != nil || len(rows) == 0 {
		return time.Time{}, err
	}
	return rows[0].UTC(), nil
}

// ActiveCount implements [store.Runs].
func (s *Store) ActiveCount(ctx context.Context, tenant memory.Tenant, scope memory.Scope, atMost int) (int, error) {
	rows, err := listPlanned(ctx, s, tenant, "count active memories", pgx.RowTo[int], selectActiveCount,
		string(tenant), string(scope), int64(max(atMost, 0))+1)
	return first(rows), err
}

// Eroded implements [store.Runs].
func (s *Store) Eroded(ctx context.Context, tenant memory.Tenant, scope memory.Scope, since time.Time) (int, error) {
	rows, err := listPlanned(ctx, s, tenant, "count what left without a successor", pgx.RowTo[int], selectEroded,
		string(tenant), string(scope), stamp(since), eroding)
	return first(rows), err
}

// Usage implements [store.Runs].
func (s *Store) Usage(ctx context.Context, tenant memory.Tenant, memories ...string) (map[string]int, error) {
	if len(memories) == 0 {
		return map[string]int{}, nil
	}
	rows, err := listPlanned(ctx, s, tenant, "count what was served", scanCounted, selectUsage, string(tenant), memories)
	uses := make(map[string]int, len(rows))
	for _, r := range rows {
		uses[r.key] = r.n
	}
	return uses, err
}
