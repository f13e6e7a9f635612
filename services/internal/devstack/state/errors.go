package state

import (
	"errors"
	"fmt"
)

var (
	// ErrRunning means that an instance runs in the folder.
	ErrRunning = errors.New("winnow dev is already running")
	// ErrNotRunning means that none does.
	ErrNotRunning = errors.New("winnow dev is not running")
)

// RunningError is ErrRunning with the process to look at.
type RunningError struct {
	Dir string
	PID int // 0: it has only just started
}

func (e *RunningError) Error() string {
	if e.PID == 0 {
		return fmt.Sprintf("%v (state in %s)", ErrRunning, e.Dir)
	}
	return fmt.Sprintf("%v (pid %d, state in %s); stop it: kill %d", ErrRunning, e.PID, e.Dir, e.PID)
}

// Is makes errors.Is(err, ErrRunning) true.
func (e *RunningError) Is(target error) bool { return target == ErrRunning }
