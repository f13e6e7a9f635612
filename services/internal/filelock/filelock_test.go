package filelock_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/winnowhq/winnow/services/internal/filelock"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

func TestLockExcludesAndNamesItsHolder(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lock")
	first, err := filelock.TryAcquire(path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = filelock.TryAcquire(path)
	var held *filelock.HeldError
	if !errors.Is(err, filelock.ErrHeld) || !errors.As(err, &held) || held.PID != os.Getpid() {
		t.Errorf("second lock: err %v, want ErrHeld by %d", err, os.Getpid())
	}
	if pid, held, err := filelock.Holder(path); !held || pid != os.Getpid() || err != nil {
		t.Errorf("holder: %d %v %v", pid, held, err)
	}
	for range 2 { // a second release does nothing
		if err := first.Release(); err != nil {
			t.Error(err)
		}
	}
	if _, held, err := filelock.Holder(path); held || err != nil {
		t.Errorf("holder after release: %v %v", held, err)
	}
	second, err := filelock.TryAcquire(path)
	if err != nil {
		t.Fatal(err)
	}
	second.Release()
}

// A released lock is free at once, even while a starting child process still has
// the open file.
func TestReleasedBesideAFork(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lock")
	lock, err := filelock.TryAcquire(path)
	if err != nil {
		t.Fatal(err)
	}
	child, err := filelock.Inherit(lock)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(child)
	if err := lock.Release(); err != nil {
		t.Fatal(err)
	}
	again, err := filelock.TryAcquire(path)
	if err != nil {
		t.Fatal(err)
	}
	again.Release()
}

func TestAcquireWaits(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lock")
	first, err := filelock.TryAcquire(path)
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := filelock.Acquire(ended, path); !errors.Is(err, filelock.ErrHeld) || !errors.Is(err, context.Canceled) {
		t.Errorf("acquire with an ended context: %v", err)
	}
	got := make(chan error)
	go func() {
		second, err := filelock.Acquire(t.Context(), path)
		if err == nil {
			err = second.Release()
		}
		got <- err
	}()
	first.Release()
	if err := <-got; err != nil {
		t.Error(err)
	}
}

// The lock of a missing file is not held, and Holder does not create the file.
func TestHolderOfMissingFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lock")
	if _, held, err := filelock.Holder(path); held || err != nil {
		t.Errorf("holder: %v %v", held, err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("lock file after asking: %v", err)
	}
}
