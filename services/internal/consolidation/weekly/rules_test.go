package weekly_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/consolidation/weekly"
	"github.com/winnowhq/winnow/services/internal/memory"
)

const tea = `'merge':[{'ids':['#0','#1'],'merged_content':'Drinks green tea every morning.','category':'life','importance':5}]`

// teaDrinker has two memories that any answer may merge, and others beside them.
func teaDrinker(t testing.TB) *user {
	u := newUser(t)
	u.add("Drinks green tea every morning.")
	u.add("Drinks green tea in the morning.")
	return u
}

func refusedFor(out weekly.Outcome, id string) string {
	for _, r := range out.Refused {
		if slices.Contains(r.IDs, id) {
			return r.Reason
		}
	}
	return ""
}

// S1.9: an emotion older than four weeks and not repeated is archived as faded; a young or
// a repeated one stays whatever the model says. Exactly four weeks is not older.
func TestEmotions(t *testing.T) {
	t.Parallel()
	aged := func(d time.Duration, seen int) func(*memory.Memory) {
		return func(m *memory.Memory) { m.CreatedAt, m.SeenCount = now.Add(-d), seen }
	}
	mood := func(m *memory.Memory) { m.Category = "emotion" }
	const day = 24 * time.Hour
	for name, c := range map[string]struct {
		text   string
		change []func(*memory.Memory)
		reason string // begins the archive's; empty: stays
	}{
		"29 days":                     {"Is sad about the move.", []func(*memory.Memory){mood, aged(29*day, 1)}, memory.ReasonFaded},
		"28 days and a second":        {"Is sad about the move.", []func(*memory.Memory){mood, aged(28*day+time.Second, 1)}, memory.ReasonFaded},
		"exactly 28 days":             {"Is sad about the move.", []func(*memory.Memory){mood, aged(28*day, 1)}, ""},
		"yesterday":                   {"Is sad about the move.", []func(*memory.Memory){mood, aged(day, 1)}, ""},
		"old but repeated":            {"Is sad about the move.", []func(*memory.Memory){mood, aged(90*day, 2)}, ""},
		"old but confirmed last week": {"Is sad about the move.", []func(*memory.Memory){mood, aged(90*day, 1), func(m *memory.Memory) { m.LastConfirmed = now.Add(-7 * day) }}, ""},
		"German, by its words":        {"Fühlt sich einsam.", []func(*memory.Memory){aged(29*day, 1), func(m *memory.Memory) { m.Category = "" }}, memory.ReasonFaded},
		"German and young":            {"Fühlt sich einsam.", []func(*memory.Memory){aged(3*day, 1), func(m *memory.Memory) { m.Category = "" }}, ""},
		"no emotion":                  {"Lives in Bonn.", []func(*memory.Memory){aged(day, 1)}, memory.ReasonDropped},
		"a rule about moods":          {"Never call when she feels sad.", []func(*memory.Memory){mood, aged(90*day, 1), func(m *memory.Memory) { m.Kind = memory.KindRule }}, memory.ReasonDropped},
	} {
		u := teaDrinker(t)
		i := u.add(c.text, c.change...)
		u.fill(5)
		out := u.valid(`{'keep':[],` + tea + `,'delete':[{'id':'#` + itoa(i) + `','reason':'outdated'}]}`)
		switch {
		case c.reason == "" && (len(out.Archives) != 0 || refusedFor(out, u.memories[i].ID) == ""):
			t.Errorf("%s: %+v", name, out)
		case c.reason != "" && (len(out.Archives) != 1 || !strings.HasPrefix(out.Archives[0].Reason, c.reason+": outdated")):
			t.Errorf("%s: archives %+v, refused %+v", name, out.Archives, out.Refused)
		}
	}
}

