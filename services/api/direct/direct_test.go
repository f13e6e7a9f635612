package direct_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/winnowhq/winnow/services/api/direct"
)

// most is the longest body, in bytes.
const most = 4096

// bench is a server with one tool of each kind of answer, as the library serves it and
// directly.
type bench struct {
	tools   *direct.Tools
	library http.Handler
}

func newBench(t testing.TB) *bench {
	t.Helper()
	impl := &mcp.Implementation{Name: "test", Title: "A <test>", Version: "1"}
	server := mcp.NewServer(impl, nil)
	var passed mcp.Middleware = func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
			call, ok := r.GetParams().(*mcp.CallToolParamsRaw)
			if method != "tools/call" || !ok {
				return next(ctx, method, r)
			}
			result, err := next(ctx, method, r)
			if result, ok := result.(*mcp.CallToolResult); ok && err == nil {
				result.Content = append(result.Content, &mcp.TextContent{Text: "passed " + call.Name})
			}
			return result, err
		}
	}
	server.AddReceivingMiddleware(passed)
	tools, err := direct.New(impl, most)
	if err != nil {
		t.Fatal(err)
	}
	for name, handler := range map[string]mcp.ToolHandler{
		"echo": func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{
				Content:           []mcp.Content{&mcp.TextContent{Text: "<b> & \u2028 " + string(r.Params.Arguments)}},
				StructuredContent: map[string]any{"given": string(r.Params.Arguments), "html": "<&>", "nothing": nil},
			}, nil
		},
		"silent": func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{}, nil
		},
		"refuses": func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			r := &mcp.CallToolResult{}
			r.SetError(errors.New("not <like> this"))
			return r, nil
		},
		"fails": func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return nil, errors.New("the server failed")
		},
	} {
		server.AddTool(&mcp.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)}, handler)
		tools.Add(name, handler, passed)
	}
	return &bench{tools, mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server },
		&mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true, MaxRequestBodyBytes: most, PropagateRequestCancellation: true})}
}

// request is what a client sends.
type request struct {
	body, version, method, name string
	change                      func(*http.Request)
}

func (q request) made() *http.Request {
	local := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80}
	r := httptest.NewRequest(http.MethodPost, "http://localhost/mcp", strings.NewReader(q.body))
	r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, net.Addr(local)))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for name, value := range map[string]string{"Mcp-Protocol-Version": q.version, "Mcp-Method": q.method, "Mcp-Name": q.name} {
		if value != "" {
			r.Header.Set(name, value)
		}
	}
	if q.change != nil {
		q.change(r)
	}
	return r
}

// same sends a request both ways, and reports whether it was answered directly.
func (b *bench) same(t testing.TB, q request) (answered bool) {
	t.Helper()
	answered = true
	got, want := httptest.NewRecorder(), httptest.NewRecorder()
	b.tools.Serve(got, q.made(), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answered = false
		b.library.ServeHTTP(w, r)
	}))
	b.library.ServeHTTP(want, q.made())
	if got.Code != want.Code || got.Body.String() != want.Body.String() {
		t.Errorf("%+v:\n%d %s\n%d %s", q, got.Code, got.Body, want.Code, want.Body)
	}
	for _, name := range []string{"Content-Type", "Cache-Control", "Allow"} {
		if !slices.Equal(got.Header().Values(name), want.Header().Values(name)) {
			t.Errorf("%+v: %s %q, want %q", q, name, got.Header().Values(name), want.Header().Values(name))
		}
	}
	return answered
}

const newest = "2026-07-28"

// carrying is the meta of a client of the newest protocol.
const carrying = `{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},"io.modelcontextprotocol/clientCapabilities":{"roots":{"listChanged":true}}}`

func calls(params string) string {
	return `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":` + params + `}`
}

