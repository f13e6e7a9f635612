package consolidate_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/winnowhq/winnow/services/consolidate"
	"github.com/winnowhq/winnow/services/internal/consolidation/trigger"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/model/llm/llmtest"
)

// shownLine is a memory as a weekly question shows it.
var shownLine = regexp.MustCompile(`(?m)^\{"id":.*\}$`)

// judging answers a weekly question: it merges the memories that hold one word, and
// deletes those that hold another.
func judging(merges, deletes string) llmtest.Reply {
	return func(w http.ResponseWriter, r *http.Request, in llmtest.Request) {
		type entry struct {
			ID, Content string
		}
		var ids, content []string
		gone, kept := []map[string]string{}, []map[string]string{}
		for _, text := range shownLine.FindAllString(in.Prompt(), -1) {
			var e entry
			if json.Unmarshal([]byte(text), &e) != nil {
				continue
			}
			switch {
			case strings.Contains(e.Content, merges):
				ids, content = append(ids, e.ID), append(content, e.Content)
			case strings.Contains(e.Content, deletes):
				gone = append(gone, map[string]string{"id": e.ID, "reason": "outdated"})
			default:
				kept = append(kept, map[string]string{"id": e.ID, "reason": "unique"})
			}
		}
		merged := []map[string]any{}
		if len(ids) > 1 {
			merged = append(merged, map[string]any{"ids": ids, "merged_content": content[0], "category": "habit", "importance": 8})
		}
		text, _ := json.Marshal(map[string]any{"keep": kept, "merge": merged, "delete": gone})
		llmtest.Say(string(text))(w, r, in)
	}
}

// diary stores the memories of a user: two that say the same, three that are outdated, and
// others.
func (r *rig) diary(user memory.Scope, others int) []string {
	r.Helper()
	var notes []note
	for _, text := range []string{"Drinks green tea at 9 in the morning.", "Drinks green tea at 9 in the morning."} {
		notes = append(notes, note{Text: text, Scope: user, Kind: memory.KindFact, Category: "habit", Importance: 4})
	}
	for i := range 3 {
		notes = append(notes, note{Text: fmt.Sprintf("The parking ticket number %d is outdated.", i), Scope: user, Kind: memory.KindFact, Category: "misc", Importance: 1})
	}
	for i := range others {
		notes = append(notes, note{Text: fmt.Sprintf("Friend number %d lives in town %d.", i, 100+i), Scope: user, Kind: memory.KindFact, Category: "people"})
	}
	for i := range notes {
		notes[i].Origin, notes[i].Authority = memory.OriginAgent, memory.OriginAgent
	}
	return r.remember(notes...)
}

// weekly asks for the week of a user and works until it has ended.
func (r *rig) weekly(user memory.Scope) (memory.Run, []memory.RunItem) {
	r.Helper()
	return r.ended(r.want(trigger.Wanted{Tenant: tenant, Scope: user, Strategy: memory.RunWeekly, Trigger: memory.TriggerWeekly}))
}

// S1.10 to S1.15, S1.19, D9: what a model merges and deletes is archived in one change, and
// the run's row has the user's figures: after = before − deleted − merged + created.
func TestWeek(t *testing.T) {
	t.Parallel()
	r := setup(t, consolidate.Definition, llmtest.Always(judging("green tea", "parking ticket")))
	ids := r.diary("user:anna", 20)
	run, items := r.weekly("user:anna")
	if run.State != memory.RunCompleted || len(items) != 1 || items[0].State != memory.ItemApplied {
		t.Fatalf("run %+v, %+v", run, items)
	}
	if run.Before != 25 || run.Created != 1 || run.After != run.Before-run.Archived+run.Created || run.After != len(r.active("user:anna")) {
		t.Errorf("run %+v, %d active", run, len(r.active("user:anna")))
	}
	if m := r.memory(ids[0]); m.SuccessorID != items[0].MemoryID || m.State != memory.StateArchived {
		t.Errorf("merged %+v", m)
	}
	if !strings.Contains(string(items[0].Detail), `"before_count":25`) {
		t.Errorf("detail %s", items[0].Detail)
	}
}

// S1.16, S1.20, S1.21: an answer that cannot be read skips the user, says so, and leaves
// every other user alone.
func TestWeekSkipsAUser(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]llmtest.Script{
		"no JSON":     llmtest.Always(llmtest.Malformed),
		"empty":       llmtest.Always(llmtest.Empty),
		"declined":    llmtest.Always(llmtest.Refusing),
		"wrong key":   llmtest.Always(llmtest.Refuse(401, "invalid_api_key")),
		"foreign ids": llmtest.Always(llmtest.Say(`{"keep":[],"merge":[{"ids":["x1","x2"],"merged_content":"a","category":"b","importance":5}],"delete":[]}`)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := setup(t, consolidate.Definition, script)
			r.diary("user:anna", 20)
			run, items := r.weekly("user:anna")
			if run.State != memory.RunFailed || run.Reason == "" || r.states(items) != "weekly failed" || len(r.active("user:anna")) != 25 {
				t.Errorf("run %+v, %+v", run, items)
			}
			r.diary("user:ben", 20)
			r.model.Answer(llmtest.Always(judging("green tea", "parking ticket")))
			if run, _ := r.weekly("user:ben"); name != "wrong key" && (run.State != memory.RunCompleted || run.Created != 1) {
				t.Errorf("the other user: %+v", run)
			}
		})
	}
}

// D11, S1.11: a German user gets the German question.
func TestWeekInGerman(t *testing.T) {
	t.Parallel()
	r := setup(t, consolidate.Definition, llmtest.Always(judging("zzz", "zzz")))
	var notes []note
	for i := range 21 {
		notes = append(notes, note{Text: fmt.Sprintf("Der Nachbar im Haus Nummer %d hat einen Hund und geht abends mit ihm in den Park.", i), Scope: "user:eva", Kind: memory.KindFact})
	}
	r.remember(notes...)
	r.weekly("user:eva")
	if list := r.model.Requests(); len(list) == 0 || !strings.Contains(list[0].Prompt(), "Du bekommst eine Liste") {
		t.Errorf("%d questions", len(list))
	}
}

// Without a model nothing can be judged: only what says the same is merged.
func TestWeekWithoutModel(t *testing.T) {
	t.Parallel()
	r := setup(t, consolidate.Definition, nil)
	r.diary("user:anna", 20)
	run, _ := r.weekly("user:anna")
	if run.State != memory.RunCompleted || run.Created != 1 || run.Archived != 2 || len(r.active("user:anna")) != 24 {
		t.Errorf("run %+v", run)
	}
}
