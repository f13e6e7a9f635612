package review

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// RuleRetract is the rule of decisions that take a source's texts out of service.
const RuleRetract = "retract"

const reasonRetracted = "retracted"

// undoRecord is the state before a decision of a retraction, so that the decision can
// be undone. It is stored in the decision's features.
type undoRecord struct {
	Retraction string               `json:"retraction"`
	Was        memory.ProposalState `json:"was,omitempty"`
	Standing   string               `json:"standing,omitempty"` // the decision that was in force
	Target     string               `json:"target,omitempty"`
	Taken      []memory.Evidence    `json:"taken,omitempty"`    // without the quotes, which stay with their proposal
	Restored   []replacement        `json:"restored,omitempty"` // memories that became active again
	Returned   []string             `json:"returned,omitempty"` // decisions that sent others' proposals to review
}

// replacement is a memory as it was while its successor was active.
type replacement struct {
	ID         string    `json:"id"`
	Reason     string    `json:"reason"`
	ArchivedAt time.Time `json:"archived_at"`
}

// RetractionOf returns the id of the retraction that a decision belongs to, or "".
func RetractionOf(d memory.Decision) string {
	if d.Rule != RuleRetract {
		return ""
	}
	var r undoRecord
	if json.Unmarshal(d.Features, &r) != nil {
		return ""
	}
	return r.Retraction
}

// retracting is one retraction in the course of its decision.
type retracting struct {
	undoing
	l    *lineage
	why  string
	id   string
	done Retraction
}

// decideRetract makes one decision for each proposal of the source that still has an
// effect, and one for each derived memory.
func decideRetract(s Stamp, id string, src Source, w *undoWorld, l *lineage) (change.Set, Retraction, error) {
	r := &retracting{
		undoing: undoing{Effect: Effect{Stamp: s}, w: w, touched: map[string]bool{}, lowered: map[string]bool{}, lifted: map[string]memory.Origin{}, undid: map[string]bool{}},
		l:       l, id: id, why: fmt.Sprintf("%s retracted %s", s.Person, src),
		done: Retraction{ID: id, Proposals: len(l.proposals)},
	}
	made := map[string]bool{}
	for _, id := range slices.Sorted(maps.Keys(l.proposals)) {
		made[l.made[id]] = true
		if err := r.proposal(w.proposals[id], w.memories[l.made[id]]); err != nil {
			return change.Set{}, Retraction{}, err
		}
	}
	for _, id := range l.found {
		if m, ok := w.memories[id]; ok && !made[id] && m.State == memory.StateActive {
			d := r.decision(m.Scope)
			record := undoRecord{Retraction: r.id}
			r.archive(m, &d, &record)
			if err := r.decide(d, record, nil); err != nil {
				return change.Set{}, Retraction{}, err
			}
		}
	}
	r.weaken()
	for _, id := range slices.Sorted(maps.Keys(l.independent)) {
		if m := w.memories[id]; m.State == memory.StateActive {
			r.done.Independent = append(r.done.Independent, r.touchedMemory(m, l.independent[id]))
		}
	}
	r.write()
	return r.Set, r.done, nil
}

// proposal closes one of the source's proposals, with the memory that it became. A
// proposal without any effect is skipped. The verdict is not a rejection, so that
// another source may propose the same text.
func (r *retracting) proposal(p memory.Proposal, m memory.Memory) error {
	dropped := r.l.dropped[p.ID]
	serves := m.State == memory.StateActive
	if !p.State.Open() && !serves && len(dropped) == 0 {
		return nil
	}
	d := r.decision(p.Scope)
	d.ProposalID = p.ID
	record := undoRecord{Retraction: r.id, Was: p.State, Standing: p.DecisionID, Target: p.Target}
	for _, e := range dropped {
		r.Set.DroppedEvidence = append(r.Set.DroppedEvidence, e)
		e.Span = ""
		record.Taken = append(record.Taken, e)
	}
	if serves {
		r.archive(m, &d, &record)
	}
	if p.State.Open() {
		r.returnRepeats(p.ID, &record)
		r.done.Closed = append(r.done.Closed, Touched{p.ID, p.Scope, p.Text, "waited for somebody"})
	}
	p.State, p.Target, p.DecisionID = memory.ProposalExpired, "", d.ID
	r.setProposal(p)
	return r.decide(d, record, &p)
}

func (r *retracting) decision(scope memory.Scope) memory.Decision {
	d := r.Decision(scope)
	d.Verdict, d.Rule, d.Fired, d.Reason = memory.VerdictExpired, RuleRetract, []string{RuleRetract}, r.why
	return d
}

func (r *retracting) decide(d memory.Decision, record undoRecord, p *memory.Proposal) (err error) {
	if d.Features, err = json.Marshal(record); err != nil {
		return fmt.Errorf("keep what it was: %w", err)
	}
	r.Decide(d, p)
	return nil
}

