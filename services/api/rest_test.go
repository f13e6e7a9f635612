package api_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/winnowhq/winnow/services/api"
	"github.com/winnowhq/winnow/services/ingest"
	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/guard/access"
	"github.com/winnowhq/winnow/services/internal/httpapi"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/ops"
)

// whole serves the routes of the intake and of the api together, as winnow dev does.
func whole(t testing.TB) *bench {
	t.Helper()
	b := setup(t)
	mux := http.NewServeMux()
	for _, routes := range []error{ingest.Definition.Routes(b.as(ingest.Definition), mux), api.Definition.Routes(b.deps, mux)} {
		if routes != nil {
			t.Fatal(routes)
		}
	}
	server := httptest.NewServer(httpapi.Problems(mux))
	t.Cleanup(server.Close)
	b.url = server.URL
	return b
}

// principal registers a principal of acme with these permissions and returns a key.
func (b *bench) principal(id string, permissions ...memory.Permission) string {
	b.Helper()
	if permissions == nil {
		permissions = []memory.Permission{}
	}
	who := memory.Principal{ID: id, Tenant: acme, Highest: memory.OriginAgent, Permissions: permissions}
	if _, err := b.store.Commit(b.Context(), acme, change.Set{Principals: []memory.Principal{who}}, store.InboxKey{}); err != nil {
		b.Fatal(err)
	}
	_, secret, err := b.admin().AddKey(b.Context(), ops.NewKey{Principal: id})
	if err != nil {
		b.Fatal(err)
	}
	return secret
}

// admin returns the operations of acme's operator.
func (b *bench) admin() *ops.Ops {
	return &ops.Ops{Store: b.store, Redactor: b.deps.Redactor, Tenant: acme, Person: "admin", Now: b.deps.Now, NewID: b.deps.NewID}
}

// send sends a request and returns its status and its answer as text.
func (b *bench) send(method, path, key, body string, header ...string) (int, string, http.Header) {
	b.Helper()
	resp := b.request(method, path, body, func(r *http.Request) {
		if key != "" {
			r.Header.Set("Authorization", "Bearer "+key)
		}
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
	})
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		b.Fatal(err)
	}
	return resp.StatusCode, string(raw), resp.Header
}

// parameter is a parameter of an operation.
type parameter struct {
	Name, In string
	Required bool
	Schema   map[string]any
}

// operation is an operation as the contract has it.
type operation struct {
	ID          string `json:"operationId"`
	Parameters  []parameter
	RequestBody *struct {
		Content map[string]struct {
			Schema map[string]any
		}
	}
	Responses map[string]struct {
		Content map[string]struct{ Schema map[string]any }
	}
	method, path string
}

// contract returns the operations that the server describes.
func (b *bench) contract() (list []operation, schemas map[string]map[string]any) {
	b.Helper()
	status, text, _ := b.send(http.MethodGet, "/api/openapi.json", "", "")
	var spec struct {
		OpenAPI    string
		Paths      map[string]map[string]operation
		Components struct {
			Schemas map[string]map[string]any
		}
	}
	if err := json.Unmarshal([]byte(text), &spec); err != nil || status != http.StatusOK || spec.OpenAPI != "3.1.0" {
		b.Fatalf("contract: %d, %v", status, err)
	}
	for path, methods := range spec.Paths {
		for method, op := range methods {
			op.method, op.path = strings.ToUpper(method), path
			list = append(list, op)
		}
	}
	if len(list) < 15 {
		b.Fatalf("%d operations", len(list))
	}
	return list, spec.Components.Schemas
}

// url returns the path of a request to an operation with an id that exists nowhere.
func (op operation) url() string {
	path := strings.ReplaceAll(op.path, "{id}", "mem_01JD0000000000000000000000")
	if op.ID == "search-memories" {
		path += "?q=force+push"
	}
	return path
}

