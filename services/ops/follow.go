package ops

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/winnowhq/winnow/pkg/event"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/local"
)

// States of a published session.
const (
	SessionPublished = "published" // not ingested yet
	SessionIngested  = "ingested"  // stored, awaits distillation
	SessionDistilled = "distilled" // every proposal of the session is decided
	SessionKnown     = "known"     // the scope already holds the same session
	SessionRefused   = "refused"   // ingest refused the session; see Problem
)

// SessionResult is the state of a published session, with its proposals.
type SessionResult struct {
	local.SessionFile
	State    string `json:"state"`
	Problem  string `json:"problem,omitempty"`
	StoredAs string `json:"id,omitempty"`
	Before   bool   `json:"before,omitempty"` // ingested before this publication

	Outcome         string            `json:"outcome,omitempty"`
	OutcomeInferred bool              `json:"outcome_inferred,omitempty"`
	Redactions      int               `json:"redactions"`
	Distiller       string            `json:"distiller,omitempty"`
	Note            string            `json:"note,omitempty"`
	Proposals       []SessionProposal `json:"proposals"`
}

// SessionProposal is one proposal of a session with its verdict.
type SessionProposal struct {
	ID    string `json:"id"`
	Kind  string `json:"kind"`
	State string `json:"state"`
	Title string `json:"title,omitempty"`
	Text  string `json:"text"`
}

// done reports whether the result is final without a further act of a person.
func (r SessionResult) done() bool {
	return r.State == SessionDistilled || r.State == SessionKnown || r.State == SessionRefused
}

// followPause is the time between two polls.
const followPause = 150 * time.Millisecond

// followAtOnce bounds the unfinished sessions of one poll of the store.
const followAtOnce = 32

// FollowOptions configures [Ops.Follow].
type FollowOptions struct {
	Principal string    // the publisher; empty is the fleet's default principal
	Since     time.Time // start of publishing; sessions ingested earlier are marked Before
	// Settled returns the stream position up to which ingest has handled every
	// event, 0 when unknown. A session that is not stored at that position was
	// known before.
	Settled func(context.Context) uint64
	Done    func(sessions int) // called after each poll
}

// Follow polls published sessions until all their proposals are decided. When
// ctx ends first, the results hold the current states.
func (o *Ops) Follow(ctx context.Context, files []local.SessionFile, opts FollowOptions) ([]SessionResult, error) {
	results := make([]SessionResult, len(files))
	for i, f := range files {
		results[i] = SessionResult{SessionFile: f, State: SessionPublished, Proposals: []SessionProposal{}}
	}
	tick := time.NewTicker(followPause)
	defer tick.Stop()
	for {
		// The position is read before the store: every event up to it is stored
		// by now.
		settled := opts.Settled(ctx)
		open, looked := 0, 0
		for i := range results {
			r := &results[i]
			if r.done() {
				continue
			}
			if open++; looked == followAtOnce {
				continue
			}
			looked++
			err := o.follow(ctx, r, opts, settled)
			if ctx.Err() != nil {
				return results, nil
			}
			if err != nil {
				return results, fmt.Errorf("follow %s: %w", r.File, err)
			}
			if r.done() {
				open--
			}
		}
		opts.Done(len(results) - open)
		if open == 0 {
			return results, nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return results, nil
		}
	}
}

// Ingested reports whether the store has the session of a file, published by
// principal (empty: the fleet's default one). The stream cannot say: it forgets
// message ids within a second, so that no publisher can drop another's event.
func (o *Ops) Ingested(ctx context.Context, f local.SessionFile, principal string) (bool, error) {
	row, err := o.ingested(ctx, f, principal)
	return row != nil, err
}

// ingested returns the row of the session that a file was published as; nil
// where there is none.
func (o *Ops) ingested(ctx context.Context, f local.SessionFile, principal string) (*memory.Session, error) {
	rows, err := o.Store.Sessions(ctx, o.Tenant, store.SessionQuery{Name: cmp.Or(f.Session, f.EventID), Principal: principal})
	if err != nil {
		return nil, err
	}
	for i := range rows {
		if rows[i].EventID == f.EventID {
			return &rows[i], nil
		}
	}
	return nil, nil
}

// follow polls one session once.
func (o *Ops) follow(ctx context.Context, r *SessionResult, opts FollowOptions, settled uint64) error {
	row, err := o.ingested(ctx, r.SessionFile, opts.Principal)
	if err != nil {
		return err
	}
	if row != nil {
		r.Before = row.IngestedAt.Before(opts.Since)
		return o.followed(ctx, r, *row)
	}
	if settled < r.Place {
		return nil
	}
	problem, err := o.refusal(ctx, r.EventID, opts.Principal)
	if err != nil {
		return err
	}
	if r.State, r.Problem, r.Before = SessionKnown, problem, problem == ""; problem != "" {
		r.State = SessionRefused
	}
	return nil
}

// followed copies the stored state of a session into r.
func (o *Ops) followed(ctx context.Context, r *SessionResult, row memory.Session) error {
	r.State, r.StoredAs = SessionIngested, row.ID
	r.Turns, r.Skipped, r.Redactions = row.Turns, row.Skipped, row.Redactions
	r.Outcome, r.OutcomeInferred = row.Outcome, row.OutcomeInferred
	r.Distiller, r.Note = row.Distiller, row.Note
	if row.State != memory.SessionDistilled {
		return nil
	}
	proposals, err := o.Store.Proposals(ctx, o.Tenant, store.ProposalQuery{SessionID: row.Name})
	if err != nil {
		return err
	}
	r.Proposals = r.Proposals[:0]
	decided := true
	for _, p := range proposals {
		if !strings.HasPrefix(p.EventID, row.ID+"/") {
			continue // published by an agent itself, or in another session of that name
		}
		decided = decided && p.State != memory.ProposalPending
		r.Proposals = append(r.Proposals, SessionProposal{ID: p.ID, Kind: string(p.Kind), State: string(p.State), Title: p.Title, Text: p.Text})
	}
	if decided && len(r.Proposals) >= row.Extracted {
		r.State = SessionDistilled
	}
	return nil
}

// refusal returns the reason of a session's dead letter, empty without one.
func (o *Ops) refusal(ctx context.Context, eventID, principal string) (string, error) {
	const page = 200
	subject, err := event.SubjectFor(event.SubjectSessionCompleted, principal)
	if err != nil {
		return "", err
	}
	for after := uint64(0); ; {
		letters, err := o.DeadLetters.List(ctx, after, page)
		if err != nil {
			return "", err
		}
		for _, l := range letters {
			if after = l.Seq; l.Subject != subject {
				continue
			}
			for name, values := range l.Header {
				if strings.EqualFold(name, "ce-id") && len(values) == 1 && values[0] == eventID {
					return l.Reason.Text, nil
				}
			}
		}
		if len(letters) < page {
			return "", nil
		}
	}
}
