package review

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// Store is what deciding reads.
type Store interface {
	store.Reader
	store.Runs
}

// Rules of decisions by which automation merges and archives memories. Each strategy has
// its own, so that winnow why and the counts of rules tell them apart. The decision of a
// merge made the memory that has the words of all.
const (
	RuleConsolidate = "consolidate"  // a run by similarity, or of memories that somebody named
	RuleWeekly      = "weekly.merge" // the week of a user
	RuleWeeklyDrop  = "weekly.drop"
	RulePrune       = "prune" // it did not prove itself
)

// merges reports a rule by which a run merges.
func merges(rule string) bool { return rule == RuleConsolidate || rule == RuleWeekly }

// archivingRules are those of decisions that take a memory out of service and make
// nothing. Automation of earlier versions archived under a person's.
var archivingRules = []string{RuleArchive, RuleWeeklyDrop, RulePrune}

func archives(rule string) bool { return slices.Contains(archivingRules, rule) }

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
		case memory.ItemOffered, memory.ItemRefused: // the latter where a contradiction was asked about
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
			case m.ArchiveReason == reasonUndone, m.Forgotten():
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
		if m, ok := g.w.memories[id]; ok && m.SuccessorID == "" && !m.Forgotten() && holds(i, m) {
			lost[id] = true
		}
	}
	q := store.DecisionQuery{
		Scope: g.of.Scope, Actor: memory.ActorSystem, Since: i.EndedAt, Until: i.EndedAt, Limit: pageSize,
	}
	for len(lost) > 0 {
		list, err := g.Store.Decisions(ctx, g.Tenant, q)
		if err != nil {
			return err
		}
		for _, d := range list {
			q.After = d.ID
			if archives(d.Rule) && lost[d.MemoryID] {
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
