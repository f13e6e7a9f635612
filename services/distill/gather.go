package distill

import (
	"context"
	"errors"
	"fmt"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/session/extract"
	"github.com/winnowhq/winnow/services/internal/session/transcript"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// header returns a session without its turns. A session that is not in the
// store was deleted after it was ingested.
func (w *work) header(ctx context.Context, tenant memory.Tenant, id string) (memory.Session, error) {
	s, err := w.Store.Session(ctx, tenant, id)
	if errors.Is(err, store.ErrNotFound) {
		return s, worker.Permanent(classSession, fmt.Errorf("session %s is not in the store", id))
	}
	return s, err
}

// read adds the turns. found is false where the trace's retention has expired.
func (w *work) read(ctx context.Context, header memory.Session) (s extract.Session, found bool, err error) {
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
