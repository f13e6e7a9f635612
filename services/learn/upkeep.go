package learn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/confidence"
	"github.com/winnowhq/winnow/services/internal/confidence/ledger"
	"github.com/winnowhq/winnow/services/internal/consolidation/erosion"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/review"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/telemetry"
)

const (
	pageSize = 200
	// tries bounds how often a page is decided again, because signals came meanwhile.
	tries = 10
	// countMost bounds the active memories of a scope that are counted for its budget.
	countMost = 1_000_000
)

// upkeep rolls up, lets evidence decay, and prunes (S4.27, D22).
func (l *loop) upkeep(ctx context.Context, tenant memory.Tenant, now time.Time) error {
	rolled, err := l.rollUp(ctx, tenant, now)
	if err != nil {
		return fmt.Errorf("roll up: %w", err)
	}
	changed, doubtful, err := l.refresh(ctx, tenant, now)
	if err != nil {
		return fmt.Errorf("refresh: %w", err)
	}
	pruned, err := l.prune(ctx, tenant, doubtful, now)
	if err != nil {
		return fmt.Errorf("prune: %w", err)
	}
	l.Log.Info("confidence is up to date", zap.Int("rolled_up", rolled), zap.Int("changed", changed), zap.Int("pruned", pruned), zap.Int("left_by_budget", len(doubtful)-pruned))
	return nil
}

// commit writes what decide returns, and asks again when a row changed meanwhile.
func (l *loop) commit(ctx context.Context, tenant memory.Tenant, decide func() (change.Set, error)) error {
	for n := 0; ; n++ {
		set, err := decide()
		if err != nil || set.Empty() {
			return err
		}
		_, err = l.Store.Commit(ctx, tenant, set, store.InboxKey{})
		if err == nil && len(set.Events) > 0 {
			l.Publisher.Wake()
		}
		if !errors.Is(err, store.ErrConflict) || n == tries {
			return err
		}
	}
}

// rollUp turns the signals that left the window into sums, oldest first.
func (l *loop) rollUp(ctx context.Context, tenant memory.Tenant, now time.Time) (rolled int, err error) {
	for full := true; full && err == nil; {
		err = l.commit(ctx, tenant, func() (change.Set, error) {
			list, err := l.Store.Signals(ctx, tenant, store.SignalQuery{Before: now.Add(-confidence.Window), Limit: pageSize})
			if err != nil {
				return change.Set{}, err
			}
			full = len(list) == pageSize
			rolled += len(list)
			ids := make([]string, len(list))
			for i := range list {
				ids[i] = list[i].MemoryID
			}
			standings, err := l.Store.Standings(ctx, tenant, ids...)
			states := make(map[string]confidence.State, len(standings))
			for id, s := range standings {
				states[id] = confidence.State{Learned: s.Learned, Old: s.Old, Recent: s.Recent}
			}
			return confidence.RolledUp(list, states, now), err
		})
	}
	return rolled, err
}

// refresh computes the confidence of every memory that had a signal anew. It returns how
// many changed, and those that may be pruned.
func (l *loop) refresh(ctx context.Context, tenant memory.Tenant, now time.Time) (changed int, doubtful []memory.Memory, err error) {
	for after := ""; ; {
		var page []memory.Memory
		var below []memory.Memory
		n := 0
		err := l.commit(ctx, tenant, func() (change.Set, error) {
			var err error
			if page, err = l.Store.LearnedPage(ctx, tenant, after, pageSize); err != nil {
				return change.Set{}, err
			}
			ledgers, err := ledger.Open(ctx, l.Store, tenant, "", page...)
			if err != nil {
				return change.Set{}, err
			}
			r := confidence.Recorder{Config: l.config, NewID: l.NewID}
			below, n = nil, 0
			for i := range page {
				one := ledgers[page[i].ID]
				if r.Refresh(one, now) {
					n++
				}
				if l.config.Prunable(one) {
					below = append(below, one.Memory)
				}
			}
			return r.Set, nil
		})
		if err != nil {
			return changed, doubtful, err
		}
		changed, doubtful = changed+n, append(doubtful, below...)
		if len(page) < pageSize {
			return changed, doubtful, nil
		}
		after = page[len(page)-1].ID
	}
}

// prune archives the least trusted memories of each scope, within the erosion budget
// (D10). The others stay until the budget allows more, or a person decides.
func (l *loop) prune(ctx context.Context, tenant memory.Tenant, doubtful []memory.Memory, now time.Time) (pruned int, err error) {
	scopes := map[memory.Scope][]memory.Memory{}
	for _, m := range doubtful {
		scopes[m.Scope] = append(scopes[m.Scope], m)
	}
	for scope, list := range scopes {
		active, err := l.Store.ActiveCount(ctx, tenant, scope, countMost)
		if err != nil {
			return pruned, err
		}
		eroded, err := l.Store.Eroded(ctx, tenant, scope, now.Add(-erosion.Month))
		if err != nil {
			return pruned, err
		}
		slices.SortFunc(list, func(a, b memory.Memory) int {
			return cmp.Or(cmp.Compare(a.Confidence, b.Confidence), cmp.Compare(a.ID, b.ID))
		})
		allowed, left := erosion.Split(erosion.Budget{Active: active, Eroded: eroded}, list)
		if len(left) > 0 {
			l.Log.Warn("the erosion budget leaves memories of little confidence in service",
				zap.String(telemetry.KeyScope, string(scope)), zap.Int("left", len(left)))
		}
		for _, m := range allowed {
			done := false
			err := l.commit(ctx, tenant, func() (change.Set, error) {
				list, err := ledgersOf(ctx, l.Store, tenant, "", []string{m.ID})
				if one := list[m.ID]; err == nil && one != nil && l.config.Prunable(one) {
					done = true
					return l.archive(one, now), nil
				}
				done = false // a signal came meanwhile, or a person archived it
				return change.Set{}, err
			})
			if err != nil {
				return pruned, err
			}
			if done {
				pruned++
			}
		}
	}
	return pruned, nil
}

// archive takes a memory out of service. It is a decision that a person can undo.
func (l *loop) archive(one *confidence.Ledger, now time.Time) change.Set {
	m := one.Memory
	e := &review.Effect{Stamp: review.Stamp{Tenant: m.Tenant, Now: now, NewID: l.NewID}, As: memory.ActorSystem}
	d := e.Decision(m.Scope)
	d.Actor, d.Authority = memory.ActorSystem, memory.OriginAgent
	d.Verdict, d.Rule, d.Fired, d.MemoryID = memory.VerdictRejected, review.RulePrune, []string{review.RulePrune}, m.ID
	d.Reason = fmt.Sprintf("%s: confidence %.2f after %d signals", memory.ReasonPruned, m.Confidence, one.Learned.Signals)
	m.State, m.ArchivedAt, m.ArchiveReason = memory.StateArchived, now, d.Reason
	e.UpdateMemory(m)
	e.Archived(m, d.ID)
	e.Decide(d, nil)
	learned := one.Learned
	learned.Pruned = learned.Signals
	e.Set.Learned = append(e.Set.Learned, learned)
	return e.Set
}
