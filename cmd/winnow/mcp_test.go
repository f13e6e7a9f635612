package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// S0.70: an agent that speaks over standard input and output records a lesson, finds it,
// and is told it at its next start: real processes from end to end.
func TestAgentOverStdio(t *testing.T) {
	t.Parallel()
	s := stdioAgent(t)
	tools, err := s.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"start_workflow", "complete_workflow", "pause_workflow", "resume_workflow", "get_active_workflow", "list_workflows", "get_workflow_context",
		"auto_consolidate", "force_consolidate", "consolidation_status",
	} {
		if !slices.ContainsFunc(tools.Tools, func(one *mcp.Tool) bool { return one.Name == name }) {
			t.Errorf("%s is not listed", name)
		}
	}
	recorded := record(t, s, map[string]any{
		"title": "Sharded vacuum", "description": "When autovacuum cannot follow the walrus table.", "outcome": "success",
		"content": "Run `vacuum_shards.sh` by night: with one `VACUUM` of the walrus table locks were held for 40 minutes.",
		"project": "stdio-agent", "session_id": "first",
	})
	var found struct{ Memories []struct{ ID string } }
	call(t, s, "memory_search", map[string]any{"query": "walrus vacuum", "project": "stdio-agent", "session_id": "second"}, &found)
	if len(found.Memories) != 1 || found.Memories[0].ID != recorded {
		t.Errorf("search: %+v", found)
	}
	var start struct {
		MemoryIDs []string `json:"memory_ids"`
	}
	call(t, s, "session_start", map[string]any{"project": "stdio-agent", "session_id": "third"}, &start)
	if !slices.Equal(start.MemoryIDs, []string{recorded}) {
		t.Errorf("start: %+v", start)
	}
	if r, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "winnow://memory/" + recorded}); err != nil || !strings.Contains(r.Contents[0].Text, "vacuum_shards.sh") {
		t.Errorf("resource: %+v, %v", r, err)
	}
}

// S4.33: what a service publishes teaches the agent that comes next: a trace from a
// file, its lesson found over MCP, one recorded beside it, and both told at the
// next start.
func TestPublishedSessionTeachesAgents(t *testing.T) {
	t.Parallel()
	trace := filepath.Join("..", "..", "services", "ops", "demo", "sessions", "integration.jsonl")
	out, err := exec.CommandContext(t.Context(), "winnow", "publish", trace, "--project", "taught", "--wait", "--json", "--state-dir", instance.Dir).Output()
	if err != nil || !bytes.Contains(out, []byte(`"promoted"`)) {
		t.Fatalf("publish: %v\n%s", err, out)
	}
	s := stdioAgent(t)
	var found struct {
		Memories []struct{ ID, Content, Kind string }
	}
	call(t, s, "memory_search", map[string]any{"query": "integration tests connection refused", "project": "taught", "session_id": "next"}, &found)
	if len(found.Memories) == 0 || found.Memories[0].Kind != "strategy" || !strings.Contains(found.Memories[0].Content, "docker compose up -d ledger-db") {
		t.Fatalf("search: %+v", found)
	}
	recorded := record(t, s, map[string]any{
		"title": "Ledger port", "description": "When tests cannot reach the ledger.", "outcome": "success",
		"content": "Set `LEDGER_PORT=5433` before `make integration`, because the compose file maps that port.", "project": "taught", "session_id": "next",
	})
	var start struct {
		MemoryIDs []string `json:"memory_ids"`
	}
	call(t, s, "session_start", map[string]any{"project": "taught", "session_id": "after"}, &start)
	for _, id := range []string{found.Memories[0].ID, recorded} {
		if !slices.Contains(start.MemoryIDs, id) {
			t.Errorf("start tells %v, not %s", start.MemoryIDs, id)
		}
	}
}

// stdioAgent starts winnow mcp as an agent does.
func stdioAgent(t *testing.T) *mcp.ClientSession {
	t.Helper()
	// The test's own context ends before its cleanup, and would kill the process
	// that the cleanup asks to end by itself.
	ctx := context.WithoutCancel(t.Context())
	cmd := exec.CommandContext(ctx, "winnow", "mcp", "--toolsets", "all", "--state-dir", instance.Dir)
	cmd.Stderr = os.Stderr
	s, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(ctx, &mcp.CommandTransport{Command: cmd, TerminateDuration: patience}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("winnow mcp ended: %v", err)
		}
	})
	return s
}

// record records a lesson and returns its memory. A fleet that is behind answers
// before it has decided; the same record again is the same one, and waits on.
func record(t *testing.T, s *mcp.ClientSession, lesson map[string]any) (id string) {
	t.Helper()
	var recorded struct{ ID, Status, Message string }
	for recorded.Status == "" || recorded.Status == "waiting" {
		call(t, s, "memory_record", lesson, &recorded)
	}
	if recorded.Status != "recorded" || !strings.HasPrefix(recorded.ID, "mem_") {
		t.Fatalf("record: %+v", recorded)
	}
	return recorded.ID
}

func call(t *testing.T, s *mcp.ClientSession, tool string, arguments map[string]any, into any) {
	t.Helper()
	r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil || r.IsError {
		t.Fatalf("%s: %+v, %v", tool, r, err)
	}
	raw, err := json.Marshal(r.StructuredContent)
	if err == nil {
		err = json.Unmarshal(raw, into)
	}
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
}

// Where no Winnow runs, the process lets an agent start and see its tools, answers a call
// with what to do, and writes nothing else.
func TestAgentWithoutWinnow(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), "winnow", "mcp", "--state-dir", t.TempDir())
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	for _, c := range []struct{ id, method, params, says string }{
		{"1", "initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`, `"name":"winnow"`},
		{`"two"`, "tools/list", `{}`, `"memory_search"`},
		{"3", "tools/call", `{"name":"memory_search","arguments":{"query":"deploys"}}`, "winnow dev"},
	} {
		if _, err := in.Write([]byte(`{"jsonrpc":"2.0","id":` + c.id + `,"method":"` + c.method + `","params":` + c.params + "}\n")); err != nil {
			t.Fatal(err)
		}
		if !lines.Scan() {
			t.Fatalf("%s: no answer", c.method)
		}
		var answer struct{ ID json.RawMessage }
		if err := json.Unmarshal(lines.Bytes(), &answer); err != nil || string(answer.ID) != c.id || !strings.Contains(lines.Text(), c.says) {
			t.Errorf("%s: no %q in %s, %v", c.method, c.says, lines.Text(), err)
		}
	}
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	if lines.Scan() {
		t.Errorf("more: %s", lines.Text())
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("ended with %v", err)
	}
}
