package postgres

import (
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// Rows go in by unnest, a parameter per column: one statement per table and
// batch whatever its size, and COPY is refused under row security.

const insertProposals = `
insert into proposals (tenant, id, scope, state, kind, section, title, body, category, tags, importance,
	principal, origin, authority, event_id, session_id, observed_at, created_at, seen_count, last_confirmed,
	target, decision_id, version, lane, description, outcome, confidence, text_hash)
select $1, id, scope, state, kind, section, title, body, category, tags::text[], importance,
	principal, origin, authority, event_id, session_id, observed_at, created_at, seen_count, last_confirmed,
	target, decision_id, version, lane, description, outcome, confidence, text_hash
from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
	$10::text[], $11::int2[], $12::text[], $13::int2[], $14::int2[], $15::text[], $16::text[],
	$17::timestamptz[], $18::timestamptz[], $19::int4[], $20::timestamptz[], $21::text[], $22::text[],
	$23::int8[], $24::bool[], $25::text[], $26::text[], $27::float8[], $28::bytea[])
as r (id, scope, state, kind, section, title, body, category, tags, importance, principal, origin, authority,
	event_id, session_id, observed_at, created_at, seen_count, last_confirmed, target, decision_id, version, lane,
	description, outcome, confidence, text_hash)`

func (w *writer) proposals(b *pgx.Batch, rows []memory.Proposal) {
	type row = memory.Proposal
	lane := func(p *row) bool { return p.State.Open() || w.settles[p.DecisionID] }
	b.Queue(insertProposals, string(w.tenant),
		column(rows, func(p *row) string { return p.ID }),
		column(rows, func(p *row) string { return string(p.Scope) }),
		column(rows, func(p *row) string { return string(p.State) }),
		column(rows, func(p *row) string { return string(p.Kind) }),
		column(rows, func(p *row) string { return p.Section }),
		column(rows, func(p *row) string { return p.Title }),
		column(rows, func(p *row) string { return p.Text }),
		column(rows, func(p *row) string { return p.Category }),
		column(rows, func(p *row) string { return arrayLiteral(p.Tags) }),
		column(rows, func(p *row) int16 { return int16(p.Importance) }),
		column(rows, func(p *row) string { return p.Principal }),
		column(rows, func(p *row) int16 { return int16(p.Origin) }),
		column(rows, func(p *row) int16 { return int16(p.Authority) }),
		column(rows, func(p *row) string { return p.EventID }),
		column(rows, func(p *row) string { return p.SessionID }),
		column(rows, func(p *row) pgtype.Timestamptz { return stamp(p.ObservedAt) }),
		column(rows, func(p *row) pgtype.Timestamptz { return stamp(p.CreatedAt) }),
		column(rows, func(p *row) int32 { return int32(p.SeenCount) }),
		column(rows, func(p *row) pgtype.Timestamptz { return stamp(p.LastConfirmed) }),
		column(rows, func(p *row) string { return p.Target }),
		column(rows, func(p *row) string { return p.DecisionID }),
		column(rows, func(p *row) int64 { return w.versions[p.Scope] }),
		column(rows, lane),
		column(rows, func(p *row) string { return p.Description }),
		column(rows, func(p *row) string { return p.Outcome }),
		column(rows, func(p *row) float64 { return p.Confidence }),
		column(rows, func(p *row) []byte {
			if !lane(p) {
				return nil
			}
			return hashOf(p.Text)
		}))
}

// hashOf is the hash by which a row is found by its words, null where none are
// left.
func hashOf(text string) []byte {
	if h := memory.HashText(text); h != (memory.TextHash{}) {
		return h[:]
	}
	return nil
}

const insertMemories = `
insert into memories (tenant, id, scope, state, kind, section, title, description, body, category, tags, topics,
	importance, confidence, outcome, principal, origin, authority, observed_at, created_at, last_confirmed,
	seen_count, proposal_id, decision_id, archived_at, archive_reason, successor_id, version, text_hash)
select $1, id, scope, state, kind, section, title, description, body, category, tags::text[], topics::text[],
	importance, confidence, outcome, principal, origin, authority, observed_at, created_at, last_confirmed,
	seen_count, proposal_id, decision_id, archived_at, archive_reason, successor_id, version, text_hash
from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
	$10::text[], $11::text[], $12::text[], $13::int2[], $14::float8[], $15::text[], $16::text[], $17::int2[],
	$18::int2[], $19::timestamptz[], $20::timestamptz[], $21::timestamptz[], $22::int4[], $23::text[],
	$24::text[], $25::timestamptz[], $26::text[], $27::text[], $28::int8[], $29::bytea[])
as r (id, scope, state, kind, section, title, description, body, category, tags, topics, importance, confidence,
	outcome, principal, origin, authority, observed_at, created_at, last_confirmed, seen_count, proposal_id,
	decision_id, archived_at, archive_reason, successor_id, version, text_hash)`

func (w *writer) memories(b *pgx.Batch, rows []memory.Memory) {
	type row = memory.Memory
	b.Queue(insertMemories, string(w.tenant),
		column(rows, func(m *row) string { return m.ID }),
		column(rows, func(m *row) string { return string(m.Scope) }),
		column(rows, func(m *row) string { return string(m.State) }),
		column(rows, func(m *row) string { return string(m.Kind) }),
		column(rows, func(m *row) string { return m.Section }),
		column(rows, func(m *row) string { return m.Title }),
		column(rows, func(m *row) string { return m.Description }),
		column(rows, func(m *row) string { return m.Text }),
		column(rows, func(m *row) string { return m.Category }),
		column(rows, func(m *row) string { return arrayLiteral(m.Tags) }),
		column(rows, func(m *row) string { return arrayLiteral(m.Topics) }),
		column(rows, func(m *row) int16 { return int16(m.Importance) }),
		column(rows, func(m *row) float64 { return m.Confidence }),
		column(rows, func(m *row) string { return m.Outcome }),
		column(rows, func(m *row) string { return m.Principal }),
		column(rows, func(m *row) int16 { return int16(m.Origin) }),
		column(rows, func(m *row) int16 { return int16(m.Authority) }),
		column(rows, func(m *row) pgtype.Timestamptz { return stamp(m.ObservedAt) }),
		column(rows, func(m *row) pgtype.Timestamptz { return stamp(m.CreatedAt) }),
		column(rows, func(m *row) pgtype.Timestamptz { return stamp(m.LastConfirmed) }),
		column(rows, func(m *row) int32 { return int32(m.SeenCount) }),
		column(rows, func(m *row) string { return m.ProposalID }),
		column(rows, func(m *row) string { return m.DecisionID }),
		column(rows, func(m *row) pgtype.Timestamptz { return stamp(m.ArchivedAt) }),
		column(rows, func(m *row) string { return m.ArchiveReason }),
		column(rows, func(m *row) string { return m.SuccessorID }),
		column(rows, func(m *row) int64 { return w.versions[m.Scope] }),
		column(rows, func(m *row) []byte { return hashOf(m.Text) }))
}

const insertDecisions = `
insert into decisions (tenant, id, scope, proposal_id, verdict, rule, fired, advice, reason, target, memory_id,
	policy, policy_version, calibration, features, candidates, inputs, principal, actor, authority, undoes, decided_at, version)
select $1, id, scope, proposal_id, verdict, rule, fired::text[], advice, reason, target, memory_id,
	policy, policy_version, calibration, features::json, candidates::json, inputs::json,
	principal, actor, authority, undoes, decided_at, version
from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
	$10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::text[], $16::text[], $17::text[],
	$18::text[], $19::text[], $20::int2[], $21::text[], $22::timestamptz[], $23::int8[])
as r (id, scope, proposal_id, verdict, rule, fired, advice, reason, target, memory_id, policy, policy_version,
	calibration, features, candidates, inputs, principal, actor, authority, undoes, decided_at, version)`

func (w *writer) decisions(b *pgx.Batch, rows []memory.Decision) {
	type row = memory.Decision
	b.Queue(insertDecisions, string(w.tenant),
		column(rows, func(d *row) string { return d.ID }),
		column(rows, func(d *row) string { return string(d.Scope) }),
		column(rows, func(d *row) string { return d.ProposalID }),
		column(rows, func(d *row) string { return string(d.Verdict) }),
		column(rows, func(d *row) string { return d.Rule }),
		column(rows, func(d *row) string { return arrayLiteral(d.Fired) }),
		column(rows, func(d *row) string { return string(d.Advice) }),
		column(rows, func(d *row) string { return d.Reason }),
		column(rows, func(d *row) string { return d.Target }),
		column(rows, func(d *row) string { return d.MemoryID }),
		column(rows, func(d *row) string { return d.Policy }),
		column(rows, func(d *row) string { return d.PolicyVersion }),
		column(rows, func(d *row) string { return d.Calibration }),
		column(rows, func(d *row) string { return w.json.raw(d.Features) }),
		column(rows, func(d *row) string { return w.json.text(orEmpty(d.Candidates)) }),
		column(rows, func(d *row) string { return w.json.text(d.Inputs) }),
		column(rows, func(d *row) string { return d.Principal }),
		column(rows, func(d *row) string { return string(d.Actor) }),
		column(rows, func(d *row) int16 { return int16(d.Authority) }),
		column(rows, func(d *row) string { return d.Undoes }),
		column(rows, func(d *row) pgtype.Timestamptz { return stamp(d.At) }),
		column(rows, func(d *row) int64 { return w.versions[d.Scope] }))
}

const insertEvidence = `
insert into evidence (tenant, subject, id, proposal_id, principal, session_id, origin, role, span, observed_at)
select $1, r.* from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::int2[], $8::text[],
	$9::text[], $10::timestamptz[]) as r`

func (w *writer) evidence(b *pgx.Batch, rows []memory.Evidence) {
	type row = memory.Evidence
	b.Queue(insertEvidence, string(w.tenant),
		column(rows, func(e *row) string { return e.Subject }),
		column(rows, func(e *row) string { return e.ID }),
		column(rows, func(e *row) string { return e.ProposalID }),
		column(rows, func(e *row) string { return e.Principal }),
		column(rows, func(e *row) string { return e.SessionID }),
		column(rows, func(e *row) int16 { return int16(e.Origin) }),
		column(rows, func(e *row) string { return e.Role }),
		column(rows, func(e *row) string { return e.Span }),
		column(rows, func(e *row) pgtype.Timestamptz { return stamp(e.ObservedAt) }))
}

var deleteEvidence = `
delete from evidence e using ` + byKey("evidence", `($2::text[], $3::text[]) as r (subject, id)`, "id", "subject") + `
where e.ctid = t.at`

func (w *writer) dropEvidence(b *pgx.Batch, rows []memory.Evidence) {
	b.Queue(deleteEvidence, string(w.tenant),
		column(rows, func(e *memory.Evidence) string { return e.Subject }),
		column(rows, func(e *memory.Evidence) string { return e.ID }))
}

const insertLinks = `
insert into memory_links (tenant, from_id, kind, to_id)
select $1, r.* from unnest($2::text[], $3::text[], $4::text[]) as r on conflict do nothing`

// Both indexes of links have the order of one end, and one of them begins with
// the other end alone.
var deleteLinks = `
delete from memory_links l using ` + byKey("memory_links", `($2::text[], $3::text[], $4::text[])
	as r (from_id, kind, to_id)`, "from_id", "kind", "to_id") + `
where l.ctid = t.at`

func (w *writer) links(b *pgx.Batch, statement string, rows []memory.Link) {
	b.Queue(statement, string(w.tenant),
		column(rows, func(l *memory.Link) string { return l.From }),
		column(rows, func(l *memory.Link) string { return string(l.Kind) }),
		column(rows, func(l *memory.Link) string { return l.To }))
}

const insertReviews = `
insert into reviews (tenant, id, proposal_id, decision_id, overrode, rule, agreed, principal, note, reviewed_at)
select $1, r.* from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bool[], $8::text[],
	$9::text[], $10::timestamptz[]) as r`

func (w *writer) reviews(b *pgx.Batch, rows []change.Review) {
	type row = change.Review
	b.Queue(insertReviews, string(w.tenant),
		column(rows, func(r *row) string { return r.ID }),
		column(rows, func(r *row) string { return r.ProposalID }),
		column(rows, func(r *row) string { return r.DecisionID }),
		column(rows, func(r *row) string { return r.Overrode }),
		column(rows, func(r *row) string { return r.Rule }),
		column(rows, func(r *row) bool { return r.Agreed }),
		column(rows, func(r *row) string { return r.Principal }),
		column(rows, func(r *row) string { return r.Note }),
		column(rows, func(r *row) pgtype.Timestamptz { return stamp(r.At) }))
}
