package api_test

import (
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/winnowhq/winnow/services/internal/memory"
)

var fenceMark = regexp.MustCompile(`memory-([a-z2-7]{6})[a-z2-7]{20}`)

// S4.17, ADR 77: what a core tool answers is the same, to the byte, whether the protocol's library
// serves the request or not: answers, refusals, arguments that do not fit, and ids of another
// tenant, which are like unknown ones. Only the mark of the fence differs.
func TestStraightAnswers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	mine := b.remember(acme, memory.Memory{Text: "The <walrus> sleeps at \"noon\"."})[0]
	theirs := b.remember(memory.DefaultTenant, memory.Memory{Text: "The walrus of another tenant sleeps."})[0]
	ask := func(accept, key, tool, arguments string) (int, string) {
		t.Helper()
		body := `{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments + `}}`
		r := b.request(http.MethodPost, "/mcp", body, func(r *http.Request) {
			r.Header.Set("Accept", accept)
			r.Header.Set("Mcp-Protocol-Version", "2025-06-18")
			if key != "" {
				r.Header.Set("Authorization", "Bearer "+key)
			}
		})
		defer r.Body.Close()
		raw, err := io.ReadAll(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		text := string(raw)
		if m := fenceMark.FindStringSubmatch(text); m != nil {
			text = strings.NewReplacer(m[0], "MARK", m[1], "TAG").Replace(text)
		}
		return r.StatusCode, text
	}
	both := func(key, tool, arguments string) string {
		t.Helper()
		status, got := ask("application/json, text/event-stream", key, tool, arguments)
		// The other order is as good, and left to the library.
		wanted, want := ask("text/event-stream, application/json", key, tool, arguments)
		if status != wanted || withoutID(got) != withoutID(want) {
			t.Errorf("%s %s:\n%d %s\n%d %s", tool, arguments, status, got, wanted, want)
		}
		return got
	}
	for _, c := range []struct{ tool, arguments, says string }{
		{"memory_search", `{"query":"walrus","project":"shop"}`, mine},
		{"memory_search", `{"query":"walrus","depth":"deep"}`, mine},
		{"memory_search", `{"query":"zebra","kind":"rule"}`, `"total_found":0`},
		{"memory_search", `{"query":7}`, "Correct the argument"},
		{"memory_search", `{"Query":"walrus"}`, "Correct the argument"},
		{"memory_search", `null`, "Correct the argument"},
		{"memory_search", `{"query":" "}`, "name what you look for"},
		{"memory_get", `{"ids":["` + mine + `"]}`, "walrus"},
		{"session_start", `{"project":"shop"}`, "structuredContent"},
		{"get_active_workflow", `{"project":"shop"}`, `"active":false`},
		{"complete_workflow", `{"workflow_id":"wf_01JD0000000000000000000000"}`, `"isError":true`},
		{"memory_deep_search", `{"query":"walrus"}`, "unknown tool"},
	} {
		if got := both(acmeKey, c.tool, c.arguments); !strings.Contains(got, c.says) || strings.Contains(got, theirs) {
			t.Errorf("%s %s: %s, want %s", c.tool, c.arguments, got, c.says)
		}
	}
	unknown := "mem_01JD0000000000000000000000"
	foreign := both(acmeKey, "memory_get", `{"ids":["`+theirs+`"]}`)
	if strings.ReplaceAll(foreign, theirs, unknown) != both(acmeKey, "memory_get", `{"ids":["`+unknown+`"]}`) {
		t.Errorf("another tenant's id: %s", foreign)
	}
	if got := both("wnw_NOTHING", "memory_search", `{"query":"walrus"}`); strings.Contains(got, "sleeps") {
		t.Errorf("an unknown key: %s", got)
	}
}
