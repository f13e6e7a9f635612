package postgres

import (
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// Select lists and scanners of the tables. Queries alias the tables as p, m and d.
var (
	proposalColumns, proposalTargets, scanProposal = proposalTable.columns, proposalTable.targets, proposalTable.scan
	memoryColumns, memoryTargets, scanMemory       = memoryTable.columns, memoryTable.targets, memoryTable.scan
	decisionColumns, scanDecision                  = decisionTable.columns, decisionTable.scan
)

var proposalTable = newTable("proposals", "p", []field[memory.Proposal]{
	tenantOf(func(p *memory.Proposal) *memory.Tenant { return &p.Tenant }),
	textOf("id", func(p *memory.Proposal) *string { return &p.ID }),
	textOf("scope", func(p *memory.Proposal) *memory.Scope { return &p.Scope }),
	textOf("state", func(p *memory.Proposal) *memory.ProposalState { return &p.State }),
	textOf("kind", func(p *memory.Proposal) *memory.Kind { return &p.Kind }),
	textOf("section", func(p *memory.Proposal) *string { return &p.Section }),
	textOf("title", func(p *memory.Proposal) *string { return &p.Title }),
	textOf("body", func(p *memory.Proposal) *string { return &p.Text }),
	textOf("category", func(p *memory.Proposal) *string { return &p.Category }),
	wordsOf("tags", func(p *memory.Proposal) *[]string { return &p.Tags }),
	int2Of("importance", func(p *memory.Proposal) *int { return &p.Importance }),
	textOf("principal", func(p *memory.Proposal) *string { return &p.Principal }),
	originOf("origin", func(p *memory.Proposal) *memory.Origin { return &p.Origin }),
	originOf("authority", func(p *memory.Proposal) *memory.Origin { return &p.Authority }),
	textOf("event_id", func(p *memory.Proposal) *string { return &p.EventID }),
	textOf("session_id", func(p *memory.Proposal) *string { return &p.SessionID }),
	timeOf("observed_at", func(p *memory.Proposal) *time.Time { return &p.ObservedAt }),
	timeOf("created_at", func(p *memory.Proposal) *time.Time { return &p.CreatedAt }),
	int4Of("seen_count", func(p *memory.Proposal) *int { return &p.SeenCount }),
	timeOf("last_confirmed", func(p *memory.Proposal) *time.Time { return &p.LastConfirmed }),
	textOf("target", func(p *memory.Proposal) *string { return &p.Target }),
	textOf("decision_id", func(p *memory.Proposal) *string { return &p.DecisionID }),
	versionOf(func(p *memory.Proposal) memory.Scope { return p.Scope }, func(p *memory.Proposal) *int64 { return &p.Version }),
	// A lane loads open proposals and those that a person rejected.
	{name: "lane", array: "bool[]", write: func(w *writer, rows []memory.Proposal) any {
		return column(rows, func(p *memory.Proposal) bool { return p.State.Open() || w.settles[p.DecisionID] })
	}},
	textOf("description", func(p *memory.Proposal) *string { return &p.Description }),
	textOf("outcome", func(p *memory.Proposal) *string { return &p.Outcome }),
	floatOf("confidence", func(p *memory.Proposal) *float64 { return &p.Confidence }),
	wordsOf("topics", func(p *memory.Proposal) *[]string { return &p.Topics }),
	wordsOf("macro_topics", func(p *memory.Proposal) *[]string { return &p.MacroTopics }),
	{name: "text_hash", array: "bytea[]", write: func(w *writer, rows []memory.Proposal) any {
		return column(rows, func(p *memory.Proposal) []byte {
			if !p.State.Open() && !w.settles[p.DecisionID] {
				return nil // no lane's business
			}
			return hashOf(p.Text)
		})
	}},
})

var memoryTable = newTable("memories", "m", []field[memory.Memory]{
	tenantOf(func(m *memory.Memory) *memory.Tenant { return &m.Tenant }),
	textOf("id", func(m *memory.Memory) *string { return &m.ID }),
	textOf("scope", func(m *memory.Memory) *memory.Scope { return &m.Scope }),
	textOf("state", func(m *memory.Memory) *memory.State { return &m.State }),
	textOf("kind", func(m *memory.Memory) *memory.Kind { return &m.Kind }),
	textOf("section", func(m *memory.Memory) *string { return &m.Section }),
	textOf("title", func(m *memory.Memory) *string { return &m.Title }),
	textOf("description", func(m *memory.Memory) *string { return &m.Description }),
	textOf("body", func(m *memory.Memory) *string { return &m.Text }),
	textOf("category", func(m *memory.Memory) *string { return &m.Category }),
	wordsOf("tags", func(m *memory.Memory) *[]string { return &m.Tags }),
	wordsOf("topics", func(m *memory.Memory) *[]string { return &m.Topics }),
	wordsOf("macro_topics", func(m *memory.Memory) *[]string { return &m.MacroTopics }),
	textOf("summary_topic", func(m *memory.Memory) *string { return &m.SummaryTopic }),
	int4Of("summary_count", func(m *memory.Memory) *int { return &m.SummaryCount }),
	timeOf("summary_at", func(m *memory.Memory) *time.Time { return &m.SummaryAt }),
	int2Of("importance", func(m *memory.Memory) *int { return &m.Importance }),
	floatOf("confidence", func(m *memory.Memory) *float64 { return &m.Confidence }),
	textOf("outcome", func(m *memory.Memory) *string { return &m.Outcome }),
	textOf("principal", func(m *memory.Memory) *string { return &m.Principal }),
	originOf("origin", func(m *memory.Memory) *memory.Origin { return &m.Origin }),
	originOf("authority", func(m *memory.Memory) *memory.Origin { return &m.Authority }),
	timeOf("observed_at", func(m *memory.Memory) *time.Time { return &m.ObservedAt }),
	timeOf("created_at", func(m *memory.Memory) *time.Time { return &m.CreatedAt }),
	timeOf("last_confirmed", func(m *memory.Memory) *time.Time { return &m.LastConfirmed }),
	int4Of("seen_count", func(m *memory.Memory) *int { return &m.SeenCount }),
	textOf("proposal_id", func(m *memory.Memory) *string { return &m.ProposalID }),
	textOf("decision_id", func(m *memory.Memory) *string { return &m.DecisionID }),
	timeOf("archived_at", func(m *memory.Memory) *time.Time { return &m.ArchivedAt }),
	textOf("archive_reason", func(m *memory.Memory) *string { return &m.ArchiveReason }),
	textOf("successor_id", func(m *memory.Memory) *string { return &m.SuccessorID }),
	versionOf(func(m *memory.Memory) memory.Scope { return m.Scope }, func(m *memory.Memory) *int64 { return &m.Version }),
	{name: "text_hash", array: "bytea[]", write: func(_ *writer, rows []memory.Memory) any {
		return column(rows, func(m *memory.Memory) []byte { return hashOf(m.Text) })
	}},
})

var decisionTable = newTable("decisions", "d", []field[memory.Decision]{
	tenantOf(func(d *memory.Decision) *memory.Tenant { return &d.Tenant }),
	textOf("id", func(d *memory.Decision) *string { return &d.ID }),
	textOf("scope", func(d *memory.Decision) *memory.Scope { return &d.Scope }),
	textOf("proposal_id", func(d *memory.Decision) *string { return &d.ProposalID }),
	textOf("verdict", func(d *memory.Decision) *memory.Verdict { return &d.Verdict }),
	textOf("rule", func(d *memory.Decision) *string { return &d.Rule }),
	wordsOf("fired", func(d *memory.Decision) *[]string { return &d.Fired }),
	textOf("advice", func(d *memory.Decision) *memory.Advice { return &d.Advice }),
	textOf("reason", func(d *memory.Decision) *string { return &d.Reason }),
	textOf("target", func(d *memory.Decision) *string { return &d.Target }),
	textOf("memory_id", func(d *memory.Decision) *string { return &d.MemoryID }),
	textOf("policy", func(d *memory.Decision) *string { return &d.Policy }),
	textOf("policy_version", func(d *memory.Decision) *string { return &d.PolicyVersion }),
	textOf("calibration", func(d *memory.Decision) *string { return &d.Calibration }),
	jsonOf("features", func(w *writer, d *memory.Decision) string { return w.json.raw(d.Features) }, func(d *memory.Decision) any { return &d.Features }),
	jsonOf("candidates", func(w *writer, d *memory.Decision) string { return w.json.text(orEmpty(d.Candidates)) }, func(d *memory.Decision) any { return &d.Candidates }),
	jsonOf("inputs", func(w *writer, d *memory.Decision) string { return w.json.text(d.Inputs) }, func(d *memory.Decision) any { return &d.Inputs }),
	textOf("principal", func(d *memory.Decision) *string { return &d.Principal }),
	textOf("actor", func(d *memory.Decision) *memory.Actor { return &d.Actor }),
	originOf("authority", func(d *memory.Decision) *memory.Origin { return &d.Authority }),
	textOf("undoes", func(d *memory.Decision) *string { return &d.Undoes }),
	timeOf("decided_at", func(d *memory.Decision) *time.Time { return &d.At }),
	versionOf(func(d *memory.Decision) memory.Scope { return d.Scope }, nil),
})

var sessionTable = newTable("sessions", "s", []field[memory.Session]{
	tenantOf(func(s *memory.Session) *memory.Tenant { return &s.Tenant }),
	textOf("id", func(s *memory.Session) *string { return &s.ID }),
	textOf("scope", func(s *memory.Session) *memory.Scope { return &s.Scope }),
	textOf("name", func(s *memory.Session) *string { return &s.Name }),
	textOf("event_id", func(s *memory.Session) *string { return &s.EventID }),
	textOf("principal", func(s *memory.Session) *string { return &s.Principal }),
	originOf("highest", func(s *memory.Session) *memory.Origin { return &s.Highest }),
	textOf("format", func(s *memory.Session) *string { return &s.Format }),
	textOf("agent", func(s *memory.Session) *string { return &s.Agent }),
	textOf("source", func(s *memory.Session) *string { return &s.Source }),
	textOf("project", func(s *memory.Session) *string { return &s.Project }),
	textOf("task", func(s *memory.Session) *string { return &s.Task }),
	textOf("language", func(s *memory.Session) *string { return &s.Language }),
	textOf("outcome", func(s *memory.Session) *string { return &s.Outcome }),
	boolOf("outcome_inferred", func(s *memory.Session) *bool { return &s.OutcomeInferred }),
	textOf("outcome_basis", func(s *memory.Session) *string { return &s.OutcomeBasis }),
	timeOf("started_at", func(s *memory.Session) *time.Time { return &s.StartedAt }),
	timeOf("ended_at", func(s *memory.Session) *time.Time { return &s.EndedAt }),
	timeOf("ingested_at", func(s *memory.Session) *time.Time { return &s.IngestedAt }),
	textOf("hash", func(s *memory.Session) *string { return &s.Hash }),
	int4Of("turns", func(s *memory.Session) *int { return &s.Turns }),
	int4Of("skipped", func(s *memory.Session) *int { return &s.Skipped }),
	int4Of("redactions", func(s *memory.Session) *int { return &s.Redactions }),
	int4Of("external", func(s *memory.Session) *int { return &s.External }),
	int8Of("bytes", func(s *memory.Session) *int64 { return &s.Bytes }),
	textOf("state", func(s *memory.Session) *memory.SessionState { return &s.State }),
	timeOf("distilled_at", func(s *memory.Session) *time.Time { return &s.DistilledAt }),
	textOf("distiller", func(s *memory.Session) *string { return &s.Distiller }),
	textOf("prompt", func(s *memory.Session) *string { return &s.Prompt }),
	int4Of("extracted", func(s *memory.Session) *int { return &s.Extracted }),
	int4Of("ungrounded", func(s *memory.Session) *int { return &s.Ungrounded }),
	textOf("note", func(s *memory.Session) *string { return &s.Note }),
})

// hashOf is the hash by which a row is found by its words, null where none are
// left.
func hashOf(text string) []byte {
	if h := memory.HashText(text); h != (memory.TextHash{}) {
		return h[:]
	}
	return nil
}
