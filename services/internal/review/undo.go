package review

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// Undone lists what an undo changed.
type Undone struct {
	Undid    []string `json:"undid"`    // undone decisions, dependents first
	ToReview []string `json:"review"`   // proposals that need review again
	Archived []string `json:"archived"` // archived memories
	Restored []string `json:"restored"` // memories that are active again
}

// maxUndo bounds how many decisions one undo covers. A larger mistake is one of a run,
// and runs have an undo of their own.
const maxUndo = 5000

// Undo undoes decisions, all or none. An id is a decision's, or a proposal's or
// memory's, which means the decision in force on it. Decisions that rest on them make
// it fail with a [DependentsError], unless cascade undoes those too. Nothing is
// deleted: an undo is a new decision.
func (d *Decider) Undo(ctx context.Context, cascade bool, ids ...string) (change.Set, Undone, error) {
	fail := func(id string, err error) (change.Set, Undone, error) {
		return change.Set{}, Undone{}, fmt.Errorf("undo %s: %w", id, err)
	}
	g := undoGatherer{rows: newRows(d), most: maxUndo}
	roots, err := g.rootsOf(ctx, ids)
	if err == nil {
		err = g.gather(ctx, roots)
	}
	if err != nil {
		return fail(strings.Join(ids, ", "), err)
	}
	set, done, err := decideUndo(d.Stamp, g.w, roots, cascade)
	if err != nil {
		return fail(strings.Join(ids, ", "), err)
	}
	e := Effect{Stamp: d.Stamp, Set: set}
	if _, err := d.settle(ctx, &e, g.w, ""); err != nil {
		return fail(strings.Join(ids, ", "), err)
	}
	return e.Set, done, nil
}

// rootsOf returns the decisions that ids of any kind mean.
func (g *undoGatherer) rootsOf(ctx context.Context, ids []string) ([]string, error) {
	roots := make([]string, len(ids))
	for i, id := range ids {
		var err error
		if roots[i], err = g.decisionOf(ctx, id); err != nil {
			return nil, err
		}
	}
	if err := g.readDecisions(ctx, roots...); err != nil {
		return nil, err
	}
	for _, id := range roots {
		if _, err := g.decision(ctx, id); err != nil {
			return nil, err
		}
	}
	return roots, nil
}

// decisionOf returns the decision that an id of any kind means; a decision's id means
// itself.
func (d *Decider) decisionOf(ctx context.Context, id string) (string, error) {
	switch {
	case strings.HasPrefix(id, memory.PrefixProposal):
		p, err := d.Store.Proposal(ctx, d.Tenant, id)
		if err != nil {
			return "", err
		}
		id = p.DecisionID
	case strings.HasPrefix(id, memory.PrefixMemory):
		m, err := d.Store.Memory(ctx, d.Tenant, id)
		if err != nil {
			return "", err
		}
		id = m.DecisionID
		if archivedByRun(m) && m.SuccessorID != "" {
			// Its words are in another memory: that one's decision archived it.
			made, err := d.Store.Memory(ctx, d.Tenant, m.SuccessorID)
			return made.DecisionID, err
		}
		// The latest decision on an archived memory may be a person's archiving.
		if m.State == memory.StateArchived {
			if last, ok, err := d.lastArchiving(ctx, m.ID); err != nil || ok {
				return last.ID, err
			}
		}
	}
	if id == "" {
		return "", fmt.Errorf("%w: nothing has been decided about it yet", ErrState)
	}
	return id, nil
}

