// Package direct answers a call of a tool without a session of the protocol's library.
//
// The library makes a session, a connection and three goroutines for each request, and takes
// 32 KiB of memory for each of the thirteen pieces of JSON that it decodes: together a fifth
// of what a search costs. A call of a tool in its usual form needs none of it. Whatever else
// a client sends, and what is wrong with a request, is left to the library: nothing is
// refused here.
package direct

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The method that is answered, and the first version of the protocol whose requests carry
// what they need to know of the client, and repeat in headers what they ask for.
const (
	method       = "tools/call"
	carriesState = "2026-07-28"
)

// earlier are the versions before.
var earlier = []string{"2025-03-26", "2025-06-18", "2025-11-25"}

// maxDepth is how deep a request may nest.
const maxDepth = 64

// Tools are tools that can be called directly. Their answers hold text and structured
// content.
type Tools struct {
	call map[string]mcp.MethodHandler
	meta json.RawMessage
	most int64
}

// New returns no tools yet. impl is the server as answers name it, most the longest body of
// a request in bytes.
func New(impl *mcp.Implementation, most int64) (*Tools, error) {
	meta, err := json.Marshal(map[string]any{mcp.MetaKeyServerInfo: impl})
	return &Tools{call: map[string]mcp.MethodHandler{}, meta: meta, most: most}, err
}

// Add adds a tool with what every call passes, the outermost first.
func (t *Tools) Add(name string, handler mcp.ToolHandler, passes ...mcp.Middleware) {
	call := func(ctx context.Context, _ string, r mcp.Request) (mcp.Result, error) {
		result, err := handler(ctx, r.(*mcp.CallToolRequest))
		if err != nil {
			return nil, err
		}
		return result, nil
	}
	for _, p := range slices.Backward(passes) {
		call = p(call)
	}
	t.call[name] = call
}

// Serve answers a call in its usual form, and has next answer every other request.
func (t *Tools) Serve(w http.ResponseWriter, r *http.Request, next http.Handler) {
	if !usual(r) || r.ContentLength <= 0 || r.ContentLength > t.most {
		next.ServeHTTP(w, r)
		return
	}
	body := make([]byte, r.ContentLength)
	n, err := io.ReadFull(r.Body, body)
	var c *call
	if err == nil {
		c = t.read(r.Header, body)
	}
	if c == nil {
		// What could be read, then what remains: the error is met again.
		r.Body = again{io.MultiReader(bytes.NewReader(body[:n]), r.Body), r.Body}
		next.ServeHTTP(w, r)
		return
	}
	c.answer(w, r, t.meta)
}

type again struct {
	io.Reader
	io.Closer
}

// usual reports whether the headers of a request are those of every client.
func usual(r *http.Request) bool {
	h := r.Header
	return r.Method == http.MethodPost && one(h, "Content-Type") == "application/json" &&
		one(h, "Accept") == "application/json, text/event-stream" && h.Get("Last-Event-Id") == "" && !rebound(r)
}

// one returns a header that was sent once.
func one(h http.Header, name string) string {
	if all := h.Values(name); len(all) == 1 {
		return all[0]
	}
	return ""
}

// rebound reports a request to this machine under the name of another, which a page can have
// a browser send.
func rebound(r *http.Request) bool {
	local, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	return local == nil || loopback(local.String()) && !loopback(r.Host)
}

func loopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		host = strings.Trim(address, "[]")
	}
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// call is a call in its usual form.
type call struct {
	run    mcp.MethodHandler
	id     json.RawMessage
	params mcp.CallToolParamsRaw
	state  bool // the request carries its state
}

// read returns the call that a body is, nil when the library must see to it. Names of fields
// are compared to the letter, as the library does and package json does not with a struct.
func (t *Tools) read(h http.Header, body []byte) *call {
	var message, params, meta map[string]json.RawMessage
	if !utf8.Valid(body) || !shallow(body) || json.Unmarshal(body, &message) != nil || len(message) != 4 ||
		string(message["jsonrpc"]) != `"2.0"` || string(message["method"]) != `"`+method+`"` || !plain(message["id"]) ||
		json.Unmarshal(message["params"], &params) != nil {
		return nil
	}
	c := &call{id: message["id"]}
	for name, value := range params {
		switch name {
		case "name":
			if json.Unmarshal(value, &c.params.Name) != nil {
				return nil
			}
		case "arguments":
			c.params.Arguments = value
		case "_meta":
			if json.Unmarshal(value, &meta) != nil {
				return nil
			}
		default:
			return nil
		}
	}
	c.run = t.call[c.params.Name]
	if c.run == nil || !c.agrees(h, meta) {
		return nil
	}
	return c
}

