package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// S0.71 and S4.95, word for word, with a client over standard input and output and one
// over HTTP: start_workflow, two memories, get_active_workflow shows the tag,
// complete_workflow shows a summary, auto_consolidate with a low threshold clusters; then
// search, use, memory_outcome(succeeded) raises the confidence, a failure lowers it, and
// the next search has the other order.
func TestSeedsAgents(t *testing.T) {
	t.Parallel()
	for name, connect := range map[string]func(*testing.T) *mcp.ClientSession{"stdio": stdioAgent, "http": httpAgent} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, project := connect(t), "seeds-"+name
			var flow struct {
				Workflow struct {
					ID, Tag, Summary, Status string
					MemoryCount              int `json:"memory_count"`
				}
				Active   bool
				Memories []struct{ ID string }
			}
			call(t, s, "start_workflow", map[string]any{"project": project, "name": "Calm the gateway"}, &flow)
			tag := "workflow:" + flow.Workflow.ID
			first := record(t, s, map[string]any{
				"title": "Payment gateway overload", "description": "When the payment gateway is overloaded.", "outcome": "success", "project": project, "session_id": "one",
				"content": "An overloaded payment gateway answers 503: retry with `retry.sh` and wait while the gateway restarts.",
			})
			record(t, s, map[string]any{
				"title": "Payment gateway overload by day", "description": "When the payment gateway is overloaded by day.", "outcome": "success", "project": project, "session_id": "one",
				"content": "An overloaded payment gateway runs out of connections by noon: raise the gateway's pool in `pool.yaml`, then the gateway restarts.",
			})
			call(t, s, "get_active_workflow", map[string]any{"project": project}, &flow)
			if !flow.Active || flow.Workflow.Tag != tag || flow.Workflow.MemoryCount != 2 || len(flow.Memories) != 2 {
				t.Errorf("active: %+v", flow)
			}
			var got struct{ Memories []struct{ Tags []string } }
			call(t, s, "memory_get", map[string]any{"ids": []string{first}}, &got)
			if len(got.Memories) != 1 || !slices.Contains(got.Memories[0].Tags, tag) {
				t.Errorf("the memory has the tags %+v, want %s", got, tag)
			}
			call(t, s, "complete_workflow", map[string]any{"project": project}, &flow)
			if flow.Workflow.Status != "completed" || !strings.Contains(flow.Workflow.Summary, "2 memories.") || !strings.Contains(flow.Workflow.Summary, "retry.sh") {
				t.Errorf("completed: %+v", flow)
			}
			var run struct {
				Status    string
				Processed int `json:"total_processed"`
				Clusters  int `json:"clusters_found"`
				Report    []string
				Message   string
			}
			call(t, s, "auto_consolidate", map[string]any{"project_id": project, "memory_count_threshold": 1, "similarity_threshold": 0.6}, &run)
			if run.Status != "completed" || run.Processed != 2 || run.Clusters < 1 {
				t.Errorf("consolidated: %+v", run)
			}

			learns(t, s, project+"-learn")
		})
	}
}

// learns searches, says what came of the memory that was found, and searches again.
func learns(t *testing.T, s *mcp.ClientSession, project string) {
	t.Helper()
	for _, lesson := range []map[string]any{
		{"title": "Deploy freeze", "description": "Before a deploy of the ledger.", "content": "Stop the ledger with `ledgerctl freeze` before the deploy, and wait for 30 seconds."},
		{"title": "Deploy drain", "description": "Before a deploy of the ledger.", "content": "Empty the ledger's queue with `queuectl drain` before the deploy; it takes 4 minutes."},
	} {
		lesson["project"], lesson["outcome"], lesson["session_id"] = project, "success", "one"
		record(t, s, lesson)
	}
	var before, after struct {
		Memories []struct {
			ID         string
			Confidence float64
		}
	}
	query := map[string]any{"query": "before a deploy of the ledger", "project": project, "session_id": "two"}
	call(t, s, "memory_search", query, &before)
	if len(before.Memories) != 2 {
		t.Fatalf("found %+v", before)
	}
	top, other := before.Memories[0], before.Memories[1]
	var said struct {
		NewConfidence float64 `json:"new_confidence"`
	}
	call(t, s, "memory_outcome", map[string]any{"memory_id": other.ID, "succeeded": true, "session_id": "two"}, &said)
	if said.NewConfidence <= other.Confidence {
		t.Errorf("a success: %v, before %v", said.NewConfidence, other.Confidence)
	}
	raised := said.NewConfidence
	call(t, s, "memory_feedback", map[string]any{"memory_id": other.ID, "helpful": true, "session_id": "two"}, &said)
	if said.NewConfidence <= raised {
		t.Errorf("helpful: %v, before %v", said.NewConfidence, raised)
	}
	call(t, s, "memory_outcome", map[string]any{"memory_id": top.ID, "succeeded": false, "session_id": "two"}, &said)
	if said.NewConfidence >= top.Confidence {
		t.Errorf("a failure: %v, before %v", said.NewConfidence, top.Confidence)
	}
	call(t, s, "memory_feedback", map[string]any{"memory_id": top.ID, "helpful": false, "session_id": "two"}, &said)
	query["min_confidence"] = 0.0
	// An answer may be as old as 50 ms (ADR 12), so that the one after it counts.
	for range 200 {
		call(t, s, "memory_search", query, &after)
		if len(after.Memories) == 2 && after.Memories[0].ID == other.ID {
			break
		}
	}
	if len(after.Memories) != 2 || after.Memories[0].ID != other.ID || after.Memories[1].ID != top.ID {
		t.Errorf("order before %+v, after %+v", before, after)
	}
}

// httpAgent connects a client to the running Winnow without a program between.
func httpAgent(t *testing.T) *mcp.ClientSession {
	t.Helper()
	s, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: instance.HTTPURL + "/mcp?toolsets=all"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}
