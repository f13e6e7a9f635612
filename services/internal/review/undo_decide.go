package review

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// Rules of decisions that people make.
const (
	RuleUndo    = "undo"
	RuleReview  = "review"
	RuleEdit    = "edit"
	RuleArchive = "archive"
	RuleImport  = "import"
)

// ruleAbsorbed is triage's rule by which a waiting proposal ends in favour of a better
// one: unlike a repeat it hands over all evidence that it had collected.
const ruleAbsorbed = "absorbed"

const reasonUndone = "undone"

// undoWorld holds all rows that an undo reads and changes.
type undoWorld struct {
	decisions map[string]memory.Decision
	proposals map[string]memory.Proposal
	memories  map[string]memory.Memory
	evidence  map[string][]memory.Evidence // by subject
	links     []memory.Link
	resting   map[string][]Dependent     // by the decision rested on
	questions map[string]memory.Decision // the decision that a person answered or a fuller proposal ended, by the decision after it
	items     map[step]memory.RunItem    // applied steps of runs, whose memories the undo touches
}

func newUndoWorld() *undoWorld {
	return &undoWorld{
		decisions: map[string]memory.Decision{}, proposals: map[string]memory.Proposal{}, memories: map[string]memory.Memory{},
		evidence: map[string][]memory.Evidence{}, resting: map[string][]Dependent{},
		questions: map[string]memory.Decision{}, items: map[step]memory.RunItem{},
	}
}

func (w *undoWorld) rest(on string, d Dependent) {
	if !slices.ContainsFunc(w.resting[on], func(k Dependent) bool { return k.Decision == d.Decision }) {
		w.resting[on] = append(w.resting[on], d)
	}
}

// undoing is one undo in the course of its decision. Rows change in the undoWorld first
// and are written once, in their final state.
type undoing struct {
	Effect
	w       *undoWorld
	touched map[string]bool
	lowered map[string]bool // rows whose corroboration is gone with a repeat
	lifted  map[string]memory.Origin
	done    Undone
	undid   map[string]bool
}

// decideUndo undoes the decisions, and with cascade those that rest on them, the latest
// first.
func decideUndo(s Stamp, w *undoWorld, roots []string, cascade bool) (change.Set, Undone, error) {
	for _, root := range roots {
		list := slices.DeleteFunc(slices.Clone(w.resting[root]), func(d Dependent) bool {
			return slices.Contains(roots, d.Decision) || w.forgotten(w.decisions[d.Decision]) != ""
		})
		if len(list) > 0 && !cascade {
			return change.Set{}, Undone{}, &DependentsError{Of: root, List: list}
		}
	}
	u := &undoing{Effect: Effect{Stamp: s}, w: w, touched: map[string]bool{}, lowered: map[string]bool{}, lifted: map[string]memory.Origin{}, undid: map[string]bool{}}
	for _, root := range slices.Backward(roots) {
		if err := u.undo(w.decisions[root]); err != nil {
			return change.Set{}, Undone{}, err
		}
	}
	u.write()
	return u.Set, u.done, nil
}

func (u *undoing) undo(d memory.Decision) error {
	if u.undid[d.ID] {
		return nil
	}
	u.undid[d.ID] = true
	if err := u.check(d); err != nil {
		return err
	}
	for _, dep := range u.w.resting[d.ID] {
		if u.w.forgotten(u.w.decisions[dep.Decision]) != "" {
			continue
		}
		if err := u.undo(u.w.decisions[dep.Decision]); err != nil {
			return err
		}
	}
	back := u.reversal(d)
	if d.Rule == RuleRetract {
		u.done.Undid = append(u.done.Undid, d.ID)
		return u.unretract(d, back)
	}
	// A question is asked again with its target and advice, so that every answer is
	// possible, replacing included.
	if d.Rule == ruleExpired {
		back.Target, back.Advice = d.Target, d.Advice
	}
	if q, ok := u.w.questions[d.ID]; ok {
		back.Target, back.Advice = q.Target, q.Advice
		back.Reason += ". Asked again: " + q.Reason
	}
	u.memory(d, back)
	u.target(d)
	u.proposal(d, back)
	u.done.Undid = append(u.done.Undid, d.ID)
	return nil
}

