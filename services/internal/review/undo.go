package review

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// Undone says what an undo did.
type Undone struct {
	Undid    []string `json:"undid"`    // decisions that were taken back, dependents first
	ToReview []string `json:"review"`   // proposals that wait for a person again
	Archived []string `json:"archived"` // memories out of service
	Restored []string `json:"restored"` // memories in service again
}

// maxUndo bounds how many decisions one undo takes back. More is a mistake of
// another kind, for which there are runs with an undo of their own.
const maxUndo = 5000

// Undo takes decisions back, all or none: an id is a decision's, or a proposal's
// or memory's, which means the decision in force on it. What rests on them makes
// it refuse with a [DependentsError], unless cascade takes that back too. Nothing
// is deleted: an undo is a new decision.
func (d *Desk) Undo(ctx context.Context, cascade bool, ids ...string) (change.Set, Undone, error) {
	fail := func(id string, err error) (change.Set, Undone, error) {
		return change.Set{}, Undone{}, fmt.Errorf("undo %s: %w", id, err)
	}
	g := undoGatherer{Desk: d, w: newUndoWorld()}
	var roots []string
	for _, id := range ids {
		root, err := d.decisionOf(ctx, id)
		if err != nil {
			return fail(id, err)
		}
		roots = append(roots, root.ID)
		if err := g.gather(ctx, root); err != nil {
			return fail(id, err)
		}
	}
	set, done, err := decideUndo(d.Stamp, g.w, roots, cascade)
	if err != nil {
		return fail(strings.Join(ids, ", "), err)
	}
	return set, done, nil
}

// decisionOf is the decision that an id of any sort means.
func (d *Desk) decisionOf(ctx context.Context, id string) (memory.Decision, error) {
	switch {
	case strings.HasPrefix(id, memory.PrefixProposal):
		p, err := d.Store.Proposal(ctx, d.Tenant, id)
		if err != nil {
			return memory.Decision{}, err
		}
		id = p.DecisionID
	case strings.HasPrefix(id, memory.PrefixMemory):
		m, err := d.Store.Memory(ctx, d.Tenant, id)
		if err != nil {
			return memory.Decision{}, err
		}
		id = m.DecisionID
		// The last word on an archived memory may be a person's archiving.
		if m.State == memory.StateArchived {
			if last, ok, err := d.lastArchiving(ctx, m.ID); err != nil || ok {
				return last, err
			}
		}
	}
	if id == "" {
		return memory.Decision{}, fmt.Errorf("%w: nothing has been decided about it yet", ErrState)
	}
	return d.Store.Decision(ctx, d.Tenant, id)
}

func (d *Desk) lastArchiving(ctx context.Context, id string) (memory.Decision, bool, error) {
	var last memory.Decision
	for _, rule := range []string{RuleArchive, RuleRetract} {
		list, err := d.Store.Decisions(ctx, d.Tenant, store.DecisionQuery{MemoryID: id, Rule: rule, Newest: true, Limit: 1})
		if err != nil {
			return memory.Decision{}, false, err
		}
		if len(list) > 0 && list[0].At.After(last.At) {
			last = list[0]
		}
	}
	return last, last.ID != "", nil
}

type undoGatherer struct {
	*Desk
	w    *undoWorld
	todo []memory.Decision
}

// gather reads everything that undoing root may touch: its own rows, and in turn
// those of the decisions that rest on it.
func (g *undoGatherer) gather(ctx context.Context, root memory.Decision) error {
	g.add(root)
	for len(g.todo) > 0 {
		d := g.todo[0]
		g.todo = g.todo[1:]
		if err := g.read(ctx, d); err != nil {
			return err
		}
		if len(g.w.decisions) > maxUndo {
			return fmt.Errorf("%w: more than %d decisions rest on it", ErrState, maxUndo)
		}
	}
	return nil
}

func (g *undoGatherer) add(d memory.Decision) {
	if _, known := g.w.decisions[d.ID]; known {
		return
	}
	g.w.decisions[d.ID] = d
	g.todo = append(g.todo, d)
}

