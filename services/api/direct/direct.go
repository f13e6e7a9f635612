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
	"sync"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/winnowhq/winnow/services/api/plain"
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

	stated known
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
	if !utf8.Valid(body) || !shallow(body) || !json.Valid(body) {
		return nil
	}
	var version, named, params, meta []byte
	c := &call{}
	usual := plain.Object(body, func(name, value []byte) bool {
		switch string(name) {
		case "jsonrpc":
			version = value
		case "id":
			c.id = value
		case "method":
			named = value
		case "params":
			params = value
		default:
			return false
		}
		return true
	})
	if !usual || string(version) != `"2.0"` || string(named) != `"`+method+`"` || !identifies(c.id) {
		return nil
	}
	usual = plain.Object(params, func(name, value []byte) (ok bool) {
		switch string(name) {
		case "name":
			c.params.Name, ok = plain.Text(value)
			return ok
		case "arguments":
			c.params.Arguments = value
		case "_meta":
			meta = value
		default:
			return false
		}
		return true
	})
	c.run = t.call[c.params.Name]
	if !usual || c.run == nil || !c.agrees(h, t.stated.of(meta)) {
		return nil
	}
	return c
}

// agrees reports whether headers and meta say the same of the protocol, in a version that is
// answered here.
func (c *call) agrees(h http.Header, meta *stated) bool {
	if meta == nil {
		return false
	}
	switch version := h.Values("Mcp-Protocol-Version"); {
	case len(version) == 0:
		return meta.version == ""
	case len(version) > 1:
		return false
	case slices.Contains(earlier, version[0]):
		return meta.version == ""
	case version[0] != carriesState || meta.version != `"`+carriesState+`"`:
		return false
	}
	c.state = true
	return meta.fits && one(h, "Mcp-Method") == method && one(h, "Mcp-Name") == c.params.Name
}

// stated is what a request carries of its client.
type stated struct {
	version string // in JSON; empty where it carries none
	fits    bool   // the rest is of the right types
}

// A client sends the same with each of its requests, and reading it is most of what reading a
// request costs. mostStated of them are remembered, each of longestStated bytes at most.
const (
	mostStated    = 64
	longestStated = 1 << 10
)

// known remembers what was read of clients. The zero value is ready.
type known struct {
	mu   sync.Mutex
	read map[string]*stated
}

// of returns what a request carries, nil for what is no object.
func (k *known) of(meta []byte) *stated {
	k.mu.Lock()
	s := k.read[string(meta)]
	k.mu.Unlock()
	if s != nil {
		return s
	}
	s = statedIn(meta)
	if s == nil || len(meta) > longestStated {
		return s
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.read) >= mostStated || k.read == nil {
		k.read = map[string]*stated{}
	}
	k.read[string(meta)] = s
	return s
}

func statedIn(meta []byte) *stated {
	var all map[string]json.RawMessage
	if len(meta) > 0 && json.Unmarshal(meta, &all) != nil {
		return nil
	}
	client := all[mcp.MetaKeyClientInfo]
	return &stated{
		version: string(all[mcp.MetaKeyProtocolVersion]),
		fits:    is[mcp.ClientCapabilities](all[mcp.MetaKeyClientCapabilities]) && (client == nil || is[mcp.Implementation](client)),
	}
}

// is reports whether a value is an object of this type.
func is[T any](value json.RawMessage) bool {
	var into T
	return len(value) > 0 && value[0] == '{' && json.Unmarshal(value, &into) == nil
}

// identifies reports an id that is written back as it came: a whole number, or a string without
// escapes.
func identifies(id json.RawMessage) bool {
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

// buffers are for the messages of answers, which are some 6 kB.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// longestKept is the capacity of the largest buffer that is used again, in bytes.
const longestKept = 1 << 16

// answer runs the call and writes its answer.
func (c *call) answer(w http.ResponseWriter, r *http.Request, meta json.RawMessage) {
	ctx := r.Context()
	if !c.state { // such clients come back for an answer, and the call goes on without them
		ctx = context.WithoutCancel(ctx)
	}
	message := buffers.Get().(*bytes.Buffer)
	defer func() {
		if message.Cap() <= longestKept {
			message.Reset()
			buffers.Put(message)
		}
	}()
	said, err := c.result(ctx, meta)
	if err == nil {
		err = c.write(message, "result", said)
	}
	if err != nil {
		_ = c.write(message, "error", fault{Message: err.Error()}) // strings cannot fail
	}
	w.Header().Set("Cache-Control", "no-cache, no-transform")
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(message.Len()))
	_, _ = w.Write(message.Bytes()) // a client that left needs no answer
}

// write makes message the one that says what, a value as JSON.
func (c *call) write(message *bytes.Buffer, what string, value any) error {
	message.Reset()
	message.WriteString(`{"jsonrpc":"2.0","id":`)
	message.Write(c.id)
	message.WriteString(`,"` + what + `":`)
	if err := json.NewEncoder(message).Encode(value); err != nil {
		return err
	}
	message.Truncate(message.Len() - 1) // the encoder ends a line
	message.WriteByte('}')
	return nil
}

// result runs the call and returns its result, in the library's order.
func (c *call) result(ctx context.Context, meta json.RawMessage) (result, error) {
	var out result
	said, err := c.run(ctx, method, &mcp.CallToolRequest{Params: &c.params})
	if err != nil {
		return out, err
	}
	called, ok := said.(*mcp.CallToolResult)
	if !ok {
		return out, fmt.Errorf("%T is no result of a tool", said)
	}
	out = result{Content: make([]text, len(called.Content)), Structured: called.StructuredContent, IsError: called.IsError}
	for i := range called.Content {
		t, ok := called.Content[i].(*mcp.TextContent)
		if !ok {
			return out, fmt.Errorf("%T is no text", called.Content[i])
		}
		out.Content[i] = text{"text", t.Text}
	}
	if c.state {
		out.Meta, out.Type = meta, "complete"
	}
	return out, nil
}
