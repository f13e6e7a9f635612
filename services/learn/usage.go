package learn

import (
	"context"
	"errors"
	"fmt"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/confidence"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// usageBatch bounds the rows of one transaction, which locks the scopes of their
// memories.
const usageBatch = 200

// count turns rows of the served log into usage signals until none is left (S4.8). A row
// is marked in the transaction of its signal, so each counts once, whichever process
// dies when. The served log has a memory once for a session, so no session gives more
// than one.
func (l *loop) count(ctx context.Context, tenant memory.Tenant) error {
	for {
		rows, err := l.Store.Uncounted(ctx, tenant, usageBatch)
		if err != nil || len(rows) == 0 {
			return err
		}
		set, err := l.usage(ctx, tenant, rows)
		if err != nil {
			return err
		}
		switch _, err := l.Store.Commit(ctx, tenant, set, store.InboxKey{}); {
		case errors.Is(err, store.ErrConflict):
			continue // another signal, or another replica, was faster: read again
		case err != nil:
			return fmt.Errorf("commit: %w", err)
		}
		if len(set.Events) > 0 {
			l.Publisher.Wake()
		}
		if len(rows) < usageBatch {
			return nil
		}
	}
}

// usage returns the signals of rows of the served log, and the marks of all of them.
// One memory may be in several rows, of several principals: their ledger is one.
func (l *loop) usage(ctx context.Context, tenant memory.Tenant, rows []store.Served) (change.Set, error) {
	r := confidence.Recorder{Config: l.config, NewID: l.NewID}
	var ids []string
	readers := map[string]memory.Principal{}
	for _, row := range rows {
		r.Set.CountedServed = append(r.Set.CountedServed, change.Served{SessionID: row.SessionID, MemoryID: row.MemoryID})
		ids = append(ids, row.MemoryID)
		if _, known := readers[row.Principal]; known {
			continue
		}
		who, err := l.Store.Principal(ctx, row.Principal)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return change.Set{}, err
		}
		// A reader that is not registered any more is of unknown origin, and counts
		// for nothing.
		who.ID = row.Principal
		readers[row.Principal] = who
	}
	ledgers, err := ledgersOf(ctx, l.Store, tenant, "", ids)
	if err != nil {
		return change.Set{}, err
	}
	for id := range readers {
		given, err := l.Store.Signals(ctx, tenant, store.SignalQuery{Memories: ids, Principal: id, Limit: givenOfBatch})
		if err != nil {
			return change.Set{}, err
		}
		for _, s := range given {
			if ledgers[s.MemoryID] != nil {
				ledgers[s.MemoryID].Given = append(ledgers[s.MemoryID].Given, s)
			}
		}
	}
	for _, row := range rows {
		if one := ledgers[row.MemoryID]; one != nil && l.config.Most(readers[row.Principal].Highest) > 0 {
			r.Record(one, confidence.Observation{
				Type: memory.SignalUsage, Positive: true, Share: 1, Session: row.SessionID, Who: readers[row.Principal], At: row.At,
			})
		}
	}
	return r.Set, nil
}

// givenOfBatch is above the number of signals that one principal can have given about a
// batch of memories within the window.
const givenOfBatch = usageBatch * 3 * confidence.PerDay * 32
