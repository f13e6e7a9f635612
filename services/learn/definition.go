package learn

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/confidence"
	"github.com/winnowhq/winnow/services/internal/confidence/ledger"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// Definition is the learning worker.
var Definition = worker.Definition{
	Name:    "learn",
	Summary: "learns from use and outcomes which memories are worth showing",
	Config:  []worker.Section{Settings},
	Durable: bus.Durable{
		Stream:     bus.StreamMemory,
		Name:       "learn",
		Filters:    []string{event.SubjectSessionIngested},
		AckWait:    60 * time.Second,
		MaxPending: 512,
		MaxDeliver: 20,
	},
	Work: func(d worker.Deps) (worker.Work, error) { return &work{d, Settings.Of(d)}, nil },
	Run:  newLoop,
}

// work records the outcomes that ended sessions imply.
type work struct {
	worker.Deps
	config confidence.Config
}

// Do implements [worker.Work].
func (w *work) Do(ctx context.Context, e worker.Event) (change.Set, error) {
	var msg winnowv1.SessionIngested
	if err := event.Unmarshal(e.Envelope, &msg); err != nil {
		return change.Set{}, err
	}
	s, err := w.Store.Session(ctx, e.Tenant, msg.GetSessionId())
	switch {
	case errors.Is(err, store.ErrNotFound):
		return change.Set{}, worker.Permanent("session", fmt.Errorf("session %q is not stored", msg.GetSessionId()))
	case err != nil:
		return change.Set{}, err
	}
	return w.implied(ctx, s)
}

// The outcomes of a session that say something about its memories; the third is unknown.
const (
	success = "success"
	failure = "failure"
)

// implied returns an outcome signal at half weight for each memory that was served in
// the session (D21). Names of sessions are their principals' own: what another
// principal was shown in a session of this name is not of this session. A memory whose
// outcome the principal itself reported gets none.
func (w *work) implied(ctx context.Context, s memory.Session) (change.Set, error) {
	if s.Name == "" || s.Outcome != success && s.Outcome != failure {
		return change.Set{}, nil
	}
	served, err := w.Store.ServedIn(ctx, s.Tenant, s.Name)
	if err != nil {
		return change.Set{}, err
	}
	var ids []string
	for _, one := range served {
		if one.Principal == s.Principal {
			ids = append(ids, one.MemoryID)
		}
	}
	r := confidence.Recorder{Config: w.config, NewID: w.NewID}
	o := confidence.Observation{
		Type: memory.SignalOutcome, Positive: s.Outcome == success, Share: confidence.ImpliedShare, Session: s.Name,
		Who: memory.Principal{ID: s.Principal, Tenant: s.Tenant, Highest: s.Highest}, At: w.Now().UTC().Truncate(time.Microsecond),
	}
	ledgers, err := ledgersOf(ctx, w.Store, s.Tenant, s.Principal, ids)
	if err != nil {
		return change.Set{}, err
	}
	for _, id := range ids {
		if l := ledgers[id]; l != nil && !l.Reported(o) {
			r.Record(l, o)
		}
	}
	return r.Set, nil
}

// ledgersOf returns the ledgers of those of the memories that are active.
func ledgersOf(ctx context.Context, s store.Store, tenant memory.Tenant, principal string, ids []string) (map[string]*confidence.Ledger, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	list, err := s.Memories(ctx, tenant, store.MemoryQuery{IDs: ids, States: []memory.State{memory.StateActive}})
	if err != nil {
		return nil, err
	}
	return ledger.Open(ctx, s, tenant, principal, list...)
}
