package ops

import (
	"context"
	"fmt"
	"slices"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/memoryfile"
	"github.com/winnowhq/winnow/services/internal/review"
	"github.com/winnowhq/winnow/services/internal/store"
)

// Entry is an existing memory that a person brings along.
type Entry struct {
	Scope   string `json:"scope"`
	Section string `json:"section"`
	Kind    string `json:"kind"`
	Origin  string `json:"origin"` // where the text once came from; the person vouches for it now
	Text    string `json:"text"`
}

// importBatch is how many memories one transaction stores. It bounds how long
// the scope is locked; what was stored before a failure is left out by the next
// attempt.
const importBatch = 500

// Import stores entries as memories, each with a decision of its own and
// without judging them: a person who brings a file vouches for it (SPEC §13).
// Entries whose text is already in service in their scope are left out. It
// returns how many were stored.
func (o *Ops) Import(ctx context.Context, entries []Entry) (int, error) {
	stamp := o.stamp()
	var list []memory.Memory
	known := map[memory.Scope]inService{}
	for _, entry := range entries {
		m, err := o.imported(stamp, entry)
		if err != nil {
			return 0, fmt.Errorf("import: %w", err)
		}
		if known[m.Scope] == nil {
			if known[m.Scope], err = o.inService(ctx, m.Scope); err != nil {
				return 0, fmt.Errorf("import: %w", err)
			}
		}
		if known[m.Scope].add(m.Text) {
			list = append(list, m)
		}
	}
	if err := o.storeImported(ctx, stamp, list, func(int) {}); err != nil {
		return 0, fmt.Errorf("import: %w", err)
	}
	return len(list), nil
}

func (o *Ops) imported(s review.Stamp, entry Entry) (memory.Memory, error) {
	scope, err := memory.ParseScope(entry.Scope)
	if err != nil {
		return memory.Memory{}, err
	}
	kind, err := memory.ParseKind(entry.Kind)
	if err != nil {
		return memory.Memory{}, err
	}
	if kind == "" {
		kind = memory.KindFact
	}
	origin := memory.OriginHuman
	if entry.Origin != "" {
		if origin, err = memory.ParseOrigin(entry.Origin); err != nil {
			return memory.Memory{}, err
		}
	}
	section := entry.Section
	if section == "" {
		section = memory.SectionFor(kind)
	}
	return memory.Memory{
		ID: s.NewID(memory.PrefixMemory), Tenant: s.Tenant, Scope: scope, State: memory.StateActive, Kind: kind, Section: o.redacted(section),
		Text: o.redacted(entry.Text), Importance: review.DefaultImportance, Confidence: review.HumanConfidence, Principal: s.Person,
		Origin: origin, Authority: origin, CreatedAt: s.Now, LastConfirmed: s.Now, SeenCount: 1,
	}, nil
}

// storeImported commits new memories in batches, each memory with the decision
// that it was imported, and calls done with the number stored so far.
func (o *Ops) storeImported(ctx context.Context, stamp review.Stamp, list []memory.Memory, done func(int)) error {
	stored := 0
	for batch := range slices.Chunk(list, importBatch) {
		e := &review.Effect{Stamp: stamp}
		for _, m := range batch {
			d := e.Decision(m.Scope)
			d.Verdict, d.Rule, d.Fired, d.MemoryID = memory.VerdictPromoted, review.RuleImport, []string{review.RuleImport}, m.ID
			d.Reason = e.Person + " imported it"
			m.DecisionID = d.ID
			e.Set.Memories = append(e.Set.Memories, m)
			e.Recorded(m, d.ID)
			e.Decide(d, nil)
		}
		if _, err := o.Store.Commit(ctx, o.Tenant, e.Set, store.InboxKey{}); err != nil {
			return fmt.Errorf("commit: %w", err)
		}
		stored += len(batch)
		done(stored)
	}
	return nil
}

// inService is the set of texts that a scope stands behind, as they read in a
// memory file.
type inService map[string]bool

// add reports that the text was not there before.
func (s inService) add(text string) bool {
	text = memoryfile.Canonical(text)
	if s[text] {
		return false
	}
	s[text] = true
	return true
}

func (o *Ops) inService(ctx context.Context, scope memory.Scope) (inService, error) {
	known := inService{}
	list, err := o.activeIn(ctx, scope)
	for _, m := range list {
		known.add(m.Text)
	}
	return known, err
}
