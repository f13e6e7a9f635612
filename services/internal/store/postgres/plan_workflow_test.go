package postgres_test

import (
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// S0.18: which workflow is active is found by the index of active ones, however many the
// project has had: a commit links its memories by the id and reads no other workflow, and no
// memory of one.
func TestActiveWorkflowAmongMany(t *testing.T) {
	t.Parallel()
	owner, s, session := counted(t)
	m := memory.Memory{
		Tenant: memory.DefaultTenant, Scope: "project:shop", Kind: memory.KindFact, Text: "It listens on 8443.", State: memory.StateActive,
		ProposalID: "prop_1", Origin: memory.OriginAgent, Authority: memory.OriginAgent, Importance: 5, Confidence: 0.8, CreatedAt: time.Now(),
	}
	link := func(id string) {
		m.ID = id
		if _, err := s.Commit(t.Context(), memory.DefaultTenant, change.Set{Memories: []memory.Memory{m}}, store.InboxKey{}); err != nil {
			t.Fatal(err)
		}
	}
	link("mem_before") // and the scope is there
	exec(t, owner, `set winnow.tenant = 'default';
insert into workflows (tenant, id, scope, status, name, description, summary, principal, created_at, updated_at, version)
	select 'default', 'wf_' || lpad(n::text, 5, '0'), 'project:shop', case when n = 5000 then 'active' else 'completed' end, 'task', '', '', 'agent', now(), now(), 1
	from generate_series(1, 5000) n;
analyze workflows; `+flush)
	link("mem_first") // also opens what a session opens once
	before := rowsReadOf(t, session, "workflows")
	link("mem_second")
	if touched := rowsReadOf(t, session, "workflows") - before; touched > 1 {
		t.Errorf("a commit touches %d workflows, want 1", touched)
	}
	got, err := s.ActiveWorkflow(t.Context(), memory.DefaultTenant, "project:shop", 0)
	if err != nil || got.ID != "wf_05000" || got.MemoryCount != 2 || got.Memories != nil {
		t.Errorf("%+v, %v", got, err)
	}
}
