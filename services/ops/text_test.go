package ops_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/winnowhq/winnow/services/ops"
)

// A stored text must not colour, clear or retitle the terminal that lists it.
func TestPlainKeepsEscapesFromTheTerminal(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	n, err := fmt.Fprintf(ops.Plain(&out), "%s\t%s\n", "mem_1", "port \x1b[2J5440\x1b]0;owned\x07 \u202eeslaf\U000E0041")
	if err != nil || out.String() != "mem_1\tport [2J5440]0;owned eslaf\n" {
		t.Errorf("printed %+q, %v", out.String(), err)
	}
	if n <= out.Len() {
		t.Errorf("reported %d bytes: a shorter count than given is an error to fmt", n)
	}
}
