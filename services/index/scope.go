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

// scoped is the projector's work on one scope, as the only writer.
type scoped struct {
	*projector
	vault  vault.Vault
	writer vault.Writer
	lease  store.Lease
	scopeKey
}

// project reads people's edits back, and renders the scope once all are decided. An
// earlier rendering would remove their entries.
func (s *scoped) project(ctx context.Context, edits []vault.HandEdit) error {
	decided, err := s.applyEdits(ctx, edits)
	if err != nil {
		return fmt.Errorf("hand edit: %w", err)
	}
	if !decided {
		s.waiting[s.scopeKey] = time.Time{}
		return nil
	}
	next, err := s.next()
	if err != nil {
		return err
	}
	if s.Now().Before(next) {
		// The wait is not spent with the lease held: another replica may need it.
		s.waiting[s.scopeKey] = next
		return nil
	}
	rendering, err := projection.Render(ctx, s.Store, s.vault, s.tenant, s.scope, projection.Layout{Sections: s.layout.Sections, Lines: s.layout.Vault.Lines})
	if err != nil {
		return err
	}
	if err := checkLease(s.lease); err != nil {
		return err
	}
	change := rendering.Change
	change.At = s.Now()
	hash, committed, err := s.writer.Commit(change)
	if errors.Is(err, vault.ErrDirty) {
		// A person saved the file meanwhile.
		s.waiting[s.scopeKey] = time.Time{}
		return nil
	}
	if err != nil {
		return err
	}
	s.At(PointCommitted)
	return s.done(edits, change, hash, committed, rendering.Open)
}

// done records the state that the vault shows now.
func (s *scoped) done(edits []vault.HandEdit, change vault.Change, hash string, committed, open bool) error {
	for _, e := range edits {
		delete(s.pendingEdits, editKey{s.scopeKey, e.Commit})
	}
	last, _, _, err := s.vault.Last(s.scope)
	if err != nil {
		return err
	}
	s.rendered[s.scopeKey] = rendered{version: change.Trailer.Version, committed: last.Version, open: open}
	if committed {
		s.metrics.commits.Inc()
		s.Log.Info("rendered", zap.String(telemetry.KeyScope, string(s.scope)), zap.String("commit", hash),
			zap.Int(telemetry.KeyCount, change.Trailer.Decisions))
	}
	return nil
}

// next returns the earliest time of the scope's next commit, by the last commit of any
// replica. A clock that was set back does not delay it.
func (s *scoped) next() (time.Time, error) {
	_, at, ok, err := s.vault.Last(s.scope)
	if err != nil || !ok || at.After(s.Now()) {
		return time.Time{}, err
	}
	return at.Add(renderInterval), nil
}
