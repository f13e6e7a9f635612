package weekly_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/consolidation/weekly"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

var now = time.Date(2026, 11, 22, 3, 0, 0, 0, time.UTC)

const nonce = "k3vq9x7m2p5t8w1z"

// user is a person's memories and what a model says about them.
type user struct {
	t        testing.TB
	memories []memory.Memory
	eroded   int
	undone   [][]string
	previous weekly.Previous
	language string
}

func newUser(t testing.TB) *user { return &user{t: t} }

// add stores a memory with the next id, m1 first, and returns its place in the list.
func (u *user) add(text string, change ...func(*memory.Memory)) int {
	n := len(u.memories) + 1
	m := memory.Memory{
		ID: fmt.Sprintf("mem_%026d", n), Tenant: memory.DefaultTenant, Scope: "user:anna", State: memory.StateActive,
		Kind: memory.KindFact, Section: "Notes", Text: text, Category: "life", Importance: 5, Confidence: 0.7,
		Origin: memory.OriginFirstParty, Authority: memory.OriginFirstParty, SeenCount: 1, Version: int64(n),
		CreatedAt: now.AddDate(0, 0, -60).Add(time.Duration(n) * time.Hour),
	}
	for _, c := range change {
		c(&m)
	}
	u.memories = append(u.memories, m)
	return n - 1
}

// fill adds memories that nothing is said about.
func (u *user) fill(n int) {
	for i := range n {
		u.add(fmt.Sprintf("Owns the book %q by an author of the %d%s street.", fmt.Sprint("vol", i), i+3, "th"))
	}
}

func (u *user) question() weekly.Question {
	return weekly.Prompt(u.memories, weekly.PromptOptions{Language: u.language, Now: now, Nonce: nonce})
}

var lines = regexp.MustCompile(`(?m)^\{"id":.*\}$`)

// alias returns the name under which the model sees the i-th memory.
func (u *user) alias(i int) string {
	u.t.Helper()
	for _, l := range lines.FindAllString(u.question().User, -1) {
		var shown struct{ ID, Content string }
		if err := json.Unmarshal([]byte(l), &shown); err != nil {
			u.t.Fatal(err)
		}
		if shown.Content == u.memories[i].Text {
			return shown.ID
		}
	}
	u.t.Fatalf("memory %d is not in the list", i)
	return ""
}

// answer fills #0, #1 … of a template with aliases and ' with ".
func (u *user) answer(template string) string {
	out := strings.ReplaceAll(template, "'", `"`)
	for i := len(u.memories) - 1; i >= 0; i-- {
		if mark := fmt.Sprintf("#%d", i); strings.Contains(out, mark) {
			out = strings.ReplaceAll(out, mark, u.alias(i))
		}
	}
	return out
}

func (u *user) decide(template string) (weekly.Outcome, error) {
	u.t.Helper()
	return weekly.Decide(weekly.Input{
		Now: now, Memories: u.memories, Question: u.question(), Answer: u.answer(template), Eroded: u.eroded, Undone: u.undone, Previous: u.previous,
	})
}

// valid decides and expects a valid answer.
func (u *user) valid(template string) weekly.Outcome {
	u.t.Helper()
	out, err := u.decide(template)
	if err != nil {
		u.t.Fatal(err)
	}
	return out
}

func (u *user) apply(out weekly.Outcome) change.Set {
	ids := 0
	return weekly.Apply(weekly.Step{
		Run:  memory.Run{ID: "run_1", Tenant: memory.DefaultTenant, Scope: "user:anna", Strategy: memory.RunWeekly},
		Item: memory.RunItem{Tenant: memory.DefaultTenant, RunID: "run_1", N: 1, Action: memory.ActionWeekly, State: memory.ItemPlanned},
		Now:  now, Model: "scripted",
		NewID: func(prefix string) string { ids++; return fmt.Sprintf("%sn%025d", prefix, ids) },
	}, u.memories, out)
}

func itoa(n int) string { return fmt.Sprint(n) }