func (g *undoGatherer) read(ctx context.Context, d memory.Decision) error {
	if d.Rule == RuleRetract {
		return g.readRetraction(ctx, d)
	}
	ids := []string{d.ProposalID, d.MemoryID, d.Target}
	if d.Rule == ruleExpired {
		ids = ids[:1] // nothing came of it for anything else
	}
	for _, id := range ids {
		if err := g.load(ctx, id); err != nil {
			return err
		}
	}
	if d.Rule == RuleReview {
		if err := g.readQuestion(ctx, d); err != nil {
			return err
		}
	}
	if d.MemoryID == "" || d.Rule == RuleArchive {
		return nil
	}
	links, err := g.Store.Links(ctx, g.Tenant, d.MemoryID)
	if err != nil {
		return err
	}
	for _, l := range links {
		if l.Kind != memory.LinkSupersedes {
			continue
		}
		other := l.To
		if l.To == d.MemoryID {
			other = l.From
		}
		if err := g.load(ctx, other); err != nil {
			return err
		}
		if l.To == d.MemoryID && g.w.memories[other].State == memory.StateActive {
			if err := g.rests(ctx, d.ID, g.w.memories[other].DecisionID, "took its place"); err != nil {
				return err
			}
		}
		g.w.links = append(g.w.links, l)
	}
	return g.readRepeats(ctx, d)
}

// readQuestion finds what a person's answer answered.
func (g *undoGatherer) readQuestion(ctx context.Context, answer memory.Decision) error {
	reviews, err := g.Store.Reviews(ctx, g.Tenant, answer.ProposalID)
	if err != nil {
		return err
	}
	for _, r := range reviews {
		if r.DecisionID != answer.ID || r.Overrode == "" {
			continue
		}
		if g.w.questions[answer.ID], err = g.Store.Decision(ctx, g.Tenant, r.Overrode); err != nil {
			return err
		}
	}
	return nil
}

// readRepeats finds the proposals that ended because the memory says the same.
func (g *undoGatherer) readRepeats(ctx context.Context, d memory.Decision) error {
	for _, e := range g.w.evidence[d.MemoryID] {
		if e.ProposalID == "" || e.ProposalID == d.ProposalID {
			continue
		}
		if err := g.load(ctx, e.ProposalID); err != nil {
			return err
		}
		p := g.w.proposals[e.ProposalID]
		if p.Target == d.MemoryID && !p.State.Open() {
			if err := g.rests(ctx, d.ID, p.DecisionID, "was "+string(p.State)+" because of it"); err != nil {
				return err
			}
		}
	}
	return nil
}

// rests notes that one decision rests on another.
func (g *undoGatherer) rests(ctx context.Context, on, id, why string) error {
	d, known := g.w.decisions[id]
	if !known {
		var err error
		if d, err = g.Store.Decision(ctx, g.Tenant, id); err != nil {
			return err
		}
		g.add(d)
	}
	subject := d.ProposalID
	if subject == "" {
		subject = d.MemoryID
	}
	g.w.rest(on, Dependent{Decision: id, Subject: subject, Why: why})
	return nil
}

// load reads a proposal or memory with its evidence, once. Ids of other things,
// such as a line of a boot file, are left alone.
func (g *undoGatherer) load(ctx context.Context, id string) (err error) {
	if _, known := g.w.evidence[id]; known {
		return nil
	}
	switch {
	case strings.HasPrefix(id, memory.PrefixProposal):
		g.w.proposals[id], err = g.Store.Proposal(ctx, g.Tenant, id)
	case strings.HasPrefix(id, memory.PrefixMemory):
		g.w.memories[id], err = g.Store.Memory(ctx, g.Tenant, id)
	default:
		return nil
	}
	if errors.Is(err, store.ErrNotFound) {
		return fmt.Errorf("%s is gone by retention: %w", id, err)
	}
	if err == nil {
		g.w.evidence[id], err = g.Store.Evidence(ctx, g.Tenant, id)
	}
	return err
}