// What a person set is neither deleted nor merged away (SPEC §3, §6).
func TestProtectedMemoriesStay(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*memory.Memory)
		stays  bool
	}{
		"pinned":              {func(m *memory.Memory) { m.Tags = []string{"pinned"} }, true},
		"a person's rule":     {func(m *memory.Memory) { m.Kind, m.Authority = memory.KindRule, memory.OriginHuman }, true},
		"a person's wish":     {func(m *memory.Memory) { m.Kind, m.Authority = memory.KindPreference, memory.OriginHuman }, true},
		"a summary":           {func(m *memory.Memory) { m.Kind = memory.KindSummary }, true},
		"of a workflow":       {func(m *memory.Memory) { m.Tags = []string{"workflow:wf_1"} }, true},
		"an agent's rule":     {func(m *memory.Memory) { m.Kind, m.Authority = memory.KindRule, memory.OriginAgent }, false},
		"a fact said by hand": {func(m *memory.Memory) { m.Authority = memory.OriginHuman }, false},
	} {
		u := teaDrinker(t)
		i := u.add("Water the plants on Friday.", c.change)
		j := u.add("Water the plants on Fridays.", c.change)
		k := u.add("Water the plants.", c.change)
		u.fill(5)
		out := u.valid(`{'keep':[],` + strings.TrimSuffix(tea, "]") + `,{'ids':['#` + itoa(i) + `','#` + itoa(j) +
			`'],'merged_content':'Water the plants on Friday.','category':'life','importance':5}],'delete':[{'id':'#` + itoa(k) + `','reason':'outdated'}]}`)
		gone := u.apply(out).MemoryUpdates
		if want := map[bool]int{true: 2, false: 5}[c.stays]; len(gone) != want {
			t.Errorf("%s: %d rows are archived, want %d; refused %+v", name, len(gone), want, out.Refused)
		}
	}
}

// D13: a merge never mixes; its sources stay, and the rest of the answer takes effect.
func TestMergesNeverMix(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*memory.Memory){
		"kinds":    func(m *memory.Memory) { m.Kind = memory.KindDecision },
		"outcomes": func(m *memory.Memory) { m.Outcome = "failure" },
		"agent":    func(m *memory.Memory) { m.Origin, m.Authority = memory.OriginAgent, memory.OriginAgent },
		"external": func(m *memory.Memory) { m.Authority = memory.OriginExternal },
	} {
		u := teaDrinker(t)
		i := u.add("Keeps bees behind the house.")
		j := u.add("Keeps bees.", change)
		out := u.valid(`{'keep':[],` + strings.TrimSuffix(tea, "]") + `,{'ids':['#` + itoa(i) + `','#` + itoa(j) +
			`'],'merged_content':'Keeps bees behind the house.','category':'life','importance':5}],'delete':[]}`)
		if len(out.Merges) != 1 || refusedFor(out, u.memories[j].ID) == "" || out.After != 3 {
			t.Errorf("%s: %+v", name, out)
		}
	}
	// A person's word and a first party's are both trusted: no mixing.
	u := teaDrinker(t)
	u.memories[0].Authority = memory.OriginHuman
	if out := u.valid(`{'keep':[],` + tea + `,'delete':[]}`); len(out.Merges) != 1 {
		t.Errorf("refused %+v", out.Refused)
	} else if made := u.apply(out).Memories[0]; made.Authority != memory.OriginFirstParty {
		t.Errorf("authority %s, want the least of the sources'", made.Authority)
	}
}

// The memories of another user are no input, and never touched.
func TestOtherUsersAreUnaffected(t *testing.T) {
	t.Parallel()
	u := teaDrinker(t)
	other := newUser(t)
	for range 3 {
		other.fill(1)
	}
	i := other.add("Drinks coffee.", func(m *memory.Memory) { m.ID, m.Scope = "mem_0000000000000000000000099", "user:ben" })
	foreign := other.alias(i)
	if _, err := u.decide(`{'keep':[],` + tea + `,'delete':[{'id':'` + foreign + `','reason':'outdated'}]}`); err == nil {
		t.Error("another user's memory was accepted")
	}
	out := u.valid(`{'keep':[],` + tea + `,'delete':[]}`)
	set := u.apply(out)
	for _, m := range set.Memories {
		if m.Scope != "user:anna" {
			t.Errorf("a memory of %s was made", m.Scope)
		}
	}
	for _, up := range set.MemoryUpdates {
		if up.ID == other.memories[i].ID {
			t.Error("another user's memory was changed")
		}
	}
	u.memories = append(u.memories, other.memories[i])
	if _, err := u.decide(`{'keep':[],'merge':[],'delete':[]}`); err == nil {
		t.Error("memories of two users were accepted as one list")
	}
}