// reversal returns the decision that undoes d.
func (u *undoing) reversal(d memory.Decision) memory.Decision {
	back := u.Decision(d.Scope)
	back.Verdict, back.Rule, back.Fired, back.Undoes = memory.VerdictUndone, RuleUndo, []string{RuleUndo}, d.ID
	back.ProposalID, back.MemoryID, back.Advice = d.ProposalID, d.MemoryID, memory.AdviceReview
	back.Reason = fmt.Sprintf("%s took back: %s", u.Person, strings.TrimSuffix(d.Reason, "."))
	return back
}

// forgotten returns the id of what the decision is about when it was erased, else nothing:
// it has no words that could serve or be asked about again.
func (w *undoWorld) forgotten(d memory.Decision) string {
	if m := w.memories[d.MemoryID]; m.Forgotten() {
		return m.ID
	}
	if p, ok := w.proposals[d.ProposalID]; ok && p.Text == "" {
		return p.ID
	}
	return ""
}

// check returns ErrState for a decision that cannot be undone.
func (u *undoing) check(d memory.Decision) error {
	switch d.Verdict {
	case memory.VerdictUndone:
		return fmt.Errorf("%w: %s is an undo itself; decide the proposal with winnow review", ErrState, d.ID)
	case memory.VerdictNeedsReview:
		return fmt.Errorf("%w: %s left it to a person, which is where undoing would put it", ErrState, d.ID)
	}
	if id := u.w.forgotten(d); id != "" {
		return fmt.Errorf("%w: %s was forgotten, so there is nothing to take back", ErrState, id)
	}
	if m := u.w.memories[d.MemoryID]; d.Rule == RuleRetract && d.ProposalID == "" && m.ArchiveReason != reasonRetracted {
		return fmt.Errorf("%w: %s is not retracted any more", ErrState, m.ID)
	}
	if m := u.w.memories[d.MemoryID]; d.Rule == RuleSummary && m.State == memory.StateArchived {
		return fmt.Errorf("%w: %s is not the summary in force any more; put an earlier one back with winnow summarize --topic %s --restore ID", ErrState, m.ID, m.SummaryTopic)
	}
	if m := u.w.memories[d.MemoryID]; creates(d) && d.ProposalID == "" && m.State == memory.StateArchived {
		switch m.ArchiveReason {
		case reasonUndone:
			return fmt.Errorf("%w: %s is taken back already", ErrState, m.ID)
		case reasonRetracted:
			// What it replaced may be what was retracted.
			return fmt.Errorf("%w: %s is retracted; take the retraction back first", ErrState, m.ID)
		}
	}
	if p, ok := u.w.proposals[d.ProposalID]; ok && p.DecisionID != d.ID {
		return fmt.Errorf("%w: %s is not in force any more; %s is", ErrState, d.ID, p.DecisionID)
	}
	return nil
}

// memory undoes the decision's effect on its memory.
func (u *undoing) memory(d, back memory.Decision) {
	m, ok := u.w.memories[d.MemoryID]
	if !ok {
		return
	}
	if archives(d.Rule) {
		u.restore(m, back.ID)
		return
	}
	m.State, m.ArchivedAt, m.ArchiveReason, m.SuccessorID = memory.StateArchived, u.Now, reasonUndone, ""
	u.setMemory(m)
	u.done.Archived = append(u.done.Archived, m.ID)
	u.Archived(m, back.ID)
	for _, l := range u.w.links {
		old, ok := u.w.memories[l.To]
		if l.From != m.ID || !ok {
			continue
		}
		u.Set.DroppedLinks = append(u.Set.DroppedLinks, l)
		if old.SuccessorID == m.ID {
			u.restore(old, back.ID)
		}
	}
}

// restore puts a memory back into service, unless it has no words any more.
func (u *undoing) restore(m memory.Memory, decision string) {
	if m.Forgotten() {
		return
	}
	m.State, m.ArchivedAt, m.ArchiveReason, m.SuccessorID = memory.StateActive, time.Time{}, "", ""
	u.setMemory(m)
	u.done.Restored = append(u.done.Restored, m.ID)
	u.Recorded(m, decision)
}

