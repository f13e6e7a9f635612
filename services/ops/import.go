package ops

import (
	"context"
	"fmt"
	"slices"

	"github.com/winnowhq/winnow/services/internal/consolidation/topic"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/memoryfile"
	"github.com/winnowhq/winnow/services/internal/review"
	"github.com/winnowhq/winnow/services/internal/store"
)

// Entry is an existing memory that a person imports.
type Entry struct {
	Scope   string `json:"scope"`
	Section string `json:"section"`
	Kind    string `json:"kind"`
	Origin  string `json:"origin"` // the text's original source; the importing person confirms the text
	Text    string `json:"text"`
}

// importBatch is the number of memories of one transaction. The batch size
// bounds the time for which the scope is locked. After a failure, the next
// attempt skips the stored memories.
const importBatch = 500

// Import stores entries as memories, each with its own decision and without
// judging: the importing person confirms the texts (SPEC §13). Import skips
// entries with an active text in their scope, and returns the number of stored
// memories.
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
	topics, macros := topic.Of(topic.Text{Body: o.redacted(entry.Text)})
	return memory.Memory{
		Topics: topics, MacroTopics: macros,
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

// inService is the set of a scope's active texts, in the form of a memory file.
type inService map[string]bool

// add adds the text and reports whether it is new.
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
