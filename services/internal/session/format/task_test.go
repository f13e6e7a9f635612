package format_test

import (
	"strings"
	"testing"

	"github.com/winnowhq/winnow/services/internal/session/format"
	"github.com/winnowhq/winnow/services/internal/session/trace"
)

// The task is the first line that says something: not the tag of a block that a
// program wrapped it in. What a program says at the end is read, too.
func TestTask(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Fix the build.":                           "Fix the build.",
		`<task>\n\n# Fix the build\nToday.`:        "# Fix the build",
		`<pr_description>\nParsing fails.\n</pr_>`: "Parsing fails.",
		`<a> is an anchor`:                         "<a> is an anchor",
		`<only>\n</only>`:                          "",
	} {
		raw := `{"messages":[{"role":"user","content":"` + text + `"},{"role":"assistant","content":"Done."},{"role":"exit","content":"+ return 1"}]}`
		s, err := format.Read(strings.NewReader(raw), trace.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if s.Task != want || s.Report.Skipped != 0 || s.Turns[2].Role != trace.RoleSystem {
			t.Errorf("%q: task %q, want %q; %+v", text, s.Task, want, s.Report)
		}
	}
}
