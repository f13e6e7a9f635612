package ops

import (
	"context"
	"fmt"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/memoryfile"
	"github.com/winnowhq/winnow/services/internal/store"
)

// Exported holds every active memory of a scope.
type Exported struct {
	Scope    string          `json:"scope"`
	Memories []memory.Memory `json:"memories"` // by id, oldest first
}

// Export reads the active memories of a scope, of every kind and without a
// budget. MEMORY.md is for loading; an export is a backup.
func (o *Ops) Export(ctx context.Context, scope string) (Exported, error) {
	s, err := memory.ParseScope(scope)
	if err != nil {
		return Exported{}, fmt.Errorf("export: %w", err)
	}
	list, err := o.activeIn(ctx, s)
	if err != nil {
		return Exported{}, fmt.Errorf("export: %w", err)
	}
	return Exported{Scope: scope, Memories: list}, nil
}

// Markdown returns the export as a memory file. Importing the file gives the
// same texts under the same sections. Kind, confidence and lineage are only in
// the JSON.
func (e Exported) Markdown() []byte {
	d := memoryfile.Document{Scope: memory.Scope(e.Scope)}
	for _, m := range e.Memories {
		d.Items = append(d.Items, memoryfile.ItemOf(m))
	}
	return memoryfile.Export(d)
}

// exportPage is the number of memories of one read.
const exportPage = 1000

// activeIn returns all active memories of a scope, oldest first.
func (o *Ops) activeIn(ctx context.Context, scope memory.Scope) ([]memory.Memory, error) {
	all := []memory.Memory{}
	q := store.MemoryQuery{Scope: scope, States: []memory.State{memory.StateActive}, Limit: exportPage}
	for {
		page, err := o.Store.Memories(ctx, o.Tenant, q)
		if err != nil {
			return nil, err
		}
		all = append(all, page...)
		if len(page) < exportPage {
			return all, nil
		}
		q.After = page[len(page)-1].ID
	}
}

// MemoryFile renders a scope's current MEMORY.md, within the budget of what
// agents load.
func (o *Ops) MemoryFile(ctx context.Context, scope string) ([]byte, error) {
	e, err := o.Export(ctx, scope)
	if err != nil {
		return nil, err
	}
	d := memoryfile.Document{Scope: memory.Scope(e.Scope)}
	for _, m := range e.Memories {
		d.Items = append(d.Items, memoryfile.ItemOf(m))
	}
	return memoryfile.Render(d).Memory, nil
}
