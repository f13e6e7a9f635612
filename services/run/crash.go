package run

import (
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"

	"go.uber.org/zap"

	"github.com/winnowhq/winnow/services/internal/config"
	"github.com/winnowhq/winnow/services/internal/telemetry"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// crashVariable makes a process kill itself at a named point of an event's processing:
// <point>:<n> when it reaches the point for the n-th time, or with :stop behind it stop
// itself, as SIGSTOP does, until somebody continues it. The tests of "exactly once across
// kill -9" set it, because a signal from outside cannot be timed to work in progress.
// Nothing else reads it. A process with a value that names no point does not start.
const crashVariable = "WINNOW_CRASH_AT"

// crashHook returns the function for worker.Deps.Reached, or nil without the variable.
func crashHook(log *zap.Logger) (func(worker.Point), error) {
	text := os.Getenv(crashVariable)
	if text == "" {
		return nil, nil
	}
	spec, stop := strings.CutSuffix(text, ":stop")
	name, count, _ := strings.Cut(spec, ":")
	nth, err := strconv.Atoi(count)
	if err != nil || nth < 1 || !isPoint(worker.Point(name)) {
		return nil, &config.Problem{Field: crashVariable, What: fmt.Sprintf("%q is not <point>:<n> or <point>:<n>:stop", text), Remedy: "unset it; it is for tests"}
	}
	log.Warn("this process will kill or stop itself", zap.String(telemetry.KeyPoint, name), zap.Int(telemetry.KeyCount, nth))
	var reached atomic.Int64
	return func(p worker.Point) {
		if string(p) != name || reached.Add(1) != int64(nth) {
			return
		}
		if stop {
			// The kernel stops the threads one by one, so this one waits until it is told
			// to continue.
			continued := make(chan os.Signal, 1)
			signal.Notify(continued, syscall.SIGCONT)
			defer signal.Stop(continued)
			_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
			<-continued
			return
		}
		// SIGKILL, so that no code of this process runs afterwards.
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}, nil
}

func isPoint(p worker.Point) bool {
	switch p {
	case worker.PointBeforeHandle, worker.PointBeforeCommit, worker.PointBeforeAck,
		worker.PointBeforePublish, worker.PointBeforeMark, worker.PointDuringDrain:
		return true
	}
	return false
}
