package bridge_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/winnowhq/winnow/cmd/winnow/bridge"
	"github.com/winnowhq/winnow/services/api"
)

// connected starts a bridge and a client connected to it.
func connected(t *testing.T, b *bridge.Bridge) *mcp.ClientSession {
	t.Helper()
	near, end := mcp.NewInMemoryTransports()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- b.Run(ctx, end) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("bridge: %v", err)
		}
	})
	s, err := mcp.NewClient(&mcp.Implementation{Name: "near", Version: "1"}, nil).Connect(t.Context(), near, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// While no Winnow runs an agent starts with the tools of the toolset, and a call says how
// to start Winnow.
func TestAlone(t *testing.T) {
	t.Parallel()
	catalogue, err := api.Catalogue()
	if err != nil {
		t.Fatal(err)
	}
	for toolsets, want := range map[string]int{"": 10, "all": 25} {
		s := connected(t, &bridge.Bridge{
			Toolsets: toolsets, Catalogue: catalogue,
			Find: func() (string, error) { return "", errors.New("no Winnow is running here: start it with winnow dev") },
		})
		if list, err := s.ListTools(t.Context(), nil); err != nil || len(list.Tools) != want {
			t.Errorf("%q: %+v, %v", toolsets, list, err)
		}
		if list, err := s.ListPrompts(t.Context(), nil); err != nil || len(list.Prompts) == 0 {
			t.Errorf("prompts: %+v, %v", list, err)
		}
		var fault *jsonrpc.Error
		if _, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "session_start"}); !errors.As(err, &fault) || !strings.Contains(fault.Message, "start it with winnow dev") {
			t.Errorf("a call: %v", err)
		}
	}
}

// The project and the session of the folder are filled in where the agent left them out,
// and only where the tool takes them.
func TestHere(t *testing.T) {
	t.Parallel()
	got := make(chan map[string]any, 1)
	s := mcp.NewServer(&mcp.Implementation{Name: "far", Version: "1"}, nil)
	for _, name := range []string{"memory_search", "memory_feedback", "memory_consolidate", "complete_workflow", "echo"} {
		s.AddTool(&mcp.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)}, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			arguments := map[string]any{}
			err := json.Unmarshal(r.Params.Arguments, &arguments)
			got <- arguments
			return &mcp.CallToolResult{Content: []mcp.Content{}}, err
		})
	}
	server := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, &mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true}))
	t.Cleanup(server.Close)
	agent := connected(t, &bridge.Bridge{Find: func() (string, error) { return server.URL, nil }, Here: bridge.Here{Project: "acme/api", Session: "mcp-1"}})
	for _, c := range []struct {
		tool        string
		given, want string
	}{
		{"memory_search", `{"query":"a"}`, `{"project":"acme/api","query":"a","session_id":"mcp-1"}`},
		{"memory_search", `{"query":"a","project":"shop","session_id":"mine"}`, `{"project":"shop","query":"a","session_id":"mine"}`},
		{"memory_search", `{"project":""}`, `{"project":"","session_id":"mcp-1"}`},
		{"memory_consolidate", `{"dry_run":true}`, `{"dry_run":true,"project_id":"acme/api","session_id":"mcp-1"}`},
		{"memory_feedback", `{"helpful":true}`, `{"helpful":true,"session_id":"mcp-1"}`},
		{"complete_workflow", `{}`, `{"project":"acme/api","session_id":"mcp-1"}`},
		{"complete_workflow", `{"workflow_id":"wf_1"}`, `{"session_id":"mcp-1","workflow_id":"wf_1"}`},
		{"echo", `{"text":"a"}`, `{"text":"a"}`},
	} {
		if _, err := agent.CallTool(t.Context(), &mcp.CallToolParams{Name: c.tool, Arguments: json.RawMessage(c.given)}); err != nil {
			t.Fatal(err)
		}
		if raw, _ := json.Marshal(<-got); string(raw) != c.want {
			t.Errorf("%s %s: %s, want %s", c.tool, c.given, raw, c.want)
		}
	}
}

// unfilled are the arguments that the bridge leaves to the agent on purpose.
var unfilled = map[string]string{
	"memory_get.project":           "it would hide what the agent was given an id of",
	"memory_feedback.project":      "likewise",
	"memory_outcome.project":       "likewise",
	"run_get.project":              "likewise",
	"consolidate_memories.project": "likewise",
	"review_list.project":          "a person decides for all projects",
}

// What the bridge knows of the tools is what the server lists: it fills in only what a
// tool takes, and leaves out nothing that it could fill in but for a reason.
func TestHereKnowsTheTools(t *testing.T) {
	t.Parallel()
	catalogue, err := api.Catalogue()
	if err != nil {
		t.Fatal(err)
	}
	list, err := connected(t, &bridge.Bridge{
		Toolsets: "all", Catalogue: catalogue, Find: func() (string, error) { return "", errors.New("none") },
	}).ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	got := make(chan map[string]any, 1)
	s := mcp.NewServer(&mcp.Implementation{Name: "far", Version: "1"}, nil)
	for _, tool := range list.Tools {
		s.AddTool(&mcp.Tool{Name: tool.Name, InputSchema: json.RawMessage(`{"type":"object"}`)}, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			arguments := map[string]any{}
			err := json.Unmarshal(r.Params.Arguments, &arguments)
			got <- arguments
			return &mcp.CallToolResult{Content: []mcp.Content{}}, err
		})
	}
	server := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, &mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true}))
	t.Cleanup(server.Close)
	agent := connected(t, &bridge.Bridge{Find: func() (string, error) { return server.URL, nil }, Here: bridge.Here{Project: "acme/api", Session: "mcp-1"}})
	known := 0
	for _, tool := range list.Tools {
		schema, _ := tool.InputSchema.(map[string]any)
		takes, _ := schema["properties"].(map[string]any)
		if _, err := agent.CallTool(t.Context(), &mcp.CallToolParams{Name: tool.Name, Arguments: map[string]any{}}); err != nil {
			t.Fatalf("%s: %v", tool.Name, err)
		}
		filled := <-got
		for name, value := range filled {
			if _, ok := takes[name]; !ok {
				t.Errorf("%s takes no %s, and the bridge fills in %v", tool.Name, name, value)
			}
		}
		for _, name := range []string{"project", "project_id", "session_id"} {
			_, could := takes[name]
			_, did := filled[name]
			if could && !did && unfilled[tool.Name+"."+name] == "" {
				t.Errorf("%s takes %s, and the bridge does not fill it in", tool.Name, name)
			}
			if did {
				known++
			}
		}
	}
	if len(list.Tools) < 20 || known < 20 {
		t.Errorf("%d tools, %d arguments filled in", len(list.Tools), known)
	}
}
