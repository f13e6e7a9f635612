package review

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/review/page"
	"github.com/winnowhq/winnow/services/internal/store"
)

// maxMerged bounds the runs whose steps one digest reads; more runs than that are those
// of a backlog, and winnow runs list has them all.
const maxMerged = 200

// merged returns what runs merged and archived for the reviewer after a time, run by
// run, the newest first. What was taken back since, whole or step by step, is left out.
func (m *Composer) merged(ctx context.Context, r routes, from time.Time) ([]page.Merged, error) {
	var list []page.Merged
	q := store.RunQuery{States: []memory.RunState{memory.RunCompleted, memory.RunPartial}, EndedAfter: from, Newest: true, Limit: pageSize}
	for {
		runs, err := m.Store.Runs(ctx, m.Tenant, q)
		if err != nil || len(runs) == 0 {
			return list, err
		}
		q.After = runs[len(runs)-1].ID
		for _, run := range runs {
			if run.Options.DryRun || run.Created+run.Archived == 0 || run.EndedAt.After(m.Now) || r.reviewer(run.Scope) != m.Reviewer {
				continue
			}
			done, err := m.mergedBy(ctx, run)
			if err != nil {
				return nil, fmt.Errorf("steps of %s: %w", run.ID, err)
			}
			if done.Sources+done.LetGo > 0 {
				list = append(list, done)
			}
			if len(list) == maxMerged {
				return list, nil
			}
		}
	}
}

// mergedBy returns what stands of a run.
func (m *Composer) mergedBy(ctx context.Context, run memory.Run) (page.Merged, error) {
	done := page.Merged{Run: run.ID, Scope: run.Scope}
	items, err := m.Store.RunItems(ctx, m.Tenant, run.ID)
	if err != nil {
		return done, err
	}
	applied := map[string]memory.RunItem{} // by source
	for _, i := range items {
		if i.State == memory.ItemApplied {
			for _, id := range i.Sources {
				applied[id] = i
			}
		}
	}
	sources, err := MemoriesOf(ctx, m.Store, m.Tenant, slices.Collect(maps.Keys(applied))...)
	if err != nil {
		return done, err
	}
	var made []string
	for id, s := range sources {
		switch {
		case !holds(applied[id], s): // restored, or archived again by something later
		case s.SuccessorID == "":
			done.LetGo++
		default:
			done.Sources++
			made = append(made, s.SuccessorID)
		}
	}
	made = sorted(made)
	done.Products = len(made)
	products, err := MemoriesOf(ctx, m.Store, m.Tenant, made[:min(len(made), 1)]...)
	for _, p := range products {
		done.Text, done.Authority = p.Text, p.Authority
		if p.Title != "" {
			done.Text = p.Title
		}
	}
	return done, err
}
