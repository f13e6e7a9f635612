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

// patience is how long a rendering waits for what people wrote to be decided. A
// triage that is down for longer, or that cannot take an entry, must not keep the
// rest of the file old; the entries are in the history, and come back with their
// decision.
const patience = time.Hour

// editKey is a person's commit in one scope.
type editKey struct {
	place
	commit string
}

// asked is an edit that has taken effect and whose proposals may be undecided.
type asked struct {
	since  time.Time
	events []string // of the proposals
}

// takeOver takes over what people changed, oldest first, and reports that all of
// it is decided. An edit waits for the one before: it may reword what that added.
func (s *scoped) takeOver(ctx context.Context, files []vault.HandEdit) (decided bool, err error) {
	edits, problem := gather(files)
	for _, e := range edits {
		in, known := s.asked[editKey{s.place, e.Commit}]
		if !known {
			if in, err = s.readBack(ctx, e); err != nil {
				return false, err
			}
			s.asked[editKey{s.place, e.Commit}] = in
			s.At(PointReadBack)
		}
		if decided, err := s.decided(ctx, in); !decided || err != nil {
			return false, err
		}
	}
	return problem == nil, problem
}

// readBack makes an edit take effect, once: its commit is the inbox's key, so it
// may be read again after a crash.
func (s *scoped) readBack(ctx context.Context, e edit) (asked, error) {
	in := asked{since: s.Now()}
	k, err := s.known(ctx)
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
		s.withheld(p)
		return in, nil
	}
	done, err := s.Store.Commit(ctx, s.tenant, set, store.InboxKey{Consumer: durable.Name, Key: e.key(s.scope)})
	if err != nil || done {
		// Done before: then what an entry would have edited may be out of service
		// because of this very edit, and was never proposed.
		return in, err
	}
	in.events = append(in.events, s.entryIDs(e, p.Late)...)
	s.withheld(p)
	s.metrics.edits.Inc()
	s.Publisher.Wake()
	s.Log.Info("hand edit read back", zap.String(telemetry.KeyScope, string(s.scope)), zap.Int("proposed", len(in.events)),
		zap.Int("edited", len(p.Edited)), zap.Int("archived", len(p.Archived)), zap.Int("withdrawn", len(p.Withdrawn)))
	return in, nil
}

// withheld says that entries are not taken out of memory.
func (s *scoped) withheld(p plan) {
	if p.Withheld > 0 {
		s.Log.Warn("so many entries vanished from a file at once that they are kept; archive them with winnow memory archive",
			zap.String(telemetry.KeyScope, string(s.scope)), zap.Int(telemetry.KeyCount, p.Withheld))
	}
}

// effects is everything that one edit changes, as one person's doing.
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

// redact takes secrets out of what a person wrote, before any of it is stored.
func (s *scoped) redact(text string) string {
	clean, _ := s.Redactor.Text(string(s.tenant), text)
	return clean
}

// decided reports that every proposal of an edit has its verdict.
func (s *scoped) decided(ctx context.Context, in asked) (bool, error) {
	if s.Now().Sub(in.since) > patience {
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