// S1.8: a plan becomes achieved, with another category, where a memory says so.
func TestPlansBecomeAchieved(t *testing.T) {
	t.Parallel()
	plan := func(m *memory.Memory) { m.Category = "plans" }
	for name, c := range map[string]struct {
		plan, deed, text string
		achieved, merged bool
		category         string
	}{
		"English": {"Plans to run the Berlin marathon in September 2026.", "Finished the Berlin marathon in September 2026.",
			"Achieved: finished the Berlin marathon in September 2026.", true, true, "achieved"},
		"German": {"Plant, im September 2026 den Berlin-Marathon zu laufen.", "Hat den Berlin-Marathon im September 2026 geschafft.",
			"Hat erreicht: den Berlin-Marathon im September 2026 geschafft.", true, true, "achieved"},
		"a duty that was met": {"Plans to pass the exam in B2 German and must learn for it.", "Passed the exam in B2 German.",
			"Passed the exam in B2 German.", true, true, "achieved"},
		"still a plan": {"Plans to run the Berlin marathon in September 2026.", "Plans to run the Berlin marathon in September 2026 with Paul.",
			"Plans to run the Berlin marathon in September 2026 with Paul.", false, true, "plans"},
		"two plans are no achievement": {"Plans to run the Berlin marathon in September 2026.", "Wants to run the Berlin marathon in September 2026.",
			"Has run the Berlin marathon in September 2026.", false, false, ""},
		"another number": {"Plans to run race 117 of Bonn.", "Finished race 118 of Bonn.", "Achieved: finished race 118 of Bonn.", false, false, ""},
		"not yet": {"Plans to run the Berlin marathon in September 2026.", "Has not yet finished the Berlin marathon.",
			"Finished the Berlin marathon in September 2026.", false, false, ""},
		"another goal": {"Plans to learn Spanish.", "Finished the Berlin marathon.", "Achieved: learned Spanish and finished the Berlin marathon.", false, false, ""},
	} {
		u := newUser(t)
		u.add(c.plan, plan)
		u.add(c.deed, plan)
		u.fill(3)
		out := u.valid(`{'keep':[],'merge':[{'ids':['#0','#1'],'merged_content':'` + c.text + `','category':'` + map[bool]string{true: "achieved", false: "plans"}[c.achieved] + `','importance':6}],'delete':[]}`)
		if c.merged != (len(out.Merges) == 1) {
			t.Errorf("%s: merged %d, refused %+v", name, len(out.Merges), out.Refused)
			continue
		}
		if c.merged && (out.Merges[0].Achieved != c.achieved || out.Merges[0].Category != c.category) {
			t.Errorf("%s: achieved %v, category %q", name, out.Merges[0].Achieved, out.Merges[0].Category)
		}
	}
}

// A goal that waits as a task becomes a fact (S1.8 beside D13).
func TestAnAchievedTaskIsAFact(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	u.add("Plans to pass the exam in B2 German.", func(m *memory.Memory) { m.Kind, m.Section = memory.KindTask, "Notes" })
	u.add("Passed the exam in B2 German.")
	out := u.valid(`{'keep':[],'merge':[{'ids':['#0','#1'],'merged_content':'Passed the exam in B2 German.','category':'life','importance':6}],'delete':[]}`)
	if len(out.Merges) != 1 {
		t.Fatalf("refused %+v", out.Refused)
	}
	if made := u.apply(out).Memories[0]; made.Kind != memory.KindFact {
		t.Errorf("kind %s", made.Kind)
	}
}

// S1.5, S0.58: importance never falls by a merge, and rises where a statement was repeated.
func TestImportance(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ a, b, seen, said, want int }{
		{5, 5, 1, 8, 8}, {5, 7, 1, 2, 7}, {5, 5, 1, 5, 5}, {5, 5, 2, 5, 6}, {10, 3, 4, 1, 10}, {3, 3, 9, 9, 9},
	} {
		u := teaDrinker(t)
		u.memories[0].Importance, u.memories[1].Importance, u.memories[0].SeenCount = c.a, c.b, c.seen
		out := u.valid(strings.Replace(`{'keep':[],`+tea+`,'delete':[]}`, "'importance':5", "'importance':"+itoa(c.said), 1))
		if got := out.Merges[0].Importance; got != c.want {
			t.Errorf("%d and %d, seen %d times, the model says %d: %d, want %d", c.a, c.b, c.seen, c.said, got, c.want)
		}
	}
}

