package api_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// S4.33b: what the seed writes of a memory can be read by who has its id alone: its own
// fields where the memory is read, its session and what it was consolidated from with why.
// project_id is part of the scope, and the embedding is no caller's concern.
func TestFieldsOfTheSeed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ids := b.remember(acme, memory.Memory{
		Title: "Flush before the swap", Description: "When an index is exchanged.", Text: "The exporter flushes before the swap of an index.",
		Outcome: "success", Tags: []string{"search"}, Confidence: 0.8, Kind: memory.KindStrategy, Scope: "project:shop",
	}, memory.Memory{Text: "The exporter flushes.", Scope: "project:shop"})
	_, err := b.store.Commit(t.Context(), acme, change.Set{
		Evidence: []memory.Evidence{{ID: "evi_seed", Tenant: acme, Subject: ids[0], Principal: "agent", SessionID: "run-7", Origin: memory.OriginAgent}},
		Links:    []memory.Link{{Tenant: acme, From: ids[0], Kind: memory.LinkConsolidates, To: ids[1]}},
	}, store.InboxKey{})
	if err != nil {
		t.Fatal(err)
	}
	var read struct {
		ID, Title, Description, Content, Outcome, Scope, State string
		Tags                                                   []string
		Confidence                                             float64
		UsageCount                                             *int `json:"usage_count"`
	}
	var why struct {
		Story struct {
			Evidence []struct {
				Session string `json:"session_id"`
			}
			Links []struct{ From, Kind, To string }
		}
	}
	for path, into := range map[string]any{"/api/memories/" + ids[0]: &read, "/api/why/" + ids[0]: &why} {
		status, text, _ := b.send(http.MethodGet, path, acmeKey, "")
		if err := json.Unmarshal([]byte(text), into); err != nil || status != http.StatusOK {
			t.Fatalf("%s: %d, %v: %s", path, status, err, text)
		}
	}
	if read.ID != ids[0] || read.Title != "Flush before the swap" || read.Description != "When an index is exchanged." ||
		read.Content != "The exporter flushes before the swap of an index." || read.Outcome != "success" || read.Scope != "project:shop" ||
		read.State != "active" || read.Confidence != 0.8 || read.UsageCount == nil || !slices.Equal(read.Tags, []string{"search"}) {
		t.Errorf("read: %+v", read)
	}
	if s := why.Story; len(s.Evidence) != 1 || s.Evidence[0].Session != "run-7" || len(s.Links) != 1 || s.Links[0].From != ids[0] || s.Links[0].Kind != "consolidates" || s.Links[0].To != ids[1] {
		t.Errorf("why: %+v", why.Story)
	}
}
