package testenv

import (
	"fmt"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// Main is the body of a package's TestMain:
//
//	func TestMain(m *testing.M) { testenv.Main(m) }
//
// It runs the tests, stops the process's server and fails the package when
// goroutines are left. It does not return.
func Main(m *testing.M, options ...goleak.Option) {
	code := m.Run()
	if err := stopServer(); err != nil {
		fmt.Fprintf(os.Stderr, "testenv: stop postgres: %v\n", err)
		code = max(code, 1)
	}
	// After a failure leaks are expected and would bury its message.
	if code == 0 {
		if err := leaks(leakPatience, options...); err != nil {
			fmt.Fprintf(os.Stderr, "testenv: %v\n", err)
			code = 1
		}
	}
	os.Exit(code)
}

// leakPatience is how long goroutines may take to end after the last test. It is
// for a busy machine and for libraries that close connections in the background
// (pgx allows such a close 15 s), not a measure of speed: one that leaks never
// ends.
const leakPatience = 30 * time.Second

// leaks names the goroutines that are still there after the given time. The
// library by itself waits for about half a second.
func leaks(patience time.Duration, options ...goleak.Option) error {
	for start := time.Now(); ; {
		err := goleak.Find(options...)
		if err == nil || time.Since(start) > patience {
			return err
		}
	}
}
