package postgres

import (
	"context"
	"fmt"
	"strings"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// defaultLimit bounds the rows of a list without a limit.
const defaultLimit = 100

// filter collects the conditions of a list. Conditions are constant text; values
// are parameters.
type filter struct {
	conditions []string
	args       []any
}

// where adds a condition; every $ in the condition stands for the value.
func (f *filter) where(condition string, value any) {
	f.args = append(f.args, value)
	f.conditions = append(f.conditions, strings.ReplaceAll(condition, "$", fmt.Sprintf("$%d", len(f.args))))
}

// whereText adds a condition unless the value is empty.
func (f *filter) whereText(condition, value string) {
	if value != "" {
		f.where(condition, value)
	}
}

// from restricts the list to a tenant and, unless ids is empty, to ids. It returns
// the relation to select from, under the alias, and the limit of the list. Without
// a limit, the limit is the number of ids.
//
// The statement looks up ids one by one, see [byID].
func (f *filter) from(table, alias string, tenant memory.Tenant, ids []string, limit int) (relation string, most int) {
	f.where(alias+".tenant = $", string(tenant))
	if len(ids) == 0 {
		return table + " " + alias, limit
	}
	at := len(f.args)
	f.args = append(f.args, ids)
	relation = fmt.Sprintf("(select distinct unnest($%d::text[]) as id) named %s %s", at+1, byID(table, fmt.Sprintf("$%d", at), "named.id"), alias)
	if limit <= 0 {
		limit = len(ids)
	}
	return relation, limit
}

// byID returns a lateral join with the one row of a table that has the id, for
// each row of the relations before.
//
// Every part of the join excludes a worse plan. The planner may plan while the
// table is empty, when all plans cost the same, and the plan stays in use when the
// table is full. With a plain join the planner may read every row of the tenant
// and compare the ids. With a lateral equality the planner may use any index that
// begins with the tenant. Only the primary key is in the order of ids, so the join
// asks for that order. The condition is a range of one id, because an equality has
// no order.
func byID(table, tenant, id string) string {
	return fmt.Sprintf(`cross join lateral (select * from %s t
where t.tenant = %s and t.id >= %s and t.id <= %[3]s order by t.id limit 1)`, table, tenant, id)
}

// query completes a select with the filter, the cursor after and the order by id.
func (f *filter) query(selection, id, after string, newest bool, limit int) string {
	order := id
	if after != "" {
		f.where(id+map[bool]string{false: " > $", true: " < $"}[newest], after)
	}
	if newest {
		order += " desc"
	}
	return f.page(selection, order, limit)
}

// page completes a select with the filter, an order and a limit.
func (f *filter) page(selection, order string, limit int) string {
	if limit <= 0 {
		limit = defaultLimit
	}
	return fmt.Sprintf("%s where %s order by %s limit %d", selection, strings.Join(f.conditions, " and "), order, limit)
}

// Proposals implements [store.Reader].
func (s *Store) Proposals(ctx context.Context, tenant memory.Tenant, q store.ProposalQuery) ([]memory.Proposal, error) {
	var f filter
	table, limit := f.from("proposals", "p", tenant, q.IDs, q.Limit)
	f.whereText("p.scope = $", string(q.Scope))
	if len(q.States) > 0 {
		f.where("p.state = any ($)", column(q.States, func(st *memory.ProposalState) string { return string(*st) }))
		if openOnly(q.States) {
			f.conditions = append(f.conditions, "p.lane") // the lanes' index has every open proposal
		}
	}
	f.whereText("p.event_id = $", q.EventID)
	f.whereText("p.principal = $", q.Principal)
	if q.SessionID != "" {
		f.where("p.session_id = $ and p.session_id <> ''", q.SessionID) // the condition of the partial index
	}
	query := f.query(`select `+proposalColumns+` from `+table, "p.id", q.After, q.Newest, limit)
	return list(ctx, s, tenant, "list proposals", scanProposal, query, f.args...)
}

func openOnly(states []memory.ProposalState) bool {
	for _, state := range states {
		if !state.Open() {
			return false
		}
	}
	return true
}

// Memories implements [store.Reader].
func (s *Store) Memories(ctx context.Context, tenant memory.Tenant, q store.MemoryQuery) ([]memory.Memory, error) {
	var f filter
	table, limit := f.from("memories", "m", tenant, q.IDs, q.Limit)
	f.whereText("m.scope = $", string(q.Scope))
	if len(q.States) > 0 {
		f.where("m.state = any ($)", column(q.States, func(st *memory.State) string { return string(*st) }))
	}
	if len(q.Kinds) > 0 {
		f.where("m.kind = any ($)", column(q.Kinds, func(k *memory.Kind) string { return string(*k) }))
	}
	f.whereText("m.principal = $", q.Principal)
	query := f.query(`select `+memoryColumns+` from `+table, "m.id", q.After, q.Newest, limit)
	return list(ctx, s, tenant, "list memories", scanMemory, query, f.args...)
}

// Decisions implements [store.Reader].
func (s *Store) Decisions(ctx context.Context, tenant memory.Tenant, q store.DecisionQuery) ([]memory.Decision, error) {
	var f filter
	table, limit := f.from("decisions", "d", tenant, q.IDs, q.Limit)
	f.whereText("d.scope = $", string(q.Scope))
	f.whereText("d.proposal_id = $", q.ProposalID)
	if q.MemoryID != "" {
		// The decision created the memory or was about it. The comparisons with ''
		// repeat the conditions of the partial indexes for the planner.
		f.where("(d.memory_id = $ and d.memory_id <> '' or d.target = $ and d.target <> '')", q.MemoryID)
	}
	f.whereText("d.rule = $", q.Rule)
	f.whereText("d.verdict = $", string(q.Verdict))
	f.whereText("d.actor = $", string(q.Actor))
	if !q.Since.IsZero() {
		f.where("d.decided_at >= $", q.Since)
	}
	if !q.Until.IsZero() {
		f.where("d.decided_at <= $", q.Until)
	}
	query := f.query(`select `+decisionColumns+` from `+table, "d.id", q.After, q.Newest, limit)
	return list(ctx, s, tenant, "list decisions", scanDecision, query, f.args...)
}

// byKey returns a join of the parameter rows of a statement, as r, with the table
// rows that have the same keys, as t. The column t.at is the physical address
// (ctid) of the table row. A statement that changes or deletes the rows compares
// `ctid = t.at`.
//
// Like [byID], the join prevents a plan made for an empty table from reading a
// full one. SQL cannot name the index of an update: an update joined by id may
// read all rows of the tenant and compare, which costs the same for an empty
// table. So a select that allows only one index finds the rows, and the update
// fetches them by their addresses. The limit removes no row but makes the planner
// fetch by address: the planner expects ten rows of an array and a tenth of those
// from an unknown limit, and one fetch is cheaper than any index.
//
// An address is valid for one statement. A row that another transaction changes
// meanwhile is skipped like a missing row. Rows of a locked lane cannot change
// meanwhile.
//
// The parameters $1 and $2 are the tenant and the array of one of the keys.
// ordered is the key that selects the index: of all indexes of the table, only
// the primary key may have ordered next to the tenant and to the compared keys.
func byKey(table, brought, ordered string, compared ...string) string {
	var others strings.Builder
	for _, key := range compared {
		fmt.Fprintf(&others, " and t.%[1]s = r.%[1]s", key)
	}
	return fmt.Sprintf(`(select * from unnest%[2]s limit cardinality($2)) r cross join lateral (
		select t.ctid as at, t.* from %[1]s t
		where t.tenant = $1%[4]s and t.%[3]s >= r.%[3]s and t.%[3]s <= r.%[3]s order by t.%[3]s limit 1) t`,
		table, brought, ordered, others.String())
}
