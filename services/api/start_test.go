package api_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// started is the part of session_start's output that tests read.
type started struct {
	Context, Since string

	MemoryIDs  []string `json:"memory_ids"`
	TokensUsed int      `json:"tokens_used"`
	Omitted    int
}

// SPEC §12: directives, lessons and news from the scopes that are visible from
// the project.
func TestStart(t *testing.T) {
	t.Parallel()
	b := setup(t)
	a := b.agent("")
	var got started
	a.call("session_start", map[string]any{"project": "shop", "session_id": "s1"}, &got)
	if !strings.Contains(got.Context, "Nothing to tell yet") || len(got.MemoryIDs) != 0 || got.Since != "" {
		t.Fatalf("empty: %+v", got)
	}
	known := b.remember(memory.DefaultTenant,
		memory.Memory{Kind: memory.KindPreference, Text: "Answers in British English."},
		memory.Memory{Kind: memory.KindRule, Text: "No force push to main."},
		memory.Memory{Kind: memory.KindRule, Text: "A rule that nobody is sure of.", Confidence: 0.49},
		memory.Memory{Kind: memory.KindRule, Text: "A rule just sure enough.", Confidence: 0.5, Scope: "org:acme"},
		memory.Memory{Kind: memory.KindRule, Text: "A rule of elsewhere.", Scope: "project:other"},
		memory.Memory{Kind: memory.KindStrategy, Title: "Warm the cache", Description: "Before a load test.", Text: "Run warm.sh first.", Outcome: "success", Confidence: 0.7},
		memory.Memory{Kind: memory.KindFact, Text: "The port is 8080."},
	)
	b.belongs(memory.DefaultTenant, "project:shop", "org:acme")
	a.call("session_start", map[string]any{"project": "shop", "session_id": "s1"}, &got)
	want := []string{known[1], known[0], known[3], known[5]} // D30: 0.5 is enough
	if !slices.Equal(got.MemoryIDs, want) {
		t.Errorf("told %v, want %v\n%s", got.MemoryIDs, want, got.Context)
	}
	for _, line := range []string{"- (rule) No force push to main. [" + known[1] + "]", "- (success) Warm the cache: Before a load test. — Run warm.sh first."} {
		if !strings.Contains(got.Context, line) {
			t.Errorf("no %q in\n%s", line, got.Context)
		}
	}
	served, err := b.store.ServedIn(t.Context(), memory.DefaultTenant, "s1")
	if err != nil || len(served) != len(want) {
		t.Errorf("served %v, %v", served, err)
	}

	// The session's task selects the lessons.
	a.call("session_start", map[string]any{"project": "shop", "task": "which port to use"}, &got)
	if !slices.Contains(got.MemoryIDs, known[6]) {
		t.Errorf("for a task: %s", got.Context)
	}
	// The prompt returns the same text.
	p, err := a.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "session_start", Arguments: map[string]string{"project": "shop"}})
	if err != nil || len(p.Messages) != 1 || !strings.Contains(p.Messages[0].Content.(*mcp.TextContent).Text, "No force push") {
		t.Errorf("prompt: %+v, %v", p, err)
	}
}

// The start of a session shows the memories that were added or archived since
// the same agent's previous session.
func TestStartTellsNews(t *testing.T) {
	t.Parallel()
	b := setup(t)
	a := b.agent("")
	old := b.remember(memory.DefaultTenant, memory.Memory{Text: "The port is 8080."}, memory.Memory{Kind: memory.KindRule, Text: "No force push."})
	var got started
	a.call("session_start", map[string]any{"project": "shop", "session_id": "s1"}, &got)

	now := time.Now().UTC().Truncate(time.Microsecond)
	fresh := b.remember(memory.DefaultTenant, memory.Memory{Text: "The port is 9090."})
	decided := memory.Decision{
		ID: "dec_01JD0000000000000000000000", Tenant: memory.DefaultTenant, Scope: "project:shop", Verdict: memory.VerdictPromoted,
		Rule: "person", Target: old[0], MemoryID: fresh[0], Actor: memory.ActorPerson, At: now,
	}
	_, err := b.store.Commit(t.Context(), memory.DefaultTenant, change.Set{
		Decisions: []memory.Decision{decided},
		MemoryUpdates: []change.MemoryUpdate{{
			ID: old[0], State: memory.StateArchived, Confidence: 0.8, SeenCount: 1, ArchivedAt: now, SuccessorID: fresh[0],
		}},
	}, store.InboxKey{})
	if err != nil {
		t.Fatal(err)
	}
	a.call("session_start", map[string]any{"project": "shop", "session_id": "s2"}, &got)
	for _, line := range []string{"Changed since", "- new fact: The port is 9090. [" + fresh[0] + "]", "- replaced: " + old[0] + ", now " + fresh[0]} {
		if !strings.Contains(got.Context, line) {
			t.Errorf("no %q in\n%s", line, got.Context)
		}
	}
	if got.Since == "" || strings.Contains(got.Context, "8080") {
		t.Errorf("since %q\n%s", got.Since, got.Context)
	}
	// The line of an archived memory names its successor and does not contain
	// its text.
	var one answer
	a.call("memory_get", map[string]any{"ids": old[:1]}, &one)
	if m := one.Memories[0]; m.State != "archived" || m.SuccessorID != fresh[0] || m.Content != "" {
		t.Errorf("archived: %+v", m)
	}
}

// S0.45: at most 2,000 tokens for any content, with a complete fence.
func TestStartBudget(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var list []memory.Memory
	for i := range 150 {
		kind := []memory.Kind{memory.KindRule, memory.KindPreference, memory.KindStrategy}[i%3]
		list = append(list, memory.Memory{Kind: kind, Title: strings.Repeat("ü", 90), Text: fmt.Sprintf("%d %s", i, strings.Repeat("ünïcode wörds ", 100))})
	}
	b.remember(memory.DefaultTenant, list...)
	a := b.agent("")
	var got started
	a.call("session_start", map[string]any{"project": "shop", "session_id": "s1"}, &got)
	n := utf8.RuneCountInString(got.Context)
	if n > 8000 || got.TokensUsed != (n+3)/4 || got.TokensUsed > 2000 || got.TokensUsed < 1500 {
		t.Errorf("%d characters, %d tokens", n, got.TokensUsed)
	}
	f := mark.FindStringSubmatch(got.Context)
	if f == nil || !strings.Contains(got.Context, "\n</"+f[1]+">\n") {
		t.Errorf("fence: %s", got.Context)
	}
	if len(got.MemoryIDs)+got.Omitted != 120 || !strings.Contains(got.Context, "more\n") || !strings.Contains(got.Context, "## Lessons") {
		t.Errorf("%d told, %d omitted\n%s", len(got.MemoryIDs), got.Omitted, got.Context)
	}
}
