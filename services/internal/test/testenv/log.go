package testenv

import (
	"sync"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// Logger writes what is at least of the level to the test's log. What a goroutine
// says that ends a little later than its test is left out: a test that is over
// takes no more lines, and panics.
func Logger(t testing.TB, level zapcore.Level) *zap.Logger {
	out := &testLog{t: t}
	t.Cleanup(out.end)
	encoder := zapcore.NewConsoleEncoder(zap.NewDevelopmentEncoderConfig())
	return zap.New(zapcore.NewCore(encoder, out, level))
}

// testLog is the log of a test until that is over. Safe for concurrent use.
type testLog struct {
	mu sync.Mutex
	t  testing.TB // nil when it is over
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
