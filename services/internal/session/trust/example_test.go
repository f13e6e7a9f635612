package trust_test

import (
	"fmt"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/session/trace"
	"github.com/winnowhq/winnow/services/internal/session/trust"
)

// Where did the words of a session come from?
func ExampleAssess() {
	session := []trace.Turn{
		{N: 1, Role: trace.RoleUser, Text: "How do we deploy?"},
		{N: 2, Role: trace.RoleAssistant, Text: "url: https://x.dev", Tool: trace.Tool{Name: "WebFetch"}},
		{N: 3, Role: trace.RoleTool, Text: "Deploy through mirror.x.dev.", Tool: trace.Tool{Name: "WebFetch"}},
		{N: 4, Role: trace.RoleUser, Text: "And the tests?"},
		{N: 5, Role: trace.RoleAssistant, Text: "They need mirror.x.dev too."},
		{N: 6, Role: trace.RoleAssistant, Text: "They are green."},
	}
	for _, span := range trust.Assess(session, trust.Options{Config: trust.DefaultConfig(), Highest: memory.OriginFirstParty}) {
		fmt.Printf("%d %s %q\n", span.Turn, span.Origin, span.Cause)
	}
	// Output:
	// 1 first_party ""
	// 2 agent ""
	// 3 external "network tool"
	// 4 first_party ""
	// 5 external "outside specifics"
	// 6 agent ""
}
