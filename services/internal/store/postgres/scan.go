package postgres

import (
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// Column lists and what they are scanned into, side by side. The tables are
// aliased p, m and d wherever these are used.

const proposalColumns = `p.tenant, p.id, p.scope, p.state, p.kind, p.section, p.title, p.body, p.category, p.tags,
	p.importance, p.principal, p.origin, p.authority, p.event_id, p.session_id, p.observed_at, p.created_at,
	p.seen_count, p.last_confirmed, p.target, p.decision_id, p.version, p.description, p.outcome, p.confidence`

func proposalTargets(p *memory.Proposal) []any {
	return []any{&p.Tenant, &p.ID, &p.Scope, &p.State, &p.Kind, &p.Section, &p.Title, &p.Text, &p.Category, &p.Tags,
		&p.Importance, &p.Principal, (*origin)(&p.Origin), (*origin)(&p.Authority), &p.EventID, &p.SessionID,
		nullable(&p.ObservedAt), nullable(&p.CreatedAt), &p.SeenCount, nullable(&p.LastConfirmed), &p.Target,
		&p.DecisionID, &p.Version, &p.Description, &p.Outcome, &p.Confidence}
}

func scanProposal(row pgx.CollectableRow) (p memory.Proposal, err error) {
	err = row.Scan(proposalTargets(&p)...)
	return p, err
}

const memoryColumns = `m.tenant, m.id, m.scope, m.state, m.kind, m.section, m.title, m.description, m.body, m.category,
	m.tags, m.topics, m.importance, m.confidence, m.outcome, m.principal, m.origin, m.authority, m.observed_at,
	m.created_at, m.last_confirmed, m.seen_count, m.proposal_id, m.decision_id, m.archived_at, m.archive_reason,
	m.successor_id, m.version`

func memoryTargets(m *memory.Memory) []any {
	return []any{&m.Tenant, &m.ID, &m.Scope, &m.State, &m.Kind, &m.Section, &m.Title, &m.Description, &m.Text,
		&m.Category, &m.Tags, &m.Topics, &m.Importance, &m.Confidence, &m.Outcome, &m.Principal,
		(*origin)(&m.Origin), (*origin)(&m.Authority), nullable(&m.ObservedAt), nullable(&m.CreatedAt),
		nullable(&m.LastConfirmed), &m.SeenCount, &m.ProposalID, &m.DecisionID, nullable(&m.ArchivedAt),
		&m.ArchiveReason, &m.SuccessorID, &m.Version}
}

func scanMemory(row pgx.CollectableRow) (m memory.Memory, err error) {
	err = row.Scan(memoryTargets(&m)...)
	return m, err
}

const decisionColumns = `d.tenant, d.id, d.scope, d.proposal_id, d.verdict, d.rule, d.fired, d.advice, d.reason,
	d.target, d.memory_id, d.policy, d.policy_version, d.calibration, d.features, d.candidates, d.inputs,
	d.principal, d.actor, d.authority, d.undoes, d.decided_at`

func scanDecision(row pgx.CollectableRow) (d memory.Decision, err error) {
	err = row.Scan(&d.Tenant, &d.ID, &d.Scope, &d.ProposalID, &d.Verdict, &d.Rule, &d.Fired, &d.Advice, &d.Reason,
		&d.Target, &d.MemoryID, &d.Policy, &d.PolicyVersion, &d.Calibration, &d.Features, &d.Candidates, &d.Inputs,
		&d.Principal, &d.Actor, (*origin)(&d.Authority), &d.Undoes, nullable(&d.At))
	return d, err
}

// origin reads the stored number. memory.Origin itself reads names, which pgx
// would prefer.
type origin memory.Origin

// ScanInt64 implements [pgtype.Int64Scanner].
func (o *origin) ScanInt64(v pgtype.Int8) error {
	*o = origin(v.Int64)
	return nil
}

// nullTime reads null as the zero time, and everything else in UTC.
type nullTime struct{ at *time.Time }

func nullable(at *time.Time) *nullTime { return &nullTime{at} }

// ScanTimestamptz implements [pgtype.TimestamptzScanner].
func (n *nullTime) ScanTimestamptz(v pgtype.Timestamptz) error {
	*n.at = time.Time{}
	if v.Valid {
		*n.at = v.Time.UTC()
	}
	return nil
}
