package review

import (
	"context"
	"fmt"
	"strings"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// Source says whose words are to go. What is empty does not restrict.
type Source struct {
	Session   string // as its publisher calls it
	Principal string
	// Origin is that of the words: what corroboration or a person lifted
	// afterwards still came from there.
	Origin *memory.Origin
}

// String names the source in a sentence.
func (s Source) String() string {
	var parts []string
	if s.Session != "" {
		parts = append(parts, "session "+s.Session)
	}
	if s.Principal != "" {
		parts = append(parts, "principal "+s.Principal)
	}
	if s.Origin != nil {
		parts = append(parts, "origin "+s.Origin.String())
	}
	return strings.Join(parts, ", ")
}

func (s Source) proposed(p *memory.Proposal) bool {
	return (s.Session == "" || p.SessionID == s.Session) && (s.Principal == "" || p.Principal == s.Principal) &&
		(s.Origin == nil || min(p.Origin, p.Authority) == *s.Origin)
}

// wrote says so of a memory that nobody proposed: it was imported, or a person
// wrote it in the place of another.
func (s Source) wrote(m *memory.Memory) bool {
	return m.ProposalID == "" && s.Session == "" && (s.Principal == "" || m.Principal == s.Principal) &&
		(s.Origin == nil || m.Origin == *s.Origin)
}

// Retraction is what taking a source's words back changes.
type Retraction struct {
	ID        string    `json:"id"`        // of the retraction; undoing it undoes all of it
	Proposals int       `json:"proposals"` // that the source brought
	Archived  []Touched `json:"archived"`  // memories of its words, and what was derived from them
	Closed    []Touched `json:"closed"`    // proposals that waited for somebody
	Weakened  []Touched `json:"weakened"`  // what it merely corroborated
	ToReview  []Touched `json:"review"`    // proposals of others that had ended because of its words
	Restored  []Touched `json:"restored"`  // memories that its words had replaced
	Kept      []Touched `json:"kept"`      // what replaced its words in words of its own
}

// Touched is one row and why it changes, or does not.
type Touched struct {
	ID    string       `json:"id"`
	Scope memory.Scope `json:"scope"`
	Text  string       `json:"text"`
	Why   string       `json:"why"`
}

// maxRetracted bounds what one retraction reads, for the reason of maxUndo.
const maxRetracted = maxUndo

// Retract decides to take the words of a source out of service, with everything
// that carries them (SPEC §7). What only had them as a second witness stays and
// loses that witness. id is that of the retraction. Nothing is deleted, and all
// of it can be undone.
func (d *Desk) Retract(ctx context.Context, id string, src Source) (change.Set, Retraction, error) {
	g := &lineageGatherer{undoGatherer: undoGatherer{Desk: d, w: newUndoWorld()}, l: newLineage()}
	if err := g.gather(ctx, src); err != nil {
		return change.Set{}, Retraction{}, fmt.Errorf("retract %s: %w", src, err)
	}
	set, done, err := decideRetract(d.Stamp, id, src, g.w, g.l)
	if err != nil {
		return change.Set{}, Retraction{}, fmt.Errorf("retract %s: %w", src, err)
	}
	return set, done, nil
}

// lineage is where a source's words went.
type lineage struct {
	proposals map[string]bool   // that the source brought
	made      map[string]string // the memory that became of one of them
	carries   map[string]string // memories of its words, and why they are
	found     []string          // these memories, in the order of being found
	replaced  map[string][]string
	kept      map[string]string            // memories that took their place, and why they stay
	taken     map[string][]memory.Evidence // what is taken from others, by the proposal that brought it
}

func newLineage() *lineage {
	return &lineage{
		proposals: map[string]bool{}, made: map[string]string{}, carries: map[string]string{}, replaced: map[string][]string{},
		kept: map[string]string{}, taken: map[string][]memory.Evidence{},
	}
}

// lineageGatherer reads the lineage and every row in it.
type lineageGatherer struct {
	undoGatherer
	l *lineage
}

func (g *lineageGatherer) gather(ctx context.Context, src Source) error {
	if err := g.brought(ctx, src); err != nil {
		return err
	}
	if err := g.written(ctx, src); err != nil {
		return err
	}
	for id := range g.l.proposals {
		if err := g.joined(ctx, id); err != nil {
			return err
		}
	}
	for at := 0; at < len(g.l.found); at++ {
		if len(g.l.found) > maxRetracted {
			return fmt.Errorf("%w: more than %d memories carry its words; take a session or a principal at a time", ErrState, maxRetracted)
		}
		if err := g.descend(ctx, g.l.found[at]); err != nil {
			return err
		}
	}
	return g.witnessed(ctx)
}

// brought finds what the source proposed, and the memories that became of it.
func (g *lineageGatherer) brought(ctx context.Context, src Source) error {
	var decisions []string
	q := store.ProposalQuery{SessionID: src.Session, Principal: src.Principal, Limit: pageSize}
	for {
		list, err := g.Store.Proposals(ctx, g.Tenant, q)
		if err != nil {
			return err
		}
		if len(list) == 0 {
			break
		}
		q.After = list[len(list)-1].ID
		for _, p := range list {
			if !src.proposed(&p) {
				continue
			}
			g.l.proposals[p.ID], g.w.proposals[p.ID] = true, p
			if p.State == memory.ProposalPromoted {
				decisions = append(decisions, p.DecisionID)
			}
		}
		if len(g.l.proposals) > maxRetracted {
			return fmt.Errorf("%w: it brought more than %d proposals; take a session or a principal at a time", ErrState, maxRetracted)
		}
	}
	if len(decisions) == 0 {
		return nil
	}
	made, err := g.Store.Decisions(ctx, g.Tenant, store.DecisionQuery{IDs: decisions})
	for _, d := range made {
		if d.MemoryID != "" {
			g.l.made[d.ProposalID] = d.MemoryID
			g.carries(d.MemoryID, "says so")
		}
	}
	return err
}

// written finds the memories of the source that nobody proposed.
func (g *lineageGatherer) written(ctx context.Context, src Source) error {
	if src.Session != "" {
		return nil
	}
	q := store.MemoryQuery{Principal: src.Principal, Limit: pageSize}
	for {
		list, err := g.Store.Memories(ctx, g.Tenant, q)
		if err != nil || len(list) == 0 {
			return err
		}
		q.After = list[len(list)-1].ID
		for _, m := range list {
			if src.wrote(&m) {
				g.carries(m.ID, "says so")
			}
		}
	}
}

// joined reads what hangs on one of the source's proposals: what joined it while
// it waited, and memories that name it as their ancestor.
func (g *lineageGatherer) joined(ctx context.Context, id string) error {
	links, err := g.Store.Links(ctx, g.Tenant, id)
	if err != nil {
		return err
	}
	for _, l := range links {
		if l.To == id && l.Kind == memory.LinkDerivedFrom && strings.HasPrefix(l.From, memory.PrefixMemory) {
			g.carries(l.From, "derived from "+id)
		}
	}
	if !g.w.proposals[id].State.Open() {
		return nil
	}
	if err := g.present(ctx, id); err != nil {
		return err
	}
	return g.repeats(ctx, id)
}

func (g *lineageGatherer) carries(id, why string) {
	if _, known := g.l.carries[id]; !known {
		g.l.carries[id] = why
		g.l.found = append(g.l.found, id)
	}
}

// descend follows the words of one memory to those that carry them too.
func (g *lineageGatherer) descend(ctx context.Context, id string) error {
	if err := g.present(ctx, id); err != nil {
		return err
	}
	links, err := g.Store.Links(ctx, g.Tenant, id)
	if err != nil {
		return err
	}
	for _, l := range links {
		older, newer := l.To, l.From
		if l.Kind == memory.LinkMergedInto {
			older, newer = l.From, l.To
		}
		switch {
		case l.Kind == memory.LinkWorkflow:
		case newer == id:
			// What it replaced may have to serve again.
			if err := g.present(ctx, older); err != nil {
				return err
			}
			g.l.replaced[id] = append(g.l.replaced[id], older)
		case l.Kind == memory.LinkSupersedes:
			if err := g.succeed(ctx, newer, id); err != nil {
				return err
			}
		case strings.HasPrefix(newer, memory.PrefixMemory):
			g.carries(newer, strings.ReplaceAll(string(l.Kind), "_", " ")+" "+id)
		}
	}
	return g.repeats(ctx, id)
}

// succeed judges what took a memory's place. What somebody else proposed says
// what it says by itself; what was written over it carries its words.
func (g *lineageGatherer) succeed(ctx context.Context, newer, older string) error {
	if err := g.present(ctx, newer); err != nil {
		return err
	}
	m, ok := g.w.memories[newer]
	switch {
	case !ok || g.l.proposals[m.ProposalID]:
	case m.ProposalID == "":
		g.carries(newer, "written in the place of "+older)
	default:
		g.l.kept[newer] = "took the place of " + older + " in words of its own"
	}
	return nil
}

// repeats reads the proposals of others that ended because a memory said the
// same.
func (g *lineageGatherer) repeats(ctx context.Context, id string) error {
	for _, e := range g.w.evidence[id] {
		if e.ProposalID == "" || g.l.proposals[e.ProposalID] {
			continue
		}
		if err := g.present(ctx, e.ProposalID); err != nil {
			return err
		}
	}
	return nil
}

// witnessed finds what the source's proposals were counted for: what they
// repeated or joined, and whatever that became, since evidence moves on with it.
func (g *lineageGatherer) witnessed(ctx context.Context) error {
	var todo []string
	for id := range g.l.proposals {
		todo = append(todo, g.w.proposals[id].Target)
	}
	for id := range g.l.kept {
		todo = append(todo, id)
	}
	seen := map[string]bool{}
	for len(todo) > 0 {
		id := todo[0]
		todo = todo[1:]
		if _, ours := g.l.carries[id]; id == "" || seen[id] || ours || g.l.proposals[id] {
			continue
		}
		seen[id] = true
		if err := g.present(ctx, id); err != nil {
			return err
		}
		for _, e := range g.w.evidence[id] {
			if g.l.proposals[e.ProposalID] {
				g.l.taken[e.ProposalID] = append(g.l.taken[e.ProposalID], e)
			}
		}
		next, err := g.became(ctx, id)
		if err != nil {
			return err
		}
		todo = append(todo, next...)
	}
	return nil
}

// became is what the evidence of a proposal or memory went on to.
func (g *lineageGatherer) became(ctx context.Context, id string) ([]string, error) {
	if p, ok := g.w.proposals[id]; ok {
		if p.State != memory.ProposalPromoted || p.DecisionID == "" {
			return []string{p.Target}, nil
		}
		d, err := g.Store.Decision(ctx, g.Tenant, p.DecisionID)
		return []string{d.MemoryID}, err
	}
	if m, ok := g.w.memories[id]; ok {
		return []string{m.SuccessorID}, nil
	}
	return nil, nil
}
