package recall

import (
	"context"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/search"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/vector"
)

// maxRedirects bounds the chain of successors that is followed.
const maxRedirects = 8

// read loads the rows behind a ranking. One that was archived since the index
// saw it leads on to its successor.
func (r *Recall) read(ctx context.Context, tenant memory.Tenant, ranked []search.Scored) (map[string]memory.Memory, []search.Scored, error) {
	found := make(map[string]memory.Memory, len(ranked))
	leads := map[string]string{}
	wanted := make([]string, len(ranked))
	for i, s := range ranked {
		wanted[i] = s.ID
	}
	for range maxRedirects {
		if len(wanted) == 0 {
			break
		}
		list, err := r.Store.Memories(ctx, tenant, store.MemoryQuery{IDs: wanted})
		if err != nil {
			return nil, nil, failed(err)
		}
		wanted = nil
		for _, m := range list {
			if m.State == memory.StateActive {
				found[m.ID] = m
				continue
			}
			leads[m.ID] = m.SuccessorID
			if _, known := found[m.SuccessorID]; m.SuccessorID != "" && !known {
				wanted = append(wanted, m.SuccessorID)
			}
		}
	}
	return found, follow(ranked, found, leads), nil
}

// follow replaces what was archived by what it leads to, each memory once.
func follow(ranked []search.Scored, found map[string]memory.Memory, leads map[string]string) []search.Scored {
	seen := make(map[string]bool, len(ranked))
	kept := ranked[:0]
	for _, s := range ranked {
		for range maxRedirects {
			next, archived := leads[s.ID]
			if !archived {
				break
			}
			s.ID = next
		}
		if _, ok := found[s.ID]; ok && !seen[s.ID] {
			seen[s.ID] = true
			kept = append(kept, s)
		}
	}
	return kept
}

// redirects are the memories that an archived one led to.
func redirects(lists vector.Lists) map[string]bool {
	led := map[string]bool{}
	for _, list := range [][]vector.Hit{lists.Dense, lists.Lexical} {
		for _, h := range list {
			if h.State == vector.Archived {
				led[h.Successor] = true
			}
		}
	}
	return led
}
