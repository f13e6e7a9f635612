package ingest

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/session/trust"
	"github.com/winnowhq/winnow/services/internal/store"
)

// earlier is a text that was proposed out of a session before the session came
// in, when nobody could know what had been heard there.
type earlier struct {
	proposal memory.Proposal
	memory   memory.Memory // what it became; without an id when nothing did
	origin   memory.Origin // what it turns out to be worth
	served   []store.Served
}

// recorded are the texts that may turn out to be worth less: those that are in
// force or may come into force without a person.
var recorded = []memory.ProposalState{memory.ProposalPending, memory.ProposalNeedsReview, memory.ProposalPromoted}

// page is how many proposals are read at once.
const page = 500

// earlier finds what the principal recorded in a session of this name and what
// of it the session shows to come from outside. What a person decided stands:
// only a person lifts such words, and one did. judged are the texts that this
// followed from, for the commit to compare; nil where nothing was heard from
// outside, because then no text can be worth less.
func (s *sessions) earlier(ctx context.Context, who memory.Principal, name string, k *kept) (found []earlier, judged *change.Judged, err error) {
	if k.external == 0 {
		return nil, nil, nil
	}
	judged = &change.Judged{SessionName: change.SessionName{Principal: who.ID, Name: name}}
	q := store.ProposalQuery{Principal: who.ID, SessionID: name, States: recorded, Limit: page}
	for {
		list, err := s.deps.Store.Proposals(ctx, who.Tenant, q)
		if err != nil {
			return nil, nil, err
		}
		for _, p := range list {
			if trust.Derivable(&p) {
				judged.Texts = append(judged.Texts, p.ID)
			}
			old, err := s.judge(ctx, p, k)
			if err != nil {
				return nil, nil, err
			}
			if old != nil {
				found = append(found, *old)
			}
		}
		if len(list) < page {
			return found, judged, nil
		}
		q.After = list[len(list)-1].ID
	}
}

// judge returns a text that is worth less than it was taken for, nil for one
// that stands.
func (s *sessions) judge(ctx context.Context, p memory.Proposal, k *kept) (*earlier, error) {
	worth, err := k.evidence().Derive(&p)
	if err != nil || worth >= p.Authority {
		return nil, err
	}
	if drawn, err := s.drawn(ctx, p); drawn || err != nil {
		return nil, err
	}
	old := &earlier{proposal: p, origin: worth}
	if p.DecisionID == "" {
		return old, nil
	}
	d, err := s.deps.Store.Decision(ctx, p.Tenant, p.DecisionID)
	if err != nil || d.Actor == memory.ActorPerson && p.State == memory.ProposalPromoted {
		return nil, err
	}
	if p.State != memory.ProposalPromoted || d.MemoryID == "" {
		return old, nil
	}
	if old.memory, err = s.deps.Store.Memory(ctx, p.Tenant, d.MemoryID); err != nil {
		return nil, err
	}
	if old.memory.State != memory.StateActive {
		return nil, nil // out of service already, for whatever reason
	}
	old.served, err = s.deps.Store.ServedOf(ctx, p.Tenant, old.memory.ID)
	return old, err
}

// drawn reports whether a text was drawn from a session of this name that had come
// in before, as distill does: its words were judged beside that session's. A
// session that is resumed comes again, longer, and what it heard since cannot
// have been in them.
func (s *sessions) drawn(ctx context.Context, p memory.Proposal) (bool, error) {
	id, _, _ := strings.Cut(p.EventID, "/")
	if _, err := memory.ParseID(id, memory.PrefixSession); err != nil {
		return false, nil
	}
	from, err := s.deps.Store.Session(ctx, p.Tenant, id)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	return err == nil && from.Principal == p.Principal && from.Name == p.SessionID, err
}

// sessions are those that were shown what the text became.
func (e *earlier) sessions() []string {
	var names []string
	for _, s := range e.served {
		names = append(names, s.SessionID)
	}
	return names
}

// servedSessions are those that were shown any of the texts, by name.
func servedSessions(list []earlier) []string {
	var all []string
	for i := range list {
		all = append(all, list[i].sessions()...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
