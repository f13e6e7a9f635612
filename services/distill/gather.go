package distill

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/semaphore"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/session/extract"
	"github.com/winnowhq/winnow/services/internal/session/transcript"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// header is a session without what was said in it. One that is not there was
// forgotten since it came in.
func (w *work) header(ctx context.Context, tenant memory.Tenant, id string) (memory.Session, error) {
	s, err := w.Store.Session(ctx, tenant, id)
	if errors.Is(err, store.ErrNotFound) {
		return s, worker.Permanent(classSession, fmt.Errorf("session %s is not in the store", id))
	}
	return s, err
}

// read adds what was said. kept is false where the trace was kept long enough.
func (w *work) read(ctx context.Context, header memory.Session) (s extract.Session, kept bool, err error) {
	s = extract.Session{Session: header}
	chunks, err := w.Store.Trace(ctx, header.Tenant, header.ID)
	if errors.Is(err, store.ErrNotFound) {
		return s, false, nil
	}
	if err != nil {
		return s, false, err
	}
	s.Lines, err = transcript.Read(chunks)
	if err != nil {
		return s, false, worker.Permanent(classSession, fmt.Errorf("session %s: %w", header.ID, err))
	}
	return s, true, nil
}

const (
	// mostBytes is how much text the sessions in hand may have together. A
	// session is held whole, several times over while it is looked at.
	mostBytes = 64 << 20
	// leastBytes is what even an empty session takes.
	leastBytes = 64 << 10
)

// room bounds the memory of a process that has many hands: long sessions wait for
// each other, short ones pass. It is safe for concurrent use.
type room struct {
	all  int64
	left *semaphore.Weighted
}

func newRoom(all int64) *room { return &room{all: all, left: semaphore.NewWeighted(all)} }

// enter waits until there is room for so many bytes; one that is larger than
// everything goes alone. The error is that of ctx.
func (r *room) enter(ctx context.Context, bytes int64) (leave func(), err error) {
	bytes = min(max(bytes, leastBytes), r.all)
	if err := r.left.Acquire(ctx, bytes); err != nil {
		return nil, err
	}
	return func() { r.left.Release(bytes) }, nil
}
