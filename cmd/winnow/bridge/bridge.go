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

// Methods that the bridge looks at. All others pass unread.
const (
	methodInitialize = "initialize"
	methodCancelled  = "notifications/cancelled"
)

// codeAway is the JSON-RPC error of a request that could not be passed on; the
// specification leaves -32000 to -32099 to servers.
const codeAway = -32001

// atOnce bounds the requests on their way.
const atOnce = 16

// Bridge passes messages on. Its fields are not changed once it runs.
type Bridge struct {
	// Find is where Winnow is now, as http://host:port; it is asked before each
	// message. Its error is told to the agent.
	Find func() (string, error)
	// Key is the API key to send, empty for none.
	Key string

	door door
}

// Run passes messages on until the agent has closed its end and has its answers,
// or ctx ends. An error means that the agent cannot be read any more.
func (b *Bridge) Run(ctx context.Context, local mcp.Transport) error {
	agent, err := local.Connect(ctx)
	if err != nil {
		return fmt.Errorf("mcp: %w", err)
	}
	b.door.key = b.Key
	l := &line{Bridge: b, agent: agent, way: make(chan struct{}, atOnce), open: map[any]context.CancelFunc{}}
	defer l.passing.Wait()
	for {
		msg, err := agent.Read(ctx)
		switch {
		case errors.Is(err, io.EOF), ctx.Err() != nil:
			return nil
		case err != nil:
			return fmt.Errorf("mcp: read the agent's message: %w", err)
		}
		l.take(ctx, msg)
	}
}

// line is one agent at the bridge.
type line struct {
	*Bridge
	agent   mcp.Connection
	passing sync.WaitGroup
	way     chan struct{}

	mu   sync.Mutex
	open map[any]context.CancelFunc // requests on their way, by their id
}

// take passes a message on beside the others. What the agent does not wait for
// any more is given up.
func (l *line) take(ctx context.Context, msg jsonrpc.Message) {
	r, ok := msg.(*jsonrpc.Request)
	if !ok {
		return // Winnow asks nothing, so this answers nothing
	}
	if r.Method == methodCancelled {
		l.cancel(r)
		return
	}
	select {
	case l.way <- struct{}{}:
	case <-ctx.Done():
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	if r.IsCall() {
		l.mu.Lock()
		l.open[r.ID.Raw()] = cancel
		l.mu.Unlock()
	}
	l.passing.Go(func() {
		defer func() { cancel(); <-l.way }()
		err := l.pass(ctx, r)
		if r.IsCall() {
			l.mu.Lock()
			delete(l.open, r.ID.Raw())
			l.mu.Unlock()
			if err != nil && ctx.Err() == nil {
				_ = l.agent.Write(ctx, &jsonrpc.Response{ID: r.ID, Error: fault(err)}) // an agent that has gone waits for nothing
			}
		}
	})
}

// cancel gives up the request that a notification names.
func (l *line) cancel(r *jsonrpc.Request) {
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
	l.mu.Lock()
	defer l.mu.Unlock()
	if cancel := l.open[id.Raw()]; cancel != nil {
		cancel()
	}
}

// pass sends a message to Winnow, and all that comes back to the agent until its
// answer did.
func (l *line) pass(ctx context.Context, r *jsonrpc.Request) error {
	url, err := l.Find()
	if err != nil {
		return err
	}
	transport := &mcp.StreamableClientTransport{
		Endpoint: strings.TrimSuffix(url, "/") + "/mcp", HTTPClient: &http.Client{Transport: &l.door},
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
			l.door.agreed(msg)
		}
		if err := l.agent.Write(ctx, msg); err != nil {
			return err
		}
		if answer, ok := msg.(*jsonrpc.Response); ok && answer.ID == r.ID {
			return nil
		}
	}
	return nil
}

// fault is an error as the agent hears it: what Winnow said itself, else what to
// do.
func fault(err error) *jsonrpc.Error {
	var said *jsonrpc.Error
	switch {
	case errors.Is(err, errKey):
		return &jsonrpc.Error{Code: codeAway, Message: "Winnow does not know this API key: set WINNOW_API_KEY where this server is started"}
	case errors.Is(err, errAway):
		return &jsonrpc.Error{Code: codeAway, Message: "Winnow does not answer: start it with winnow dev"}
	case errors.As(err, &said):
		return said
	}
	return &jsonrpc.Error{Code: codeAway, Message: strings.ReplaceAll(err.Error(), "\n", "; ")}
}
