package judge

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/judge/wording"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// Item is a proposal to be judged, with its evidence.
type Item struct {
	Proposal memory.Proposal // redacted, with id, principal, origin and authority
	Stored   bool            // the proposal's row exists already, as in a backlog
	Served   []Entry         // memories that were served in its session
	Evidence []memory.Evidence
	// Text is Proposal.Text, analysed before the lane was locked. With nil, Judge
	// analyses it. An analysed text is used once.
	Text *wording.Text
}

// Outcome is what a verdict changes: rows only. The worker adds the events and the
// audit entries.
type Outcome struct {
	Proposal        memory.Proposal // after the verdict
	Stored          bool
	Memory          *memory.Memory // the promoted memory, if any
	Absorbed        []memory.Decision
	ProposalUpdates []change.ProposalUpdate
	MemoryUpdates   []change.MemoryUpdate
	Archived        []Archived
	Evidence        []memory.Evidence
	Links           []memory.Link
}

// Archived is a memory that a verdict archived.
type Archived struct {
	ID        string
	Kind      memory.Kind
	Successor string
	Reason    string
}

// Judge decides one proposal and applies the verdict to the lane, so that the next
// proposal of a batch is judged against it. now is the time of the decision.
func (l *Lane) Judge(item Item, now time.Time) (memory.Decision, Outcome) {
	p := item.Proposal
	t := item.Text
	if t == nil {
		t = l.cfg.Analyzer.Text(p.Text)
	}
	f := wording.Extract(t, givenOf(&p, item.Evidence), l.retired)
	near := l.gather(&p, t, &f, item.Served)
	d := Decide(l.cfg.Policy, l.cfg.Similarity.ID(), l.cfg.Similarity.Points(), &f, near, l.rulesOff)

	d.ID, d.Tenant, d.Scope, d.ProposalID, d.At = l.cfg.NewID(memory.PrefixDecision), p.Tenant, p.Scope, p.ID, now
	d.Principal = p.Principal
	d.Inputs = memory.Inputs{ScopeVersion: l.version, Retired: f.Retired, RulesOff: l.rulesOff, Similarity: l.cfg.Similarity.Source(), CandidateSource: l.candidateSource}
	d.Features, _ = json.Marshal(&f) // plain data: cannot fail

	a := applier{lane: l, now: now, item: &item, text: t, features: &f, decision: &d}
	a.out.Stored, a.out.Evidence = item.Stored, append([]memory.Evidence(nil), item.Evidence...)
	a.apply(p, near)
	return d, a.out
}

func givenOf(p *memory.Proposal, evidence []memory.Evidence) wording.Given {
	return wording.Given{
		Kind: p.Kind, Section: p.Section, Origin: p.Origin, Authority: p.Authority, ScopeKind: p.Scope.Kind(), ObservedAt: p.ObservedAt,
		Label: wording.LabelOf(p), Spans: wording.SpansOf(p, evidence),
	}
}

// applier turns one verdict into rows and into the lane's new state.
type applier struct {
	lane     *Lane
	now      time.Time
	item     *Item
	text     *wording.Text
	features *wording.Features
	decision *memory.Decision
	out      Outcome
}

func (a *applier) apply(p memory.Proposal, near []Neighbour) {
	d := a.decision
	p.State, p.Kind, p.Target, p.DecisionID = d.Verdict.State(), a.features.Kind, d.Target, d.ID
	p.SeenCount = max(p.SeenCount, 1)
	p.LastConfirmed = a.seenAt(p.ObservedAt)
	own := memory.Witness{ProposalID: p.ID, Principal: p.Principal, Session: p.SessionID, Origin: p.Authority, ObservedAt: p.ObservedAt}
	switch d.Verdict {
	case memory.VerdictPromoted:
		a.promote(&p, own, near)
	case memory.VerdictNeedsReview:
		a.holdForReview(&p, own, near)
	case memory.VerdictMerged:
		a.countRepeat(d.Target, own)
	case memory.VerdictRejected:
		if strings.HasPrefix(d.Rule, "dup.") {
			a.countRepeat(d.Target, own)
		}
	}
	a.out.Proposal = p
	if a.item.Stored && d.Verdict != memory.VerdictNeedsReview {
		a.lane.Remove(p.ID)
	}
}

// holdForReview adds the proposal to the lane as waiting for a person, with what it
// absorbed.
func (a *applier) holdForReview(p *memory.Proposal, own memory.Witness, near []Neighbour) {
	if a.item.Stored {
		a.lane.Remove(p.ID)
	}
	e := EntryOfProposal(*p, memory.RoleOpen, nil)
	e.Witnesses = []memory.Witness{own}
	a.absorb(near, p.ID, &e)
	a.lift(&e)
	p.SeenCount, p.Authority, p.LastConfirmed = e.SeenCount, e.Authority, e.LastConfirmed
	a.insert(e)
}

