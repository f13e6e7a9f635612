package postgres

import (
	"context"
	"fmt"
	"io"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// ownerVariable makes the test binary a process that owns a cluster until it is
// killed: the value is the data folder.
const ownerVariable = "WINNOW_TEST_CLUSTER_OWNER"

func TestMain(m *testing.M) {
	if dir := os.Getenv(ownerVariable); dir != "" {
		os.Exit(own(dir))
	}
	code := m.Run()
	if code == 0 {
		code = leaks()
	}
	os.Exit(code)
}

// leaks gives goroutines the time that they have in testenv, which stands on
// this package and cannot be used here.
func leaks() (code int) {
	for start := time.Now(); ; {
		err := goleak.Find()
		if err == nil {
			return 0
		}
		if time.Since(start) > 30*time.Second {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
}

// own starts a cluster, prints the server's pid and URL, and waits for its
// input to end, which it does when the test is over.
func own(dir string) int {
	c, err := Start(context.Background(), Options{DataDir: dir, Settings: quick})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println(c.PID(), c.URL("postgres"))
	io.Copy(io.Discard, os.Stdin)
	c.Stop(context.Background())
	return 0
}

// quick spares the disk in tests that are about processes, without the immediate
// shutdown of Options.Ephemeral.
var quick = map[string]string{"fsync": "off"}