// SPEC §14: every operation and every tool asks for its permission: with all others it
// is refused and nothing else is, and with its own alone it is not.
func TestPermissions(t *testing.T) {
	t.Parallel()
	b := whole(t)
	b.works() // without a judge each record waits for its verdict
	keys := map[memory.Permission]string{}
	for _, p := range memory.Permissions() {
		keys[p] = b.principal("only-"+strings.ReplaceAll(string(p), ":", "-"), p)
	}
	nothing := b.principal("nothing")
	list, _ := b.contract()
	for _, op := range list {
		wanted, listed := access.Needs(op.ID)
		if !listed {
			t.Errorf("%s is in no list of permissions", op.ID)
			continue
		}
		for p, key := range keys {
			status, text, _ := b.send(op.method, op.url(), key, "{}")
			if refused := status == http.StatusForbidden; refused != (wanted != "" && p != wanted) {
				t.Errorf("%s with %s alone: %d %s", op.ID, p, status, text)
			}
		}
		if status, text, _ := b.send(op.method, op.url(), nothing, "{}"); wanted != "" && status != http.StatusForbidden {
			t.Errorf("%s with no permission: %d %s", op.ID, status, text)
		}
		for _, header := range [][]string{{"Authorization", "Bearer nope"}, {"X-Forwarded-For", "203.0.113.9"}} {
			if status, text, _ := b.send(op.method, op.url(), "", "{}", header...); status != http.StatusUnauthorized {
				t.Errorf("%s with %s: %d %s", op.ID, header[0], status, text)
			}
		}
	}
	for p, key := range keys {
		a := b.agent(key)
		tools, err := a.ListTools(t.Context(), nil)
		if err != nil || len(tools.Tools) == 0 {
			t.Fatal(err)
		}
		for _, tool := range tools.Tools {
			wanted, _ := access.Needs(tool.Name)
			result, err := a.CallTool(t.Context(), &mcp.CallToolParams{Name: tool.Name, Arguments: least(tool)})
			refused := err == nil && result.IsError && strings.Contains(said(result), "needs the permission "+string(wanted))
			if refused != (p != wanted) {
				t.Errorf("%s with %s alone: %v %s", tool.Name, p, err, said(result))
			}
		}
	}
}

// least returns arguments that the schema of a tool accepts.
func least(tool *mcp.Tool) map[string]any {
	raw, _ := json.Marshal(tool.InputSchema)
	var schema struct {
		Required   []string
		Properties map[string]map[string]any
	}
	_ = json.Unmarshal(raw, &schema)
	arguments := map[string]any{}
	for _, name := range schema.Required {
		p := schema.Properties[name]
		switch {
		case p["enum"] != nil:
			arguments[name] = p["enum"].([]any)[0]
		case p["type"] == "boolean":
			arguments[name] = true
		case p["type"] == "array":
			list := make([]string, max(1, int(number(p["minItems"]))))
			for i := range list {
				list[i] = "mem_01JD0000000000000000000000"
			}
			arguments[name] = list
		case p["type"] == "integer", p["type"] == "number":
			arguments[name] = max(1, number(p["minimum"]))
		default:
			arguments[name] = strings.Repeat("x", max(1, int(number(p["minLength"]))))
		}
	}
	return arguments
}

func number(v any) float64 {
	n, _ := v.(float64)
	return n
}

// Keys: several for a principal, each with its own permissions and its own end. One
// that ended is like one that never was; no list has a secret.
func TestKeys(t *testing.T) {
	t.Parallel()
	b := whole(t)
	operator := b.principal("operator", memory.Permissions()...)
	b.principal("bot", memory.MayRead, memory.MayPropose)
	type made struct{ ID, Key, Hint, State string }
	add := func(body string) (k made) {
		t.Helper()
		status, text, _ := b.send(http.MethodPost, "/api/keys", operator, body)
		if err := json.Unmarshal([]byte(text), &k); err != nil || status != http.StatusCreated || !strings.HasPrefix(k.Key, memory.PrefixSecret) {
			t.Fatalf("%d %s", status, text)
		}
		return k
	}
	one, two := add(`{"principal":"bot","name":"ci"}`), add(`{"principal":"bot","permissions":["memory:read"],"expires_in_days":1}`)
	for _, k := range []made{one, two} {
		if status, text, _ := b.send(http.MethodGet, "/api/search?q=x", k.Key, ""); status != http.StatusOK {
			t.Errorf("%d %s", status, text)
		}
	}
	if status, _, _ := b.send(http.MethodPost, "/api/feedback", two.Key, `{"memory_id":"m","helpful":true}`); status != http.StatusForbidden {
		t.Errorf("a key of few permissions proposes: %d", status)
	}
	if status, text, _ := b.send(http.MethodDelete, "/api/keys/"+one.ID, operator, ""); status != http.StatusOK {
		t.Errorf("revoke: %d %s", status, text)
	}
	unknown, ofUnknown, _ := b.send(http.MethodGet, "/api/search?q=x", "wnw_NOTHING", "")
	for name, key := range map[string]string{"revoked": one.Key, "expired": b.expired("bot")} {
		status, text, _ := b.send(http.MethodGet, "/api/search?q=x", key, "")
		if status != unknown || withoutID(text) != withoutID(ofUnknown) {
			t.Errorf("%s: %d %s, unknown: %d %s", name, status, text, unknown, ofUnknown)
		}
	}
	_, list, _ := b.send(http.MethodGet, "/api/keys?principal=bot", operator, "")
	if strings.Contains(list, one.Key) || !strings.Contains(list, one.Hint) || !strings.Contains(list, `"revoked"`) || !strings.Contains(list, `"last_used"`) {
		t.Errorf("list: %s", list)
	}
	// A caller cannot give what it may not itself.
	keyless := b.principal("clerk", memory.MayOperate)
	status, text, _ := b.send(http.MethodPost, "/api/keys", keyless, `{"principal":"operator"}`)
	if status != http.StatusUnprocessableEntity || !strings.Contains(text, "permissions") {
		t.Errorf("a clerk made a key of an operator: %d %s", status, text)
	}
	if status, text, _ := b.send(http.MethodPost, "/api/keys", operator, `{"principal":"agent"}`); status != http.StatusUnprocessableEntity || strings.Contains(text, "tenant") {
		t.Errorf("a key for another tenant's principal: %d %s", status, text)
	}
}

