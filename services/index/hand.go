package index

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"go.uber.org/zap"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/memoryfile"
	"github.com/winnowhq/winnow/services/internal/review"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/telemetry"
	"github.com/winnowhq/winnow/services/internal/vault"
)

// readBack takes over what a person changed in a file, once: the commit that
// holds the edit is the inbox's key, so it may be read again after a crash.
func (s *scoped) readBack(ctx context.Context, edit vault.HandEdit) error {
	if edit.Err != nil {
		return edit.Err
	}
	changes, err := changesOf(edit)
	if err != nil || changes.Empty() {
		return err
	}
	known, err := s.byText(ctx)
	if err != nil {
		return err
	}
	plan := decideHand(changes, known)
	if plan.Withheld > 0 {
		s.Log.Warn("so many entries vanished from a file at once that they are kept; archive them with winnow memory archive",
			zap.String(telemetry.KeyScope, string(s.scope)), zap.Int(telemetry.KeyCount, plan.Withheld))
	}
	set, err := s.handSet(ctx, edit, plan)
	if err != nil || set.Empty() {
		return err
	}
	done, err := s.Store.Commit(ctx, s.tenant, set, store.InboxKey{Consumer: durable.Name, Key: handKey(edit)})
	if err == nil && !done {
		s.metrics.edits.Inc()
		s.Publisher.Wake()
		s.Log.Info("hand edit read back", zap.String(telemetry.KeyScope, string(s.scope)), zap.Int("added", len(plan.Proposed)),
			zap.Int("edited", len(plan.Edited)), zap.Int("archived", len(plan.Archived)))
	}
	return err
}

// changesOf compares the file before and after. A file that cannot be read, for
// instance with the markers of a merge in it, is not taken for an empty one.
func changesOf(edit vault.HandEdit) (memoryfile.Changes, error) {
	before, err := memoryfile.Parse(edit.Before)
	if err != nil {
		return memoryfile.Changes{}, fmt.Errorf("before the edit: %w", err)
	}
	after, err := memoryfile.Parse(edit.After)
	if err != nil {
		return memoryfile.Changes{}, err
	}
	return memoryfile.Diff(before, after), nil
}

// byText finds the memory behind a line of the file.
func (s *scoped) byText(ctx context.Context) (map[string]memory.Memory, error) {
	known := map[string]memory.Memory{}
	for after := ""; ; {
		list, err := s.Store.Memories(ctx, s.tenant, store.MemoryQuery{Scope: s.scope, States: []memory.State{memory.StateActive}, After: after, Limit: page})
		if err != nil {
			return nil, err
		}
		for _, m := range list {
			known[memoryfile.Canonical(memoryfile.ItemOf(m).Text)] = m
			after = m.ID
		}
		if len(list) < page {
			return known, nil
		}
	}
}

// handSet is everything that one edit changes, as one person's doing.
func (s *scoped) handSet(ctx context.Context, edit vault.HandEdit, plan handPlan) (change.Set, error) {
	desk := &review.Desk{
		Stamp: review.Stamp{
			Tenant: s.tenant, Person: memory.VaultPrincipal(s.tenant), Now: s.Now().UTC().Truncate(time.Microsecond), NewID: s.NewID,
		},
		Store: s.Store, Redact: s.redact,
	}
	var sets []change.Set
	for _, e := range plan.Edited {
		set, _, err := desk.Edit(ctx, e.ID, e.Text, e.Section)
		if err != nil {
			return change.Set{}, err
		}
		sets = append(sets, set)
	}
	for _, id := range plan.Archived {
		set, _, err := desk.Archive(ctx, id, "removed from "+edit.File+" by hand")
		if err != nil {
			return change.Set{}, err
		}
		sets = append(sets, set)
	}
	all, err := review.Together(sets...)
	if err != nil {
		return change.Set{}, err
	}
	for _, entry := range plan.Proposed {
		all.Events = append(all.Events, proposed(s.place, handID(edit, entry), entry, edit.At))
	}
	return all, nil
}

func (s *scoped) redact(text string) string {
	clean, _ := s.Redactor.Text(string(s.tenant), text)
	return clean
}

// handKey names an edit for good.
func handKey(e vault.HandEdit) string { return e.Commit + "/" + e.File }

// handID is the event id of an entry that an edit proposes, the same whenever
// the edit is read.
func handID(e vault.HandEdit, entry memoryfile.Entry) string {
	sum := sha256.Sum256([]byte(handKey(e) + "\x00" + entry.Section + "\x00" + entry.Text))
	return "hand-" + hex.EncodeToString(sum[:10])
}

// patience is how long a rendering waits for what people wrote to be decided. A
// triage that is down for longer must not keep the rest of the file old; the
// lines are in the history and come back.
const patience = time.Hour

// allDecided reports that everything that these edits brought is in service, or
// was decided otherwise.
func (s *scoped) allDecided(ctx context.Context, edits []vault.HandEdit) (bool, error) {
	for _, edit := range edits {
		if s.Now().Sub(edit.At) > patience {
			continue
		}
		changes, err := changesOf(edit)
		if err != nil {
			return false, err
		}
		if len(changes.Added)+len(changes.Changed) == 0 {
			continue
		}
		known, err := s.byText(ctx)
		if err != nil {
			return false, err
		}
		entries := changes.Added
		for _, c := range changes.Changed {
			entries = append(entries, c.After)
		}
		for _, entry := range entries {
			if _, inService := known[memoryfile.Canonical(s.redact(entry.Text))]; inService {
				continue
			}
			list, err := s.Store.Proposals(ctx, s.tenant, store.ProposalQuery{EventID: handID(edit, entry), Limit: 1})
			if err != nil {
				return false, err
			}
			if len(list) == 0 || list[0].State == memory.ProposalPending {
				return false, nil
			}
		}
	}
	return true, nil
}