// archive takes a memory out of service. The memories that it had replaced become
// active again, and proposals that had repeated it go to review, so that a person can
// keep the text in their words.
func (r *retracting) archive(m memory.Memory, d *memory.Decision, record *undoRecord) {
	d.MemoryID = m.ID
	m.State, m.ArchivedAt, m.ArchiveReason, m.SuccessorID = memory.StateArchived, r.Now, reasonRetracted, ""
	r.setMemory(m)
	r.Archived(m, d.ID)
	r.done.Archived = append(r.done.Archived, r.touchedMemory(m, r.l.carries[m.ID]))
	for _, id := range r.l.replaced[m.ID] {
		old, ok := r.w.memories[id]
		if !ok || r.l.oursToo(r.w, &old) || old.State == memory.StateActive || old.SuccessorID != m.ID {
			continue
		}
		record.Restored = append(record.Restored, replacement{old.ID, old.ArchiveReason, old.ArchivedAt})
		r.restore(old, d.ID)
		r.done.Restored = append(r.done.Restored, r.touchedMemory(old, "was replaced by "+m.ID))
	}
	r.returnRepeats(m.ID, record)
}

// returnRepeats sends proposals of others to review that had ended as a repeat of a
// retracted memory or proposal.
func (r *retracting) returnRepeats(subject string, record *undoRecord) {
	for _, e := range r.w.evidence[subject] {
		p, ok := r.w.proposals[e.ProposalID]
		ended, target := p.State == memory.ProposalMerged || p.State == memory.ProposalRejected, r.w.proposals[p.Target]
		// A proposal that was merged into a waiting one names that proposal as its
		// target, not the memory.
		if ok && ended && !r.l.ours(&p) && (p.Target == subject || r.l.ours(&target)) {
			record.Returned = append(record.Returned, r.returnToReview(p))
		}
	}
}

// returnToReview sends a proposal of another source, which had ended as a repeat, to
// review. It returns the decision's id.
func (r *retracting) returnToReview(p memory.Proposal) string {
	d := r.decision(p.Scope)
	d.Verdict, d.ProposalID, d.Advice = memory.VerdictNeedsReview, p.ID, memory.AdviceReview
	d.Reason = r.why + "; " + p.Principal + " had said the same"
	record, _ := json.Marshal(undoRecord{Retraction: r.id, Was: p.State, Standing: p.DecisionID, Target: p.Target}) // plain data
	d.Features = record
	p.State, p.Target, p.DecisionID = memory.ProposalNeedsReview, "", d.ID
	r.setProposal(p)
	r.Decide(d, &p)
	r.done.ToReview = append(r.done.ToReview, Touched{p.ID, p.Scope, p.Text, p.Principal + " had said the same"})
	return d.ID
}

// weaken drops the source's repeats from the evidence of other texts.
func (r *retracting) weaken() {
	gone := map[string][]memory.Evidence{}
	for _, list := range r.l.dropped {
		for _, e := range list {
			gone[e.Subject] = append(gone[e.Subject], e)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(gone)) {
		times := repeats(gone[id], id)
		rest := slices.DeleteFunc(slices.Clone(r.w.evidence[id]), func(e memory.Evidence) bool { return r.l.proposals[e.ProposalID] })
		if m, ok := r.w.memories[id]; ok {
			before := m
			m.SeenCount = max(m.SeenCount-times, 1)
			r.lower(m.ID, &m.Authority, m.Origin, m.Witnesses(rest))
			r.setMemory(m)
			r.done.Weakened = append(r.done.Weakened, r.touchedMemory(m, weakened(before.SeenCount, m.SeenCount, before.Authority, m.Authority)))
		} else if p, ok := r.w.proposals[id]; ok {
			before := p
			p.SeenCount = max(p.SeenCount-times, 1)
			r.lower(p.ID, &p.Authority, p.Origin, p.Witnesses(rest))
			r.setProposal(p)
			if p.State.Open() {
				r.done.Weakened = append(r.done.Weakened, Touched{p.ID, p.Scope, p.Text, weakened(before.SeenCount, p.SeenCount, before.Authority, p.Authority)})
			}
		}
		r.Audit("evidence.retracted", id, map[string]string{"retraction": r.id})
	}
}

func weakened(seen, now int, authority, lowered memory.Origin) string {
	why := fmt.Sprintf("seen %d → %d", seen, now)
	if authority != lowered {
		why += fmt.Sprintf(", trust %s → %s", authority, lowered)
	}
	return why
}

func (r *retracting) touchedMemory(m memory.Memory, why string) Touched {
	return Touched{m.ID, m.Scope, m.Text, why}
}
