package chaos

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// operatorKey registers a principal that may do everything, and returns its key.
func (f *fleet) operatorKey() string {
	f.t.Helper()
	f.winnow("principal", "add", "ops-ids", "--highest", "human")
	var made struct{ Key string }
	out := f.winnow("key", "add", "ops-ids", "--json")
	if err := json.Unmarshal(out, &made); err != nil || made.Key == "" {
		f.t.Fatalf("key add: %v: %s", err, out)
	}
	return made.Key
}

// doorsSince puts a secret into every field that names something at the doors of the api: of
// its operations over HTTP, in paths, queries and bodies, and of what MCP sends beside and in
// a call.
func (f *fleet) doorsSince(door, key string, next func(where string) string) {
	f.t.Helper()
	call := func(method, path, body string, header map[string]string) {
		f.t.Helper()
		r, err := http.NewRequestWithContext(f.t.Context(), method, "http://"+door+path, strings.NewReader(body))
		if err != nil {
			f.t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+key)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		for name, value := range header {
			r.Header.Set(name, value)
		}
		f.awaitListening(door)
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			f.t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode == http.StatusUnauthorized || resp.StatusCode >= http.StatusInternalServerError {
			f.t.Errorf("%s %s: %s", method, path, resp.Status)
		}
	}
	for _, path := range []string{
		"/api/session-start?session_id=%s", "/api/session-start?project=%s", "/api/search?q=pool&session_id=%s", "/api/search?q=pool&project=%s",
		"/api/memories?scope=%s", "/api/memories?cursor=%s", "/api/log?session_id=%s", "/api/log?principal=%s", "/api/reviews?scope=%s", "/api/why/%s",
		"/api/memories/%s/history", "/api/runs/%s", "/api/digests/%s", "/api/audit?cursor=%s", "/api/workflows?project=%s", "/api/workflows/%s",
		"/api/memories/mem_01JD0000000000000000000000?session_id=%s", "/api/%s/x",
	} {
		call(http.MethodGet, fmt.Sprintf(path, url.QueryEscape(next("GET "+path))), "", nil)
	}
	for _, path := range []string{"PUT /api/principals/%s", "DELETE /api/principals/%s", "DELETE /api/keys/%s", "DELETE /api/retired-terms/%s", "DELETE /api/scopes/parent?scope=%s", "POST /api/runs/%s/undo", "POST /api/workflows/%s/complete", "POST /api/digests/%s/replies"} {
		method, at, _ := strings.Cut(path, " ")
		call(method, fmt.Sprintf(at, url.QueryEscape(next(path))), `{"reply":"ok"}`, nil)
	}
	for _, one := range []string{
		`POST /api/feedback {"memory_id":"mem_01JD0000000000000000000000","helpful":true,"session_id":%q}`, `POST /api/feedback {"memory_id":%q,"helpful":true}`,
		`POST /api/outcomes {"memory_id":"mem_01JD0000000000000000000000","succeeded":true,"session_id":%q}`, `POST /api/outcomes {"memory_id":%q,"succeeded":true}`,
		`POST /api/workflows {"name":"ids","project":%q}`, `POST /api/workflows {"name":%q}`, `POST /api/workflows {"name":"ids","description":%q}`,
		`POST /api/consolidations {"project_id":%q}`, `POST /api/consolidations {"topic":"ids","content":"x","session_id":%q}`, `POST /api/consolidations {"topic":%q,"content":"x"}`,
		`PUT /api/scopes {"scope":%q}`, `PUT /api/scopes {"scope":"project:ids","parent":%q}`, `PUT /api/principals/ids-bot {"name":%q}`, `PUT /api/principals/ids-bot {"scopes":[%q]}`,
		`POST /api/keys {"principal":%q}`, `POST /api/keys {"principal":"ops-ids","name":%q}`,
		`POST /api/retired-terms {"term":%q}`, `POST /api/retired-terms {"term":"oldtool","scope":%q}`, `POST /api/retired-terms {"term":"oldtool","replacement":%q}`,
		`POST /api/proposals {"text":"2026-11-19: the pool of ids is set by helm.","scope":"project:ids","session_id":%q}`,
	} {
		parts := strings.SplitN(one, " ", 3)
		secret := next(one)
		call(parts[0], parts[1], fmt.Sprintf(parts[2], secret), nil)
		if strings.Contains(one, "scope") || strings.Contains(one, "project") {
			call(parts[0], parts[1], fmt.Sprintf(parts[2], "project:"+strings.TrimPrefix(secret, "https://")), nil)
		}
	}
	const tool = `{"jsonrpc":"2.0","id":%q,"method":%q,"params":{"name":%q,"arguments":%s,"_meta":{"progressToken":%q,"traceparent":%q}}}`
	mcp := func(id, method, name, arguments, progress, trace string, header map[string]string) {
		call(http.MethodPost, "/mcp", fmt.Sprintf(tool, id, method, name, arguments, progress, trace), header)
	}
	mcp(next("MCP id"), "tools/call", "memory_search", `{"query":"pool"}`, "p", "t", nil)
	mcp("1", next("MCP method"), "memory_search", `{"query":"pool"}`, "p", "t", nil)
	mcp("1", "tools/call", next("MCP tool"), `{}`, "p", "t", nil)
	mcp("1", "tools/call", "memory_search", `{"query":"pool"}`, next("MCP progress"), next("MCP traceparent"), nil)
	for _, header := range []string{"Mcp-Session-Id", "Mcp-Protocol-Version", "Last-Event-Id", "Mcp-Method", "Mcp-Name"} {
		mcp("1", "tools/call", "memory_search", `{"query":"pool"}`, "p", "t", map[string]string{header: next("header " + header)})
	}
	for name, fields := range map[string][]string{
		"memory_search": {"session_id", "project", "topic", "kind"}, "session_start": {"session_id", "project"}, "memory_get": {"session_id", "project"},
		"memory_record": {"session_id", "project", "topic"}, "memory_feedback": {"session_id", "memory_id"}, "start_workflow": {"project", "name"}, "memory_consolidate": {"topic", "project_id"},
	} {
		for _, field := range fields {
			arguments := map[string]any{"query": "pool"}
			switch name {
			case "session_start", "memory_consolidate":
				arguments = map[string]any{}
			case "memory_get":
				arguments = map[string]any{"ids": []string{"mem_01JD0000000000000000000000"}}
			case "memory_record":
				arguments = map[string]any{"content": "The pool of ids is set by helm, see values.yaml."}
			case "memory_feedback":
				arguments = map[string]any{"memory_id": "mem_01JD0000000000000000000000", "helpful": true}
			case "start_workflow":
				arguments = map[string]any{"name": "ids"}
			}
			arguments[field] = next("MCP " + name + "." + field)
			raw, _ := json.Marshal(arguments) // of strings
			mcp("1", "tools/call", name, string(raw), "p", "t", nil)
		}
	}
	call(http.MethodPost, "/mcp", fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":%q,"version":%q}}}`, next("MCP client"), next("MCP version")), nil)
	call(http.MethodPost, "/mcp", fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":%q}}`, "winnow://memory/"+next("MCP resource")), nil)
}
