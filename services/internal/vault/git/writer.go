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

// Writer has the exclusive right to write the vault, until Unlock. Only one
// goroutine at a time may use a Writer. The vault's reading methods stay
// available.
type Writer struct {
	vault *Vault
	lock  *filelock.Lock
	// seen holds the last hand edit that HandEdits returned, by scope.
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

// Unlock releases the vault. Further calls do nothing.
func (w *Writer) Unlock() error {
	return errors.Join(w.vault.saveHistory(), w.lock.Release())
}

// with runs one operation after recovering an unfinished earlier one, so that a
// failed write is completed before the next begins.
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
