package ops

import (
	"context"
	"fmt"

	"github.com/winnowhq/winnow/services/internal/memory"
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

// Import stores entries as memories, each with a decision of its own and
// without judging them: a person who brings a file vouches for it (SPEC §13).
// Entries whose text is already in service in their scope are left out. It
// returns how many were stored.
func (o *Ops) Import(ctx context.Context, entries []Entry) (int, error) {
	e := o.effect()
	known := map[string]bool{}
	for _, entry := range entries {
		m, err := o.imported(e.Stamp, entry)
		if err != nil {
			return 0, fmt.Errorf("import: %w", err)
		}
		if !known[string(m.Scope)] {
			known[string(m.Scope)] = true
			present, err := o.Memories(ctx, string(m.Scope), false, 10_000)
			if err != nil {
				return 0, fmt.Errorf("import: %w", err)
			}
			for _, p := range present {
				known[string(p.Scope)+"\x00"+p.Text] = true
			}
		}
		if known[string(m.Scope)+"\x00"+m.Text] {
			continue
		}
		d := e.Decision(m.Scope)
		d.Verdict, d.Rule, d.Fired, d.MemoryID = memory.VerdictPromoted, review.RuleImport, []string{review.RuleImport}, m.ID
		d.Reason = e.Person + " imported it"
		m.DecisionID = d.ID
		e.Set.Memories = append(e.Set.Memories, m)
		e.Recorded(m, d.ID)
		e.Decide(d, nil)
	}
	n := len(e.Set.Memories)
	if _, err := o.Store.Commit(ctx, o.Tenant, e.Set, store.InboxKey{}); err != nil {
		return 0, fmt.Errorf("import: commit: %w", err)
	}
	return n, nil
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
		ID: s.NewID(memory.PrefixMemory), Tenant: s.Tenant, Scope: scope, State: memory.StateActive, Kind: kind, Section: section,
		Text: o.redacted(entry.Text), Importance: review.DefaultImportance, Confidence: review.HumanConfidence, Principal: s.Person,
		Origin: origin, Authority: origin, CreatedAt: s.Now, LastConfirmed: s.Now, SeenCount: 1,
	}, nil
}
