package api_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/ident"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/workflow"
)

// threaded is the part of the workflow tools' outputs that tests read.
type threaded struct {
	Workflow struct {
		ID, Name, Status, Tag, Summary, Project string
		MemoryCount                             int `json:"memory_count"`
	}
	Workflows []struct{ ID, Name, Status, Summary string }
	Memories  []struct{ ID, Preview string }
	Active    bool
	Message   string
	Context   string
	MemoryIDs []string `json:"memory_ids"`
	Tokens    int      `json:"tokens_used"`
	Omitted   int
}

// proposes stores memories as triage would: each came of a proposal.
func (b *bench) proposes(tenant memory.Tenant, list ...memory.Memory) []string {
	for i := range list {
		list[i].ProposalID = ident.New(memory.PrefixProposal)
	}
	return b.remember(tenant, list...)
}

// S0.1, S0.7, S0.17, S0.23, S0.25–S0.27, S0.32–S0.38: a task is started, paused for another one, resumed, read and completed.
func TestWorkflow(t *testing.T) {
	t.Parallel()
	b := setup(t)
	a := b.agent("")
	in := map[string]any{"project": "shop"}
	var got threaded
	a.call("get_active_workflow", in, &got)
	if got.Active || len(got.Memories) != 0 {
		t.Errorf("before the first: %+v", got)
	}
	a.call("start_workflow", map[string]any{"project": "shop", "name": "Move the importer", "description": "Until it reads the new format."}, &got)
	first := got.Workflow.ID
	if _, err := memory.ParseID(first, memory.PrefixWorkflow); err != nil { // S0.14
		t.Error(err)
	}
	if got.Message != "Workflow started" || got.Workflow.Status != "active" || got.Workflow.Tag != "workflow:"+first || got.Workflow.Project != "shop" {
		t.Errorf("started: %+v", got)
	}
	ids := b.proposes(memory.DefaultTenant,
		memory.Memory{Kind: memory.KindStrategy, Title: "Read in blocks", Text: "The importer reads blocks of 64 rows.", Outcome: "success"},
		memory.Memory{Kind: memory.KindDecision, Text: "The new format has a header."},
		memory.Memory{Text: "Elsewhere.", Scope: "project:other"}, memory.Memory{Text: "Everywhere.", Scope: "org:acme"})
	a.call("get_active_workflow", in, &got)
	if !got.Active || got.Workflow.MemoryCount != 2 || len(got.Memories) != 2 || got.Memories[0].ID != ids[1] || got.Memories[0].Preview != "The new format has a header." {
		t.Errorf("active: %+v", got)
	}
	// S0.2: the memory shows the tag.
	var one struct{ Memories []struct{ Tags []string } }
	a.call("memory_get", map[string]any{"ids": []string{ids[0], ids[2]}}, &one)
	if !slices.Contains(one.Memories[0].Tags, "workflow:"+first) || len(one.Memories[1].Tags) != 0 {
		t.Errorf("tags: %+v", one)
	}
	if r := a.try("start_workflow", map[string]any{"project": "shop", "name": "Another"}); !r.IsError || !strings.Contains(said(r), "a workflow is already active: "+first) || !strings.Contains(said(r), "Pause or complete it before starting a new one") {
		t.Errorf("a second one: %s", said(r))
	}
	a.call("pause_workflow", in, &got)
	a.call("start_workflow", map[string]any{"project": "shop", "name": "Another"}, &got)
	second := got.Workflow.ID
	if r := a.try("resume_workflow", map[string]any{"workflow_id": first}); !r.IsError || !strings.Contains(said(r), second) || !strings.Contains(said(r), "before resuming another") {
		t.Errorf("resumed beside another: %s", said(r))
	}
	a.call("complete_workflow", map[string]any{"project": "shop"}, &got)
	if got.Workflow.ID != second || !strings.Contains(got.Workflow.Summary, "Completed without a memory.") {
		t.Errorf("completed without a memory: %+v", got)
	}
	a.call("resume_workflow", map[string]any{"project": "shop", "workflow_id": first}, &got)
	a.call("get_workflow_context", map[string]any{"project": "shop", "session_id": "s1"}, &got)
	for _, part := range []string{"Workflow: Move the importer", "Description: Until it reads", "Status: active, 2 memories", "- (strategy) Read in blocks: The importer reads blocks of 64 rows. [" + ids[0] + "]"} {
		if !strings.Contains(got.Context, part) {
			t.Errorf("no %q in\n%s", part, got.Context)
		}
	}
	if served, err := b.store.ServedIn(t.Context(), memory.DefaultTenant, "s1"); err != nil || len(served) != 2 || !slices.Equal(got.MemoryIDs, []string{ids[1], ids[0]}) {
		t.Errorf("served %+v, %v; told %v", served, err, got.MemoryIDs)
	}
	a.call("complete_workflow", in, &got)
	for _, part := range []string{"2 memories.", "Decisions:\n- The new format has a header.", "Strategies:\n- Read in blocks: The importer"} {
		if !strings.Contains(got.Workflow.Summary, part) {
			t.Errorf("no %q in %q", part, got.Workflow.Summary)
		}
	}
	// S0.29: the summary of a completed one stays; completing it again changes nothing.
	_, again, _ := strings.Cut(got.Workflow.Summary, "\n")
	again, _, _ = strings.Cut(again, "</memory-") // the mark of the fence is another one
	a.call("complete_workflow", map[string]any{"workflow_id": first}, &got)
	if !strings.Contains(got.Workflow.Summary, again) || got.Workflow.Status != "completed" {
		t.Errorf("completed twice: %+v", got)
	}
	got = threaded{}
	a.call("list_workflows", map[string]any{"project": "shop", "status": "completed"}, &got)
	if len(got.Workflows) != 2 || got.Workflows[0].ID != second || got.Workflows[1].Summary != "" {
		t.Errorf("listed: %+v", got.Workflows)
	}
	got = threaded{}
	a.call("list_workflows", map[string]any{"project": "other"}, &got)
	if len(got.Workflows) != 0 {
		t.Errorf("of another project: %+v", got.Workflows)
	}
	report, err := b.store.VerifyAudit(t.Context(), memory.DefaultTenant)
	if err != nil || report.BrokenAt != 0 || report.Events != 6 {
		t.Errorf("audit %+v, %v; want an entry for each of six changes", report, err)
	}
}

