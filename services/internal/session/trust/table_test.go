package trust_test

import (
	"os"
	"strings"
	"testing"

	"github.com/winnowhq/winnow/services/internal/session/trust"
)

// commandsIn reads a table of command lines.
func commandsIn(t testing.TB, file string) []string {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for line := range strings.Lines(string(raw)) {
		if line = strings.TrimSuffix(line, "\n"); line != "" && !strings.HasPrefix(line, "#") {
			all = append(all, strings.ReplaceAll(line, "␤", "\n"))
		}
	}
	return all
}

// SPEC §7: in a shell, each program that is not known to print the workspace
// alone, and each address, lets in strangers' words; a coding agent's own work
// does not.
func TestCommands(t *testing.T) {
	t.Parallel()
	c := trust.DefaultConfig()
	c.Hosts = []string{"localhost", "*.acme.internal"}
	for file, external := range map[string]bool{"testdata/network.txt": true, "testdata/workspace.txt": false} {
		list := commandsIn(t, file)
		if len(list) < 100 {
			t.Errorf("%s: %d commands", file, len(list))
		}
		for _, command := range list {
			if got := c.Reach("Bash", command); got.External() != external {
				t.Errorf("%s: %q: reach %d", file, command, got)
			}
		}
	}
}

// A line that nests commands deeply, or is very long, ends in a verdict.
func TestDeepCommands(t *testing.T) {
	t.Parallel()
	c := trust.DefaultConfig()
	for _, opener := range []string{"(", "$(", "{ ", "`", "\"$(", "if ", "((", "$((", "[[ ( ", "a=(", "<(", "while ", "case a in a) ", "! ", "${a:-", "<<<$(", "f() ", "a[", "time ", "bash -c '", "coproc "} {
		for _, n := range []int{10, 1000, 20_000, 300_000} {
			if got := c.Reach("Bash", strings.Repeat(opener, n)); got == trust.ReachUnlisted {
				t.Errorf("%d times %q: reach %d", n, opener, got)
			}
		}
	}
}
