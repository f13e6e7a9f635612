package recall

import (
	"context"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/recall/search"
	"github.com/winnowhq/winnow/services/internal/store"
)

// wholeTopic adds the memories of the topic that a question is restricted to and that
// the index did not name: a search that is to cover a topic must not depend on the
// words of its question. They come behind those that it named, by how well their words
// match.
func (r *Recall) wholeTopic(ctx context.Context, q Question, depth search.Depth, l *looked) error {
	if q.Filter.Topic == "" {
		return nil
	}
	var members, summaries []memory.Memory
	err := l.slot.yield(func() (err error) {
		members, err = r.Store.TopicMembers(ctx, q.Tenant, store.TopicQuery{Scopes: q.Scopes, Name: q.Filter.Topic, Limit: depth.Pool})
		if err == nil {
			summaries, err = r.Store.Summaries(ctx, q.Tenant, store.SummaryQuery{
				Scopes: q.Scopes, Topic: q.Filter.Topic, State: memory.StateActive, Limit: depth.Pool,
			})
		}
		return err
	})
	if err != nil {
		return failed(err)
	}
	var rows []*candidate
	for _, list := range [][]memory.Memory{summaries, members} {
		for i := range list {
			m := &list[i]
			if l.seen[m.ID] {
				continue
			}
			l.seen[m.ID] = true
			l.ranked = append(l.ranked, search.Scored{ID: m.ID, Boost: 1})
			if l.memories[m.ID] == nil {
				k := fromStore(m)
				rows = append(rows, k)
				l.add(k)
			}
		}
	}
	if len(rows) > 0 {
		if err := r.readNeighbours(ctx, l.slot, q.Tenant, rows); err != nil {
			return err
		}
	}
	capped := l.pool.Capped
	l.pool = search.Gather(l.ranked, l.row, q.Filter, r.Options, depth.Pool)
	l.pool.Capped = max(l.pool.Capped, capped)
	return nil
}