// target drops a repeat from the evidence of its target.
func (u *undoing) target(d memory.Decision) {
	repeat := d.Verdict == memory.VerdictMerged || d.Verdict == memory.VerdictRejected && strings.HasPrefix(d.Rule, "dup.")
	if !repeat {
		return
	}
	brought := map[string]bool{d.ProposalID: true}
	times := 1
	if d.Rule == ruleAbsorbed {
		times = max(u.w.proposals[d.ProposalID].SeenCount, 1)
		for _, e := range u.w.evidence[d.ProposalID] {
			brought[e.ProposalID] = true
		}
	}
	var rest []memory.Evidence
	for _, e := range u.w.evidence[d.Target] {
		if brought[e.ProposalID] {
			u.Set.DroppedEvidence = append(u.Set.DroppedEvidence, e)
		} else {
			rest = append(rest, e)
		}
	}
	if m, ok := u.w.memories[d.Target]; ok {
		m.SeenCount = max(m.SeenCount-times, 1)
		u.lower(m.ID, &m.Authority, m.Origin, m.Witnesses(rest))
		u.setMemory(m)
	} else if p, ok := u.w.proposals[d.Target]; ok {
		p.SeenCount = max(p.SeenCount-times, 1)
		u.lower(p.ID, &p.Authority, p.Origin, p.Witnesses(rest))
		u.setProposal(p)
	}
}

// lower takes back the authority that corroboration gave an agent's statement, where
// the remaining witnesses do not corroborate it (SPEC §7).
func (u *undoing) lower(id string, authority *memory.Origin, origin memory.Origin, left []memory.Witness) {
	lifted := origin == memory.OriginAgent && *authority == memory.OriginFirstParty
	if lifted && memory.Corroborated(memory.OriginAgent, left) == memory.OriginAgent {
		*authority = memory.OriginAgent
		u.lowered[id] = true
	}
}

// proposal sends the proposal to review again.
func (u *undoing) proposal(d, back memory.Decision) {
	p, ok := u.w.proposals[d.ProposalID]
	if !ok {
		u.Decide(back, nil)
		return
	}
	p.State, p.Target, p.DecisionID = memory.ProposalNeedsReview, back.Target, back.ID
	p.SeenCount = 1 + repeats(u.w.evidence[p.ID], p.ID)
	u.setProposal(p)
	u.done.ToReview = append(u.done.ToReview, p.ID)
	u.Decide(back, &p)
	if d.Actor == memory.ActorTriage {
		// A rule's decision that a person undid counts against the rule.
		u.Set.Reviews = append(u.Set.Reviews, change.Review{
			ID: u.NewID(prefixReview), ProposalID: p.ID, DecisionID: back.ID, Overrode: d.ID, Rule: d.Rule, Principal: u.Person, At: u.Now,
		})
	}
}

const prefixReview = "rev_"

// repeats counts the other proposals that were merged into a proposal while it waited.
func repeats(evidence []memory.Evidence, own string) int {
	others := map[string]bool{}
	for _, e := range evidence {
		if e.ProposalID != "" && e.ProposalID != own {
			others[e.ProposalID] = true
		}
	}
	return len(others)
}

func (u *undoing) setMemory(m memory.Memory) {
	u.w.memories[m.ID] = m
	u.touched[m.ID] = true
}

func (u *undoing) setProposal(p memory.Proposal) {
	u.w.proposals[p.ID] = p
	u.touched[p.ID] = true
}

// write puts every row that changed into the set, once and in a stable order.
func (u *undoing) write() {
	ids := make([]string, 0, len(u.touched))
	for id := range u.touched {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		if m, ok := u.w.memories[id]; ok {
			u.UpdateMemory(m)
			last := &u.Set.MemoryUpdates[len(u.Set.MemoryUpdates)-1]
			last.Lower, last.Lift = u.lowered[id], u.lifted[id]
		} else {
			u.UpdateProposal(u.w.proposals[id])
			last := &u.Set.ProposalUpdates[len(u.Set.ProposalUpdates)-1]
			last.Lower, last.Lift = u.lowered[id], u.lifted[id]
		}
	}
}
