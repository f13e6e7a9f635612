package git

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/winnowhq/winnow/services/internal/filelock"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/vault"
)

// Writer is a vault that this process alone may write, until Unlock. One
// goroutine uses it at a time; the vault's reading methods stay free.
type Writer struct {
	vault *Vault
	lock  *filelock.Lock
	// seen is the last hand edit that HandEdits returned, by scope.
	seen map[memory.Scope]plumbing.Hash
}

// Lock implements [vault.Vault].
func (v *Vault) Lock(ctx context.Context) (vault.Writer, error) {
	w, err := v.hold(ctx)
	if err != nil {
		return nil, err
	}
	return w, nil
}

func (v *Vault) hold(ctx context.Context) (*Writer, error) {
	lock, err := filelock.Acquire(ctx, filepath.Join(v.dir, lockName))
	if errors.Is(err, filelock.ErrHeld) {
		return nil, fmt.Errorf("lock vault: %w: %w", vault.ErrLocked, err)
	}
	if err != nil {
		return nil, fmt.Errorf("lock vault: %w", explain(v.dir, err))
	}
	w := &Writer{vault: v, lock: lock, seen: map[memory.Scope]plumbing.Hash{}}
	err = w.with(func(s *session) error {
		_, err := s.readIndex()
		return err
	})
	if err != nil {
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