// straight are requests that are answered without the library.
var straight = map[string]request{
	"no version":              {body: calls(`{"name":"echo","arguments":{"a":"<ä>"}}`)},
	"an old version":          {body: calls(`{"name":"echo","arguments":{"a":[1,{}]}}`), version: "2025-06-18"},
	"another":                 {body: calls(`{"name":"echo"}`), version: "2025-11-25"},
	"no arguments":            {body: calls(`{"name":"echo","arguments":null}`), version: "2025-03-26"},
	"arguments of a list":     {body: calls(`{"name":"echo","arguments":[1]}`)},
	"arguments twice":         {body: calls(`{"name":"echo","arguments":{"a":1},"arguments":{"b":2}}`)},
	"an id of letters":        {body: `{"id":"x-1","params":{"name":"silent"},"method":"tools/call","jsonrpc":"2.0"}`},
	"a negative id":           {body: `{"jsonrpc":"2.0","id":-9,"method":"tools/call","params":{"name":"refuses"}}`},
	"space":                   {body: " { \"jsonrpc\" : \"2.0\", \"id\":0,\n\"method\": \"tools/call\" , \"params\": { \"name\" : \"echo\" , \"arguments\" : { \"a\" : 1 } } } "},
	"a token of progress":     {body: calls(`{"name":"echo","_meta":{"progressToken":3}}`), version: "2025-06-18"},
	"a failure":               {body: calls(`{"name":"fails"}`)},
	"the newest version":      {body: calls(`{"name":"echo","arguments":{"a":1},"_meta":` + carrying + `}`), version: newest, method: "tools/call", name: "echo"},
	"the newest, refused":     {body: calls(`{"name":"refuses","_meta":` + carrying + `}`), version: newest, method: "tools/call", name: "refuses"},
	"the newest, silent":      {body: calls(`{"name":"silent","_meta":` + carrying + `}`), version: newest, method: "tools/call", name: "silent"},
	"the newest, failed":      {body: calls(`{"name":"fails","_meta":` + carrying + `}`), version: newest, method: "tools/call", name: "fails"},
	"from another machine":    {body: calls(`{"name":"echo"}`), change: at("10.1.2.3", "winnow.example")},
	"to a loopback of IPv6":   {body: calls(`{"name":"echo"}`), change: at("::1", "[::1]:7420")},
	"without a client's name": {body: calls(`{"name":"echo","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}`), version: newest, method: "tools/call", name: "echo"},
}

// left are requests that the library sees to, right or wrong.
var left = map[string]request{
	"another method":           {body: `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`},
	"a greeting":               {body: `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`},
	"an unknown tool":          {body: calls(`{"name":"none"}`)},
	"no tool":                  {body: calls(`{}`)},
	"a name of another type":   {body: calls(`{"name":7}`)},
	"no params":                {body: `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`},
	"params of null":           {body: calls(`null`)},
	"params of a list":         {body: calls(`["echo"]`)},
	"more params":              {body: calls(`{"name":"echo","requestState":"s"}`)},
	"other letters":            {body: `{"jsonrpc":"2.0","id":1,"Method":"tools/call","params":{"name":"echo"}}`},
	"other letters in params":  {body: calls(`{"Name":"echo"}`)},
	"more fields":              {body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"},"more":1}`},
	"no version of JSON-RPC":   {body: `{"id":1,"method":"tools/call","params":{"name":"echo"},"x":1}`},
	"a notification":           {body: `{"jsonrpc":"2.0","method":"tools/call","params":{"name":"echo"}}`},
	"an id of null":            {body: `{"jsonrpc":"2.0","id":null,"method":"tools/call","params":{"name":"echo"}}`},
	"an id with a fraction":    {body: `{"jsonrpc":"2.0","id":1.5,"method":"tools/call","params":{"name":"echo"}}`},
	"an id of thousands":       {body: `{"jsonrpc":"2.0","id":1e3,"method":"tools/call","params":{"name":"echo"}}`},
	"a long id":                {body: `{"jsonrpc":"2.0","id":99999999999999999999,"method":"tools/call","params":{"name":"echo"}}`},
	"an id with an escape":     {body: `{"jsonrpc":"2.0","id":"\u0041","method":"tools/call","params":{"name":"echo"}}`},
	"an id of an object":       {body: `{"jsonrpc":"2.0","id":{},"method":"tools/call","params":{"name":"echo"}}`},
	"a batch":                  {body: `[` + calls(`{"name":"echo"}`) + `]`},
	"half a message":           {body: calls(`{"name":"echo"}`)[:40]},
	"two messages":             {body: calls(`{"name":"echo"}`) + calls(`{"name":"echo"}`)},
	"nothing":                  {body: ""},
	"no UTF-8":                 {body: calls("{\"name\":\"echo\",\"arguments\":{\"a\":\"\xff\"}}")},
	"depth":                    {body: calls(`{"name":"echo","arguments":{"a":` + strings.Repeat("[", 1100) + strings.Repeat("]", 1100) + `}}`)},
	"too long":                 {body: calls(`{"name":"echo","arguments":{"a":"` + strings.Repeat("x", most) + `"}}`)},
	"an unknown version":       {body: calls(`{"name":"echo"}`), version: "1999-01-01"},
	"a version to come":        {body: calls(`{"name":"echo"}`), version: "2027-01-01"},
	"two versions":             {body: calls(`{"name":"echo"}`), version: "2025-06-18", change: func(r *http.Request) { r.Header.Add("Mcp-Protocol-Version", newest) }},
	"meta of a newer version":  {body: calls(`{"name":"echo","_meta":` + carrying + `}`), version: "2025-06-18"},
	"meta without a header":    {body: calls(`{"name":"echo","_meta":` + carrying + `}`)},
	"meta of a number":         {body: calls(`{"name":"echo","_meta":5}`)},
	"newest without meta":      {body: calls(`{"name":"echo"}`), version: newest, method: "tools/call", name: "echo"},
	"newest without a method":  {body: calls(`{"name":"echo","_meta":` + carrying + `}`), version: newest, name: "echo"},
	"newest without a name":    {body: calls(`{"name":"echo","_meta":` + carrying + `}`), version: newest, method: "tools/call"},
	"another name in a header": {body: calls(`{"name":"echo","_meta":` + carrying + `}`), version: newest, method: "tools/call", name: "silent"},
	"no capabilities":          {body: calls(`{"name":"echo","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}`), version: newest, method: "tools/call", name: "echo"},
	"capabilities of null":     {body: calls(`{"name":"echo","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":null}}`), version: newest, method: "tools/call", name: "echo"},
	"capabilities of a number": {body: calls(`{"name":"echo","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"roots":7}}}`), version: newest, method: "tools/call", name: "echo"},
	"a client's name of null":  {body: calls(`{"name":"echo","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":null}}`), version: newest, method: "tools/call", name: "echo"},
	"another type":             {body: calls(`{"name":"echo"}`), change: func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") }},
	"accepts no stream":        {body: calls(`{"name":"echo"}`), change: func(r *http.Request) { r.Header.Set("Accept", "application/json") }},
	"accepts all":              {body: calls(`{"name":"echo"}`), change: func(r *http.Request) { r.Header.Set("Accept", "*/*") }},
	"resumes":                  {body: calls(`{"name":"echo"}`), change: func(r *http.Request) { r.Header.Set("Last-Event-ID", "1") }},
	"gets":                     {change: func(r *http.Request) { r.Method = http.MethodGet }},
	"rebound":                  {body: calls(`{"name":"echo"}`), change: at("127.0.0.1", "evil.example")},
	"in pieces":                {body: calls(`{"name":"echo"}`), change: func(r *http.Request) { r.ContentLength = -1 }},
	"cut short":                {body: calls(`{"name":"echo"}`)[:30], change: func(r *http.Request) { r.ContentLength = 60; r.Body = io.NopCloser(r.Body) }},
}

func at(local, host string) func(*http.Request) {
	return func(r *http.Request) {
		*r = *r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, net.Addr(&net.TCPAddr{IP: net.ParseIP(local), Port: 7420})))
		r.Host = host
	}
}

