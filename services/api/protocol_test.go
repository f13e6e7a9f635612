package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// S0.13, S0.70: every tool describes its input, its output and its effects, in words and in
// schemas that any client can read.
func TestTools(t *testing.T) {
	t.Parallel()
	a := setup(t).agent("")
	list, err := a.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	writing := []string{"auto_consolidate", "consolidate_memories", "force_consolidate", "memory_consolidate", "memory_feedback", "memory_outcome", "memory_record", "memory_summarize",
		"complete_workflow", "pause_workflow", "resume_workflow", "start_workflow", "memory_add", "store_memory"}
	// S2.26: these say what must be done before.
	long := []string{"memory_consolidate", "memory_summarize"}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
		if n := len(strings.Fields(tool.Description)); n == 0 || n > 60 && !slices.Contains(long, tool.Name) || n > 230 {
			t.Errorf("%s: the description has %d words", tool.Name, n)
		}
		h := tool.Annotations
		if h == nil || h.DestructiveHint == nil || *h.DestructiveHint || h.OpenWorldHint == nil || *h.OpenWorldHint || h.ReadOnlyHint == slices.Contains(writing, tool.Name) {
			t.Errorf("%s: hints %+v", tool.Name, h)
		}
		for what, schema := range map[string]any{"input": tool.InputSchema, "output": tool.OutputSchema} {
			lint(t, tool.Name+"."+what, schema, true)
		}
	}
	if want := []string{
		"auto_consolidate", "auto_session_start", "complete_workflow", "consolidate_memories", "consolidation_status", "force_consolidate", "get_active_workflow", "get_workflow_context",
		"list_workflows", "memory_add", "memory_consolidate", "memory_deep_search", "memory_feedback", "memory_get", "memory_outcome", "memory_record",
		"memory_search", "memory_summarize", "pause_workflow", "resume_workflow", "review_list", "run_get", "session_start", "start_workflow",
		"store_memory",
	}; !slices.Equal(slices.Sorted(slices.Values(names)), want) {
		t.Errorf("tools %v", names)
	}
	// S4.1: the seed's defaults.
	raw, _ := json.Marshal(list.Tools[slices.IndexFunc(list.Tools, func(x *mcp.Tool) bool { return x.Name == "memory_search" })].InputSchema)
	for _, part := range []string{`"enum":["all","project","team","org"]`, `"enum":["all","success","failure"]`, `"required":["query"]`, `5 when left out, at most 20`, `"maximum":100`, `"default":0.5`} {
		if !strings.Contains(string(raw), part) {
			t.Errorf("memory_search lacks %s: %s", part, raw)
		}
	}
	c := a.InitializeResult().Capabilities
	if c.Tools == nil || c.Resources == nil || c.Prompts == nil || c.Logging != nil || //nolint:staticcheck // deprecated, and so not offered
		c.Tools.ListChanged || c.Resources.Subscribe {
		t.Errorf("capabilities %+v", c)
	}
}

// lint checks a schema: one type for each value, and a description of every
// field.
func lint(t *testing.T, path string, schema any, root bool) {
	t.Helper()
	s, ok := schema.(map[string]any)
	if !ok {
		t.Errorf("%s: %T", path, schema)
		return
	}
	if _, ok := s["type"].(string); !ok {
		t.Errorf("%s: type %v", path, s["type"])
	}
	if text, _ := s["description"].(string); text == "" && !root && !strings.HasSuffix(path, "[]") {
		t.Errorf("%s: no description", path)
	}
	properties, _ := s["properties"].(map[string]any)
	for name, p := range properties {
		lint(t, path+"."+name, p, false)
	}
	if items, ok := s["items"]; ok {
		lint(t, path+"[]", items, false)
	}
}