// S0.31: of a hundred callers at once one starts the workflow, and the others get the
// seed's error.
func TestStartWorkflowAtOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const callers = 100
	var agents []*agent
	for range 4 {
		agents = append(agents, b.agent(""))
	}
	var together sync.WaitGroup
	texts, failed := make([]string, callers), make([]bool, callers)
	for i := range callers {
		together.Go(func() {
			r := agents[i%len(agents)].try("start_workflow", map[string]any{"project": "shop", "name": fmt.Sprint("task ", i)})
			texts[i], failed[i] = said(r), r.IsError
		})
	}
	together.Wait()
	won := 0
	for i := range callers {
		switch {
		case !failed[i]:
			won++
		case !strings.Contains(texts[i], "a workflow is already active: wf_") || !strings.Contains(texts[i], "Pause or complete it before starting a new one"):
			t.Errorf("caller %d: %s", i, texts[i])
		}
	}
	list, err := b.store.Workflows(t.Context(), memory.DefaultTenant, store.WorkflowQuery{})
	if won != 1 || err != nil || len(list) != 1 {
		t.Errorf("%d won, %d stored, %v", won, len(list), err)
	}
}

// S0.3, S0.44, S0.45: the section in a session's start, whatever a publisher wrote.
func TestStartTellsWorkflow(t *testing.T) {
	t.Parallel()
	b := setup(t)
	a := b.agent("")
	long := strings.Repeat("wörter </memory> ", 10)
	var flow threaded
	a.call("start_workflow", map[string]any{"project": "shop", "name": long, "description": strings.Repeat(long, 10)}, &flow)
	var list []memory.Memory
	for i := range 30 {
		list = append(list, memory.Memory{Kind: memory.KindRule, Text: fmt.Sprintf("Rule %d: %s", i, strings.Repeat(long, 5))})
	}
	ids := b.proposes(memory.DefaultTenant, list...)
	b.proposes(memory.DefaultTenant, memory.Memory{Text: "Nobody is sure of it.", Confidence: 0.4}, memory.Memory{Text: "From outside.", Authority: memory.OriginExternal, Origin: memory.OriginExternal})
	var got started
	a.call("session_start", map[string]any{"project": "shop", "session_id": "s1"}, &got)
	_, section, _ := strings.Cut(got.Context, "## Active Workflow\n")
	section, _, _ = strings.Cut(section, "\n\n")
	if before, _, _ := strings.Cut(got.Context, "## Active Workflow"); !strings.Contains(before, "## Directives") {
		t.Errorf("not after the directives:\n%s", got.Context)
	}
	lines := strings.Split(strings.TrimSpace(section), "\n")
	if end := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "##") || strings.HasPrefix(l, "</") }); end >= 0 {
		lines = lines[:end]
	}
	if len(lines) != 7 || !strings.Contains(lines[0], "["+flow.Workflow.ID+"], 32 memories") || !strings.Contains(lines[2], ids[29]) {
		t.Errorf("%d lines:\n%s", len(lines), section)
	}
	if n := len([]rune(strings.Join(lines, "\n"))); n > workflow.SectionBudget || got.TokensUsed > 2000 {
		t.Errorf("%d characters, %d tokens in all", n, got.TokensUsed)
	}
	if strings.Contains(section, "Nobody is sure") || strings.Contains(section, "From outside") {
		t.Errorf("shown unasked:\n%s", section)
	}
	a.call("session_start", map[string]any{"project": "other"}, &got)
	if strings.Contains(got.Context, "Active Workflow") {
		t.Errorf("in another project:\n%s", got.Context)
	}
}

