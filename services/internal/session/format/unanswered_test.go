package format_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/winnowhq/winnow/services/internal/session/trace"
)

// A session that leaves thousands of calls without an answer loses the oldest of
// them and no others: an answer without its call has no command, and what it says
// is no longer known to come from the network.
func TestUnansweredCallsAreForgottenOldestFirst(t *testing.T) {
	t.Parallel()
	const calls = 5000
	var text strings.Builder
	for i := range calls {
		fmt.Fprintf(&text, `{"type":"assistant","message":{"role":"assistant","content":[{"type":"tool_use","id":"t%d","name":"Bash","input":{"command":"curl https://example.com/%d"}}]}}`+"\n", i, i)
	}
	for _, i := range []int{calls - 4096, 4095, calls - 1} {
		fmt.Fprintf(&text, `{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t%d","content":"Answer %d."}]}}`+"\n", i, i)
	}
	limits := trace.DefaultLimits()
	limits.MaxTurns = max(limits.MaxTurns, 2*calls)
	answers := 0
	for _, turn := range read(t, text.String(), trace.Options{Format: "claude-code", Limits: limits}).Turns {
		if turn.Role != trace.RoleTool {
			continue
		}
		answers++
		if want := "curl https://example.com/" + strings.TrimSuffix(strings.TrimPrefix(turn.Text, "Answer "), "."); turn.Tool.Command != want {
			t.Errorf("%q answers %q, want %q", turn.Text, turn.Tool.Command, want)
		}
	}
	if answers != 3 {
		t.Errorf("%d answers", answers)
	}
}