// expired returns a key that has ended.
func (b *bench) expired(principal string) string {
	b.Helper()
	o := b.admin()
	o.Now = func() time.Time { return time.Now().Add(-48 * time.Hour) }
	_, secret, err := o.AddKey(b.Context(), ops.NewKey{Principal: principal, ExpiresIn: time.Hour})
	if err != nil {
		b.Fatal(err)
	}
	return secret
}

// withoutID returns an answer without what differs between any two.
func withoutID(text string) string {
	before, _, _ := strings.Cut(text, `"request_id"`)
	return before
}

// A repeated request has one effect and one answer; its key with another request is
// refused, and another principal's key of the same name is another key.
func TestIdempotencyKey(t *testing.T) {
	t.Parallel()
	b := whole(t)
	id := b.remember(acme, memory.Memory{Text: "The importer needs 2 GB."})[0]
	key, other := b.principal("one", memory.MayPropose), b.principal("other", memory.MayPropose)
	body := `{"memory_id":"` + id + `","helpful":true}`
	send := func(key, body string) (int, string, string) {
		status, text, header := b.send(http.MethodPost, "/api/feedback", key, body, httpapi.IdempotencyKey, "k-1")
		return status, text, header.Get("Idempotency-Replayed")
	}
	status, first, replayed := send(key, body)
	if status != http.StatusOK || replayed != "" {
		t.Fatalf("%d %s", status, first)
	}
	if status, again, replayed := send(key, body); status != http.StatusOK || again != first || replayed != "true" {
		t.Errorf("again: %d %s", status, again)
	}
	if status, text, _ := send(key, strings.Replace(body, "true", "false", 1)); status != http.StatusUnprocessableEntity || !strings.Contains(text, "idempotency_key_reused") {
		t.Errorf("another body: %d %s", status, text)
	}
	if status, text, replayed := send(other, body); status != http.StatusOK || replayed != "" {
		t.Errorf("another principal: %d %s", status, text)
	}
	signals, err := b.store.Signals(t.Context(), acme, store.SignalQuery{Memories: []string{id}})
	if err != nil || len(signals) != 2 {
		t.Errorf("%d signals, %v", len(signals), err)
	}
	proposal := `{"scope":"project:a","text":"The importer needs 2 GB of memory."}`
	for i, c := range []struct {
		body   string
		status int
	}{{proposal, http.StatusAccepted}, {proposal, http.StatusAccepted}, {strings.Replace(proposal, "2", "3", 1), http.StatusUnprocessableEntity}} {
		if status, text, _ := b.send(http.MethodPost, "/api/proposals", key, c.body, httpapi.IdempotencyKey, "p-1"); status != c.status {
			t.Errorf("proposal %d: %d %s", i, status, text)
		}
	}
}

// POST /api/proposals?wait=5s answers with the verdict.
func TestProposalAwaitsVerdict(t *testing.T) {
	t.Parallel()
	b := whole(t)
	b.judges()
	status, text, _ := b.send(http.MethodPost, "/api/proposals?wait=30s", "", `{"scope":"project:shop","kind":"fact","text":"The importer needs 2 GB of memory since version 4.1 (measured with `+"`docker stats`"+` on 2026-11-02)."}`)
	var got struct {
		Verdict struct{ Status, Message string }
	}
	if err := json.Unmarshal([]byte(text), &got); err != nil || status != http.StatusAccepted || got.Verdict.Status == "" || got.Verdict.Status == "waiting" || got.Verdict.Message == "" {
		t.Errorf("%d %s", status, text)
	}
	for _, wait := range []string{"31s", "-1s", "soon", ""} {
		if status, text, _ := b.send(http.MethodPost, "/api/proposals?wait="+wait, "", `{"scope":"project:a","text":"a"}`); status != http.StatusUnprocessableEntity || !strings.Contains(text, "query.wait") {
			t.Errorf("wait=%s: %d %s", wait, status, text)
		}
	}
}

