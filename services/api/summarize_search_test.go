package api_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// S2.8, S2.10–S2.12: in the real index the summary comes first for its topic, with its
// footer; 19 % of change is silent and 20 % warns, both ways.
func TestSummaryInSearch(t *testing.T) {
	t.Parallel()
	b := setup(t)
	a := b.agent("")
	// Other topics, so that the words of this one are not everywhere.
	var others []memory.Memory
	for i := range 200 {
		others = append(others, memory.Memory{Text: fmt.Sprintf("The importer of feed %d reads batch %d from the ledger queue at night.", i, i*7), Topics: []string{"import"}})
	}
	b.remember(memory.DefaultTenant, others...)
	ids := b.know("project:shop", 20)
	a.research("shop")
	s := a.summarize(map[string]any{"topic": "auth", "content": executive})
	first := func(query string) (int, string) {
		var got answer
		a.call("memory_search", map[string]any{"query": query, "project": "shop", "limit": 20}, &got)
		at := slices.Index(got.ids(), s.ID)
		if at < 0 {
			return at, ""
		}
		return at, got.Memories[at].Note
	}
	for query, most := range map[string]int{
		"auth": 0, "What do we know about auth?": 0, "authentication": 0, "login service authentication state and decisions": 0,
		"how do access tokens and refresh tokens work": 2, "session cookie": 2,
	} {
		if at, _ := first(query); at < 0 || at > most {
			t.Errorf("%q: the summary is at %d", query, at)
		}
	}
	const warning = "⚠ This summary was written when the topic had 20 memories, and it now has "
	check := func(live int, warns bool) {
		t.Helper()
		at, content := first("auth")
		if at != 0 || !strings.Contains(content, "from 20 memories") || !strings.Contains(content, time.Now().UTC().Format("2006-01-02")) {
			t.Errorf("at %d: %s", at, content)
		}
		if got := strings.Contains(content, fmt.Sprintf("%s%d (%+d). Consider updating it with memory_consolidate", warning, live, live-20)); got != warns {
			t.Errorf("%d memories: warns %v: %s", live, got, content)
		}
	}
	check(20, false)
	more := b.remember(memory.DefaultTenant, memory.Memory{Text: "one", Topics: []string{"auth"}}, memory.Memory{Text: "two", Topics: []string{"auth"}}, memory.Memory{Text: "three", Topics: []string{"auth"}})
	check(23, false) // 15 %
	more = append(more, b.remember(memory.DefaultTenant, memory.Memory{Text: "four", Topics: []string{"auth"}})...)
	check(24, true) // 20 %
	b.archive(more...)
	check(20, false)
	b.archive(ids[17:]...)
	check(17, false)
	b.archive(ids[16])
	check(16, true)
	var got answer
	a.call("memory_get", map[string]any{"ids": []string{s.ID}}, &got)
	if m := got.Memories[0]; !strings.Contains(m.Note, warning) || strings.Contains(m.Content, warning) {
		t.Errorf("memory_get does not warn in its note: %+v", m)
	}
	var begun struct{ Context string }
	a.call("session_start", map[string]any{"project": "shop"}, &begun)
	if !strings.Contains(begun.Context, "## Topic summaries\n") || !strings.Contains(begun.Context, s.ID) {
		t.Errorf("session_start: %s", begun.Context)
	}
	// D18: no footer, so stale.
	bare := b.remember(memory.DefaultTenant, memory.Memory{Kind: memory.KindSummary, Text: "Walruses are what the importer is named after."})[0]
	a.call("memory_search", map[string]any{"query": "walruses", "kind": "summary"}, &got)
	if i := slices.Index(got.ids(), bare); i < 0 || !strings.Contains(got.Memories[i].Note, "may be out of date") {
		t.Errorf("without a footer: %+v", got.Memories)
	}
}

// S2.14: a deep search answers with up to 100, a standard one with up to 20, and a
// search in a topic finds all of it, whatever its words.
func TestDeepSearch(t *testing.T) {
	t.Parallel()
	b := setup(t)
	a := b.agent("")
	b.know("project:shop", 130)
	var deep leads
	a.call("memory_deep_search", map[string]any{"query": "walrus", "topic": "auth"}, &deep)
	if len(deep.Previews) != 100 {
		t.Errorf("%d previews", len(deep.Previews))
	}
	a.call("memory_deep_search", map[string]any{"query": "login", "limit": 3}, &deep)
	if len(deep.Previews) != 3 {
		t.Errorf("%d of 3 previews", len(deep.Previews))
	}
	if why := a.refused("memory_search", map[string]any{"query": "login", "limit": 21}); !strings.Contains(why, "at most 20") {
		t.Error(why)
	}
	for name, arguments := range map[string]map[string]any{
		"limit 101": {"query": "a", "limit": 101, "depth": "deep"}, "depth": {"query": "a", "depth": "abyss"},
		"topic": {"query": "a", "topic": "🚀"}, "two kinds": {"query": "a", "kind": "fact", "type_filter": "rule"},
	} {
		if why := a.refused("memory_search", arguments); why == "" {
			t.Errorf("%s: no reason", name)
		}
	}
	// A preview is neither read nor shown in the session.
	a.call("memory_deep_search", map[string]any{"query": "login", "topic": "auth", "session_id": session}, &deep)
	b.recall.Recorded(t.Context(), b.deps.DefaultPrincipal, session)
	served, err := b.store.ServedIn(t.Context(), memory.DefaultTenant, session)
	r, err2 := b.store.Research(t.Context(), memory.DefaultTenant, b.deps.DefaultPrincipal, session, time.Now().Add(-time.Hour))
	if err != nil || err2 != nil || len(served) != 0 || len(r.Read) != 0 || len(r.Searches) != 1 || r.Searches[0].Topic != "auth" {
		t.Errorf("served %v, research %+v", served, r)
	}
}

// A question may hold a secret: what is kept of it does not.
func TestResearchKeepsNoSecret(t *testing.T) {
	t.Parallel()
	b := setup(t)
	a := b.agent("")
	const secret = "AKIAQ3EGVCXR5NZWHT2L"
	var deep leads
	a.call("memory_deep_search", map[string]any{"query": "why does " + secret + " password=hunter2pwXq fail at login", "session_id": session}, &deep)
	b.recall.Recorded(t.Context(), b.deps.DefaultPrincipal, session)
	r, err := b.store.Research(t.Context(), memory.DefaultTenant, b.deps.DefaultPrincipal, session, time.Now().Add(-time.Hour))
	if err != nil || len(r.Searches) != 1 || !slices.Contains(r.Searches[0].Words, "login") {
		t.Fatalf("%+v, %v", r, err)
	}
	if kept := strings.Join(r.Searches[0].Words, " "); strings.Contains(kept, strings.ToLower(secret)) || strings.Contains(kept, "hunter2pwxq") {
		t.Errorf("kept %s", kept)
	}
}
