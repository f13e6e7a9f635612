package postgres

import (
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// Updates join the locked lanes, so that a row of another scope is never changed.
// Updates also count the changed rows: a row that is missing, has another version
// or belongs to another scope fails the transaction with store.ErrConflict.

var updateProposals = `
with hit as (
	update proposals p set state = r.state, kind = r.kind, section = r.section, target = r.target,
		decision_id = r.decision_id, seen_count = r.seen_count, last_confirmed = r.last_confirmed,
		authority = least(greatest(p.authority, r.lift), r.cap),
		version = l.version, lane = true
	from ` + byKey("proposals", `($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::int4[],
			$9::timestamptz[], $10::int2[], $11::int2[], $12::int8[])
		as r (id, state, kind, section, target, decision_id, seen_count, last_confirmed, lift, cap, expect)`, "id") + `
		join unnest($13::text[], $14::int8[]) as l (scope, version) on l.scope = t.scope
	where p.ctid = t.at and (r.expect = 0 or r.expect = t.version)
	returning 1)
select winnow_expect(cardinality($2::text[]), (select count(*) from hit))`

func (w *writer) proposalUpdates(b *pgx.Batch, rows []change.ProposalUpdate) {
	type row = change.ProposalUpdate
	b.Queue(updateProposals, string(w.tenant),
		column(rows, func(u *row) string { return u.ID }),
		column(rows, func(u *row) string { return string(u.State) }),
		column(rows, func(u *row) string { return string(u.Kind) }),
		column(rows, func(u *row) string { return u.Section }),
		column(rows, func(u *row) string { return u.Target }),
		column(rows, func(u *row) string { return u.DecisionID }),
		column(rows, func(u *row) int32 { return int32(u.SeenCount) }),
		column(rows, func(u *row) pgtype.Timestamptz { return stamp(u.LastConfirmed) }),
		column(rows, func(u *row) int16 { return int16(u.Lift) }),
		column(rows, func(u *row) int16 { return highest(u.Lower, u.Outside) }),
		column(rows, func(u *row) int64 { return u.Expect }),
		w.lockedScopes, w.lockedVersions)
}

// The kind of a summary follows its state, and its topics are
// cleared in the archive, so that they cannot make it compete with its successor
// (S2.20). Both come back with it, so that an undo restores the row as it was.
var updateMemories = `
with hit as (
	update memories m set state = r.state, confidence = r.confidence, seen_count = r.seen_count,
		last_confirmed = r.last_confirmed, archived_at = r.archived_at, archive_reason = r.archive_reason,
		successor_id = r.successor_id, version = l.version,
		kind = case when r.state = 'archived' and m.kind = 'summary' then 'summary_archived'
			when r.state = 'active' and m.kind = 'summary_archived' then 'summary' else m.kind end,
		topics = case when m.summary_topic = '' then m.topics
			when r.state = 'archived' then '{}' else array[m.summary_topic] end,
		authority = least(greatest(m.authority, r.lift), r.cap)
	from ` + byKey("memories", `($2::text[], $3::text[], $4::float8[], $5::int4[], $6::timestamptz[], $7::timestamptz[],
			$8::text[], $9::text[], $10::int2[], $11::int2[], $12::int8[])
		as r (id, state, confidence, seen_count, last_confirmed, archived_at, archive_reason, successor_id, lift, cap, expect)`, "id") + `
		join unnest($13::text[], $14::int8[]) as l (scope, version) on l.scope = t.scope
	where m.ctid = t.at and (r.expect = 0 or r.expect = t.version)
	returning 1)
select winnow_expect(cardinality($2::text[]), (select count(*) from hit))`

func (w *writer) memoryUpdates(b *pgx.Batch, rows []change.MemoryUpdate) {
	type row = change.MemoryUpdate
	b.Queue(updateMemories, string(w.tenant),
		column(rows, func(u *row) string { return u.ID }),
		column(rows, func(u *row) string { return string(u.State) }),
		column(rows, func(u *row) float64 { return u.Confidence }),
		column(rows, func(u *row) int32 { return int32(u.SeenCount) }),
		column(rows, func(u *row) pgtype.Timestamptz { return stamp(u.LastConfirmed) }),
		column(rows, func(u *row) pgtype.Timestamptz { return stamp(u.ArchivedAt) }),
		column(rows, func(u *row) string { return u.ArchiveReason }),
		column(rows, func(u *row) string { return u.SuccessorID }),
		column(rows, func(u *row) int16 { return int16(u.Lift) }),
		column(rows, func(u *row) int16 { return highest(u.Lower, u.Outside) }),
		column(rows, func(u *row) int64 { return u.Expect }),
		w.lockedScopes, w.lockedVersions)
}

// highest returns the upper bound of the authority after an update.
func highest(lower, outside bool) int16 {
	switch {
	case outside:
		return int16(memory.OriginExternal)
	case lower:
		return int16(memory.OriginAgent)
	}
	return int16(memory.OriginHuman)
}