// The pages load nothing from elsewhere and run no script.
func TestPages(t *testing.T) {
	t.Parallel()
	b := whole(t)
	for _, path := range []string{"/", "/api/docs"} {
		status, text, header := b.send(http.MethodGet, path, "", "")
		if status != http.StatusOK || !strings.Contains(header.Get("Content-Security-Policy"), "default-src 'none'") ||
			strings.Contains(text, "<script") || strings.Contains(text, "src=") || strings.Contains(text, "http://") || strings.Contains(text, "https://") {
			t.Errorf("%s: %d\n%s", path, status, text)
		}
	}
	list, _ := b.contract()
	_, docs, _ := b.send(http.MethodGet, "/api/docs", "", "")
	for _, op := range list {
		if !strings.Contains(docs, `id="`+op.ID+`"`) {
			t.Errorf("the page has no %s", op.ID)
		}
	}
}

// Every error is a problem: unknown addresses, methods, types, bodies that are too
// large or no JSON.
func TestProblems(t *testing.T) {
	t.Parallel()
	b := whole(t)
	for name, c := range map[string]struct {
		method, path, body string
		header             []string
		status             int
		says               string
	}{
		"no such address": {http.MethodGet, "/api/nothing", "", nil, http.StatusNotFound, "/api/docs"},
		"no such page":    {http.MethodGet, "/nothing", "", nil, http.StatusNotFound, "/api/docs"},
		"method":          {http.MethodPut, "/api/feedback", "{}", nil, http.StatusMethodNotAllowed, "POST"},
		"type":            {http.MethodPost, "/api/feedback", "helpful=1", []string{"Content-Type", "application/x-www-form-urlencoded"}, http.StatusUnsupportedMediaType, "application/json"},
		"too large":       {http.MethodPost, "/api/feedback", `"` + strings.Repeat("x", httpapi.MaxBody) + `"`, nil, http.StatusRequestEntityTooLarge, "at most"},
		"no JSON":         {http.MethodPost, "/api/feedback", `{"memory_id":`, nil, http.StatusBadRequest, "JSON"},
		"unknown field":   {http.MethodPost, "/api/feedback", `{"memory_id":"m","helpful":true,"helpfulness":1}`, nil, http.StatusUnprocessableEntity, `"field":"helpfulness"`},
		"missing field":   {http.MethodPost, "/api/feedback", `{"memory_id":"m"}`, nil, http.StatusUnprocessableEntity, "helpful"},
		"wrong type":      {http.MethodPost, "/api/feedback", `{"memory_id":1,"helpful":"yes"}`, nil, http.StatusUnprocessableEntity, `"field":"memory_id"`},
		"other site":      {http.MethodPost, "/api/feedback", `{}`, []string{"Sec-Fetch-Site", "cross-site"}, http.StatusForbidden, "another site"},
		"long key":        {http.MethodPost, "/api/feedback", `{}`, []string{httpapi.IdempotencyKey, strings.Repeat("k", 256)}, http.StatusUnprocessableEntity, "Idempotency-Key"},
	} {
		status, text, header := b.send(c.method, c.path, "", c.body, c.header...)
		var p httpapi.Problem
		dec := json.NewDecoder(bytes.NewReader([]byte(text)))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&p); err != nil || status != c.status || p.Status != status || p.Type == "" || p.Title == "" || p.Code == "" ||
			header.Get("Content-Type") != "application/problem+json" || !strings.Contains(text, c.says) {
			t.Errorf("%s: %d, want %d: %s, %v", name, status, c.status, text, err)
		}
	}
}

// A list in pages has every row once, and no more on a page than were asked for.
func TestPagesOfMemories(t *testing.T) {
	t.Parallel()
	b := whole(t)
	key := b.principal("reader", memory.MayRead)
	want := b.remember(acme, memory.Memory{Text: "One."}, memory.Memory{Text: "Two."}, memory.Memory{Text: "Three."}, memory.Memory{Text: "Four."}, memory.Memory{Text: "Five."})
	seen, path := 0, "/api/memories?limit=2"
	for cursor := "-"; cursor != ""; {
		_, text, _ := b.send(http.MethodGet, path, key, "")
		var page struct {
			Memories []struct{ ID string }
			Next     string `json:"next_cursor"`
		}
		if err := json.Unmarshal([]byte(text), &page); err != nil || len(page.Memories) > 2 || seen > len(want) {
			t.Fatalf("%s: %v", text, err)
		}
		for _, m := range page.Memories {
			if seen++; m.ID != want[len(want)-seen] {
				t.Errorf("row %d is %s, want %s", seen, m.ID, want[len(want)-seen])
			}
		}
		cursor = page.Next
		path = "/api/memories?limit=2&cursor=" + cursor
	}
	if seen != len(want) {
		t.Errorf("%d of %d", seen, len(want))
	}
}
