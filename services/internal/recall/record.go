package recall

import (
	"context"
	"sync"
	"time"

	"github.com/winnowhq/winnow/services/internal/store"
)

// recordWithin bounds the writes about one answer. Only Close and Recorded wait for
// them.
const recordWithin = 30 * time.Second

// record stores what was shown and what was searched for, in the background: a search
// neither waits for those writes nor fails with them.
func (r *Recall) record(ctx context.Context, q Question, found []Found) {
	now := time.Now().UTC()
	var served []store.Served
	research := store.Research{Principal: q.Principal, Session: q.Session}
	if r.Research != nil && q.Words != nil {
		research.Searches = []store.Searched{{Deep: q.Deep, Topic: q.Filter.Topic, Words: q.Words, Found: len(found), At: now}}
	}
	for i := range found {
		if q.Previews {
			break
		}
		if r.Served != nil && q.Session != "" {
			served = append(served, store.Served{SessionID: q.Session, MemoryID: found[i].ID, Principal: q.Principal, At: now})
		}
		if research.Searches != nil { // a full hit counts as read (D17)
			research.Read = append(research.Read, store.Reading{MemoryID: found[i].ID, At: now})
		}
	}
	if len(served)+len(research.Searches) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordWithin)
	r.recording.begin(caller{q.Principal, q.Session}, func() {
		defer cancel()
		report := func(err error) {
			if err != nil && r.Unrecorded != nil {
				r.Unrecorded(err)
			}
		}
		if len(served) > 0 {
			report(r.Served.RecordServed(ctx, q.Tenant, served))
		}
		if research.Searches != nil {
			report(r.Research.RecordResearch(ctx, q.Tenant, research))
		}
	})
}

// Recorded waits until what this process found for a caller is recorded, or the
// context ends: a caller that asks for something that depends on its research has
// often searched a moment before.
func (r *Recall) Recorded(ctx context.Context, principal, session string) {
	for _, done := range r.recording.of(caller{principal, session}) {
		select {
		case <-done:
		case <-ctx.Done():
			return
		}
	}
}

// Close waits for the writes of record. No search may run or start any more.
func (r *Recall) Close() { r.recording.all.Wait() }

// caller is a principal in a session.
type caller struct{ principal, session string }

// recordings are the running writes of record. The zero value is ready.
type recordings struct {
	all sync.WaitGroup

	mu   sync.Mutex
	open map[caller]map[chan struct{}]bool // closed at the end of a write
}

// begin runs a write in the background.
func (r *recordings) begin(who caller, write func()) {
	done := make(chan struct{})
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.open == nil {
		r.open = map[caller]map[chan struct{}]bool{}
	}
	if r.open[who] == nil {
		r.open[who] = map[chan struct{}]bool{}
	}
	r.open[who][done] = true
	r.all.Go(func() {
		write()
		r.mu.Lock()
		defer r.mu.Unlock()
		if delete(r.open[who], done); len(r.open[who]) == 0 {
			delete(r.open, who)
		}
		close(done)
	})
}

// of returns the running writes of a caller.
func (r *recordings) of(who caller) []chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []chan struct{}
	for done := range r.open[who] {
		list = append(list, done)
	}
	return list
}
