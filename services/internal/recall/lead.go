package recall

import (
	"context"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/model/embed"
	"github.com/winnowhq/winnow/services/internal/recall/search"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/vector"
)

// led are the archived memories that led to the pool, with their texts, in one order.
type led struct {
	leads    []search.Lead
	passages []search.Passage
}

// led returns the archived memories by which the search came to its pool. An index in
// this process knows their texts; those of another one are read in one query.
func (r *Recall) led(ctx context.Context, tenant memory.Tenant, lists vector.Lists, depth search.Depth, l *looked) (led, error) {
	leads := search.Leads(lists, l.pool.Scored, func(id string) string { return l.leads[id] }, depth.Leads)
	if err := r.readLeads(ctx, l.slot, tenant, leads); err != nil {
		return led{}, failed(err)
	}
	var out led
	for _, lead := range leads {
		if lead.Said == nil { // it was erased since
			continue
		}
		out.leads = append(out.leads, lead)
		out.passages = append(out.passages, search.Passage{Text: lead.Said.Passage, Title: lead.Said.Title, Fused: l.pool.Scored[lead.Of].Fused})
	}
	return out, nil
}

// readLeads fills in the texts that the index does not know.
func (r *Recall) readLeads(ctx context.Context, held slot, tenant memory.Tenant, leads []search.Lead) error {
	at := map[string]int{}
	var ids []string
	for i := range leads {
		if leads[i].Said == nil {
			at[leads[i].ID] = i
			ids = append(ids, leads[i].ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	var rows []memory.Memory
	err := held.yield(func() (err error) {
		rows, err = r.Store.Memories(ctx, tenant, store.MemoryQuery{IDs: ids})
		return err
	})
	for i := range rows {
		leads[at[rows[i].ID]].Said = &vector.Redirect{Title: rows[i].Title, Passage: embed.Text(rows[i])}
	}
	return err
}
