package ops

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/winnowhq/winnow/pkg/event"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/local"
)

// How far a published session has come.
const (
	SessionPublished = "published" // nobody has taken it up yet
	SessionIngested  = "ingested"  // stored; waits for distillation
	SessionDistilled = "distilled" // all that it taught is decided
	SessionKnown     = "known"     // its scope holds the same session already
	SessionRefused   = "refused"   // the intake cannot use it; see Problem
)

// SessionResult is what became of a published session.
type SessionResult struct {
	local.SessionFile
	State    string `json:"state"`
	Problem  string `json:"problem,omitempty"`
	StoredAs string `json:"id,omitempty"`
	Before   bool   `json:"before,omitempty"` // it had been taken in before it was published now

	Outcome         string            `json:"outcome,omitempty"`
	OutcomeInferred bool              `json:"outcome_inferred,omitempty"`
	Redactions      int               `json:"redactions"`
	Distiller       string            `json:"distiller,omitempty"`
	Note            string            `json:"note,omitempty"`
	Proposals       []SessionProposal `json:"proposals"`
}

// SessionProposal is one thing that a session taught, and the verdict on it.
type SessionProposal struct {
	ID    string `json:"id"`
	Kind  string `json:"kind"`
	State string `json:"state"`
	Title string `json:"title,omitempty"`
	Text  string `json:"text"`
}

// done reports that nothing more will come of it by itself.
func (r SessionResult) done() bool {
	return r.State == SessionDistilled || r.State == SessionKnown || r.State == SessionRefused
}

// followPause is the time between looks.
const followPause = 150 * time.Millisecond

// followAtOnce is how many unfinished sessions one look asks the store about.
const followAtOnce = 32

// FollowOptions say how sessions are watched.
type FollowOptions struct {
	Principal string    // who published them; empty is the fleet's default one
	Since     time.Time // when publishing began: what was taken in before is marked
	// Settled is up to which place in the stream the intake has dealt with every
	// event, 0 where that cannot be said: a session that is not stored by then was
	// known before.
	Settled func(context.Context) uint64
	Done    func(sessions int) // told after each look
}

// Follow watches published sessions until all that they teach is decided. When
// ctx ends first, the results say how far each has come.
func (o *Ops) Follow(ctx context.Context, files []local.SessionFile, opts FollowOptions) ([]SessionResult, error) {
	results := make([]SessionResult, len(files))
	for i, f := range files {
		results[i] = SessionResult{SessionFile: f, State: SessionPublished, Proposals: []SessionProposal{}}
	}
	tick := time.NewTicker(followPause)
	defer tick.Stop()
	for {
		// Asked before the store: what it has handled by now is stored by now.
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

// follow looks once.
func (o *Ops) follow(ctx context.Context, r *SessionResult, opts FollowOptions, settled uint64) error {
	name := r.Session
	if name == "" {
		name = r.EventID
	}
	rows, err := o.Store.Sessions(ctx, o.Tenant, store.SessionQuery{Name: name, Principal: opts.Principal})
	if err != nil {
		return err
	}
	for _, row := range rows {
		if row.EventID == r.EventID {
			r.Before = row.IngestedAt.Before(opts.Since)
			return o.followed(ctx, r, row)
		}
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

// followed takes over what is stored of a session.
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
			continue // of an agent itself, or of another session of that name
		}
		decided = decided && p.State != memory.ProposalPending
		r.Proposals = append(r.Proposals, SessionProposal{ID: p.ID, Kind: string(p.Kind), State: string(p.State), Title: p.Title, Text: p.Text})
	}
	if decided && len(r.Proposals) >= row.Extracted {
		r.State = SessionDistilled
	}
	return nil
}

// refusal is why a session became a dead letter; empty when it did not.
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