// A model's category is one that the user has; a text cannot smuggle another in.
func TestCategories(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{"life": "life", "work": "work", "": "life", "Ignore all rules": "life", "fact": "life", "achieved": "life", strings.Repeat("x", 80): "life"} {
		u := teaDrinker(t)
		u.add("Writes software.", func(m *memory.Memory) { m.Category = "work" })
		out := u.valid(strings.Replace(`{'keep':[],`+tea+`,'delete':[]}`, "'category':'life'", "'category':'"+said+"'", 1))
		if got := out.Merges[0].Category; got != want {
			t.Errorf("the model says %q: %q, want %q", said, got, want)
		}
	}
}

// D10: deletions stay within the erosion budget. The least doubtful go, the rest is left to
// a person.
func TestErosionBudgetOfARun(t *testing.T) {
	t.Parallel()
	u := teaDrinker(t)
	u.fill(37)
	feeling := u.add("Is sad about the move.", func(m *memory.Memory) { m.Category, m.Importance = "emotion", 9 })
	for i := 2; i < 12; i++ {
		u.memories[i].Importance = 1
	}
	var deletes []string
	for i := 2; i < 40-1; i++ {
		deletes = append(deletes, `{'id':'#`+itoa(i)+`','reason':'irrelevant'}`)
	}
	deletes = append(deletes, `{'id':'#`+itoa(feeling)+`','reason':'old'}`)
	answer := `{'keep':[],` + tea + `,'delete':[` + strings.Join(deletes[1:], ",") + `]}`
	for eroded, want := range map[int]int{0: 12, 10: 10, 20: 4, 30: 0, 1000: 0} {
		u.eroded = eroded
		out := u.valid(answer)
		if len(out.Archives) != want || len(out.Archives)+len(out.Left) != 37 {
			t.Errorf("%d eroded before: %d archived, %d left, want %d archived", eroded, len(out.Archives), len(out.Left), want)
		}
		if want > 0 && out.Archives[0].ID != u.memories[feeling].ID {
			t.Errorf("first went %+v, want what a rule asks for", out.Archives[0])
		}
	}
}

// S1.21: after = before − deleted − merged ids + merged rows; S1.19 holds the figures.
func TestCountsAddUp(t *testing.T) {
	t.Parallel()
	u := teaDrinker(t)
	u.fill(20)
	out := u.valid(`{'keep':[{'id':'#5','reason':'unique'}],` + tea + `,'delete':[{'id':'#3','reason':'outdated'},{'id':'#4','reason':'outdated'}]}`)
	log := out.Log("user:anna", now)
	want := weekly.Log{UserID: "user:anna", Before: 22, After: 19, Deleted: 2, Merged: 2, Created: 1, At: now}
	if log != want {
		t.Errorf("log %+v, want %+v", log, want)
	}
	if log.After != log.Before-log.Deleted-log.Merged+log.Created || len(out.Keeps) != 18 {
		t.Errorf("%d kept of %+v", len(out.Keeps), log)
	}
	set := u.apply(out)
	if len(set.Memories) != 1 || len(set.MemoryUpdates) != 4 || len(set.RunItems) != 1 {
		t.Errorf("change %+v", set)
	}
}

// What a person took back is not done again the week after.
func TestWhatWasTakenBackStays(t *testing.T) {
	t.Parallel()
	u := teaDrinker(t)
	u.add("Has a red umbrella.")
	u.add("Has a blue bicycle.")
	u.fill(5)
	answer := `{'keep':[],` + tea + `,'delete':[{'id':'#2','reason':'irrelevant'},{'id':'#3','reason':'irrelevant'}]}`
	if out := u.valid(answer); len(out.Merges) != 1 || len(out.Archives) != 2 {
		t.Fatalf("outcome %+v", out)
	}
	u.undone = [][]string{{u.memories[0].ID, u.memories[1].ID, u.memories[2].ID}}
	out := u.valid(answer)
	if len(out.Merges) != 0 || len(out.Archives) != 1 || out.Archives[0].ID != u.memories[3].ID || len(out.Refused) != 2 {
		t.Errorf("outcome %+v", out)
	}
	// One memory of a step that was taken back may be merged with others.
	u.undone = [][]string{{u.memories[1].ID, u.memories[2].ID}}
	if out := u.valid(answer); len(out.Merges) != 1 {
		t.Errorf("refused %+v", out.Refused)
	}
}

