package recall

import (
	"context"
	"errors"
	"hash/maphash"
	"sync"
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

const (
	// recordWithin bounds one write. Only Close and Recorded wait for it.
	recordWithin = 30 * time.Second
	// maxTogether bounds the searches of one write, and maxWaiting those of a tenant that
	// wait for one, at about a kilobyte each: while Postgres is away they must not fill the
	// memory.
	maxTogether, maxWaiting = 256, 4096
	// writeEvery is the least time from the begin of one write of a tenant to the begin of
	// the next: its transactions cost as much as the rows of three searches. A process that
	// is killed loses what it did not write, so up to 10 ms of searches more.
	writeEvery = 10 * time.Millisecond
)

// errFull reports a search that is not recorded because too many wait.
var errFull = errors.New("too many searches wait to be recorded")

// record stores what was shown and what was searched for, in the background: a search
// neither waits for those writes nor fails with them.
func (r *Recall) record(ctx context.Context, q Question, found []Found) {
	now := time.Now().UTC()
	one := recorded{caller: caller{q.Principal, q.Session}, research: store.Research{Principal: q.Principal, Session: q.Session}}
	if r.Research != nil && q.Words != nil {
		one.research.Searches = []store.Searched{{Deep: q.Deep, Topic: q.Filter.Topic, Words: q.Words, Found: len(found), At: now}}
	}
	for i := range found {
		if q.Previews {
			break
		}
		if r.Served != nil && q.Session != "" {
			one.served = append(one.served, store.Served{SessionID: q.Session, MemoryID: found[i].ID, Principal: q.Principal, At: now})
		}
		if one.research.Searches != nil { // a full hit counts as read (D17)
			one.research.Read = append(one.research.Read, store.Reading{MemoryID: found[i].ID, At: now})
		}
	}
	if len(one.served)+len(one.research.Searches) == 0 {
		return
	}
	ctx = context.WithoutCancel(ctx)
	if !r.recording.add(q.Tenant, one, func(list []recorded) { r.write(ctx, q.Tenant, list) }) {
		r.unrecorded(errFull)
	}
}

// write stores what several searches of a tenant have to record.
func (r *Recall) write(ctx context.Context, tenant memory.Tenant, list []recorded) {
	ctx, cancel := context.WithTimeout(ctx, recordWithin)
	defer cancel()
	now := time.Now()
	together(list, func(list []recorded) error {
		var served []store.Served
		fresh := r.recording.stored.since(now)
		for i := range list {
			for _, s := range list[i].served {
				if fresh.new(shown{"served", tenant, s.Principal, s.SessionID, s.MemoryID}) {
					served = append(served, s)
				}
			}
		}
		if len(served) == 0 {
			return nil
		}
		return fresh.keep(r.Served.RecordServed(ctx, tenant, served))
	}, r.unrecorded)
	together(list, func(list []recorded) error {
		var research []store.Research
		fresh := r.recording.stored.since(now)
		for i := range list {
			one := list[i].research
			if one.Searches == nil {
				continue
			}
			one.Read = nil
			for _, m := range list[i].research.Read {
				if fresh.new(shown{"read", tenant, one.Principal, one.Session, m.MemoryID}) {
					one.Read = append(one.Read, m)
				}
			}
			research = append(research, one)
		}
		if len(research) == 0 {
			return nil
		}
		return fresh.keep(r.Research.RecordResearch(ctx, tenant, research...))
	}, r.unrecorded)
}

// together writes a list at once. Where the store refuses a value, each is written alone:
// one caller's session must not cost the records of the others.
func together(list []recorded, write func([]recorded) error, report func(error)) {
	err := write(list)
	if len(list) > 1 && errors.Is(err, store.ErrInvalid) {
		for i := range list {
			together(list[i:i+1], write, report)
		}
		return
	}
	if err != nil {
		report(err)
	}
}

func (r *Recall) unrecorded(err error) {
	if r.Unrecorded != nil {
		r.Unrecorded(err)
	}
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

// Close waits for the writes of record, which no longer keep a distance. No search may run
// or start any more. It may be called again.
func (r *Recall) Close() { r.recording.close() }

// caller is a principal in a session.
type caller struct{ principal, session string }

// recorded is what one search has to record.
type recorded struct {
	caller
	served   []store.Served
	research store.Research // without searches: none
}

// shown names a row that a search records: the store keeps one for each, and a search finds
// again what the one before it in the session found.
type shown struct {
	log                        string
	tenant                     memory.Tenant
	principal, session, memory string
}

const (
	// storedFor is for how long a row that was stored is not sent again, four times of it at
	// most. The store notes a reading to the minute, and so to two.
	storedFor = 15 * time.Second
	// maxStored bounds the rows that are known to be stored, at some 16 bytes each.
	maxStored = 1 << 16
)

// stored knows which rows this process stored in the last moments, by their hashes. What it
// does not know is sent, and the store finds that it has it. The zero value is ready.
type stored struct {
	mu          sync.Mutex
	seed        maphash.Seed
	turned      time.Time
	now, before map[uint64]struct{}
}

// since returns the rows of a write that begins.
func (s *stored) since(now time.Time) *fresh {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.turned.IsZero() {
		s.seed = maphash.MakeSeed()
	}
	if now.Sub(s.turned) >= storedFor || len(s.now) >= maxStored/2 {
		if now.Sub(s.turned) >= 2*storedFor {
			s.now = nil
		}
		s.now, s.before, s.turned = map[uint64]struct{}{}, s.now, now
	}
	return &fresh{of: s}
}

// fresh are the rows of one write that are not known to be stored.
type fresh struct {
	of   *stored
	rows []uint64
}

// new reports whether a row is to be sent.
func (f *fresh) new(row shown) bool {
	s := f.of
	hash := maphash.Comparable(s.seed, row)
	s.mu.Lock()
	defer s.mu.Unlock()
	_, now := s.now[hash]
	_, before := s.before[hash]
	if now || before {
		return false
	}
	f.rows = append(f.rows, hash)
	return true
}

// keep notes that the rows are stored, unless the write failed, whose error it returns.
func (f *fresh) keep(err error) error {
	if err != nil {
		return err
	}
	f.of.mu.Lock()
	defer f.of.mu.Unlock()
	for _, row := range f.rows {
		f.of.now[row] = struct{}{}
	}
	return nil
}

// recordings gathers what searches record: while one write of a tenant runs, and until
// writeEvery has passed since it began, the next collects. So an idle process writes each
// search at once, and a busy one writes many together. The zero value is ready.
type recordings struct {
	all    sync.WaitGroup
	stored stored

	mu     sync.Mutex
	lanes  map[memory.Tenant]*recordingLane // those with a write
	end    chan struct{}                    // closed by close; see ending
	closed bool
}

// ending returns the channel that close closes.
func (r *recordings) ending() chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.end == nil {
		r.end = make(chan struct{})
	}
	return r.end
}

// close ends the pauses between writes, and returns when all that waits is written.
func (r *recordings) close() {
	end := r.ending()
	r.mu.Lock()
	if !r.closed {
		close(end)
		r.closed = true
	}
	r.mu.Unlock()
	r.all.Wait()
}

// recordingLane is the running write of a tenant and what waits for the next ones.
type recordingLane struct {
	running recordingGroup
	waiting []recordingGroup
	size    int // searches in waiting
}

// recordingGroup is what one write records.
type recordingGroup struct {
	list []recorded
	done chan struct{} // closed at the end of the write
}

func newGroup() recordingGroup { return recordingGroup{done: make(chan struct{})} }

func (g *recordingGroup) has(who caller) bool {
	for i := range g.list {
		if g.list[i].caller == who {
			return true
		}
	}
	return false
}

// add has a search recorded by write, in the background. It is false where too many wait.
func (r *recordings) add(tenant memory.Tenant, one recorded, write func([]recorded)) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	l := r.lanes[tenant]
	if l == nil {
		if r.lanes == nil {
			r.lanes = map[memory.Tenant]*recordingLane{}
		}
		l = &recordingLane{running: newGroup()}
		l.running.list = []recorded{one}
		r.lanes[tenant] = l
		r.all.Go(func() { r.run(tenant, l, write) })
		return true
	}
	if l.size >= maxWaiting {
		return false
	}
	if n := len(l.waiting); n == 0 || len(l.waiting[n-1].list) >= maxTogether {
		l.waiting = append(l.waiting, newGroup())
	}
	last := &l.waiting[len(l.waiting)-1]
	last.list = append(last.list, one)
	l.size++
	return true
}

