package chaos

import (
	"context"
	"fmt"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/ident"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/worker"
)

const (
	notedThings  = 40 // things that were noted
	notedTimes   = 3  // notes about each, in the same words
	notedScope   = memory.Scope("project:shop")
	notedOthers  = 5 // notes that nothing is merged with
	notedAllRows = notedThings*notedTimes + notedOthers
)

// A project has more memories than the threshold, and the worker that merges them dies
// at each point of its plan and of its steps. At every moment each group is either whole
// or merged; in the end every group is one memory, by one run, although two replicas saw
// the count; and the run can be taken back. S4.83, D9, D13, D15, SPEC §16.1.
func TestKillNineWhileConsolidating(t *testing.T) {
	f := newFleet(t)
	f.run("relay", "relay", "")
	f.takeNotes()

	settings := []string{"WINNOW_CONSOLIDATION_CONCURRENCY=4", "WINNOW_CONSOLIDATION_WINDOW=24h"}
	points := []string{
		// The plan is the first event, the steps follow.
		string(worker.PointBeforeHandle) + ":1", string(worker.PointBeforeCommit) + ":1", string(worker.PointBeforeAck) + ":4",
		string(worker.PointBeforeHandle) + ":6", string(worker.PointBeforeCommit) + ":6", string(worker.PointBeforeAck) + ":8",
	}
	kills := 0
	for i, point := range points {
		p := f.run(fmt.Sprintf("consolidate-%d", i), "consolidate", point, settings...)
		ctx, cancel := context.WithTimeout(t.Context(), waitTimeout)
		ended := p.exited(ctx)
		cancel()
		if !ended || !p.killed() {
			t.Fatalf("%s: the process did not die there: %v", point, p.err)
		}
		kills++
		f.wholeGroups()
	}
	for i := range 2 {
		f.run(fmt.Sprintf("consolidate-calm-%d", i), "consolidate", "", settings...)
	}
	eventually(t, waitTimeout, "the run ends", func() (bool, string) {
		done := f.count(`select count(*) from runs where state = 'completed'`)
		return done == 1, fmt.Sprintf("%d completed; %d steps wait", done, f.count(`select count(*) from run_items where state = 'planned'`))
	})
	f.wholeGroups()
	if n := f.count(`select count(*) from runs`); n != 1 {
		t.Errorf("%d runs, want 1", n)
	}
	if n := f.count(`select count(*) from memories where state = 'active' and 'consolidated' = any (tags)`); n != notedThings {
		t.Errorf("%d consolidated memories, want %d", n, notedThings)
	}
	if n := f.count(`select count(*) from memories where state = 'active'`); n != notedThings+notedOthers {
		t.Errorf("%d active memories, want %d", n, notedThings+notedOthers)
	}
	if n := f.count(`select created + archived from runs`); n != notedThings+notedThings*notedTimes {
		t.Errorf("the run says %d created and archived", n)
	}
	f.auditVerifies()
	t.Logf("%d kills, %d redeliveries found their row", kills, f.log.inboxHits.Load())

	f.undoRun()
	if n := f.count(`select count(*) from memories where state = 'active' and not 'consolidated' = any (tags)`); n != notedAllRows {
		t.Errorf("%d of %d memories are back", n, notedAllRows)
	}
	if n := f.count(`select count(*) from memories where state = 'active' and 'consolidated' = any (tags)`); n != 0 {
		t.Errorf("%d consolidated memories are left", n)
	}
	f.auditVerifies()
}

// takeNotes stores the memories of a project as an import does, with their events.
func (f *fleet) takeNotes() {
	f.t.Helper()
	now := time.Now().UTC().Truncate(time.Microsecond)
	var set change.Set
	add := func(text string) {
		m := memory.Memory{
			ID: ident.New(memory.PrefixMemory), Tenant: memory.DefaultTenant, Scope: notedScope, State: memory.StateActive, Kind: memory.KindFact,
			Section: "Facts", Text: text, Confidence: 0.8, Importance: 5, SeenCount: 1, CreatedAt: now, LastConfirmed: now, Principal: "agent",
			Origin: memory.OriginFirstParty, Authority: memory.OriginFirstParty,
		}
		set.Memories = append(set.Memories, m)
		msg := &winnowv1.MemoryRecorded{Id: ident.New(memory.PrefixEvent), MemoryId: m.ID, Scope: string(m.Scope), Kind: string(m.Kind), RecordedAt: timestamppb.New(now)}
		set.Events = append(set.Events, change.Event{
			ID: msg.GetId(), Subject: event.SubjectMemoryRecorded, Type: event.TypeFor(event.SubjectMemoryRecorded), Message: msg,
		})
	}
	for range notedTimes {
		for thing := range notedThings {
			add(fmt.Sprintf("The service number %d of the shop listens on port %d and restarts at %d o'clock.", thing, 8000+7*thing, thing%24))
		}
	}
	for i, other := range []string{"Owls hunt at dusk.", "Violins need rosin.", "Rye bread keeps longer.", "Copper roofs turn green.", "Glaciers carve valleys."} {
		if i < notedOthers {
			add(other)
		}
	}
	if _, err := f.store.Commit(f.t.Context(), memory.DefaultTenant, set, store.InboxKey{}); err != nil {
		f.t.Fatal(err)
	}
}

// wholeGroups checks that every group is as it was, or replaced by one memory.
func (f *fleet) wholeGroups() {
	f.t.Helper()
	if n := f.count(`select count(*) from (
		select from memories where not 'consolidated' = any (tags) and body like 'The service%'
		group by body having count(distinct state) > 1 or count(distinct successor_id) > 1) parts`); n != 0 {
		f.t.Errorf("%d groups are half merged", n)
	}
	if n := f.count(`select count(*) from memories s where s.state = 'archived' and not exists (
		select from memories m join memory_links l on l.tenant = m.tenant and l.from_id = m.id and l.to_id = s.id and l.kind = 'consolidates'
		where m.tenant = s.tenant and m.id = s.successor_id and m.state = 'active')`); n != 0 {
		f.t.Errorf("%d archived memories have no successor in service", n)
	}
	if n := f.count(`select count(*) from (
		select from run_items where state = 'applied' group by sources having count(*) > 1) twice`); n != 0 {
		f.t.Errorf("%d groups were merged twice", n)
	}
	if n := f.count(`select count(*) from memories m where 'consolidated' = any (m.tags)
		and not exists (select from run_items i where i.memory_id = m.id and i.state = 'applied')`); n != 0 {
		f.t.Errorf("%d consolidated memories belong to no step", n)
	}
}

// undoRun takes the run back on the command line.
func (f *fleet) undoRun() {
	f.t.Helper()
	runs, err := f.store.Runs(f.t.Context(), memory.DefaultTenant, store.RunQuery{})
	if err != nil || len(runs) == 0 {
		f.t.Fatalf("%d runs, %v", len(runs), err)
	}
	cmd := f.command("runs", "undo", runs[0].ID)
	if out, err := cmd.CombinedOutput(); err != nil {
		f.t.Fatalf("undo: %v\n%s", err, out)
	}
}
