package api

import (
	"context"

	"go.uber.org/zap"

	"github.com/winnowhq/winnow/services/internal/consolidation/topic"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// maxChecked is how many summaries of one answer are compared with their topics
// (S2.12); more than one or two are rarely in one.
const maxChecked = 2

// footers returns what follows the text of each summary of an answer, by id: its
// footer, and a warning where its topic has changed since (S2.9–S2.12). Without a
// summary in the answer nothing is read. An answer without the warning is better than
// an error.
func (a *api) footers(ctx context.Context, list []*memory.Memory) map[string]string {
	var checked []store.Topic
	for _, m := range list {
		if m.Kind == memory.KindSummary && m.SummaryTopic != "" && len(checked) < maxChecked {
			checked = append(checked, store.Topic{Scope: m.Scope, Name: m.SummaryTopic})
		}
	}
	var counts map[store.Topic]int
	if len(checked) > 0 {
		var err error
		if counts, err = a.Store.TopicCounts(ctx, callerOf(ctx).Tenant, checked...); err != nil {
			a.Log.Warn("whether a summary is stale is not known", zap.Error(err))
			checked = nil
		}
	}
	out := map[string]string{}
	add := func(id, line string) {
		if line != "" {
			out[id] += "\n" + line
		}
	}
	for _, m := range list {
		if m.Kind != memory.KindSummary && m.Kind != memory.KindSummaryArchived {
			continue
		}
		add(m.ID, topic.Footer(m))
		if m.Kind != memory.KindSummary {
			continue
		}
		if m.SummaryAt.IsZero() {
			add(m.ID, topic.Warning(m, 0))
		}
		for _, t := range checked {
			if t.Scope == m.Scope && t.Name == m.SummaryTopic {
				add(m.ID, topic.Warning(m, counts[t]))
				break
			}
		}
	}
	return out
}