// An invalid argument is an error in the answer, with the argument and the next
// step. Only faults of the protocol are protocol errors.
func TestBadArguments(t *testing.T) {
	t.Parallel()
	b := setup(t)
	a := b.agent("")
	for name, c := range map[string]struct {
		tool      string
		arguments map[string]any
		says      []string
	}{
		"no query":       {"memory_search", map[string]any{}, []string{"query", "schema"}},
		"empty query":    {"memory_search", map[string]any{"query": ""}, []string{"query", "schema"}},
		"no words":       {"memory_search", map[string]any{"query": "--"}, []string{"query is empty"}},
		"number":         {"memory_search", map[string]any{"query": 7}, []string{"query", "schema"}},
		"huge query":     {"memory_search", map[string]any{"query": strings.Repeat("word ", 20_000)}, []string{"query", "schema"}},
		"large query":    {"memory_search", map[string]any{"query": strings.Repeat("wörd ", 1999)}, []string{"at most 10000"}},
		"limit 0":        {"memory_search", map[string]any{"query": "a", "limit": 0}, []string{"limit", "schema"}},
		"limit 10000":    {"memory_search", map[string]any{"query": "a", "limit": 10_000}, []string{"limit", "schema"}},
		"limit text":     {"memory_search", map[string]any{"query": "a", "limit": "5"}, []string{"limit", "schema"}},
		"scope":          {"memory_search", map[string]any{"query": "a", "scope": "galaxy"}, []string{"scope", "schema"}},
		"unknown":        {"memory_search", map[string]any{"query": "a", "tenant": "acme"}, []string{"tenant", "schema"}},
		"project":        {"memory_search", map[string]any{"query": "a", "project": "two words"}, []string{"project", "github.com/acme/api"}},
		"session":        {"memory_search", map[string]any{"query": "a", "session_id": "a\x00b"}, []string{"session_id"}},
		"confidence":     {"memory_search", map[string]any{"query": "a", "min_confidence": 2}, []string{"min_confidence", "schema"}},
		"no ids":         {"memory_get", map[string]any{"ids": []string{}}, []string{"ids", "schema"}},
		"null ids":       {"memory_get", map[string]any{"ids": nil}, []string{"ids", "schema"}},
		"many ids":       {"memory_get", map[string]any{"ids": make([]string, 21)}, []string{"ids", "schema"}},
		"no outcome":     {"memory_record", map[string]any{"title": "a", "description": "b", "content": "c"}, []string{"outcome", "schema"}},
		"blank content":  {"memory_record", map[string]any{"title": "a", "description": "b", "content": " ", "outcome": "success"}, []string{"need words"}},
		"long content":   {"memory_record", map[string]any{"title": "a", "description": "b", "content": strings.Repeat("x", 4001), "outcome": "success"}, []string{"content", "schema"}},
		"kind":           {"memory_record", lesson("c", "kind", "rumour"), []string{"kind", "schema"}},
		"start, session": {"session_start", map[string]any{"session_id": strings.Repeat("s", 300)}, []string{"session_id", "schema"}},
	} {
		r := a.try(c.tool, c.arguments)
		text := said(r)
		if !r.IsError || len(text) > 1000 {
			t.Errorf("%s: %q", name, text)
		}
		for _, part := range c.says {
			if !strings.Contains(text, part) {
				t.Errorf("%s: no %q in %q", name, part, text)
			}
		}
	}
	var fault *jsonrpc.Error
	if _, err := a.CallTool(t.Context(), &mcp.CallToolParams{Name: "memory_forget"}); !errors.As(err, &fault) || fault.Code != jsonrpc.CodeInvalidParams {
		t.Errorf("unknown tool: %v", err)
	}
	var got answer
	a.call("memory_get", map[string]any{"ids": []string{"mem_none", "a\x00b", "\u202e"}}, &got)
	if len(got.Missing) != 3 || len(got.Memories) != 0 {
		t.Errorf("unknown ids: %+v", got)
	}
}

// Resources are read by address.
func TestResources(t *testing.T) {
	t.Parallel()
	b := setup(t)
	known := b.remember(memory.DefaultTenant, memory.Memory{Kind: memory.KindRule, Text: "No force push."}, memory.Memory{Text: "Elsewhere.", Scope: "project:github.com/acme/api"})
	theirs := b.remember(acme, memory.Memory{Text: "Theirs."})
	a := b.agent("")
	read := func(uri string) (string, error) {
		r, err := a.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		if err != nil {
			return "", err
		}
		if r.CacheScope != "private" {
			t.Errorf("%s: cache scope %q", uri, r.CacheScope)
		}
		return r.Contents[0].Text, nil
	}
	for uri, part := range map[string]string{
		"winnow://memory/MEMORY.md?project=shop":                    "No force push.",
		"winnow://memory/MEMORY.md?project=github.com/acme/api":     "Elsewhere.",
		"winnow://memory/MEMORY.md?project=github.com%2Facme%2Fapi": "Elsewhere.",
		"winnow://memory/MEMORY.md":                                 "Memory",
		"winnow://memory/" + known[0]:                               "No force push.",
	} {
		if text, err := read(uri); err != nil || !strings.Contains(text, part) || !mark.MatchString(text) && !strings.Contains(text, `u003cmemory-`) {
			t.Errorf("%s: %q, %v", uri, text, err)
		}
	}
	for _, uri := range []string{"winnow://memory/mem_none", "winnow://memory/" + theirs[0], "winnow://memory/" + strings.Replace(known[0], "mem_", "dec_", 1)} {
		var fault *jsonrpc.Error
		if text, err := read(uri); !errors.As(err, &fault) || fault.Code != jsonrpc.CodeInvalidParams {
			t.Errorf("%s: %q, %v", uri, text, err)
		}
	}
	if list, err := a.ListResourceTemplates(t.Context(), nil); err != nil || len(list.ResourceTemplates) != 3 {
		t.Errorf("templates: %+v, %v", list, err)
	}
}

