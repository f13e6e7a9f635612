package extract_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/winnowhq/winnow/services/internal/session/extract"
	"github.com/winnowhq/winnow/services/internal/session/extract/extracttest"
	"github.com/winnowhq/winnow/services/internal/session/extract/rules"
	"github.com/winnowhq/winnow/services/internal/session/trace"
)

// working is a session of an agent that edits and tests, of about so many bytes.
func working(bytes int) extract.Session {
	test := trace.Tool{Name: "Bash", Kind: trace.KindTest, Command: "go test ./api"}
	edit := trace.Tool{Name: "Edit", Kind: trace.KindEdit}
	s := trace.Session{Format: trace.FormatClaude, Outcome: trace.OutcomeSuccess, Turns: []trace.Turn{{N: 1, Role: trace.RoleUser, Text: "The api does not build."}}}
	say := func(t trace.Turn) {
		t.N = len(s.Turns) + 1
		s.Turns = append(s.Turns, t)
		bytes -= len(t.Text)
	}
	for n := 0; bytes > 0; n++ {
		say(trace.Turn{Role: trace.RoleAssistant, Text: test.Command, Tool: test})
		say(trace.Turn{Role: trace.RoleTool, Text: strings.Repeat("compiling\n", 60) + fmt.Sprintf("api/client.go:%d:9: undefined: NewPool%d", n, n), Tool: test, Settled: true, Error: bytes > 2000})
		say(trace.Turn{Role: trace.RoleAssistant, Text: fmt.Sprintf("The problem is that NewPool%d was renamed to OpenPool.", n)})
		say(trace.Turn{Role: trace.RoleAssistant, Text: "file_path: api/client.go\nnew_string: p := OpenPool(ctx)\nold_string: p := NewPool(ctx)", Tool: edit})
		say(trace.Turn{Role: trace.RoleTool, Text: strings.Repeat("package api\n", 40), Tool: edit, Settled: true})
	}
	return extracttest.SessionOf(s)
}

// What a session costs, in the two sizes that are reported (SPEC §17).
func BenchmarkSession(b *testing.B) {
	for _, size := range []int{10_000, 68_000} {
		s := working(size)
		b.Run(fmt.Sprintf("rules/%d", size), func(b *testing.B) {
			for b.Loop() {
				rules.Extract(s, extract.MaxMemories)
			}
		})
		b.Run(fmt.Sprintf("prompt/%d", size), func(b *testing.B) {
			for b.Loop() {
				extract.Prompt(s, extract.PromptOptions{Nonce: nonce, Tokens: 12_000, Max: extract.MaxMemories})
			}
		})
		list := rules.Extract(s, extract.MaxMemories)
		b.Run(fmt.Sprintf("proposals/%d", size), func(b *testing.B) {
			for b.Loop() {
				extract.Proposals(s, list, extract.Trusting(s, extracttest.Trusting()))
			}
		})
	}
}
