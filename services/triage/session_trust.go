package triage

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/judge/lexical"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/session/trace"
	"github.com/winnowhq/winnow/services/internal/session/transcript"
	"github.com/winnowhq/winnow/services/internal/session/trust"
	"github.com/winnowhq/winnow/services/internal/store"
)

// sessionReader reads sessions that came in before the texts that name them.
type sessionReader interface {
	ExternalSessions(ctx context.Context, tenant memory.Tenant, names []change.SessionName) ([]store.ExternalSession, error)
	Session(ctx context.Context, tenant memory.Tenant, id string) (memory.Session, error)
	Trace(ctx context.Context, tenant memory.Tenant, id string) ([][]byte, error)
}

// sessionTrust derives the authority of texts from the sessions that they name (SPEC
// §7), as far as these came in before. A session that comes in later judges the texts
// itself, by the same derivation ([trust.Evidence]; ADR 17).
type sessionTrust struct {
	reader sessionReader
	trust  trust.Config
	words  *lexical.Analyzer
}

// sessionNames returns the sessions that a batch names, sorted and without
// duplicates.
func sessionNames(items []prepared) []change.SessionName {
	var list []change.SessionName
	for i := range items {
		if p := &items[i].item.Proposal; p.SessionID != "" && trust.Derivable(p) {
			list = append(list, change.SessionName{Principal: p.Principal, Name: p.SessionID})
		}
	}
	slices.SortFunc(list, func(a, b change.SessionName) int {
		if n := strings.Compare(a.Principal, b.Principal); n != 0 {
			return n
		}
		return strings.Compare(a.Name, b.Name)
	})
	return slices.Compact(list)
}

// lowerAuthority lowers the authority of each text that repeats words from outside.
// It asks the store once for all sessions of the batch. A trace is read once for a
// batch, and only where the session heard words from outside. The result is the
// sessions that were read, for checkSessions to compare.
func (h *sessionTrust) lowerAuthority(ctx context.Context, tenant memory.Tenant, named []change.SessionName, items []prepared) ([]store.ExternalSession, error) {
	if len(named) == 0 {
		return nil, nil
	}
	external, err := h.reader.ExternalSessions(ctx, tenant, named)
	if err != nil || len(external) == 0 {
		return nil, wrapExternalSessions(err)
	}
	of := make(map[change.SessionName][]store.ExternalSession)
	for _, s := range external {
		of[s.SessionName] = append(of[s.SessionName], s)
	}
	read := make(map[string]*trust.Evidence)
	for i := range items {
		p := &items[i].item.Proposal
		list := of[change.SessionName{Principal: p.Principal, Name: p.SessionID}]
		if p.SessionID == "" || len(list) == 0 || !trust.Derivable(p) {
			continue
		}
		if list, err = h.before(ctx, p, list); err != nil {
			return nil, wrapExternalSessions(err)
		}
		if p.Authority, err = h.authority(ctx, p, list, read); err != nil {
			return nil, wrapExternalSessions(err)
		}
	}
	return external, nil
}

// before leaves out the sessions that a text cannot repeat: those that came in after
// the session that the text was drawn from, as distill draws them. The id of the
// text's event names that session, where the store has one of this name.
func (h *sessionTrust) before(ctx context.Context, p *memory.Proposal, list []store.ExternalSession) ([]store.ExternalSession, error) {
	id, _, _ := strings.Cut(p.EventID, "/")
	if _, err := memory.ParseID(id, memory.PrefixSession); err != nil || list[0].ID <= id {
		return list, nil //nolint:nilerr // an id of another kind names no session
	}
	from, err := h.reader.Session(ctx, p.Tenant, id)
	if errors.Is(err, store.ErrNotFound) {
		return list, nil
	}
	if err != nil || from.Principal != p.Principal || from.Name != p.SessionID {
		return list, err
	}
	return slices.DeleteFunc(slices.Clone(list), func(s store.ExternalSession) bool { return s.ID > id }), nil
}

// authority returns the lowest authority that the sessions of one name leave a text.
// Where more sessions exist than are listed, or a trace was deleted, any words may
// have been heard, so the authority is external.
func (h *sessionTrust) authority(ctx context.Context, p *memory.Proposal, list []store.ExternalSession, read map[string]*trust.Evidence) (memory.Origin, error) {
	if len(list) >= store.MaxExternalSessions {
		return memory.OriginExternal, nil
	}
	for _, s := range list {
		e, known := read[s.ID]
		if !known {
			var err error
			if e, err = h.evidence(ctx, p.Tenant, s); err != nil {
				return 0, err
			}
			read[s.ID] = e
		}
		if e == nil {
			return memory.OriginExternal, nil
		}
		if worth, err := e.Derive(p); err != nil || worth < p.Authority {
			return worth, err
		}
	}
	return p.Authority, nil
}

// evidence reads the trace of a session. It is nil when the trace was deleted after
// its retention, or cannot be read.
func (h *sessionTrust) evidence(ctx context.Context, tenant memory.Tenant, s store.ExternalSession) (*trust.Evidence, error) {
	chunks, err := h.reader.Trace(ctx, tenant, s.ID)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	e, err := transcript.Evidence(chunks, trust.Options{
		Config: h.trust, Format: trace.Format(s.Format), Highest: s.Highest, Similar: h.words.Alike(), Loose: lexical.PointLoose,
	})
	if errors.Is(err, transcript.ErrCorrupt) {
		return nil, nil
	}
	return e, err
}

func wrapExternalSessions(err error) error {
	if err != nil {
		return fmt.Errorf("triage: sessions with external words: %w", err)
	}
	return nil
}

// checkSessions returns store.ErrConflict when a session that the batch names came in
// after its texts were judged by their sessions; the batch is then prepared again. It
// runs under the locks, before any decision.
func (p *plan) checkSessions(ctx context.Context, view store.LaneView) error {
	external, err := view.ExternalSessions(ctx, p.named)
	if err != nil {
		return wrapExternalSessions(err)
	}
	if !slices.Equal(external, p.sessions) {
		return fmt.Errorf("%w: a session came in that a text of the batch names", store.ErrConflict)
	}
	return nil
}
