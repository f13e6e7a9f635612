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

// earlier is a text that was proposed out of a session before the session
// arrived, when its sources were still unknown.
type earlier struct {
	proposal memory.Proposal
	memory   memory.Memory // the memory that it became; without an id when there is none
	origin   memory.Origin // its origin according to the session
	served   []store.Served
}

// recorded lists the states of texts whose origin may still be lowered: those
// that are in service, or may get there without a person.
var recorded = []memory.ProposalState{memory.ProposalPending, memory.ProposalNeedsReview, memory.ProposalPromoted}

// page is how many proposals are read at once.
const page = 500

// earlier finds the texts that the principal recorded in a session of this name
// and that the session shows to come from outside. A person's decision stands:
// only a person can accept words from outside, and one did. judged lists the
// texts that the result follows from, for the commit to compare. It is nil
// where the session heard nothing from outside, because then no origin can be
// lowered.
func (s *sessions) earlier(ctx context.Context, who memory.Principal, name string, prep *prepared) (found []earlier, judged *change.Judged, err error) {
	if prep.external == 0 {
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
			old, err := s.judge(ctx, p, prep)
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

// judge returns a text whose origin is lower than recorded, nil for one that
// stands.
func (s *sessions) judge(ctx context.Context, p memory.Proposal, prep *prepared) (*earlier, error) {
	worth, err := prep.evidence().Derive(&p)
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
		return nil, nil // out of service already
	}
	old.served, err = s.deps.Store.ServedOf(ctx, p.Tenant, old.memory.ID)
	return old, err
}

// drawn reports whether a text was drawn, as distill does, from a session of
// this name that had arrived before: the text was judged beside that session. A
// resumed session arrives again, longer, and what it heard later cannot be in
// the text.
func (s *sessions) drawn(ctx context.Context, p memory.Proposal) (bool, error) {
	id, _, _ := strings.Cut(p.EventID, "/")
	if _, err := memory.ParseID(id, memory.PrefixSession); err != nil {
		return false, nil //nolint:nilerr // no id of a session: the text was drawn from none
	}
	from, err := s.deps.Store.Session(ctx, p.Tenant, id)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	return err == nil && from.Principal == p.Principal && from.Name == p.SessionID, err
}

// sessions returns the sessions that were shown the memory made of the text.
func (e *earlier) sessions() []string {
	var names []string
	for _, s := range e.served {
		names = append(names, s.SessionID)
	}
	return names
}

// servedSessions returns the names of the sessions that were shown any of the
// texts.
func servedSessions(list []earlier) []string {
	var all []string
	for i := range list {
		all = append(all, list[i].sessions()...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
