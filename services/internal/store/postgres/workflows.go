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

var workflowTable = newTable("workflows", "w", []field[memory.Workflow]{
	tenantOf(func(f *memory.Workflow) *memory.Tenant { return &f.Tenant }),
	textOf("id", func(f *memory.Workflow) *string { return &f.ID }),
	textOf("scope", func(f *memory.Workflow) *memory.Scope { return &f.Scope }),
	textOf("status", func(f *memory.Workflow) *memory.WorkflowStatus { return &f.Status }),
	textOf("name", func(f *memory.Workflow) *string { return &f.Name }),
	textOf("description", func(f *memory.Workflow) *string { return &f.Description }),
	textOf("summary", func(f *memory.Workflow) *string { return &f.Summary }),
	textOf("principal", func(f *memory.Workflow) *string { return &f.Principal }),
	timeOf("created_at", func(f *memory.Workflow) *time.Time { return &f.CreatedAt }),
	timeOf("updated_at", func(f *memory.Workflow) *time.Time { return &f.UpdatedAt }),
	timeOf("completed_at", func(f *memory.Workflow) *time.Time { return &f.CompletedAt }),
	{
		name: "version", array: "int8[]", read: func(f *memory.Workflow) any { return &f.Version },
		write: func(_ *writer, rows []memory.Workflow) any {
			return column(rows, func(*memory.Workflow) int64 { return 1 })
		},
	},
})

// countMembers is the count of a workflow's memories (S0.11).
const countMembers = `(select count(*) from memory_links l where l.tenant = w.tenant and l.to_id = w.id and l.kind = 'workflow')`

var workflowColumns = workflowTable.columns + ", " + countMembers

func scanWorkflow(row pgx.CollectableRow) (f memory.Workflow, err error) {
	err = row.Scan(append(workflowTable.targets(&f), &f.MemoryCount)...)
	return f, err
}

var (
	// A workflow that the index of active ones keeps out fails winnow_expect, which is
	// store.ErrConflict.
	insertWorkflows = `
with hit as (` + workflowTable.insert + `
	on conflict do nothing
	returning 1)
select winnow_expect(cardinality($2::text[]), (select count(*) from hit))`

	// The lane of the scope is locked, so neither another active workflow nor another
	// link can appear meanwhile.
	updateWorkflows = `
with hit as (
	update workflows w set status = r.status, summary = r.summary, updated_at = r.updated_at,
		completed_at = r.completed_at, version = w.version + 1
	from ` + byKey("workflows", `($2::text[], $3::text[], $4::text[], $5::text[], $6::timestamptz[], $7::timestamptz[],
			$8::int8[], $9::int4[]) as r (id, scope, status, summary, updated_at, completed_at, expect, members)`, "id", "scope") + `
	where w.ctid = t.at and (r.expect = 0 or r.expect = t.version)
		and (r.members < 0 or r.members = ` + countMembers + `)
		and (r.status <> 'active' or not exists (select from workflows o
			where o.tenant = $1 and o.scope = r.scope and o.status = 'active' and o.id <> r.id))
	returning 1)
select winnow_expect(cardinality($2::text[]), (select count(*) from hit))`

	// S0.43: the one additional read of a commit of memories, sent with its inserts.
	linkWorkflow = `
insert into memory_links (tenant, from_id, kind, to_id)
select $1, r.id, 'workflow', w.id from unnest($2::text[], $3::text[]) as r (id, scope)
join workflows w on w.tenant = $1 and w.scope = r.scope and w.status = 'active'
on conflict do nothing`

	// A memory out of force stands for its successor, and is left out without one.
	selectThread = `
select distinct on (m.id) ` + memoryColumns + ` from workflows w
join memory_links l on l.tenant = w.tenant and l.to_id = w.id and l.kind = 'workflow'
` + byID("memories", "$1", "l.from_id") + ` x
` + byID("memories", "$1", "case when x.state = 'active' then x.id else x.successor_id end") + ` m
where w.tenant = $1 and %s and m.state = 'active' order by m.id desc limit $3`
)

