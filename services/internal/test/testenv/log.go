package testenv

import (
	"sync"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// Logger returns a logger that writes lines of at least this level to the test's log.
// Lines of goroutines that outlive the test are dropped, because a finished test
// panics on them.
func Logger(t testing.TB, level zapcore.Level) *zap.Logger {
	out := &testLog{t: t}
	t.Cleanup(out.end)
	encoder := zapcore.NewConsoleEncoder(zap.NewDevelopmentEncoderConfig())
	return zap.New(zapcore.NewCore(encoder, out, level))
}

// testLog is the log of a test until the test ends. Safe for concurrent use.
type testLog struct {
	mu sync.Mutex
	t  testing.TB // nil after the end of the test
}

func (l *testLog) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.t = nil
}

// Write implements zapcore.WriteSyncer.
func (l *testLog) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.t != nil {
		l.t.Logf("%s", line)
	}
	return len(line), nil
}

// Sync implements zapcore.WriteSyncer.
func (l *testLog) Sync() error { return nil }