// agrees reports whether headers and meta say the same of the protocol, in a version that is
// answered here.
func (c *call) agrees(h http.Header, meta map[string]json.RawMessage) bool {
	carried := meta[mcp.MetaKeyProtocolVersion]
	switch version := h.Values("Mcp-Protocol-Version"); {
	case len(version) == 0:
		return carried == nil
	case len(version) > 1:
		return false
	case slices.Contains(earlier, version[0]):
		return carried == nil
	case version[0] != carriesState || string(carried) != `"`+carriesState+`"`:
		return false
	}
	c.state = true
	client := meta[mcp.MetaKeyClientInfo]
	return one(h, "Mcp-Method") == method && one(h, "Mcp-Name") == c.params.Name &&
		is[mcp.ClientCapabilities](meta[mcp.MetaKeyClientCapabilities]) && (client == nil || is[mcp.Implementation](client))
}

// is reports whether a value is an object of this type.
func is[T any](value json.RawMessage) bool {
	var into T
	return len(value) > 0 && value[0] == '{' && json.Unmarshal(value, &into) == nil
}

// plain reports an id that is written back as it came: a whole number, or a string without
// escapes.
func plain(id json.RawMessage) bool {
	if len(id) > 1 && id[0] == '"' {
		return !bytes.ContainsFunc(id, func(c rune) bool { return c < ' ' || c > '~' || c == '\\' })
	}
	n, err := strconv.ParseInt(string(id), 10, 52)
	return err == nil && strconv.FormatInt(n, 10) == string(id)
}

// shallow reports whether nothing nests deeply, counting brackets in strings too.
func shallow(body []byte) bool {
	return bytes.Count(body, []byte("{"))+bytes.Count(body, []byte("[")) <= maxDepth
}

// text is a part of an answer, as the library writes it.
type text struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// result is an answer, in the library's order.
type result struct {
	Meta       json.RawMessage `json:"_meta,omitempty"`
	Content    []text          `json:"content"`
	Structured any             `json:"structuredContent,omitempty"`
	IsError    bool            `json:"isError,omitempty"`
	Type       string          `json:"resultType,omitempty"`
}

// fault is an answer for a call that failed in the server.
type fault struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// answer runs the call and writes its answer.
func (c *call) answer(w http.ResponseWriter, r *http.Request, meta json.RawMessage) {
	ctx := r.Context()
	if !c.state { // such clients come back for an answer, and the call goes on without them
		ctx = context.WithoutCancel(ctx)
	}
	what := "result"
	written, err := c.result(ctx, meta)
	if err != nil {
		what = "error"
		written, _ = json.Marshal(fault{Message: err.Error()}) // strings cannot fail
	}
	message := slices.Concat([]byte(`{"jsonrpc":"2.0","id":`), c.id, []byte(`,"`+what+`":`), written, []byte("}"))
	w.Header().Set("Cache-Control", "no-cache, no-transform")
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(message)))
	_, _ = w.Write(message) // a client that left needs no answer
}

// result runs the call and returns its result as JSON.
func (c *call) result(ctx context.Context, meta json.RawMessage) ([]byte, error) {
	said, err := c.run(ctx, method, &mcp.CallToolRequest{Params: &c.params})
	if err != nil {
		return nil, err
	}
	called, ok := said.(*mcp.CallToolResult)
	if !ok {
		return nil, fmt.Errorf("%T is no result of a tool", said)
	}
	out := result{Content: make([]text, len(called.Content)), Structured: called.StructuredContent, IsError: called.IsError}
	for i := range called.Content {
		t, ok := called.Content[i].(*mcp.TextContent)
		if !ok {
			return nil, fmt.Errorf("%T is no text", called.Content[i])
		}
		out.Content[i] = text{"text", t.Text}
	}
	if c.state {
		out.Meta, out.Type = meta, "complete"
	}
	return json.Marshal(out)
}