// The two ways to name a workflow.
const (
	threadByID  = `w.id = $2`
	threadOfNow = `w.scope = $2 and w.status = 'active'`
)

func (w *writer) workflows(b *pgx.Batch, rows []memory.Workflow) {
	b.Queue(insertWorkflows, workflowTable.values(w, rows)...)
}

func (w *writer) workflowUpdates(b *pgx.Batch, rows []change.WorkflowUpdate) {
	type row = change.WorkflowUpdate
	b.Queue(updateWorkflows, string(w.tenant),
		column(rows, func(u *row) string { return u.ID }),
		column(rows, func(u *row) string { return string(u.Scope) }),
		column(rows, func(u *row) string { return string(u.Status) }),
		column(rows, func(u *row) string { return u.Summary }),
		column(rows, func(u *row) pgtype.Timestamptz { return stamp(u.UpdatedAt) }),
		column(rows, func(u *row) pgtype.Timestamptz { return stamp(u.CompletedAt) }),
		column(rows, func(u *row) int64 { return u.Expect }),
		column(rows, func(u *row) int32 { return int32(u.Members) }))
}

// joining links new memories to the workflow that is active in their project.
func (w *writer) joining(b *pgx.Batch, rows []memory.Memory) {
	var ids, scopes []string
	for i := range rows {
		if rows[i].JoinsWorkflow() {
			ids, scopes = append(ids, rows[i].ID), append(scopes, string(rows[i].Scope))
		}
	}
	if len(ids) > 0 {
		b.Queue(linkWorkflow, string(w.tenant), ids, scopes)
	}
}

// Workflow implements [store.Workflows].
func (s *Store) Workflow(ctx context.Context, tenant memory.Tenant, id string, most int) (store.Thread, error) {
	t, err := s.thread(ctx, tenant, "read workflow", threadByID, id, most)
	if err == nil && t.ID == "" {
		err = fmt.Errorf("%w: %s", store.ErrNotFound, id)
	}
	return t, err
}

// ActiveWorkflow implements [store.Workflows].
func (s *Store) ActiveWorkflow(ctx context.Context, tenant memory.Tenant, project memory.Scope, most int) (store.Thread, error) {
	return s.thread(ctx, tenant, "read the active workflow", threadOfNow, string(project), most)
}

// thread reads a workflow and its memories in one round trip and on one snapshot.
func (s *Store) thread(ctx context.Context, tenant memory.Tenant, op, condition, named string, most int) (store.Thread, error) {
	var t store.Thread
	err := s.read(ctx, tenant, func(b *pgx.Batch) {
		b.Queue(readInOrder)
		b.Queue(`select `+workflowColumns+` from workflows w where w.tenant = $1 and `+condition, string(tenant), named).Query(func(rows pgx.Rows) error {
			found, err := pgx.CollectRows(rows, scanWorkflow)
			t.Workflow = first(found)
			return err
		})
		if most > 0 {
			b.Queue(fmt.Sprintf(selectThread, condition), string(tenant), named, most).Query(func(rows pgx.Rows) (err error) {
				t.Memories, err = pgx.CollectRows(rows, scanMemory)
				return err
			})
		}
	})
	return t, mapError(op, err)
}

// Workflows implements [store.Workflows].
func (s *Store) Workflows(ctx context.Context, tenant memory.Tenant, q store.WorkflowQuery) ([]memory.Workflow, error) {
	var f filter
	table, limit := f.from("workflows", "w", tenant, nil, q.Limit)
	f.whereText("w.scope = $", string(q.Scope))
	f.whereText("w.status = $", string(q.Status))
	query := f.query(`select `+workflowColumns+` from `+table, "w.id", q.After, q.Newest, limit)
	return listPlanned(ctx, s, tenant, "list workflows", scanWorkflow, query, f.args...)
}
