package ops_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/consolidation/erosion"
	"github.com/winnowhq/winnow/services/internal/consolidation/weekly"
	"github.com/winnowhq/winnow/services/internal/ident"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/ops"
)

// of returns the memories of a user, active ones or all.
func (b *bench) of(user memory.Scope, states ...memory.State) []memory.Memory {
	b.Helper()
	rows, err := b.ops.Store.Memories(b.Context(), memory.DefaultTenant, store.MemoryQuery{Scope: user, States: states, Limit: 1000})
	if err != nil {
		b.Fatal(err)
	}
	return rows
}

// told stores what a user said.
func (b *bench) told(user memory.Scope, texts ...string) {
	b.Helper()
	var set change.Set
	for _, text := range texts {
		b.now = b.now.Add(time.Second)
		set.Memories = append(set.Memories, memory.Memory{
			ID: ident.New(memory.PrefixMemory), Tenant: memory.DefaultTenant, Scope: user, State: memory.StateActive, Kind: memory.KindFact,
			Section: "Notes", Text: text, Category: "life", Importance: 5, Confidence: 0.7, Principal: "agent", Origin: memory.OriginFirstParty,
			Authority: memory.OriginFirstParty, CreatedAt: b.now, LastConfirmed: b.now, SeenCount: 1,
		})
	}
	b.commit(set)
}

// S1.13–S1.15, S1.21, D9, D10 through the store: over six weekly runs, each wanting to delete
// all that nothing repeats, no row disappears, another user's rows do not change, erosion
// stays within the month's budget, and undoing the runs gives back what was there.
func TestWeeklyRunsThroughTheStore(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const anna, ben = memory.Scope("user:anna"), memory.Scope("user:ben")
	for i := range 30 {
		b.told(anna, fmt.Sprintf("Stores the key of garage %d at house %d.", 100+i, 200+i))
		b.told(ben, fmt.Sprintf("Stores the key of garage %d at house %d.", 100+i, 200+i))
	}
	others := fmt.Sprint(b.of(ben))
	var runs []string
	var previous weekly.Previous
	rows, began := 0, 0
	for week := range 6 {
		b.now = b.now.AddDate(0, 0, 7)
		b.told(anna, fmt.Sprintf("Sings in choir %d.", 300+week), fmt.Sprintf("Sings in choir %d, in row %d.", 300+week, 2+week))
		active := b.of(anna, memory.StateActive)
		if week == 0 {
			began = len(active)
		}
		q := weekly.Prompt(active, weekly.PromptOptions{Language: "en", Now: b.now, Nonce: "k3vq9x7m2p5t8w1z"})
		eroded, err := b.ops.Store.Eroded(t.Context(), memory.DefaultTenant, anna, b.now.Add(-erosion.Month))
		if err != nil {
			t.Fatal(err)
		}
		out, err := weekly.Decide(weekly.Input{Now: b.now, Memories: active, Question: q, Answer: wanting(t, q.User, week), Eroded: eroded, Previous: previous})
		if err != nil {
			t.Fatal(err)
		}
		run := memory.Run{
			ID: ident.New(memory.PrefixRun), Tenant: memory.DefaultTenant, Scope: anna, Strategy: memory.RunWeekly, Trigger: memory.TriggerWeekly,
			State: memory.RunRunning, RequestedAt: b.now, StartedAt: b.now, Deadline: b.now.Add(10 * time.Minute),
		}
		item := memory.RunItem{Tenant: run.Tenant, RunID: run.ID, N: 1, Action: memory.ActionWeekly, State: memory.ItemPlanned}
		b.commit(change.Set{Runs: []memory.Run{run}, RunItems: []memory.RunItem{item}})
		set := weekly.Apply(weekly.Step{Run: run, Item: item, Now: b.now, NewID: ident.New, Model: "scripted"}, active, out)
		b.commit(set)
		b.end(run, memory.RunCompleted)
		previous = weekly.PreviousOf(set.RunItems[0])
		runs = append(runs, run.ID)

		all := b.of(anna)
		if len(all) < rows || len(all) != 30+2*(week+1)+len(runs) || len(out.Merges) != 1 {
			t.Fatalf("week %d: %d rows, before %d; merged %d, refused %+v", week, len(all), rows, len(out.Merges), out.Refused)
		}
		rows = len(all)
		if left := b.of(anna, memory.StateActive); len(left) != out.After {
			t.Errorf("week %d: %d are active, the outcome says %d", week, len(left), out.After)
		}
		if gone := eroded + len(out.Archives); week < 4 && gone > began*erosion.MonthPercent/100+1 {
			t.Errorf("week %d: %d of %d are gone without a successor", week, gone, began)
		}
	}
	if now := fmt.Sprint(b.of(ben)); now != others {
		t.Error("another user's rows changed")
	}
	for i := len(runs) - 1; i >= 0; i-- {
		if _, err := b.ops.UndoRun(t.Context(), runs[i], ops.RunUndo{}); err != nil {
			t.Fatal(err)
		}
	}
	back := b.of(anna, memory.StateActive)
	if len(back) != 30+12 {
		t.Errorf("%d memories are active after the undo, want %d", len(back), 30+12)
	}
	for _, m := range back {
		if m.SuccessorID != "" || m.ArchiveReason != "" || !m.ArchivedAt.IsZero() || strings.Contains(fmt.Sprint(m.Tags), memory.TagConsolidated) {
			t.Errorf("not as recorded: %+v", m)
		}
	}
}

// wanting is the answer of a model that merges the two notes of the week and deletes all
// notes about garages but one.
func wanting(t *testing.T, question string, week int) string {
	t.Helper()
	var both, rest []string
	for line := range strings.Lines(question) {
		var shown struct{ ID, Content string }
		if !strings.HasPrefix(line, "{") || json.Unmarshal([]byte(line), &shown) != nil {
			continue
		}
		switch {
		case strings.Contains(shown.Content, fmt.Sprint("choir ", 300+week)):
			both = append(both, `"`+shown.ID+`"`)
		case strings.Contains(shown.Content, "garage"):
			rest = append(rest, `{"id":"`+shown.ID+`","reason":"irrelevant"}`)
		}
	}
	if len(both) != 2 || len(rest) == 0 {
		t.Fatalf("the list lacks what the week brought:\n%s", question)
	}
	return fmt.Sprintf(`{"keep":[],"merge":[{"ids":[%s],"merged_content":"Sings in choir %d, in row %d.","category":"life","importance":5}],"delete":[%s]}`,
		strings.Join(both, ","), 300+week, 2+week, strings.Join(rest[1:], ","))
}
