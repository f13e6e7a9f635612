package ops

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/session/transcript"
	"github.com/winnowhq/winnow/services/internal/store"
)

// ErrAmbiguous says that a name has several matches; the message lists them.
var ErrAmbiguous = errors.New("several are called that")

// SessionFilter selects sessions; empty fields select all.
type SessionFilter struct {
	Scope     string
	Principal string
	State     string // ingested or distilled
	Limit     int
}

// SessionStory holds a session with its proposals and their outcomes.
type SessionStory struct {
	memory.Session
	Lessons []Lesson       `json:"lessons"`
	Served  []store.Served `json:"served"` // memories served in the session
	// Trace is the redacted transcript, when requested. TraceGone means that
	// retention has deleted the trace.
	Trace     []transcript.Line `json:"trace,omitempty"`
	TraceGone bool              `json:"trace_gone,omitempty"`
}

// Lesson is a proposal of a session with its outcome.
type Lesson struct {
	Proposal string               `json:"proposal"`
	Kind     memory.Kind          `json:"kind,omitempty"`
	Text     string               `json:"text"`
	Trust    memory.Origin        `json:"trust"`
	State    memory.ProposalState `json:"state"`
	Rule     string               `json:"rule,omitempty"`
	Reason   string               `json:"reason,omitempty"`
	Memory   string               `json:"memory,omitempty"` // id of the resulting memory
}

// Sessions lists sessions, the newest first.
func (o *Ops) Sessions(ctx context.Context, f SessionFilter) ([]memory.Session, error) {
	q := store.SessionQuery{Principal: f.Principal, State: memory.SessionState(f.State), Limit: f.Limit}
	switch q.State {
	case "", memory.SessionIngested, memory.SessionDistilled:
	default:
		return nil, fmt.Errorf("state %q: want %s or %s", f.State, memory.SessionIngested, memory.SessionDistilled)
	}
	if f.Scope != "" {
		var err error
		if q.Scope, err = memory.ParseScope(f.Scope); err != nil {
			return nil, err
		}
	}
	return o.Store.Sessions(ctx, o.Tenant, q)
}

// Session returns one session, by its id or by its publisher's name for it. A
// name selects the newest session with that name, unless several publishers use
// the name, which is ErrAmbiguous.
func (o *Ops) Session(ctx context.Context, id string, trace bool) (SessionStory, error) {
	var s SessionStory
	var err error
	if s.Session, err = o.sessionOf(ctx, id); err != nil {
		return s, fmt.Errorf("session %s: %w", id, err)
	}
	if s.Lessons, err = o.lessons(ctx, s.Session); err != nil {
		return s, fmt.Errorf("what came of session %s: %w", id, err)
	}
	if s.Served, err = o.Store.ServedIn(ctx, o.Tenant, s.Name); err != nil {
		return s, fmt.Errorf("what was shown in session %s: %w", id, err)
	}
	if !trace {
		return s, nil
	}
	chunks, err := o.Store.Trace(ctx, o.Tenant, s.ID)
	if errors.Is(err, store.ErrNotFound) {
		s.TraceGone = true
		return s, nil
	}
	if err == nil {
		s.Trace, err = transcript.Read(chunks)
	}
	if err != nil {
		return s, fmt.Errorf("trace of session %s: %w", id, err)
	}
	return s, nil
}

func (o *Ops) sessionOf(ctx context.Context, id string) (memory.Session, error) {
	if _, err := memory.ParseID(id, memory.PrefixSession); err == nil {
		return o.Store.Session(ctx, o.Tenant, id)
	}
	list, err := o.Store.Sessions(ctx, o.Tenant, store.SessionQuery{Name: id})
	if err != nil {
		return memory.Session{}, err
	}
	if len(list) == 0 {
		return memory.Session{}, fmt.Errorf("%w: no session is called that", store.ErrNotFound)
	}
	newest := map[string]string{} // by publisher
	var lines []string
	for _, s := range list {
		if newest[s.Principal] == "" {
			newest[s.Principal] = s.ID
			lines = append(lines, fmt.Sprintf("%s of %s", s.ID, s.Principal))
		}
	}
	if len(lines) > 1 {
		return memory.Session{}, fmt.Errorf("%w; name one by its id: %s", ErrAmbiguous, strings.Join(lines, ", "))
	}
	return list[0], nil
}

// maxLessons bounds the proposals that are shown for a session.
const maxLessons = 1000

func (o *Ops) lessons(ctx context.Context, s memory.Session) ([]Lesson, error) {
	list, err := o.Store.Proposals(ctx, o.Tenant, store.ProposalQuery{SessionID: s.Name, Principal: s.Principal, Limit: maxLessons})
	if err != nil || len(list) == 0 {
		return nil, err
	}
	var ids []string
	for _, p := range list {
		if p.DecisionID != "" {
			ids = append(ids, p.DecisionID)
		}
	}
	standing := map[string]memory.Decision{}
	if len(ids) > 0 {
		decisions, err := o.Store.Decisions(ctx, o.Tenant, store.DecisionQuery{IDs: ids})
		if err != nil {
			return nil, err
		}
		for _, d := range decisions {
			standing[d.ID] = d
		}
	}
	lessons := make([]Lesson, 0, len(list))
	for _, p := range list {
		d := standing[p.DecisionID]
		lessons = append(lessons, Lesson{
			Proposal: p.ID, Kind: p.Kind, Text: p.Text, Trust: p.Authority, State: p.State, Rule: d.Rule, Reason: d.Reason, Memory: d.MemoryID,
		})
	}
	return lessons, nil
}