// S0.24: a workflow in which nothing happened for 30 days keeps no other one out.
func TestStaleWorkflow(t *testing.T) {
	t.Parallel()
	b := setup(t)
	left := memory.Workflow{
		ID: ident.New(memory.PrefixWorkflow), Tenant: memory.DefaultTenant, Scope: "project:shop", Status: memory.WorkflowActive, Name: "left",
		CreatedAt: time.Now().Add(-31 * 24 * time.Hour), UpdatedAt: time.Now().Add(-31 * 24 * time.Hour),
	}
	if _, err := b.store.Commit(t.Context(), memory.DefaultTenant, change.Set{Workflows: []memory.Workflow{left}}, store.InboxKey{}); err != nil {
		t.Fatal(err)
	}
	a := b.agent("")
	var got threaded
	a.call("start_workflow", map[string]any{"project": "shop", "name": "now"}, &got)
	if !strings.Contains(got.Message, left.ID) {
		t.Errorf("%+v", got)
	}
	if w, err := b.store.Workflow(t.Context(), memory.DefaultTenant, left.ID, 0); err != nil || w.Status != memory.WorkflowPaused {
		t.Errorf("%+v, %v", w, err)
	}
}

// S0.39: bad input on each tool gets an answer that names the argument and the remedy;
// a workflow of another tenant or project is the same as an unknown one.
func TestWorkflowRefuses(t *testing.T) {
	t.Parallel()
	b := setup(t)
	a, stranger := b.agent(""), b.agent(acmeKey)
	var got threaded
	a.call("start_workflow", map[string]any{"project": "shop", "name": "ours, with a secret ghp_16C7e42F292c6912E7710c838347Ae178B4a"}, &got)
	ours := got.Workflow.ID
	if strings.Contains(got.Workflow.Name, "ghp_16C7") {
		t.Errorf("a secret is stored: %q", got.Workflow.Name)
	}
	for name, c := range map[string]struct {
		tool      string
		arguments map[string]any
		says      []string
	}{
		"start, no name":       {"start_workflow", map[string]any{"project": "shop"}, []string{"name", "schema"}},
		"start, blank":         {"start_workflow", map[string]any{"project": "new", "name": " \u200b"}, []string{"name", "characters"}},
		"start, long":          {"start_workflow", map[string]any{"name": strings.Repeat("x", 201)}, []string{"name", "schema"}},
		"start, description":   {"start_workflow", map[string]any{"name": "a", "description": strings.Repeat("x", 2001)}, []string{"description", "schema"}},
		"start, project":       {"start_workflow", map[string]any{"name": "a", "project": "two words"}, []string{"project", "github.com/acme/api"}},
		"start, tenant":        {"start_workflow", map[string]any{"name": "a", "tenant": "acme"}, []string{"tenant", "schema"}},
		"start, number":        {"start_workflow", map[string]any{"name": 7}, []string{"name", "schema"}},
		"complete, none":       {"complete_workflow", map[string]any{"project": "other"}, []string{"no workflow is active", "start_workflow"}},
		"complete, unknown":    {"complete_workflow", map[string]any{"workflow_id": "wf_none"}, []string{"workflow_id", "no such workflow", "list_workflows"}},
		"complete, a memory":   {"complete_workflow", map[string]any{"workflow_id": ident.New(memory.PrefixMemory)}, []string{"no such workflow"}},
		"complete, nul":        {"complete_workflow", map[string]any{"workflow_id": "wf_\x0000000000000000000000000"}, []string{"no such workflow"}},
		"complete, elsewhere":  {"complete_workflow", map[string]any{"workflow_id": ours, "project": "other"}, []string{"no such workflow"}},
		"pause, none":          {"pause_workflow", map[string]any{"project": "other"}, []string{"no workflow is active"}},
		"resume, which":        {"resume_workflow", map[string]any{"project": "shop"}, []string{"workflow_id", "list_workflows"}},
		"resume, session":      {"resume_workflow", map[string]any{"workflow_id": ours, "session_id": "a\x00b"}, []string{"session_id"}},
		"active, project":      {"get_active_workflow", map[string]any{"project": "a\nb"}, []string{"project"}},
		"list, status":         {"list_workflows", map[string]any{"status": "open"}, []string{"status", "schema"}},
		"list, limit":          {"list_workflows", map[string]any{"limit": 0}, []string{"limit", "schema"}},
		"context, few tokens":  {"get_workflow_context", map[string]any{"max_tokens": 10}, []string{"max_tokens", "schema"}},
		"context, many tokens": {"get_workflow_context", map[string]any{"max_tokens": 1e9}, []string{"max_tokens", "schema"}},
		"context, none":        {"get_workflow_context", map[string]any{}, []string{"no workflow is active"}},
	} {
		r := a.try(c.tool, c.arguments)
		text := said(r)
		if !r.IsError || len(text) > 1000 {
			t.Errorf("%s: %q", name, text)
		}
		for _, part := range c.says {
			if !strings.Contains(text, part) {
				t.Errorf("%s: no %q in %q", name, part, text)
			}
		}
	}
	for _, tool := range []string{"complete_workflow", "pause_workflow", "resume_workflow", "get_workflow_context"} {
		foreign, unknown := stranger.try(tool, map[string]any{"workflow_id": ours}), stranger.try(tool, map[string]any{"workflow_id": ident.New(memory.PrefixWorkflow)})
		if !foreign.IsError || said(foreign) != said(unknown) {
			t.Errorf("%s of another tenant: %q, of nobody: %q", tool, said(foreign), said(unknown))
		}
	}
	got = threaded{}
	stranger.call("get_active_workflow", map[string]any{"project": "shop"}, &got)
	if got.Active {
		t.Errorf("another tenant sees %+v", got)
	}
	a.call("pause_workflow", map[string]any{"workflow_id": ours}, &got)
	a.call("complete_workflow", map[string]any{"workflow_id": ours}, &got)
	for _, tool := range []string{"pause_workflow", "resume_workflow"} {
		if r := a.try(tool, map[string]any{"workflow_id": ours}); !r.IsError || !strings.Contains(said(r), "it is completed; start a new one") {
			t.Errorf("%s after the end: %s", tool, said(r))
		}
	}
}
