// Package sessiontest writes sessions for tests and benchmarks. A person asks for
// something; an agent reads files, runs tests, fails, finds the cause and reports it,
// for as many bytes as wanted. No two sessions say the same.
//
// The same seed gives the same session, so a failure can be reproduced.
package sessiontest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
)

var (
	systems = []string{"billing", "checkout", "ledger", "search", "mailer", "scheduler", "inventory", "pricing", "refund", "shipping"}
	actions = []string{"rounds", "retries", "drops", "caches", "locks", "truncates", "reorders", "escapes", "parses", "merges"}
	things  = []string{"totals", "headers", "pages", "tokens", "rows", "events", "addresses", "invoices", "batches", "uploads"}
	reasons = []string{
		"because the deadline was shared", "since the lock is taken twice", "when the page is empty", "after the second retry",
		"because the zone is missing", "while a rebuild runs", "as the index is not unique", "when two writers race",
	}
)

// Event returns the n-th session of a seed, inline, with a trace of about so many
// bytes.
func Event(seed uint64, n, bytes int) *winnowv1.SessionCompleted {
	id := fmt.Sprintf("run-%d-%d", seed, n)
	return &winnowv1.SessionCompleted{
		Id: id, SessionId: id, Scope: fmt.Sprintf("project:shop-%d", n%10), Format: "openai-chat", Outcome: "success",
		Trace:   &winnowv1.SessionCompleted_Inline{Inline: Trace(seed, n, bytes)},
		EndedAt: timestamppb.New(time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC).Add(time.Duration(n) * time.Minute)),
	}
}

// message is one message of a chat.
type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
	Calls   []call `json:"tool_calls,omitempty"`
	Call    string `json:"tool_call_id,omitempty"`
	Name    string `json:"name,omitempty"`
}

type call struct {
	ID       string   `json:"id"`
	Type     string   `json:"type"`
	Function function `json:"function"`
}

type function struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// Trace returns the n-th trace of a seed: a list of chat messages in JSON.
func Trace(seed uint64, n, bytes int) []byte {
	w := &writer{r: rand.New(rand.NewPCG(seed, uint64(n))), n: n}
	system := w.pick(systems)
	w.say("user", fmt.Sprintf("The %s service %s %s in build %d. Please find out why. We always run its tests with -race.",
		system, w.pick(actions), w.pick(things), 1000+n))
	for w.size < bytes {
		w.attempt(system)
	}
	w.say("assistant", fmt.Sprintf("Fixed: %s/%s_%d.go %s %s %s, and the tests pass with -race.",
		system, w.pick(things), n, w.pick(actions), w.pick(things), w.pick(reasons)))
	w.say("user", "Great, that works.")
	raw, err := json.Marshal(w.list)
	if err != nil { // strings always marshal
		return nil
	}
	return raw
}

type writer struct {
	r     *rand.Rand
	n     int
	calls int
	size  int
	list  []message
}

func (w *writer) pick(from []string) string { return from[w.r.IntN(len(from))] }

func (w *writer) say(role, text string) { w.add(message{Role: role, Content: text}) }

func (w *writer) add(m message) {
	w.list = append(w.list, m)
	w.size += len(m.Content) + 40
}

// attempt reads a file and runs the tests once, which fail.
func (w *writer) attempt(system string) {
	thing := w.pick(things)
	file := fmt.Sprintf("%s/%s_%d.go", system, thing, w.r.IntN(1000))
	w.shell("sed -n 1,60p "+file, w.code(thing))
	w.shell("go test -race ./"+system, fmt.Sprintf("--- FAIL: Test%s%d (0.0%ds)\n    %s_test.go:%d: got %d, want %d\nFAIL\nexit status 1",
		thing, w.r.IntN(1000), w.r.IntN(10), thing, w.r.IntN(300), w.r.IntN(100), w.r.IntN(100)))
	w.say("assistant", fmt.Sprintf("%s %s %s %s. I try to change line %d.", file, w.pick(actions), thing, w.pick(reasons), w.r.IntN(300)))
}

func (w *writer) shell(command, output string) {
	w.calls++
	id := fmt.Sprintf("call_%d_%d", w.n, w.calls)
	arguments, _ := json.Marshal(map[string]string{"command": command}) // strings always marshal
	w.add(message{Role: "assistant", Calls: []call{{ID: id, Type: "function", Function: function{Name: "bash", Arguments: string(arguments)}}}})
	w.add(message{Role: "tool", Call: id, Name: "bash", Content: output})
}

// code returns some lines that look like a file.
func (w *writer) code(thing string) string {
	var b strings.Builder
	for range 12 + w.r.IntN(12) {
		fmt.Fprintf(&b, "\tif err := %s%d(ctx, %s[%d]); err != nil { return fmt.Errorf(\"%s: %%w\", err) }\n",
			w.pick(actions), w.r.IntN(50), thing, w.r.IntN(20), w.pick(things))
	}
	return b.String()
}
