package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Methods that the bridge interprets. All other messages pass unread.
const (
	methodInitialize = "initialize"
	methodCall       = "tools/call"
	methodCancelled  = "notifications/cancelled"
)

// codeAway is the JSON-RPC error of a request that could not be forwarded; the
// specification reserves -32000 to -32099 for servers.
const codeAway = -32001

// atOnce bounds the concurrent requests.
const atOnce = 16

// Bridge forwards messages. Its fields do not change while it runs.
type Bridge struct {
	// Find returns Winnow's current address, as http://host:port. The bridge
	// calls Find before each message and returns its error to the agent.
	Find func() (string, error)
	// Key is the API key of each request; empty for none.
	Key string
	// Toolsets names the tools that the agent gets: core, all, or empty for the usual
	// ones of the server.
	Toolsets string
	// Catalogue answers an agent's greeting and lists tools while no Winnow runs, so
	// that the agent starts with its tools; nil for an error instead.
	Catalogue http.Handler
	// Here is filled into calls of tools that leave it out.
	Here Here

	transport transport
}

// Run forwards messages until the agent has closed its input and has all
// answers, or ctx ends. An error means that the agent's messages cannot be read.
func (b *Bridge) Run(ctx context.Context, local mcp.Transport) error {
	agent, err := local.Connect(ctx)
	if err != nil {
		return fmt.Errorf("mcp: %w", err)
	}
	b.transport.key, b.transport.toolsets = b.Key, b.Toolsets
	c := &connection{Bridge: b, agent: agent, way: make(chan struct{}, atOnce), open: map[any]context.CancelFunc{}}
	defer c.passing.Wait()
	for {
		msg, err := agent.Read(ctx)
		switch {
		case errors.Is(err, io.EOF), ctx.Err() != nil:
			return nil
		case err != nil:
			return fmt.Errorf("mcp: read the agent's message: %w", err)
		}
		c.forward(ctx, msg)
	}
}

// connection is the bridge's connection to one agent.
type connection struct {
	*Bridge
	agent   mcp.Connection
	passing sync.WaitGroup
	way     chan struct{}

	mu   sync.Mutex
	open map[any]context.CancelFunc // open requests by id
}

// forward forwards a message concurrently with the others. A request that the
// agent cancels is cancelled.
func (c *connection) forward(ctx context.Context, msg jsonrpc.Message) {
	r, ok := msg.(*jsonrpc.Request)
	if !ok {
		return // Winnow sends no requests, so a response has no request
	}
	if r.Method == methodCancelled {
		c.cancel(r)
		return
	}
	select {
	case c.way <- struct{}{}:
	case <-ctx.Done():
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	if r.IsCall() {
		c.mu.Lock()
		c.open[r.ID.Raw()] = cancel
		c.mu.Unlock()
	}
	c.passing.Go(func() {
		defer func() { cancel(); <-c.way }()
		err := c.pass(ctx, r)
		if errors.Is(err, errAway) && c.Catalogue != nil && catalogued[r.Method] {
			err = c.exchange(ctx, r, "http://localhost", handlerTransport{c.Catalogue, c.Toolsets})
		}
		if r.IsCall() {
			c.mu.Lock()
			delete(c.open, r.ID.Raw())
			c.mu.Unlock()
			if err != nil && ctx.Err() == nil {
				_ = c.agent.Write(ctx, &jsonrpc.Response{ID: r.ID, Error: fault(err)}) // a closed agent needs no answer
			}
		}
	})
}

// cancel cancels the request that a notification names.
func (c *connection) cancel(r *jsonrpc.Request) {
	var params struct {
		RequestID any `json:"requestId"`
	}
	if json.Unmarshal(r.Params, &params) != nil {
		return
	}
	id, err := jsonrpc.MakeID(params.RequestID)
	if err != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if cancel := c.open[id.Raw()]; cancel != nil {
		cancel()
	}
}

// pass sends a message to Winnow with what the agent left out.
func (c *connection) pass(ctx context.Context, r *jsonrpc.Request) error {
	url, err := c.Find()
	if err != nil {
		return &noneError{err}
	}
	return c.exchange(ctx, c.Here.filled(r), url, &c.transport)
}

// exchange sends a message by way of a transport, and forwards every message to the
// agent until the response.
func (c *connection) exchange(ctx context.Context, r *jsonrpc.Request, url string, by http.RoundTripper) error {
	transport := &mcp.StreamableClientTransport{
		Endpoint: strings.TrimSuffix(url, "/") + "/mcp", HTTPClient: &http.Client{Transport: by},
		MaxRetries: -1, DisableStandaloneSSE: true,
	}
	winnow, err := transport.Connect(ctx)
	if err != nil {
		return err
	}
	defer winnow.Close()
	if err := winnow.Write(ctx, r); err != nil {
		return err
	}
	for r.IsCall() {
		msg, err := winnow.Read(ctx)
		if err != nil {
			return err
		}
		if r.Method == methodInitialize {
			c.transport.agreed(msg)
		}
		if err := c.agent.Write(ctx, msg); err != nil {
			return err
		}
		if answer, ok := msg.(*jsonrpc.Response); ok && answer.ID == r.ID {
			return nil
		}
	}
	return nil
}

// fault returns an error for the agent: Winnow's own error, else one with the
// remedy.
func fault(err error) *jsonrpc.Error {
	var said *jsonrpc.Error
	var none *noneError
	switch {
	case errors.As(err, &none):
		return &jsonrpc.Error{Code: codeAway, Message: strings.ReplaceAll(err.Error(), "\n", "; ")}
	case errors.Is(err, errKey):
		return &jsonrpc.Error{Code: codeAway, Message: "Winnow does not know this API key: set WINNOW_API_KEY where this server is started"}
	case errors.Is(err, errAway):
		return &jsonrpc.Error{Code: codeAway, Message: "Winnow does not answer: start it with winnow dev, and call again; nothing else has to be restarted"}
	case errors.As(err, &said):
		return said
	}
	return &jsonrpc.Error{Code: codeAway, Message: strings.ReplaceAll(err.Error(), "\n", "; ")}
}
