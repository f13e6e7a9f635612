package trust_test

import (
	"testing"

	"github.com/winnowhq/winnow/services/internal/session/trust"
)

// Whatever stands behind it, a download is found: no quotation, comment or
// heredoc reaches back.
func FuzzReach(f *testing.F) {
	for _, tail := range []string{"", "ls", "'", "\"$(", "`", "<<EOF\nx\nEOF", "# x", "\\", "$(a `b` c)", "\x00"} {
		f.Add(tail)
	}
	c := trust.DefaultConfig()
	for _, file := range []string{"testdata/network.txt", "testdata/workspace.txt"} {
		for _, command := range commandsIn(f, file) {
			f.Add(command)
		}
	}
	f.Fuzz(func(t *testing.T, tail string) {
		if !c.Reach("Bash", "curl x.dev; "+tail).External() {
			t.Fatalf("%q hides a download", tail)
		}
		_ = c.Reach("Bash", tail)
	})
}
