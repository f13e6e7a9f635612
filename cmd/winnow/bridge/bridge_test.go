package bridge_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/winnowhq/winnow/cmd/winnow/bridge"
)

// far is an HTTP server that can stop and start again at another address.
type far struct {
	*testing.T
	key      string
	running  *http.Server
	url      atomic.Value // string
	versions sync.Map     // protocol versions that requests named
	began    chan struct{}
	ended    chan struct{}
}

func (f *far) start() {
	f.Helper()
	s := mcp.NewServer(&mcp.Implementation{Name: "far", Version: "1"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "echo"}, func(_ context.Context, _ *mcp.CallToolRequest, in struct {
		Text string `json:"text"`
	}) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: in.Text}}}, nil, nil
	})
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, &mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		f.Fatal(err)
	}
	f.running = &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.versions.Store(r.Header.Get("Mcp-Protocol-Version"), true)
		switch {
		case r.Header.Get("Authorization") != f.key:
			w.WriteHeader(http.StatusUnauthorized)
		case r.Header.Get("Mcp-Name") == "hang":
			_, _ = io.Copy(io.Discard, r.Body) // the server notices a closed client only after reading the body
			close(f.began)
			<-r.Context().Done()
			close(f.ended)
		default:
			handler.ServeHTTP(w, r)
		}
	})}
	go func() { _ = f.running.Serve(listener) }()
	f.url.Store("http://" + listener.Addr().String())
}

func (f *far) stop() { _ = f.running.Close() }

// agent starts a bridge and a client connected to it.
func (f *far) agent(key string) (*mcp.ClientSession, error) {
	f.Helper()
	b := &bridge.Bridge{Key: key, Find: func() (string, error) {
		if url, _ := f.url.Load().(string); url != "" {
			return url, nil
		}
		return "", errors.New("no Winnow is running here:\nstart it with winnow dev")
	}}
	near, end := mcp.NewInMemoryTransports()
	ended := make(chan error, 1)
	ctx, cancel := context.WithCancel(context.Background())
	go func() { ended <- b.Run(ctx, end) }()
	f.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			f.Errorf("bridge: %v", err)
		}
	})
	return mcp.NewClient(&mcp.Implementation{Name: "near", Version: "1"}, nil).Connect(f.Context(), near, nil)
}

func echo(t *testing.T, s *mcp.ClientSession, text string) error {
	t.Helper()
	r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "echo", Arguments: map[string]any{"text": text}})
	if err == nil && (len(r.Content) != 1 || r.Content[0].(*mcp.TextContent).Text != text) {
		t.Errorf("echo of %q: %+v", text, r)
	}
	return err
}

// An unavailable server is an error of each request. A server that is available
// again is found, at another address too.
func TestRestart(t *testing.T) {
	t.Parallel()
	f := &far{T: t}
	f.start()
	s, err := f.agent("")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := echo(t, s, "one"); err != nil {
			t.Fatal(err)
		}
		f.stop()
		var fault *jsonrpc.Error
		if err := echo(t, s, "away"); !errors.As(err, &fault) || !strings.Contains(fault.Message, "start it with winnow dev") {
			t.Errorf("away: %v", err)
		}
		f.start()
	}
	if err := echo(t, s, "back"); err != nil {
		t.Error(err)
	}
	var working sync.WaitGroup
	for range 40 { // more than atOnce
		working.Go(func() {
			if err := echo(t, s, "at once"); err != nil {
				t.Error(err)
			}
		})
	}
	working.Wait()
	// After the handshake every request names the protocol version, as over
	// HTTP.
	if n := s.InitializeResult().ProtocolVersion; n == "" {
		t.Error("no revision")
	} else if _, ok := f.versions.Load(n); !ok {
		t.Errorf("no request named %s", n)
	}
}

// A server that is unavailable at the start is an error answer; the bridge
// neither blocks nor exits.
func TestDownAtTheStart(t *testing.T) {
	t.Parallel()
	f := &far{T: t}
	var fault *jsonrpc.Error
	if _, err := f.agent(""); !errors.As(err, &fault) || !strings.Contains(fault.Message, "start it with winnow dev") || strings.Contains(fault.Message, "\n") {
		t.Errorf("down: %v", err)
	}
	f.start()
	f.key = "Bearer right"
	if _, err := f.agent("wrong"); !errors.As(err, &fault) || !strings.Contains(fault.Message, "WINNOW_API_KEY") {
		t.Errorf("another key: %v", err)
	}
	s, err := f.agent("right")
	if err != nil {
		t.Fatal(err)
	}
	if err := echo(t, s, "in"); err != nil {
		t.Error(err)
	}
	if _, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "nothing"}); !errors.As(err, &fault) || fault.Code != jsonrpc.CodeInvalidParams {
		t.Errorf("what the server says itself: %v", err)
	}
}

// A request that the agent cancels is cancelled at the server.
func TestCancel(t *testing.T) {
	t.Parallel()
	f := &far{T: t, began: make(chan struct{}), ended: make(chan struct{})}
	f.start()
	s, err := f.agent("")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error, 1)
	go func() {
		_, err := s.CallTool(ctx, &mcp.CallToolParams{Name: "hang"})
		failed <- err
	}()
	<-f.began
	cancel()
	<-f.ended
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if err := echo(t, s, "on"); err != nil {
		t.Error(err)
	}
}