// promote makes the memory and archives the memory that it supersedes.
func (a *applier) promote(p *memory.Proposal, own memory.Witness, near []Neighbour) {
	section := p.Section
	if section == "" {
		section = memory.SectionFor(a.features.Kind)
	}
	m := &memory.Memory{
		ID: a.lane.cfg.NewID(memory.PrefixMemory), Tenant: p.Tenant, Scope: p.Scope, State: memory.StateActive,
		Kind: a.features.Kind, Section: section, Title: p.Title, Description: p.Description, Text: p.Text, Category: p.Category, Tags: p.Tags,
		Topics: p.Topics, MacroTopics: p.MacroTopics,
		Importance: p.Importance, Confidence: initialConfidence(p, a.features.Kind), Outcome: p.Outcome, Principal: p.Principal, Origin: p.Origin,
		Authority: p.Authority, ObservedAt: p.ObservedAt, CreatedAt: a.now, LastConfirmed: p.LastConfirmed,
		SeenCount: p.SeenCount, ProposalID: p.ID, DecisionID: a.decision.ID,
	}
	if m.Importance == 0 {
		m.Importance = defaultImportance
	}
	a.decision.MemoryID = m.ID
	e := EntryOfMemory(*m, nil)
	e.Witnesses = []memory.Witness{own}
	a.out.Evidence = append(a.out.Evidence, a.evidence(m.ID, own))
	a.absorb(near, m.ID, &e)
	if a.decision.Rule == "update" || a.decision.Rule == "merge" {
		a.supersede(a.decision.Target, m, &e)
	}
	a.lift(&e)
	m.SeenCount, m.Authority, m.LastConfirmed = e.SeenCount, e.Authority, e.LastConfirmed
	p.SeenCount = e.SeenCount
	a.out.Memory = m
	a.insert(e)
}

// defaultImportance is the middle of 1–10, for a memory whose publisher gave none.
const defaultImportance = 5

// initialConfidence returns where a new memory starts on S4's scale. A lesson starts
// with the confidence of its extraction, and an explicitly recorded one with
// MaxConfidence (S4.4, S4.14). Any other text starts by its authority.
func initialConfidence(p *memory.Proposal, k memory.Kind) float64 {
	switch {
	case k == memory.KindStrategy && p.Confidence > 0:
		return p.Confidence
	case k == memory.KindStrategy, p.Authority >= memory.OriginHuman:
		return MaxConfidence
	case p.Authority >= memory.OriginFirstParty:
		return 0.7
	}
	return 0.6
}

func (a *applier) insert(e Entry) {
	t := a.text
	t.Slim()
	a.lane.insert(e, t)
}

// supersede archives the memory that m replaces.
func (a *applier) supersede(id string, m *memory.Memory, e *Entry) {
	old := a.lane.rows[id]
	if old == nil || old.Role != memory.RoleMemory {
		return
	}
	reason := "updated"
	if a.decision.Rule == "merge" {
		reason = "merged"
		// The witnesses of a merged text also said the new one; those of an updated
		// text did not.
		a.union(e, &old.Entry, m.ID)
	}
	a.out.MemoryUpdates = append(a.out.MemoryUpdates, change.MemoryUpdate{
		ID: id, State: memory.StateArchived, Confidence: old.Confidence, SeenCount: old.SeenCount, LastConfirmed: old.LastConfirmed,
		ArchivedAt: a.now, ArchiveReason: reason, SuccessorID: m.ID,
	})
	a.out.Archived = append(a.out.Archived, Archived{ID: id, Kind: old.Kind, Successor: m.ID, Reason: a.decision.Reason})
	a.out.Links = append(a.out.Links, memory.Link{Tenant: m.Tenant, From: m.ID, To: id, Kind: memory.LinkSupersedes})
	a.lane.Remove(id)
}

// absorb ends the waiting proposals that the new one replaces (D5), each with a
// decision of its own, and takes over their evidence.
func (a *applier) absorb(near []Neighbour, survivor string, e *Entry) {
	s := &settings{policy: a.lane.cfg.Policy, points: a.lane.points()}
	for i := range near {
		n := &near[i]
		loser := a.lane.rows[n.ID]
		if loser == nil || slices.Contains(a.lane.rulesOff, "merge") || !s.policy.Uses("merge") || !absorbs(s, a.features, n) {
			continue
		}
		d := a.absorbedDecision(loser, n, survivor)
		a.out.Absorbed = append(a.out.Absorbed, d)
		a.out.ProposalUpdates = append(a.out.ProposalUpdates, change.ProposalUpdate{
			ID: loser.ID, State: memory.ProposalMerged, Kind: loser.Kind, Section: loser.Section, Target: survivor,
			DecisionID: d.ID, SeenCount: loser.SeenCount, LastConfirmed: loser.LastConfirmed,
		})
		a.union(e, &loser.Entry, survivor)
		a.lane.Remove(loser.ID)
	}
}

