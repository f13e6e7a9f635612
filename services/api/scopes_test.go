package api_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"pgregory.net/rapid"

	"github.com/winnowhq/winnow/services/internal/ident"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// place is a project of a tenant with a word that only its own memories have.
type place struct {
	tenant  memory.Tenant
	project string
	sees    []string // words of the scopes that are visible from it
	ids     []string // of its memories
	flow    string   // id of its active workflow
	agent   *agent
}

// D25, S0.72, SPEC §16.8: two tenants with two teams each, in random interleavings of
// every tool that reads: no answer has a word or an id of a team that the project does
// not belong to, or of another tenant; and an id of another tenant gets the answer of an
// unknown one.
func TestScopesNeverMix(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var places []*place
	words := map[string]bool{}
	for tenant, key := range map[memory.Tenant]string{memory.DefaultTenant: "", acme: acmeKey} {
		a := b.agent(key)
		for _, team := range []string{"red", "blue"} {
			word := func(scope string) string { return "walrus" + string(tenant) + team + scope }
			p := &place{tenant: tenant, project: team + "-shop", agent: a}
			for _, scope := range []string{"project:" + p.project, "team:" + team, "org:" + team + "-org"} {
				w := word(scope[:strings.Index(scope, ":")])
				words[w] = true
				p.sees = append(p.sees, w)
				list := []memory.Memory{{Kind: memory.KindRule, Scope: memory.Scope(scope), Text: "Deploy the " + w + " service on port 8080."}}
				p.ids = append(p.ids, b.proposes(tenant, list...)...)
			}
			b.belongs(tenant, memory.Scope("project:"+p.project), memory.Scope("team:"+team), memory.Scope("org:"+team+"-org"))
			places = append(places, p)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		me := rapid.SampledFrom(places).Draw(rt, "place")
		them := rapid.SampledFrom(places).Draw(rt, "other place")
		at := func(more map[string]any) map[string]any {
			all := map[string]any{"project": me.project}
			for k, v := range more {
				all[k] = v
			}
			return all
		}
		call := func(tool string, arguments map[string]any) *mcp.CallToolResult {
			r, err := me.agent.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
			if err != nil {
				rt.Fatalf("%s: %v", tool, err)
			}
			text := said(r)
			for w := range words {
				if strings.Contains(text, w) && !slices.Contains(me.sees, w) {
					rt.Fatalf("%s of %s: %s shows %s: %s", me.project, me.tenant, tool, w, text)
				}
			}
			if them != me && them.flow != "" && strings.Contains(text, them.flow) {
				rt.Fatalf("%s of %s: %s shows the workflow of %s of %s", me.project, me.tenant, tool, them.project, them.tenant)
			}
			return r
		}
		switch rapid.IntRange(0, 7).Draw(rt, "step") {
		case 0:
			level := rapid.SampledFrom([]string{"all", "project", "team", "org"}).Draw(rt, "level")
			if r := call("memory_search", at(map[string]any{"query": "deploy walrus service port", "scope": level, "limit": 20})); r.IsError || !strings.Contains(said(r), "walrus") {
				rt.Fatalf("search in %s: %s", level, said(r))
			}
		case 1:
			call("memory_deep_search", at(map[string]any{"query": "deploy walrus service port"}))
		case 2:
			if r := call("session_start", at(map[string]any{"session_id": fmt.Sprint("s", rapid.IntRange(0, 3).Draw(rt, "session"))})); r.IsError || strings.Count(said(r), "walrus") < 3 {
				rt.Fatalf("start: %s", said(r))
			}
		case 3:
			var got answer
			ids := append(slices.Clone(them.ids), ident.New(memory.PrefixMemory))
			me.agent.call("memory_get", at(map[string]any{"ids": ids}), &got)
			want := 4
			if them == me {
				want = 1
			}
			if len(got.Missing) != want {
				rt.Fatalf("%s of %s reads %d of %s of %s", me.project, me.tenant, len(got.Memories), them.project, them.tenant)
			}
			// Without a project the whole tenant is visible, and nothing else.
			me.agent.call("memory_get", map[string]any{"ids": ids}, &got)
			if (len(got.Missing) == 1) != (them.tenant == me.tenant) {
				rt.Fatalf("%s reads %d memories of %s", me.tenant, len(got.Memories), them.tenant)
			}
		case 4:
			var got threaded
			if me.flow == "" {
				me.agent.call("start_workflow", at(map[string]any{"name": me.sees[0]}), &got)
				me.flow = got.Workflow.ID
			} else if r := call("start_workflow", at(map[string]any{"name": "second"})); !r.IsError || !strings.Contains(said(r), me.flow) {
				rt.Fatalf("a second workflow: %s", said(r))
			}
		case 5:
			call("get_active_workflow", at(nil))
			call("list_workflows", at(nil))
		case 6:
			tool := rapid.SampledFrom([]string{"get_workflow_context", "pause_workflow", "complete_workflow", "resume_workflow"}).Draw(rt, "tool")
			if them == me || them.flow == "" {
				return
			}
			foreign, unknown := call(tool, at(map[string]any{"workflow_id": them.flow})), call(tool, at(map[string]any{"workflow_id": ident.New(memory.PrefixWorkflow)}))
			if !foreign.IsError || said(foreign) != said(unknown) {
				rt.Fatalf("%s of a foreign workflow: %q, of an unknown one: %q", tool, said(foreign), said(unknown))
			}
		case 7:
			tool := rapid.SampledFrom([]string{"memory_feedback", "memory_outcome"}).Draw(rt, "tool")
			if them.tenant == me.tenant {
				return
			}
			arguments := func(id string) map[string]any {
				if tool == "memory_feedback" {
					return map[string]any{"memory_id": id, "helpful": false}
				}
				return map[string]any{"memory_id": id, "succeeded": false}
			}
			foreign, unknown := call(tool, arguments(them.ids[0])), call(tool, arguments(ident.New(memory.PrefixMemory)))
			if !foreign.IsError || said(foreign) != said(unknown) {
				rt.Fatalf("%s of a foreign memory: %q, of an unknown one: %q", tool, said(foreign), said(unknown))
			}
		}
	})
}
