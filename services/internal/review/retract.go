package review

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// Source selects the texts to retract. An empty field does not restrict.
type Source struct {
	Session   string // as its publisher calls it
	Principal string
	// Origin is the origin of the texts, also where corroboration or a person raised
	// the authority later.
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

// wrote reports whether the source is the author of m, a memory without a proposal:
// imported, or typed in place of another.
func (s Source) wrote(m *memory.Memory) bool {
	return m.ProposalID == "" && s.Session == "" && (s.Principal == "" || m.Principal == s.Principal) &&
		(s.Origin == nil || m.Origin == *s.Origin)
}

// Retraction lists what the retraction of a source's texts changes.
type Retraction struct {
	ID          string    `json:"id"`        // of the retraction; undoing this id undoes all of it
	Proposals   int       `json:"proposals"` // that the source proposed
	Archived    []Touched `json:"archived"`  // memories of the source's texts, and memories derived from them
	Closed      []Touched `json:"closed"`    // proposals that waited for review
	Weakened    []Touched `json:"weakened"`  // texts that the source only corroborated
	ToReview    []Touched `json:"review"`    // proposals of others that had ended because of the source's texts
	Restored    []Touched `json:"restored"`  // memories that the source's texts had replaced
	Independent []Touched `json:"kept"`      // memories that replaced the source's texts in other words
}

// Touched is one row and why it changes, or does not.
type Touched struct {
	ID    string       `json:"id"`
	Scope memory.Scope `json:"scope"`
	Text  string       `json:"text"`
	Why   string       `json:"why"`
}

const (
	// RetractPage is how many texts of a source one page of a retraction takes out of
	// service: what one transaction carries well.
	RetractPage = 5000
	// maxCarried bounds the memories that carry the texts of one page.
	maxCarried = 10 * RetractPage
)

// RetractFrom is where a page of a retraction begins. The zero value is the first page.
type RetractFrom struct {
	Size     int    // texts; 0 means RetractPage
	Proposal string // the last proposal of the page before
	Memory   string // the last memory without a proposal of the page before
	Memories bool   // all proposals are done
	Done     bool   // there is no further page
}

// Retract takes a page of the texts of a source out of service, with all memories that
// carry them (SPEC §7), and returns where the next page begins. A text of others that
// the source only repeated stays and loses that witness. id names the retraction, the
// same for all pages. Nothing is deleted, and all of it can be undone.
func (d *Decider) Retract(ctx context.Context, id string, src Source, from RetractFrom) (change.Set, Retraction, RetractFrom, error) {
	fail := func(err error) (change.Set, Retraction, RetractFrom, error) {
		return change.Set{}, Retraction{}, from, fmt.Errorf("retract %s: %w", src, err)
	}
	g := &lineageGatherer{rows: newRows(d), l: newLineage(src), next: from}
	if g.next.Size <= 0 {
		g.next.Size = RetractPage
	}
	if err := g.gather(ctx); err != nil {
		return fail(err)
	}
	set, done, err := decideRetract(d.Stamp, id, src, g.w, g.l)
	if err != nil {
		return fail(err)
	}
	return set, done, g.next, nil
}

// lineage holds the rows that a source's texts led to.
type lineage struct {
	src         Source
	proposals   map[string]bool   // that the source proposed, of this page
	made        map[string]string // by proposal, the memory that it became
	carries     map[string]string // memories that carry the source's texts, and why
	found       []string          // keys of carries, in the order of being found
	replaced    map[string][]string
	independent map[string]string            // memories that replaced them in other words, and why they stay
	dropped     map[string][]memory.Evidence // evidence to drop from others, by the source's proposal
}

func newLineage(src Source) *lineage {
	return &lineage{
		src: src, proposals: map[string]bool{}, made: map[string]string{}, carries: map[string]string{}, replaced: map[string][]string{},
		independent: map[string]string{}, dropped: map[string][]memory.Evidence{},
	}
}

// ours reports whether a proposal that was read is the source's, of any page.
func (l *lineage) ours(p *memory.Proposal) bool {
	return l.proposals[p.ID] || p.ID != "" && l.src.proposed(p)
}

// oursToo is ours for a memory: the source wrote it, or proposed it on any page.
func (l *lineage) oursToo(w *undoWorld, m *memory.Memory) bool {
	p, proposed := w.proposals[m.ProposalID]
	_, carries := l.carries[m.ID]
	return carries || proposed && l.ours(&p) || l.src.wrote(m)
}

// lineageGatherer reads the lineage of a page and every row in it.
type lineageGatherer struct {
	*rows
	l    *lineage
	next RetractFrom
}

func (g *lineageGatherer) gather(ctx context.Context) error {
	if err := g.brought(ctx); err != nil {
		return err
	}
	if err := g.written(ctx); err != nil {
		return err
	}
	if err := g.joined(ctx); err != nil {
		return err
	}
	for at := 0; at < len(g.l.found); {
		if len(g.l.found) > maxCarried {
			return fmt.Errorf("%w: more than %d memories carry the words of %d texts; take a session or a principal at a time", ErrState, maxCarried, g.next.Size)
		}
		wave := g.l.found[at:]
		at = len(g.l.found)
		if err := g.descend(ctx, wave); err != nil {
			return err
		}
	}
	return g.witnessed(ctx)
}

// brought finds a page of the source's proposals, and the memories that they became.
func (g *lineageGatherer) brought(ctx context.Context) error {
	var decisions []string
	q := store.ProposalQuery{SessionID: g.l.src.Session, Principal: g.l.src.Principal, After: g.next.Proposal, Limit: min(pageSize, g.next.Size)}
	for !g.next.Memories && len(g.l.proposals) < g.next.Size {
		list, err := g.Store.Proposals(ctx, g.Tenant, q)
		if err != nil {
			return err
		}
		for _, p := range list {
			if len(g.l.proposals) == g.next.Size {
				break
			}
			g.next.Proposal, q.After = p.ID, p.ID
			if !g.l.src.proposed(&p) {
				continue
			}
			g.l.proposals[p.ID], g.w.proposals[p.ID] = true, p
			if p.State == memory.ProposalPromoted {
				decisions = append(decisions, p.DecisionID)
			}
		}
		g.next.Memories = len(list) == 0
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

// written finds the source's memories without a proposal, once all proposals are done.
func (g *lineageGatherer) written(ctx context.Context) error {
	if !g.next.Memories {
		return nil
	}
	g.next.Done = g.l.src.Session != ""
	q := store.MemoryQuery{Principal: g.l.src.Principal, After: g.next.Memory, Limit: min(pageSize, g.next.Size)}
	for wrote := 0; !g.next.Done && wrote < g.next.Size; {
		list, err := g.Store.Memories(ctx, g.Tenant, q)
		if err != nil {
			return err
		}
		for _, m := range list {
			if wrote == g.next.Size {
				break
			}
			g.next.Memory, q.After = m.ID, m.ID
			if g.l.src.wrote(&m) {
				g.carries(m.ID, "says so")
				wrote++
			}
		}
		g.next.Done = len(list) == 0
	}
	return nil
}

// joined reads the rows that depend on the source's proposals: proposals merged into a
// waiting one, and memories derived from one.
func (g *lineageGatherer) joined(ctx context.Context) error {
	ids := slices.Sorted(maps.Keys(g.l.proposals))
	if err := g.readLinks(ctx, ids...); err != nil {
		return err
	}
	var open []string
	for _, id := range ids {
		for _, l := range g.links[id] {
			if l.To == id && l.Kind == memory.LinkDerivedFrom && strings.HasPrefix(l.From, memory.PrefixMemory) {
				g.carries(l.From, "derived from "+id)
			}
		}
		if g.w.proposals[id].State.Open() {
			open = append(open, id)
		}
	}
	if err := g.load(ctx, open...); err != nil {
		return err
	}
	return g.repeats(ctx, open)
}

func (g *lineageGatherer) carries(id, why string) {
	if _, known := g.l.carries[id]; !known {
		g.l.carries[id] = why
		g.l.found = append(g.l.found, id)
	}
}

// descend follows links from memories to others that carry the same text.
func (g *lineageGatherer) descend(ctx context.Context, wave []string) error {
	near := slices.Clone(wave)
	if err := g.readLinks(ctx, wave...); err != nil {
		return err
	}
	for _, id := range wave {
		for _, l := range g.links[id] {
			near = append(near, l.From, l.To)
		}
	}
	if err := g.load(ctx, near...); err != nil {
		return err
	}
	// Whose the neighbours are, their proposals say.
	var proposed []string
	for _, id := range near {
		proposed = append(proposed, g.w.memories[id].ProposalID)
	}
	if err := g.load(ctx, proposed...); err != nil {
		return err
	}
	for _, id := range wave {
		for _, l := range g.links[id] {
			older, newer := l.To, l.From
			if l.Kind == memory.LinkMergedInto {
				older, newer = l.From, l.To
			}
			switch {
			case l.Kind == memory.LinkWorkflow:
			case newer == id:
				// The replaced memory may have to become active again.
				g.l.replaced[id] = append(g.l.replaced[id], older)
			case l.Kind == memory.LinkSupersedes:
				g.succeed(newer, id)
			case strings.HasPrefix(newer, memory.PrefixMemory):
				g.carries(newer, strings.ReplaceAll(string(l.Kind), "_", " ")+" "+id)
			}
		}
	}
	return g.repeats(ctx, wave)
}

// succeed classifies a memory that superseded another. A proposal of another source
// says so in its own words and stays; a text typed in place of the old one carries the
// source's.
func (g *lineageGatherer) succeed(newer, older string) {
	m, ok := g.w.memories[newer]
	switch {
	case !ok || g.l.oursToo(g.w, &m):
	case m.ProposalID == "":
		g.carries(newer, "written in the place of "+older)
	default:
		g.l.independent[newer] = "took the place of " + older + " in words of its own"
	}
}

// repeats reads the proposals of others that ended as a repeat of one of these.
func (g *lineageGatherer) repeats(ctx context.Context, ids []string) error {
	var theirs []string
	for _, id := range ids {
		for _, e := range g.w.evidence[id] {
			if !g.l.proposals[e.ProposalID] {
				theirs = append(theirs, e.ProposalID)
			}
		}
	}
	return g.load(ctx, theirs...)
}

// witnessed finds the evidence of the source's proposals: on the rows that they
// repeated or were merged into, and on those that these became, since evidence moves
// on.
func (g *lineageGatherer) witnessed(ctx context.Context) error {
	var todo []string
	for _, id := range slices.Sorted(maps.Keys(g.l.proposals)) {
		todo = append(todo, g.w.proposals[id].Target)
	}
	todo = append(todo, slices.Sorted(maps.Keys(g.l.independent))...)
	seen := map[string]bool{}
	for len(todo) > 0 {
		var wave []string
		for _, id := range todo {
			if _, ours := g.l.carries[id]; id == "" || seen[id] || ours || g.l.proposals[id] {
				continue
			}
			seen[id] = true
			wave = append(wave, id)
		}
		if err := g.load(ctx, wave...); err != nil {
			return err
		}
		for _, id := range wave {
			for _, e := range g.w.evidence[id] {
				if g.l.proposals[e.ProposalID] {
					g.l.dropped[e.ProposalID] = append(g.l.dropped[e.ProposalID], e)
				}
			}
		}
		var err error
		if todo, err = g.became(ctx, wave); err != nil {
			return err
		}
	}
	return nil
}

// became returns the rows that the evidence of these proposals and memories moved on
// to.
func (g *lineageGatherer) became(ctx context.Context, ids []string) (next []string, err error) {
	var promoted []string
	for _, id := range ids {
		if p, ok := g.w.proposals[id]; ok && p.State == memory.ProposalPromoted && p.DecisionID != "" {
			promoted = append(promoted, p.DecisionID)
		} else if ok {
			next = append(next, p.Target)
		} else if m, ok := g.w.memories[id]; ok {
			next = append(next, m.SuccessorID)
		}
	}
	if err := g.readDecisions(ctx, promoted...); err != nil {
		return nil, err
	}
	for _, id := range promoted {
		d, err := g.decision(ctx, id)
		if err != nil {
			return nil, err
		}
		next = append(next, d.MemoryID)
	}
	return next, nil
}
