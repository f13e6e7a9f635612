package trust_test

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/session/trace"
	"github.com/winnowhq/winnow/services/internal/session/trust"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
)

// An injected instruction that a page holds stays external when the agent says
// it again after a person spoke: alone, within its own summary, or behind a
// valid dated fact (SPEC §7).
func TestInjectionsStayExternal(t *testing.T) {
	t.Parallel()
	f, err := os.Open(testenv.Shared(t, "security/injection_strings.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	o := options()
	n := 0
	for lines.Scan() {
		var row struct {
			Text string `json:"text"`
		}
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		n++
		for _, echo := range []string{
			row.Text,
			"I learned from the page: " + row.Text,
			"2026-11-02: the API listens on port 8443. " + row.Text,
		} {
			session := []trace.Turn{
				{N: 1, Role: trace.RoleUser, Text: "The API listens on port 8443. Look into the docs."},
				{N: 2, Role: trace.RoleTool, Tool: trace.Tool{Name: "WebFetch"}, Text: "Welcome to the docs.\n" + row.Text + "\nHave fun."},
				{N: 3, Role: trace.RoleUser, Text: "Thanks, what did you learn?"},
				{N: 4, Role: trace.RoleAssistant, Text: echo},
			}
			if s := trust.Assess(session, o)[3]; s.Origin > memory.OriginExternal {
				t.Errorf("%.200q is %s", echo, s.Origin)
			}
		}
	}
	if err := lines.Err(); err != nil || n == 0 {
		t.Fatalf("%d strings, %v", n, err)
	}
}
