package ledger

import (
	"context"
	"fmt"

	"github.com/winnowhq/winnow/services/internal/confidence"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// Store is what a ledger is read from.
type Store interface {
	Standings(ctx context.Context, tenant memory.Tenant, memories ...string) (map[string]store.Standing, error)
	Signals(ctx context.Context, tenant memory.Tenant, q store.SignalQuery) ([]memory.Signal, error)
	ProjectWeights(ctx context.Context, tenant memory.Tenant, scopes ...memory.Scope) (map[memory.Scope]memory.ProjectWeights, error)
}

// given bounds the signals of one principal about one memory within the window.
const given = 3 * confidence.PerDay * 32

// Open returns the ledgers of memories, by their ids, for observations of a principal;
// an empty principal stands for none. The memories must have been read before: a
// signal that another process records meanwhile changes the memory's version, and the
// commit of what the ledger led to fails.
func Open(ctx context.Context, s Store, tenant memory.Tenant, principal string, memories ...memory.Memory) (map[string]*confidence.Ledger, error) {
	ledgers := make(map[string]*confidence.Ledger, len(memories))
	if len(memories) == 0 {
		return ledgers, nil
	}
	var ids []string
	var scopes []memory.Scope
	for i := range memories {
		ids, scopes = append(ids, memories[i].ID), append(scopes, memories[i].Scope)
	}
	standings, err := s.Standings(ctx, tenant, ids...)
	if err != nil {
		return nil, fmt.Errorf("what was learned: %w", err)
	}
	weights, err := s.ProjectWeights(ctx, tenant, scopes...)
	if err != nil {
		return nil, fmt.Errorf("weights: %w", err)
	}
	for _, m := range memories {
		one := standings[m.ID]
		ledgers[m.ID] = &confidence.Ledger{
			Memory: m, State: confidence.State{Learned: one.Learned, Old: one.Old, Recent: one.Recent},
			Weights: confidence.Plus(confidence.PriorWeights(m.Scope), weights[m.Scope]),
		}
	}
	if principal == "" {
		return ledgers, nil
	}
	list, err := s.Signals(ctx, tenant, store.SignalQuery{Memories: ids, Principal: principal, Limit: given * len(ids)})
	if err != nil {
		return nil, fmt.Errorf("signals of %s: %w", principal, err)
	}
	for _, one := range list {
		ledgers[one.MemoryID].Given = append(ledgers[one.MemoryID].Given, one)
	}
	return ledgers, nil
}