// run writes the groups of a tenant one after the other, until none waits.
func (r *recordings) run(tenant memory.Tenant, l *recordingLane, write func([]recorded)) {
	for {
		began := time.Now()
		write(l.running.list)
		if !r.ended(tenant, l) {
			return
		}
		r.pause(writeEvery - time.Since(began))
		r.next(l)
	}
}

// pause waits for d, or until close.
func (r *recordings) pause(d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-r.ending():
	}
}

// ended ends the running group. It is false, and the lane at its end, where none waits.
func (r *recordings) ended(tenant memory.Tenant, l *recordingLane) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	close(l.running.done)
	if len(l.waiting) == 0 {
		delete(r.lanes, tenant)
		return false
	}
	return true
}

// next makes the first group that waits the running one.
func (r *recordings) next(l *recordingLane) {
	r.mu.Lock()
	defer r.mu.Unlock()
	l.running, l.waiting = l.waiting[0], l.waiting[1:]
	l.size -= len(l.running.list)
}

// of returns the ends of the writes that a caller is part of.
func (r *recordings) of(who caller) []chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []chan struct{}
	for _, l := range r.lanes {
		if l.running.has(who) {
			list = append(list, l.running.done)
		}
		for i := range l.waiting {
			if l.waiting[i].has(who) {
				list = append(list, l.waiting[i].done)
			}
		}
	}
	return list
}
