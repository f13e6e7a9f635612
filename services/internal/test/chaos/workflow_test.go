package chaos

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/winnowhq/winnow/pkg/event"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// A task begins and the worker that stores its first memories is killed at every point
// of its work: before it decides, before it commits, and after the commit. At no time is
// a memory without its link or a link without its memory, and in the end each memory has
// exactly one link, to the one active workflow (S0.43, ADR 28).
func TestKillBetweenWorkflowAndMemory(t *testing.T) {
	f := newFleet(t)
	var begun struct{ ID string }
	if err := json.Unmarshal(f.winnow("workflow", "start", "Move the importer", "--project", "kill", "--json"), &begun); err != nil || begun.ID == "" {
		t.Fatalf("start: %+v, %v", begun, err)
	}
	agent := f.plain("agent")
	points := []worker.Point{worker.PointBeforeHandle, worker.PointBeforeCommit, worker.PointBeforeAck, worker.PointBeforeCommit}
	for i, point := range points {
		body, err := json.Marshal(map[string]string{
			"scope": "project:kill", "session_id": fmt.Sprint("kill-", i),
			"text": fmt.Sprintf("2026-11-02: `%s` listens on port %d.", []string{"ledger", "notifier", "mailer", "gateway"}[i], 9090+i),
		})
		if err != nil {
			t.Fatal(err)
		}
		agent.send(event.SubjectProposalCreated, "", "", body)
		p := f.run(fmt.Sprint("triage-", i), "triage", fmt.Sprintf("%s:1", point))
		if !p.killed() {
			t.Fatalf("triage did not die at %s: %v", point, p.err)
		}
		f.linkedTo(begun.ID)
	}
	f.run("triage-calm", "triage", "")
	f.awaitDecided(len(points))
	f.linkedTo(begun.ID)
	if n := f.count(`select count(*) from memories where scope = 'project:kill' and state = 'active'`); n != len(points) {
		t.Errorf("%d memories, want %d", n, len(points))
	}
	shown := string(f.winnow("workflow", "show", "--project", "kill", "--json"))
	if strings.Count(shown, `"mem_`) < len(points) || !strings.Contains(shown, begun.ID) {
		t.Errorf("shown: %s", shown)
	}
}

// linkedTo holds every memory of the project against its link.
func (f *fleet) linkedTo(workflow string) {
	f.t.Helper()
	memories := f.count(`select count(*) from memories where scope = 'project:kill'`)
	links := f.count(`select count(*) from memory_links where kind = 'workflow'`)
	paired := f.count(`select count(*) from memory_links l join memories m on m.tenant = l.tenant and m.id = l.from_id where l.kind = 'workflow' and l.to_id = $1 and m.scope = 'project:kill'`, workflow)
	if memories != links || links != paired {
		f.t.Errorf("%d memories, %d links, %d of them to the workflow", memories, links, paired)
	}
}
