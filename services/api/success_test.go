package api_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// SPEC §10: every operation of the contract does what it is for, answers with the status
// and the schema that the contract gives, and has what was asked for in it. The order
// matters: what one operation makes, a later one reads.
func TestEveryOperation(t *testing.T) {
	t.Parallel()
	b := whole(t)
	b.works()
	p := b.party(acme, "bravo", "red")
	operations, schemas := b.contract()
	byID := map[string]operation{}
	for _, op := range operations {
		byID[op.ID] = op
	}
	id := func(kind string) string { return `"` + p.ids[kind] + `"` }
	for n, c := range []struct {
		operation string
		adjust    func(*request)
		shows     []string
	}{
		{"get-caller", nil, []string{`"principal":"` + p.name + `"`, `"tenant":"acme"`, `"memory:operate"`}},
		{"list-scopes", nil, []string{`"scope":"project:red-shop","above":["team:red","org:red-org"]`}},
		{"put-scope", nil, []string{`"above":["team:red","org:red-org"]`, `"memories":0`}},
		{"unlink-scope", nil, []string{p.mark + "-spare", `"above":[]`}},
		{"search-memories", nil, []string{id("memory"), "on port 8080"}},
		{"get-memory", nil, []string{id("memory"), "Deploy the " + p.mark}},
		{"get-memory-history", nil, []string{`"versions":[{"id":` + id("memory"), "Deploy the " + p.mark}},
		{"list-memories", nil, []string{id("memory"), id("second"), `"preview":"Deploy the ` + p.mark}},
		{"start-session", nil, []string{id("memory"), "Active Workflow"}},
		{"send-feedback", func(r *request) { r.body["helpful"] = true }, []string{`"success":true`, `"new_confidence":0.8`}},
		{"send-outcome", func(r *request) { r.body["succeeded"] = true }, []string{`"recorded":true`, `"new_confidence":0.8`}},
		{"create-proposal", nil, []string{`"event_id":"`, `"principal":"` + p.name + `"`, `"proposal_id":"prop_`, `"duplicate":false`}},
		{"create-session", nil, []string{`"scope":"project:red-shop"`, `"turns":2`, `"duplicate":false`}},
		{"why", func(r *request) { r.id = p.ids["proposal"] }, []string{id("proposal"), id("decision"), "needs_review"}},
		{"list-reviews", nil, []string{id("proposal"), p.mark}},
		{"list-digests", nil, []string{id("digest"), `"reviewer":"` + p.name + `"`}},
		{"get-digest", nil, []string{id("digest"), p.mark, `"replies":[]`}},
		{"reply-to-digest", func(r *request) { r.body["text"] = "1 yes" }, []string{`"applied":true`, `"refused":false`, `"dec_`}},
		{"create-consolidation", nil, []string{`"run_id":"run_`, `"dry_run":true`}},
		{"get-consolidation-status", nil, []string{id("run"), `"scope":"project:red-shop"`}},
		{"list-runs", nil, []string{id("run"), `"scope":"project:red-shop"`}},
		{"get-run", nil, []string{id("run"), p.mark, "5200"}},
		{"undo-run", nil, []string{id("run"), `"mem_`}},
		{"get-workflow", nil, []string{"Move " + p.mark, "of `" + p.mark + "` directly", `"memory_ids":["mem_`}},
		{"pause-workflow", nil, []string{id("workflow"), `"status":"paused"`}},
		{"resume-workflow", nil, []string{id("workflow"), `"status":"active"`}},
		{"complete-workflow", nil, []string{id("workflow"), `"status":"completed"`}},
		{"start-workflow", nil, []string{`"name":"`, "Move " + p.mark, `"status":"active"`}},
		{"list-workflows", nil, []string{id("workflow"), `"total":2`}},
		{"put-principal", nil, []string{`"id":` + id("spare"), `"highest":"agent"`}},
		{"list-principals", nil, []string{id("spare"), `"` + p.name + `"`}},
		{"create-key", nil, []string{`"key":"` + memory.PrefixSecret, `"state":"active"`, `"expires_at"`}},
		{"list-keys", nil, []string{id("key"), `"hint":"` + memory.PrefixSecret}},
		{"revoke-key", nil, []string{id("key")}},
		{"create-retired-term", nil, []string{`"added":1`}},
		{"list-retired-terms", nil, []string{id("term"), p.mark + "-tool"}},
		{"delete-retired-term", nil, []string{id("term")}},
		{"list-audit", func(r *request) { r.query = url.Values{"subject": {p.ids["proposal"]}} }, []string{id("proposal"), `"seq":`, `"principal":"` + p.name + `"`}},
		{"list-log", nil, []string{`"what":"search"`, `"what":"read"`, `"principal":"` + p.name + `"`, id("memory"), "walrus"}},
		{"verify-audit", nil, []string{`"broken_at":0`}},
	} {
		op, there := byID[c.operation]
		if !there {
			t.Fatalf("the contract has no %s", c.operation)
		}
		delete(byID, c.operation)
		r := requests[op.ID](&asked{party: p, of: p.ids, n: 2 * n})
		if c.adjust != nil {
			c.adjust(&r)
		}
		status, text, header := b.sent(p, op, r)
		answer, described := op.Responses[strconv.Itoa(status)]
		if !described || status >= http.StatusBadRequest || !strings.HasPrefix(header.Get("Content-Type"), "application/json") {
			t.Errorf("%s: %d %s", op.ID, status, text)
			continue
		}
		if err := fits(schemas, answer.Content["application/json"].Schema, text); err != nil {
			t.Errorf("%s: %v\n%s", op.ID, err, text)
		}
		for _, part := range c.shows {
			if !strings.Contains(text, part) {
				t.Errorf("%s: no %s in %s", op.ID, part, text)
			}
		}
	}
	if len(byID) > 0 {
		t.Errorf("operations without a successful request: %v", slices.Sorted(maps.Keys(byID)))
	}
	if status, text, _ := b.send(http.MethodGet, "/api/search?q="+p.mark+"+importer+stalled&project=red-shop&limit=20", p.key, ""); status != http.StatusOK || strings.Count(text, "it stalled at 800 rows/s") != 3 {
		t.Errorf("after the undo the three sources are not back: %d %s", status, text)
	}
}

// fits returns an error for an answer that its schema in the contract does not describe.
func fits(schemas map[string]map[string]any, schema map[string]any, text string) error {
	whole := maps.Clone(schema)
	whole["$defs"] = schemas
	raw, err := json.Marshal(whole)
	if err != nil {
		return err
	}
	raw = []byte(strings.ReplaceAll(string(raw), "#/components/schemas/", "#/$defs/"))
	var s jsonschema.Schema
	if err := json.Unmarshal(raw, &s); err != nil {
		return err
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		return err
	}
	var answer any
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		return err
	}
	return resolved.Validate(answer)
}
