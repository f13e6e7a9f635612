package review

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// Store is what deciding reads.
type Store interface {
	store.Reader
	store.Runs
}

// RuleConsolidated is the rule of decisions by which a run merges memories: the
// decision made the memory that has the words of all.
const RuleConsolidated = "consolidated"

// RunUndo says how much of a run is to be taken back.
type RunUndo struct {
	Item    int  // number of the one step; 0 means all steps
	Cascade bool // takes back what rests on them too
}

// RunUndone lists what the undo of a run changes.
type RunUndone struct {
	Undone
	Run       string          `json:"run"`
	State     memory.RunState `json:"state"`     // of the run, afterwards
	Items     []int           `json:"items"`     // steps that are taken back
	Stopped   []int           `json:"stopped"`   // steps that were planned, and will not be taken
	Withdrawn []string        `json:"withdrawn"` // questions that nobody has answered yet
	Kept      []Touched       `json:"kept"`      // what stays, and why
}

// maxRun bounds the memories of one undo of a run. All of it is one transaction, so
// that a run is either in force or taken back; a step at a time needs no bound.
const maxRun = 50_000

// UndoRun takes back a run or one step of it, all or nothing. The memories that it
// made are archived, those that it archived are active again, their links to each
// other go, and questions that it asked and nobody answered are withdrawn. What was
// not done yet is not done any more. Decisions that rest on it make it fail with a
// [DependentsError], unless cascade takes them back too.
//
// What was retracted meanwhile stays out of service, and its step in force; the
// result says so. A run that is taken back already gives an empty set. The error is
// ErrState for a run that changed nothing.
func (d *Decider) UndoRun(ctx context.Context, id string, o RunUndo) (change.Set, RunUndone, error) {
	fail := func(err error) (change.Set, RunUndone, error) {
		return change.Set{}, RunUndone{}, fmt.Errorf("undo %s: %w", id, err)
	}
	g := runGatherer{undoGatherer: undoGatherer{rows: newRows(d), most: maxRun}}
	if err := g.run(ctx, id, o.Item); err != nil {
		return fail(err)
	}
	if err := g.undoGatherer.gather(ctx, g.roots); err != nil {
		return fail(err)
	}
	set, undone, err := decideUndo(d.Stamp, g.w, g.roots, o.Cascade)
	if err != nil {
		return fail(err)
	}
	r := runUndoing{Effect: Effect{Stamp: d.Stamp, Set: set}, w: g.w, of: g.of, done: RunUndone{Undone: undone, Run: id, Kept: g.kept}}
	r.drops(g.dropped)
	for _, item := range g.items {
		r.item(item)
	}
	whole := id
	if o.Item > 0 {
		whole = ""
	}
	r.done.State = g.of.State
	if state, err := d.settle(ctx, &r.Effect, g.w, whole); err != nil {
		return fail(err)
	} else if state != "" {
		r.done.State = state
	}
	for _, i := range r.Set.RunItems {
		if i.RunID == id && i.State == memory.ItemUndone {
			r.done.Items = append(r.done.Items, i.N)
		}
	}
	return r.Set, r.done, nil
}

// runGatherer reads a run, and every row that undoing it touches.
type runGatherer struct {
	undoGatherer
	of      memory.Run
	items   []memory.RunItem
	roots   []string // decisions that the run made and that stand
	dropped []string // memories that it archived without a decision
	kept    []Touched
}

// run reads the run and finds its decisions.
func (g *runGatherer) run(ctx context.Context, id string, n int) (err error) {
	if g.of, err = g.Store.Run(ctx, g.Tenant, id); err != nil {
		return err
	}
	switch {
	case g.of.Options.DryRun:
		return fmt.Errorf("%w: it was a dry run, which changes nothing", ErrState)
	case g.of.State == memory.RunFailed:
		return fmt.Errorf("%w: it failed and changed nothing: %s", ErrState, g.of.Reason)
	}
	if n > 0 {
		item, err := g.Store.RunItem(ctx, g.Tenant, id, n)
		if err != nil {
			return err
		}
		g.items = []memory.RunItem{item}
	} else if g.items, err = g.Store.RunItems(ctx, g.Tenant, id); err != nil {
		return err
	}
	var rows []string
	memories := 0
	for _, i := range g.items {
		switch i.State {
		case memory.ItemApplied:
			g.w.items[stepOf(i)] = i
			rows = append(append(rows, i.MemoryID), i.Sources...)
			memories += len(i.Sources)
		case memory.ItemOffered:
			rows = append(rows, i.ProposalID)
		}
	}
	if memories > maxRun {
		return fmt.Errorf("%w: it archived more than %d memories; take it back step by step: winnow runs undo %s --item N", ErrState, maxRun, id)
	}
	if err := g.readLinks(ctx, rows...); err != nil {
		return err
	}
	var made []string
	for _, i := range g.items {
		if i.State == memory.ItemApplied {
			made = append(made, g.products(i)...)
		}
	}
	if err := g.load(ctx, append(rows, made...)...); err != nil {
		return err
	}
	return g.standing(ctx)
}

