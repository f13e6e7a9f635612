package index

import (
	"context"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/review"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/telemetry"
	"github.com/winnowhq/winnow/services/internal/vault"
)

// verdictTimeout is how long a rendering waits for the verdicts on hand-written entries.
// A longer outage of triage, or an entry that triage cannot handle, must not keep the
// rest of the file outdated. The entries are in the vault's history and are rendered after
// their verdict.
const verdictTimeout = time.Hour

// editKey is a person's commit in one scope.
type editKey struct {
	scopeKey
	commit string
}

// pendingEdit is an edit that has taken effect and whose proposals may be undecided.
type pendingEdit struct {
	since  time.Time
	events []string // of the proposals
}

// applyEdits makes people's edits take effect, oldest first, and reports whether all are
// decided. An edit waits for the one before, because it may reword an entry that the
// earlier one added.
func (s *scoped) applyEdits(ctx context.Context, files []vault.HandEdit) (decided bool, err error) {
	edits, problem := gather(files)
	for _, e := range edits {
		in, known := s.pendingEdits[editKey{s.scopeKey, e.Commit}]
		if !known {
			if in, err = s.readBack(ctx, e); err != nil {
				return false, err
			}
			s.pendingEdits[editKey{s.scopeKey, e.Commit}] = in
			s.At(PointReadBack)
		}
		if decided, err := s.decided(ctx, in); !decided || err != nil {
			return false, err
		}
	}
	return problem == nil, problem
}

// readBack makes an edit take effect once. The inbox holds the edit's commit, so readBack
// may be repeated after a crash.
func (s *scoped) readBack(ctx context.Context, e edit) (pendingEdit, error) {
	in := pendingEdit{since: s.Now()}
	k, err := s.entryIndex(ctx)
	if err != nil {
		return in, err
	}
	p := decide(e.changes(), k)
	set, err := s.effects(ctx, e, p)
	if err != nil {
		return in, err
	}
	in.events = s.entryIDs(e, p.Proposed)
	if set.Empty() {
		s.warnWithheld(p)
		return in, nil
	}
	done, err := s.Store.Commit(ctx, s.tenant, set, store.InboxKey{Consumer: durable.Name, Key: e.key(s.scope)})
	if err != nil || done {
		// The edit took effect before. Its own archivings may be why an entry's memory is
		// not active now, so p.Late is wrong: those entries were never proposed.
		return in, err
	}
	in.events = append(in.events, s.entryIDs(e, p.Late)...)
	s.warnWithheld(p)
	s.metrics.edits.Inc()
	s.Publisher.Wake()
	s.Log.Info("hand edit read back", zap.String(telemetry.KeyScope, string(s.scope)), zap.Int("proposed", len(in.events)),
		zap.Int("edited", len(p.Edited)), zap.Int("archived", len(p.Archived)), zap.Int("withdrawn", len(p.Withdrawn)))
	return in, nil
}

// warnWithheld logs removed entries that are not archived.
func (s *scoped) warnWithheld(p plan) {
	if p.Withheld > 0 {
		s.Log.Warn("so many entries vanished from a file at once that they are kept; archive them with winnow memory archive",
			zap.String(telemetry.KeyScope, string(s.scope)), zap.Int(telemetry.KeyCount, p.Withheld))
	}
}

// effects returns all changes of one edit, with the vault's principal as their author.
func (s *scoped) effects(ctx context.Context, e edit, p plan) (change.Set, error) {
	decider := &review.Decider{
		Stamp: review.Stamp{
			Tenant: s.tenant, Person: memory.VaultPrincipal(s.tenant), Now: s.Now().UTC().Truncate(time.Microsecond), NewID: s.NewID,
		},
		Store: s.Store, Redact: s.redact,
	}
	const why = "removed from the vault by hand"
	var sets []change.Set
	for _, m := range p.Edited {
		set, _, err := decider.Edit(ctx, m.ID, m.Text, s.redact(m.Section))
		if err != nil {
			return change.Set{}, err
		}
		sets = append(sets, set)
	}
	for _, id := range p.Archived {
		set, _, err := decider.Archive(ctx, id, why)
		if err != nil {
			return change.Set{}, err
		}
		sets = append(sets, set)
	}
	for _, id := range p.Withdrawn {
		set, _, err := decider.Answer(ctx, id, review.Answer{Action: review.ActionReject, Note: why})
		if err != nil {
			return change.Set{}, err
		}
		sets = append(sets, set)
	}
	all, err := review.Together(sets...)
	if err != nil {
		return change.Set{}, err
	}
	for _, entry := range slices.Concat(p.Proposed, p.Late) {
		all.Events = append(all.Events, s.proposed(e, entry))
	}
	return all, nil
}

// redact returns a person's text without secrets. It is called before anything is
// stored.
func (s *scoped) redact(text string) string {
	clean, _ := s.Redactor.Text(string(s.tenant), text)
	return clean
}

// decided reports whether every proposal of an edit has a verdict, or verdictTimeout has
// passed.
func (s *scoped) decided(ctx context.Context, in pendingEdit) (bool, error) {
	if s.Now().Sub(in.since) > verdictTimeout {
		return true, nil
	}
	for _, id := range in.events {
		list, err := s.Store.Proposals(ctx, s.tenant, store.ProposalQuery{EventID: id, Principal: memory.VaultPrincipal(s.tenant), Limit: 1})
		if err != nil {
			return false, err
		}
		if len(list) == 0 || list[0].State == memory.ProposalPending {
			return false, nil
		}
	}
	return true, nil
}
