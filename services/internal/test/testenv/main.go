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
	// After a failure leaks are expected and would hide its message.
	if code == 0 {
		if err := leaks(leakTimeout, options...); err != nil {
			fmt.Fprintf(os.Stderr, "testenv: %v\n", err)
			code = 1
		}
	}
	os.Exit(code)
}

// leakTimeout is how long goroutines may take to end after the last test. It allows
// for a busy machine and for libraries that close connections in the background (pgx
// allows such a close 15 s). A leaked goroutine never ends.
const leakTimeout = 30 * time.Second

// leaks returns an error that names the goroutines that are left after the timeout.
// goleak alone waits for about half a second.
func leaks(timeout time.Duration, options ...goleak.Option) error {
	for start := time.Now(); ; {
		err := goleak.Find(options...)
		if err == nil || time.Since(start) > timeout {
			return err
		}
	}
}