// products returns the memories that a step may have made: the one that it names, and
// those with a link to one of its sources.
func (g *runGatherer) products(i memory.RunItem) []string {
	ids := []string{i.MemoryID}
	for _, source := range i.Sources {
		for _, l := range g.links[source] {
			if l.To == source && l.Kind == memory.LinkConsolidates {
				ids = append(ids, l.From)
			}
		}
	}
	return prefixed(ids, memory.PrefixMemory)
}

// standing finds the decisions of the run that are in force.
func (g *runGatherer) standing(ctx context.Context) error {
	for _, i := range g.items {
		if i.State != memory.ItemApplied {
			continue
		}
		for _, id := range g.products(i) {
			m, ok := g.w.memories[id]
			switch {
			case !ok || m.CreatedAt.After(i.EndedAt): // of a later run, over sources that came back
			case m.ArchiveReason == reasonUndone:
			case m.ArchiveReason == reasonRetracted:
				g.kept = append(g.kept, Touched{m.ID, m.Scope, m.Text, fmt.Sprintf("step %d: it was retracted; take that back first", i.N)})
			case m.DecisionID == "":
				return fmt.Errorf("%w: no decision says how %s was made", ErrState, m.ID)
			default:
				g.roots = append(g.roots, m.DecisionID)
			}
		}
		if err := g.archives(ctx, i); err != nil {
			return err
		}
	}
	g.roots = sorted(g.roots)
	if err := g.readDecisions(ctx, g.roots...); err != nil {
		return err
	}
	for _, id := range g.roots {
		if _, err := g.decision(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// archives finds the decisions by which a step archived memories without a successor:
// they have the time of the step.
func (g *runGatherer) archives(ctx context.Context, i memory.RunItem) error {
	lost := map[string]bool{}
	for _, id := range i.Sources {
		if m, ok := g.w.memories[id]; ok && m.SuccessorID == "" && holds(i, m) {
			lost[id] = true
		}
	}
	q := store.DecisionQuery{
		Scope: g.of.Scope, Rule: RuleArchive, Actor: memory.ActorSystem, Since: i.EndedAt, Until: i.EndedAt, Limit: pageSize,
	}
	for len(lost) > 0 {
		list, err := g.Store.Decisions(ctx, g.Tenant, q)
		if err != nil {
			return err
		}
		for _, d := range list {
			q.After = d.ID
			if lost[d.MemoryID] {
				delete(lost, d.MemoryID)
				g.roots = append(g.roots, d.ID)
			}
		}
		if len(list) < pageSize {
			break
		}
	}
	for id := range lost {
		g.dropped = append(g.dropped, id)
	}
	slices.Sort(g.dropped)
	return nil
}

// step names an item.
type step struct {
	run string
	n   int
}

func stepOf(i memory.RunItem) step { return step{i.RunID, i.N} }

// automatic lists the reasons with which a run archives.
var automatic = []string{
	memory.ReasonConsolidated, memory.ReasonDropped, memory.ReasonFaded, memory.ReasonPruned, memory.ReasonHygiene,
}

// archivedByRun reports whether automation took a memory out of service.
func archivedByRun(m memory.Memory) bool {
	reason, _, _ := strings.Cut(m.ArchiveReason, ":")
	return m.State == memory.StateArchived && slices.Contains(automatic, reason)
}

// holds reports whether a source is out of service because of the step. What was
// archived later is out of service because of another.
func holds(i memory.RunItem, m memory.Memory) bool {
	return archivedByRun(m) && !m.ArchivedAt.After(i.EndedAt)
}

// runUndoing is the undo of a run in the course of its decision.
type runUndoing struct {
	Effect
	w    *undoWorld
	of   memory.Run
	done RunUndone
}

// drops restores memories that no decision archived.
func (r *runUndoing) drops(ids []string) {
	for _, id := range ids {
		m := r.w.memories[id]
		back := r.Decision(m.Scope)
		back.Verdict, back.Rule, back.Fired, back.MemoryID = memory.VerdictUndone, RuleUndo, []string{RuleUndo}, id
		back.Reason = r.Person + " took back " + r.of.ID
		m.State, m.ArchivedAt, m.ArchiveReason, m.SuccessorID = memory.StateActive, time.Time{}, "", ""
		r.w.memories[id] = m
		r.UpdateMemory(m)
		r.Recorded(m, back.ID)
		r.Decide(back, nil)
		r.done.Restored = append(r.done.Restored, id)
	}
}

// item ends a step that is not applied: a planned one is not taken any more, and a
// question is withdrawn unless it was answered.
func (r *runUndoing) item(i memory.RunItem) {
	switch i.State {
	case memory.ItemPlanned:
		i.State, i.EndedAt, i.Reason = memory.ItemSkipped, r.Now, r.Person+" took the run back"
		r.done.Stopped = append(r.done.Stopped, i.N)
	case memory.ItemOffered:
		p, ok := r.w.proposals[i.ProposalID]
		if ok && !p.State.Open() && p.State != memory.ProposalExpired && p.State != memory.ProposalRejected {
			r.done.Kept = append(r.done.Kept, Touched{p.ID, p.Scope, p.Text, fmt.Sprintf("step %d: it was answered; to take the answer back: winnow undo %s", i.N, p.ID)})
			return
		}
		if ok && p.State.Open() {
			r.withdraw(p)
		}
		i.State, i.Reason = memory.ItemUndone, r.Person+" took it back"
	default:
		return
	}
	r.Set.RunItems = append(r.Set.RunItems, i)
}

// withdraw closes a question that the run asked. It is not a rejection, so the same
// text may be proposed.
func (r *runUndoing) withdraw(p memory.Proposal) {
	d := r.Decision(p.Scope)
	d.ProposalID, d.Verdict, d.Rule, d.Fired = p.ID, memory.VerdictExpired, RuleUndo, []string{RuleUndo}
	d.Reason = r.Person + " took back " + r.of.ID + ", which asked"
	p.State, p.Target, p.DecisionID = memory.ProposalExpired, "", d.ID
	r.UpdateProposal(p)
	r.Decide(d, &p)
	r.done.Withdrawn = append(r.done.Withdrawn, p.ID)
}

// settle marks the steps of which nothing stands any more, of whatever runs, and ends
// the runs of which no step does. whole is the run that is taken back as a whole, or
// empty: it ends with its unanswered questions, and goes no further. settle returns the
// state of that run.
func (d *Decider) settle(ctx context.Context, e *Effect, w *undoWorld, whole string) (memory.RunState, error) {
	for _, i := range w.items {
		held := func(id string) bool { m, ok := w.memories[id]; return ok && holds(i, m) }
		if i.State == memory.ItemApplied && !slices.ContainsFunc(i.Sources, held) {
			i.State, i.Reason = memory.ItemUndone, e.Person+" took it back"
			e.Set.RunItems = append(e.Set.RunItems, i)
		}
	}
	slices.SortFunc(e.Set.RunItems, func(a, b memory.RunItem) int {
		return cmp.Or(strings.Compare(a.RunID, b.RunID), cmp.Compare(a.N, b.N))
	})
	var ids []string
	if whole != "" {
		ids = append(ids, whole)
	}
	for _, i := range e.Set.RunItems {
		ids = append(ids, i.RunID)
	}
	if ids = sorted(ids); len(ids) == 0 {
		return "", nil
	}
	runs, err := d.Store.Runs(ctx, d.Tenant, store.RunQuery{IDs: ids})
	if err != nil {
		return "", err
	}
	var state memory.RunState
	for _, run := range runs {
		if run, err = d.endRun(ctx, e, w, run, run.ID == whole); err != nil {
			return "", err
		}
		if run.ID == whole {
			state = run.State
		}
	}
	return state, nil
}

// endRun ends a run if none of its steps stands, counting those that the set changes.
func (d *Decider) endRun(ctx context.Context, e *Effect, w *undoWorld, run memory.Run, whole bool) (memory.Run, error) {
	counts, err := d.Store.RunProgress(ctx, d.Tenant, run.ID)
	if err != nil {
		return run, err
	}
	changed := 0
	for _, i := range e.Set.RunItems {
		if i.RunID != run.ID {
			continue
		}
		changed++
		was := memory.ItemOffered
		if _, applied := w.items[stepOf(i)]; applied {
			was = memory.ItemApplied
		} else if i.State == memory.ItemSkipped {
			was = memory.ItemPlanned
		}
		counts[was]--
	}
	stands := counts[memory.ItemApplied] + counts[memory.ItemPlanned]
	if !whole {
		stands += counts[memory.ItemOffered]
	}
	state := run.State
	switch {
	case stands == 0:
		state = memory.RunUndone
	case whole && run.Open():
		state = memory.RunPartial
	}
	if changed > 0 || state != run.State {
		e.Audit("run.undone", run.ID, map[string]string{"steps": fmt.Sprint(changed), "state": string(state)})
	}
	if state == run.State {
		return run, nil
	}
	run.State, run.Reason = state, e.Person+" took it back"
	if run.EndedAt.IsZero() {
		run.EndedAt = e.Now
	}
	e.Set.RunUpdates = append(e.Set.RunUpdates, change.UpdateOf(run))
	return run, nil
}
