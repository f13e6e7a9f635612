package vault

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/winnowhq/winnow/services/internal/devstack/filelock"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// Writer is a vault that this process alone may write, until Unlock. One
// goroutine uses it at a time; the vault's reading methods stay free.
type Writer struct {
	vault *Vault
	lock  *filelock.Lock
	// seen is the last hand edit that HandEdits returned, by scope.
	seen map[memory.Scope]plumbing.Hash
}

// Lock waits until no other writer has the vault, on this machine, or ctx ends
// (ErrLocked); between machines the caller's lease decides. It puts right what a
// killed writer left, and returns a *Problem when the repository cannot take
// commits as it stands.
func (v *Vault) Lock(ctx context.Context) (*Writer, error) {
	lock, err := filelock.Acquire(ctx, filepath.Join(v.dir, lockName))
	if errors.Is(err, filelock.ErrHeld) {
		return nil, fmt.Errorf("lock vault: %w: %w", ErrLocked, err)
	}
	if err != nil {
		return nil, fmt.Errorf("lock vault: %w", explain(v.dir, err))
	}
	w := &Writer{vault: v, lock: lock, seen: map[memory.Scope]plumbing.Hash{}}
	if err := w.with(func(*session) error { return nil }); err != nil {
		return nil, errors.Join(fmt.Errorf("lock vault: %w", err), lock.Release())
	}
	return w, nil
}

// Unlock gives the vault back. A second call does nothing.
func (w *Writer) Unlock() error {
	return errors.Join(w.vault.saveHistory(), w.lock.Release())
}

// with runs one operation. It begins with what an earlier one may have left, so
// that a write that failed half way is finished before the next begins.
func (w *Writer) with(f func(*session) error) error {
	return w.vault.with(func(s *session) error {
		if err := s.inspect(); err != nil {
			return err
		}
		if err := s.recover(); err != nil {
			return err
		}
		return f(s)
	})
}
