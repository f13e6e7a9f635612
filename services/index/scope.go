package index

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"

	"github.com/winnowhq/winnow/services/internal/memoryfile/projection"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/telemetry"
	"github.com/winnowhq/winnow/services/internal/vault"
)

// scoped is the projector at work on one scope, while it alone may write.
type scoped struct {
	*projector
	vault  vault.Vault
	writer vault.Writer
	lease  store.Lease
	place
}

// project reads back what people changed, and renders the scope once all of that
// is decided: before, a rendering would take their entries away again.
func (s *scoped) project(ctx context.Context, edits []vault.HandEdit) error {
	decided, err := s.takeOver(ctx, edits)
	if err != nil {
		return fmt.Errorf("hand edit: %w", err)
	}
	if !decided {
		s.waiting[s.place] = time.Time{}
		return nil
	}
	next, err := s.next()
	if err != nil {
		return err
	}
	if s.Now().Before(next) {
		// Nobody waits for it with the lease in hand, which another replica may
		// have use for.
		s.waiting[s.place] = next
		return nil
	}
	rendering, err := projection.Render(ctx, s.Store, s.vault, s.tenant, s.scope, projection.Layout{Sections: s.layout.Sections, Lines: s.layout.Vault.Lines})
	if err != nil {
		return err
	}
	if err := held(s.lease); err != nil {
		return err
	}
	change := rendering.Change
	change.At = s.Now()
	hash, committed, err := s.writer.Commit(change)
	if errors.Is(err, vault.ErrDirty) {
		// Somebody saved the file this very moment.
		s.waiting[s.place] = time.Time{}
		return nil
	}
	if err != nil {
		return err
	}
	s.At(PointCommitted)
	return s.done(edits, change, hash, committed, rendering.Open)
}

// done notes what the vault shows now.
func (s *scoped) done(edits []vault.HandEdit, change vault.Change, hash string, committed, open bool) error {
	for _, e := range edits {
		delete(s.asked, editKey{s.place, e.Commit})
	}
	last, _, _, err := s.vault.Last(s.scope)
	if err != nil {
		return err
	}
	s.shown[s.place] = shown{version: change.Trailer.Version, committed: last.Version, open: open}
	if committed {
		s.metrics.commits.Inc()
		s.Log.Info("rendered", zap.String(telemetry.KeyScope, string(s.scope)), zap.String("commit", hash),
			zap.Int(telemetry.KeyCount, change.Trailer.Decisions))
	}
	return nil
}

// next is when the scope may be committed to again, which another replica may
// have done a moment ago. A clock that went back does not hold it up.
func (s *scoped) next() (time.Time, error) {
	_, at, ok, err := s.vault.Last(s.scope)
	if err != nil || !ok || at.After(s.Now()) {
		return time.Time{}, err
	}
	return at.Add(every), nil
}
