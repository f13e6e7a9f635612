package testenv

import (
	"fmt"
	"os"
	"testing"

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
		if err := goleak.Find(options...); err != nil {
			fmt.Fprintf(os.Stderr, "testenv: %v\n", err)
			code = 1
		}
	}
	os.Exit(code)
}