func (d *Decider) lastArchiving(ctx context.Context, id string) (memory.Decision, bool, error) {
	var last memory.Decision
	for _, rule := range append(slices.Clone(archivingRules), RuleRetract) {
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

// undoGatherer reads the rows that undoing decisions may touch: their own, and in turn
// those of the decisions that rest on them. It works in waves, so that the rows of a
// wave are read together.
type undoGatherer struct {
	*rows
	todo []memory.Decision
	most int // decisions, at most
}

func (g *undoGatherer) gather(ctx context.Context, roots []string) error {
	for _, id := range roots {
		g.add(g.made[id])
	}
	for len(g.todo) > 0 {
		wave := g.todo
		g.todo = nil
		if err := g.fetch(ctx, wave); err != nil {
			return err
		}
		for _, d := range wave {
			if err := g.read(ctx, d); err != nil {
				return err
			}
		}
		if len(g.w.decisions) > g.most {
			return fmt.Errorf("%w: more than %d decisions rest on it", ErrState, g.most)
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

// subjects returns the proposals and memories that a decision is about.
func subjects(d memory.Decision) []string {
	if d.Rule == ruleExpired {
		return []string{d.ProposalID} // it changed nothing else
	}
	return []string{d.ProposalID, d.MemoryID, d.Target}
}

// creates reports that undoing the decision archives its memory.
func creates(d memory.Decision) bool {
	return d.MemoryID != "" && !archives(d.Rule) && d.Rule != RuleRetract
}

// fetch reads all rows that [undoGatherer.read] looks at. Missing rows are reported
// there.
func (g *undoGatherer) fetch(ctx context.Context, wave []memory.Decision) error {
	var near, retractions, answers, made, ran []string
	for _, d := range wave {
		switch d.Rule {
		case RuleRetract:
			record, err := undoRecordOf(d)
			if err != nil {
				return err
			}
			retractions = append(retractions, record.Returned...)
			near = append(near, touchedBy(d, record)...)
			continue
		case RuleReview:
			answers = append(answers, d.ProposalID)
		}
		near = append(near, subjects(d)...)
		if creates(d) {
			made = append(made, d.MemoryID)
		}
		if d.Actor == memory.ActorSystem && (merges(d.Rule) || archives(d.Rule)) {
			ran = append(ran, d.MemoryID)
		}
	}
	if err := errors.Join(g.readDecisions(ctx, retractions...), g.readAnswers(ctx, answers...), g.readLinks(ctx, made...)); err != nil {
		return err
	}
	steps, err := g.readSteps(ctx, ran)
	if err != nil {
		return err
	}
	near = append(near, steps...)
	for _, id := range retractions {
		near = append(near, g.made[id].ProposalID)
	}
	for _, id := range made {
		for _, l := range g.links[id] {
			if replaces(l) {
				near = append(near, l.From, l.To)
			}
		}
	}
	if err := g.load(ctx, near...); err != nil {
		return err
	}
	var repeats, resting []string
	for _, id := range made {
		for _, e := range g.w.evidence[id] {
			repeats = append(repeats, e.ProposalID)
		}
	}
	if err := g.load(ctx, repeats...); err != nil {
		return err
	}
	for _, id := range repeats {
		resting = append(resting, g.w.proposals[id].DecisionID)
	}
	for _, id := range near {
		resting = append(resting, g.w.memories[id].DecisionID)
	}
	return g.readDecisions(ctx, resting...)
}

func (g *undoGatherer) read(ctx context.Context, d memory.Decision) error {
	if d.Rule == RuleRetract {
		return g.readRetraction(d)
	}
	if err := g.need(ctx, subjects(d)...); err != nil {
		return err
	}
	if d.Rule == RuleReview {
		for _, id := range g.reviews[d.ID] {
			var err error
			if g.w.questions[d.ID], err = g.decision(ctx, id); err != nil {
				return err
			}
		}
	}
	if d.Rule == ruleAbsorbed {
		if err := g.readQuestion(ctx, d); err != nil {
			return err
		}
	}
	if !creates(d) {
		return nil
	}
	for _, l := range g.links[d.MemoryID] {
		if !replaces(l) {
			continue
		}
		other := l.To
		if l.To == d.MemoryID {
			other = l.From
		}
		if err := g.need(ctx, other); err != nil {
			return err
		}
		if m := g.w.memories[other]; l.To == d.MemoryID && (m.State == memory.StateActive || g.replaced(d.MemoryID, m)) {
			if err := g.rests(ctx, d.ID, g.w.memories[other].DecisionID, "took its place"); err != nil {
				return err
			}
		}
		g.w.links = append(g.w.links, l)
	}
	if err := g.readArchived(ctx, d); err != nil {
		return err
	}
	return g.readRepeats(ctx, d)
}

// readQuestion finds the question that an absorbed proposal was before a fuller one took
// its place. It is asked again: without its target nobody could answer "replace".
func (g *undoGatherer) readQuestion(ctx context.Context, d memory.Decision) error {
	asked, err := g.Store.Decisions(ctx, g.Tenant, store.DecisionQuery{
		ProposalID: d.ProposalID, Verdict: memory.VerdictNeedsReview, Until: d.At, Newest: true, Limit: 1,
	})
	if err == nil && len(asked) > 0 {
		g.w.questions[d.ID] = asked[0]
	}
	return err
}

// readArchived finds the decision by which a memory that a run made was archived
// alone: its words were wanted no more, and the sources would bring them back.
func (g *undoGatherer) readArchived(ctx context.Context, d memory.Decision) error {
	m := g.w.memories[d.MemoryID]
	if !merges(d.Rule) || m.State == memory.StateActive || m.SuccessorID != "" ||
		m.ArchiveReason == reasonUndone || m.ArchiveReason == reasonRetracted {
		return nil
	}
	last, ok, err := g.lastArchiving(ctx, m.ID)
	if err != nil || !ok {
		return err
	}
	return g.rests(ctx, d.ID, last.ID, "was archived since: "+m.ArchiveReason)
}

// replaces reports a link between a memory and one that it stands for.
func replaces(l memory.Link) bool {
	return l.Kind == memory.LinkSupersedes || l.Kind == memory.LinkConsolidates
}

// replaced reports whether a memory is out of service because of its successor, which
// has been replaced in its turn.
func (g *undoGatherer) replaced(id string, successor memory.Memory) bool {
	return g.w.memories[id].SuccessorID == successor.ID && successor.SuccessorID != ""
}

// readSteps adds the applied steps of runs that memories were in. It returns the
// sources of the steps, which say whether anything of a step stands.
func (g *undoGatherer) readSteps(ctx context.Context, memories []string) (sources []string, err error) {
	memories = only(sorted(memories), func(id string) bool { return id != "" })
	for page := range slices.Chunk(memories, pageSize) {
		found, err := g.Store.ItemsOf(ctx, g.Tenant, page...)
		if err != nil {
			return nil, err
		}
		for _, i := range found {
			if i.State == memory.ItemApplied {
				g.w.items[stepOf(i)] = i
				sources = append(sources, i.Sources...)
			}
		}
	}
	return sources, nil
}

// readRepeats finds the proposals that ended as a repeat of the memory.
func (g *undoGatherer) readRepeats(ctx context.Context, d memory.Decision) error {
	for _, e := range g.w.evidence[d.MemoryID] {
		if e.ProposalID == "" || e.ProposalID == d.ProposalID {
			continue
		}
		if err := g.load(ctx, e.ProposalID); err != nil {
			return err
		}
		// A repeat that retention deleted is the zero value: nothing of it is left to
		// come back to review.
		p := g.w.proposals[e.ProposalID]
		if p.Target == d.MemoryID && !p.State.Open() {
			if err := g.rests(ctx, d.ID, p.DecisionID, "was "+string(p.State)+" because of it"); err != nil {
				return err
			}
		}
	}
	return nil
}

// rests records that decision id rests on decision on.
func (g *undoGatherer) rests(ctx context.Context, on, id, why string) error {
	d, err := g.decision(ctx, id)
	if err != nil {
		return err
	}
	g.add(d)
	subject := d.ProposalID
	if subject == "" {
		subject = d.MemoryID
	}
	g.w.rest(on, Dependent{Decision: id, Subject: subject, Why: why})
	return nil
}