// absorbedDecision returns the verdict on the waiting proposal, compared from its
// side.
func (a *applier) absorbedDecision(loser *row, n *Neighbour, survivor string) memory.Decision {
	p := &a.item.Proposal
	c := memory.Relate(loser.text.Specifics(), a.text.Specifics())
	relation := c.Relation
	if n.Same {
		relation = memory.RelationEqual
	}
	return memory.Decision{
		ID: a.lane.cfg.NewID(memory.PrefixDecision), Tenant: p.Tenant, Scope: p.Scope, ProposalID: loser.ID,
		Verdict: memory.VerdictMerged, Rule: absorbed.ID, Fired: []string{absorbed.ID}, Reason: absorbed.Sentence, Target: survivor,
		Policy: a.decision.Policy, PolicyVersion: a.decision.PolicyVersion, Calibration: a.decision.Calibration,
		Features: json.RawMessage(`{}`),
		Candidates: []memory.Candidate{{
			ID: p.ID, Role: memory.RoleOpen, Similarity: n.Similarity, Relation: string(relation),
			Section: p.Section, Authority: p.Authority, ObservedAt: p.ObservedAt, CreatedAt: p.CreatedAt,
		}},
		Inputs:    memory.Inputs{ScopeVersion: a.lane.version, Similarity: a.lane.cfg.Similarity.Source()},
		Principal: p.Principal, Actor: memory.ActorTriage, Authority: loser.Authority, At: a.now,
	}
}

// union adds the witnesses of from to e and gives the survivor their evidence.
func (a *applier) union(e *Entry, from *Entry, survivor string) {
	e.SeenCount += max(from.SeenCount, 1)
	if from.LastConfirmed.After(e.LastConfirmed) {
		e.LastConfirmed = from.LastConfirmed
	}
	for _, w := range from.Witnesses {
		a.out.Evidence = append(a.out.Evidence, a.evidence(survivor, w))
		if !memory.HasWitness(e.Witnesses, w) {
			e.Witnesses = append(e.Witnesses, w)
		}
	}
}

// countRepeat makes the proposal evidence of the text that it repeats. Its seen-count
// and last_confirmed rise. Its authority never falls, and a second principal raises
// it.
func (a *applier) countRepeat(target string, w memory.Witness) {
	r := a.lane.rows[target]
	if r == nil {
		return
	}
	r.SeenCount = max(r.SeenCount, 1) + 1
	if at := a.seenAt(w.ObservedAt); at.After(r.LastConfirmed) {
		r.LastConfirmed = at
	}
	a.out.Evidence = append(a.out.Evidence, a.evidence(r.ID, w))
	if !memory.HasWitness(r.Witnesses, w) && len(r.Witnesses) < maxWitnesses {
		r.Witnesses = append(r.Witnesses, w)
		a.lane.updateSize(r)
	}
	lift := memory.Corroborated(r.Authority, r.Witnesses)
	switch r.Role {
	case memory.RoleMemory:
		u := change.MemoryUpdate{ID: r.ID, State: memory.StateActive, Confidence: r.Confidence, SeenCount: r.SeenCount, LastConfirmed: r.LastConfirmed}
		if lift > r.Authority {
			u.Lift = lift
		}
		a.out.MemoryUpdates = append(a.out.MemoryUpdates, u)
	case memory.RoleOpen:
		u := change.ProposalUpdate{
			ID: r.ID, State: memory.ProposalNeedsReview, Kind: r.Kind, Section: r.Section, Target: r.Target,
			DecisionID: r.DecisionID, SeenCount: r.SeenCount, LastConfirmed: r.LastConfirmed,
		}
		if lift > r.Authority {
			u.Lift = lift
		}
		a.out.ProposalUpdates = append(a.out.ProposalUpdates, u)
	}
	r.Authority = max(r.Authority, lift)
}

// maxWitnesses bounds the witnesses of a row in a lane; two are enough to
// corroborate.
const maxWitnesses = 16

// lift raises the survivor's authority where its witnesses corroborate it.
func (a *applier) lift(e *Entry) {
	e.Authority = max(e.Authority, memory.Corroborated(e.Authority, e.Witnesses))
}

func (a *applier) evidence(subject string, w memory.Witness) memory.Evidence {
	return memory.Evidence{
		ID: a.lane.cfg.NewID(memory.PrefixEvidence), Tenant: a.item.Proposal.Tenant, Subject: subject, ProposalID: w.ProposalID,
		Principal: w.Principal, SessionID: w.Session, Origin: w.Origin, ObservedAt: w.ObservedAt,
	}
}

// seenAt returns when a text was confirmed: when it was observed, else now.
func (a *applier) seenAt(observed time.Time) time.Time {
	if observed.IsZero() {
		return a.now
	}
	return observed
}

// bootLines returns the lines of a boot file that a proposal could restate. Headings
// and lines of fewer than three words are left out.
func bootLines(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") || len(strings.Fields(line)) < 3 {
			continue
		}
		out = append(out, line)
	}
	return out
}
