package filelock

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// ErrHeld says that another process, or another Lock of this one, holds the file.
var ErrHeld = errors.New("lock is held")

// HeldError is ErrHeld with the process that holds the lock.
type HeldError struct {
	Path string
	// PID is the holder's process id; 0 before the holder has written it.
	PID int
}

func (e *HeldError) Error() string { return fmt.Sprintf("%s is held by pid %d", e.Path, e.PID) }

// Is makes errors.Is(err, ErrHeld) true.
func (e *HeldError) Is(target error) bool { return target == ErrHeld }

// Lock is a held lock. Its methods may be called from several goroutines.
type Lock struct {
	file *os.File
	once sync.Once
}

// pollInterval is the time between two attempts of Acquire. A blocking flock
// cannot be cancelled.
const pollInterval = 5 * time.Millisecond

// TryAcquire acquires the lock at path or returns a *HeldError at once. A
// missing file is created with mode 0600. Release does not remove the file:
// otherwise two processes could lock two different files of one name.
func TryAcquire(path string) (*Lock, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open lock: %w", err)
	}
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		pid := holder(file)
		file.Close()
		return nil, &HeldError{Path: path, PID: pid}
	}
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	if err := sign(file); err != nil {
		file.Close()
		return nil, fmt.Errorf("sign lock: %w", err)
	}
	return &Lock{file: file}, nil
}

// Acquire waits for the lock until ctx ends.
func Acquire(ctx context.Context, path string) (*Lock, error) {
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		lock, err := TryAcquire(path)
		if !errors.Is(err, ErrHeld) {
			return lock, err
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("%w: %w", err, ctx.Err())
		case <-tick.C:
		}
	}
}

// Release releases the lock. Further calls do nothing.
//
// Closing the file is not sufficient: a child process of another goroutine has
// every open file between fork and exec, and with it the lock.
func (l *Lock) Release() (err error) {
	l.once.Do(func() {
		err = errors.Join(syscall.Flock(int(l.file.Fd()), syscall.LOCK_UN), l.file.Close())
	})
	return err
}

func sign(file *os.File) error {
	if err := file.Truncate(0); err != nil {
		return err
	}
	_, err := file.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	return err
}

func holder(file *os.File) int {
	var buf [32]byte
	n, _ := file.ReadAt(buf[:], 0)
	pid, err := strconv.Atoi(strings.TrimSpace(string(buf[:n])))
	if err != nil {
		return 0
	}
	return pid
}

// Holder reports whether the lock at path is held, and by which process (0 when
// not written yet). The lock of a missing file is not held. Holder takes a
// shared lock for an instant, so a process that wants the lock should use
// Acquire with a short deadline rather than TryAcquire on a file that others
// query.
func Holder(path string) (pid int, held bool, err error) {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW, 0)
	if errors.Is(err, os.ErrNotExist) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, fmt.Errorf("open lock: %w", err)
	}
	defer file.Close()
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_SH|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return holder(file), true, nil
	}
	if err != nil {
		return 0, false, fmt.Errorf("ask for lock %s: %w", path, err)
	}
	return 0, false, nil
}