// Unauthorised and too large requests are refused before the body is read.
func TestDoor(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for name, c := range map[string]struct {
		adjust func(*http.Request)
		status int
	}{
		"unknown key": {func(r *http.Request) { r.Header.Set("Authorization", "Bearer nope") }, http.StatusUnauthorized},
		"no bearer":   {func(r *http.Request) { r.Header.Set("Authorization", "Basic eDp5") }, http.StatusUnauthorized},
		"cross site":  {func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }, http.StatusForbidden},
		"origin":      {func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }, http.StatusForbidden},
		"rebound":     {func(r *http.Request) { r.Host = "rebound.example" }, http.StatusUnauthorized},
		"rebound, with a key": {func(r *http.Request) {
			r.Host = "rebound.example"
			r.Header.Set("Authorization", "Bearer "+acmeKey)
		}, http.StatusForbidden},
		// The body is one byte longer than accepted. With a longer body, the
		// server would close the connection while the client still sends, and
		// the client might see that before the answer.
		"too large": {func(r *http.Request) {
			r.Body = io.NopCloser(strings.NewReader(strings.Repeat(" ", 256<<10+1)))
			r.ContentLength = 256<<10 + 1
		}, http.StatusRequestEntityTooLarge},
		"malformed": {func(r *http.Request) { r.Body = io.NopCloser(strings.NewReader(`{"jsonrpc`)); r.ContentLength = 9 }, http.StatusBadRequest},
		"fine":      {func(*http.Request) {}, http.StatusOK},
	} {
		resp := b.request(http.MethodPost, "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, c.adjust)
		if resp.StatusCode != c.status {
			t.Errorf("%s: status %d, want %d", name, resp.StatusCode, c.status)
		}
		if c.status == http.StatusUnauthorized && resp.Header.Get("WWW-Authenticate") == "" {
			t.Errorf("%s: no WWW-Authenticate", name)
		}
		resp.Body.Close()
	}
}

func (b *bench) request(method, path, body string, adjust func(*http.Request)) *http.Response {
	b.Helper()
	r, err := http.NewRequestWithContext(context.WithoutCancel(b.Context()), method, b.url+path, strings.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	adjust(r)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		b.Fatal(err)
	}
	return resp
}

// The same in plain HTTP.
func TestHTTP(t *testing.T) {
	t.Parallel()
	b := setup(t)
	known := b.remember(memory.DefaultTenant, memory.Memory{Kind: memory.KindRule, Text: "No force push to main."})
	theirs := b.remember(acme, memory.Memory{Text: "No force push of theirs."})
	for path, c := range map[string]struct {
		status int
		says   string
	}{
		"/api/search?q=force+push&project=shop":          {http.StatusOK, known[0]},
		"/api/search?q=force+push&limit=1&scope=project": {http.StatusOK, `"total_found":1`},
		"/api/search":                              {http.StatusUnprocessableEntity, `"field":"query.q"`},
		"/api/search?q=+":                          {http.StatusUnprocessableEntity, "name what you look for"},
		"/api/search?q=a&limits=3":                 {http.StatusUnprocessableEntity, "query.limits"},
		"/api/search?q=a&limit=0":                  {http.StatusUnprocessableEntity, "limit"},
		"/api/search?q=a&limit=NaN":                {http.StatusUnprocessableEntity, "limit"},
		"/api/search?q=a&scope=galaxy":             {http.StatusUnprocessableEntity, "scope"},
		"/api/memories/" + known[0]:                {http.StatusOK, "No force push to main."},
		"/api/memories/" + theirs[0]:               {http.StatusNotFound, "no such memory"},
		"/api/memories/mem_none":                   {http.StatusNotFound, "no such memory"},
		"/api/session-start?project=shop":          {http.StatusOK, "No force push to main."},
		"/api/session-start?project=no+such+thing": {http.StatusUnprocessableEntity, "project"},
	} {
		resp := b.request(http.MethodGet, path, "", func(*http.Request) {})
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != c.status || !strings.Contains(string(body), c.says) || !json.Valid(body) {
			t.Errorf("%s: %d, want %d: %s", path, resp.StatusCode, c.status, body)
		}
	}
}