// S4.17, SPEC §14: a call in its usual form has the library's answer without the library,
// to the byte, and whatever else is sent is left to the library.
func TestSameAsTheLibrary(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for want, list := range map[bool]map[string]request{true: straight, false: left} {
		for name, q := range list {
			t.Run(name, func(t *testing.T) {
				if got := b.same(t, q); got != want {
					t.Errorf("answered directly: %v, want %v", got, want)
				}
			})
		}
	}
}

// A call of a client that left goes on, since such clients ask again, but for one of the
// newest protocol, whose leaving is how it cancels.
func TestClientThatLeft(t *testing.T) {
	t.Parallel()
	tools, err := direct.New(&mcp.Implementation{Name: "test", Version: "1"}, most)
	if err != nil {
		t.Fatal(err)
	}
	var left error
	tools.Add("echo", func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		left = ctx.Err()
		return &mcp.CallToolResult{}, nil
	})
	for name, want := range map[string]error{"an old version": nil, "the newest version": context.Canceled} {
		r := straight[name].made()
		ctx, cancel := context.WithCancel(r.Context())
		cancel()
		tools.Serve(httptest.NewRecorder(), r.WithContext(ctx), http.NotFoundHandler())
		if !errors.Is(left, want) {
			t.Errorf("%s: %v, want %v", name, left, want)
		}
		left = errors.New("not called")
	}
}

// What strangers send has the library's answer, whoever gives it.
func FuzzSameAsTheLibrary(f *testing.F) {
	for _, list := range []map[string]request{straight, left} {
		for _, q := range list {
			f.Add(q.body, q.version, q.method, q.name)
		}
	}
	b := newBench(f)
	f.Fuzz(func(t *testing.T, body, version, method, name string) {
		for _, value := range []string{version, method, name} {
			if strings.ContainsFunc(value, func(c rune) bool { return c < ' ' || c > '~' }) {
				t.Skip("no header can hold it")
			}
		}
		if listens(body) {
			t.Skip("the library waits for as long as the client")
		}
		b.same(t, request{body: body, version: version, method: method, name: cmp.Or(name, "echo")})
	})
}

// listens reports a message, or one of a batch, that is answered when its client leaves.
func listens(body string) bool {
	type message struct{ Method string }
	var one message
	var all []message
	// The library reads the first value alone. What is neither is answered at once.
	_, _ = json.NewDecoder(strings.NewReader(body)).Decode(&one), json.NewDecoder(strings.NewReader(body)).Decode(&all)
	return slices.ContainsFunc(append(all, one), func(m message) bool { return m.Method == "subscriptions/listen" })
}