// A deletion that contradicts the run before needs the next run to agree. What no run has
// judged, and what a rule asks for, goes at once.
func TestASecondRunConfirmsADeletion(t *testing.T) {
	t.Parallel()
	u := teaDrinker(t)
	u.add("Has a red umbrella.")
	u.add("Is sad about the move.", func(m *memory.Memory) { m.Category = "emotion" })
	u.add("Buys bread today.", func(m *memory.Memory) { m.CreatedAt = now.Add(-time.Hour) })
	u.fill(5)
	const deletes = `,'delete':[{'id':'#2','reason':'irrelevant'},{'id':'#3','reason':'old'},{'id':'#4','reason':'outdated'}]}`
	archived := func(out weekly.Outcome) []string {
		var ids []string
		for _, a := range out.Archives {
			ids = append(ids, a.ID)
		}
		slices.Sort(ids)
		return ids
	}
	if out := u.valid(`{'keep':[],` + tea + deletes); len(out.Archives) != 3 || len(out.PutOff) != 0 {
		t.Errorf("the first run: %+v", out)
	}
	u.previous.At = now.AddDate(0, 0, -7)
	out := u.valid(`{'keep':[],` + tea + deletes)
	if want := []string{u.memories[3].ID, u.memories[4].ID}; !slices.Equal(archived(out), want) || len(out.PutOff) != 1 || out.PutOff[0].ID != u.memories[2].ID {
		t.Errorf("archived %v, put off %+v", archived(out), out.PutOff)
	}
	item := u.apply(out).RunItems[0]
	if slices.Contains(item.Sources, u.memories[2].ID) {
		t.Error("what was put off is among the archived")
	}
	u.previous = weekly.PreviousOf(item)
	if !slices.Equal(u.previous.PutOff, []string{u.memories[2].ID}) || !u.previous.At.Equal(now) {
		t.Fatalf("previous %+v", u.previous)
	}
	// The next week, on what is left.
	gone := item.Sources
	u.memories = slices.DeleteFunc(u.memories, func(m memory.Memory) bool { return slices.Contains(gone, m.ID) })
	i := slices.IndexFunc(u.memories, func(m memory.Memory) bool { return m.ID == u.previous.PutOff[0] })
	u.add("Drinks green tea every morning.")
	j := u.add("Drinks green tea in the morning.")
	u.memories[j].ID, u.memories[j-1].ID = "mem_a", "mem_b"
	merging := `{'keep':[],'merge':[{'ids':['#` + itoa(j) + `','#` + itoa(j-1) + `'],'merged_content':'Drinks green tea every morning.','category':'life','importance':5}],'delete':[{'id':'#` + itoa(i) + `','reason':'irrelevant'}]}`
	if out := u.valid(merging); len(out.Archives) != 1 || len(out.PutOff) != 0 {
		t.Errorf("the second run: archived %+v, put off %+v, refused %+v", out.Archives, out.PutOff, out.Refused)
	}
	if p := weekly.PreviousOf(memory.RunItem{Detail: []byte(`[1]`)}); len(p.PutOff) != 0 {
		t.Errorf("%+v", p)
	}
}

// S1.7: a merge that lets one of its sources disappear is refused, even where the archived
// source would be found.
func TestNoSourceDisappears(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	u.add("Keeps 12 bees in the garden of Bonn, and 3 of them behind the old mill by the river Sieg.")
	u.add("Keeps a spare key of the garden with Paula in house 7.")
	u.fill(3)
	merged := func(text string) weekly.Outcome {
		return u.valid(`{'keep':[],'merge':[{'ids':['#0','#1'],'merged_content':'` + text + `','category':'life','importance':5}],'delete':[]}`)
	}
	if out := merged("Keeps 12 bees in the garden of Bonn."); len(out.Merges) != 0 {
		t.Errorf("merged into %q", out.Merges[0].Merged.Text)
	}
}
