package consult_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"go.uber.org/zap"

	"github.com/winnowhq/winnow/services/internal/guard/redact"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/model/consult"
	"github.com/winnowhq/winnow/services/internal/model/llm"
	"github.com/winnowhq/winnow/services/internal/model/llm/llmtest"
	"github.com/winnowhq/winnow/services/internal/model/llm/openai"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/store/postgres"
	"github.com/winnowhq/winnow/services/internal/store/postgres/pgtest"
)

const tenant = memory.DefaultTenant

// bench is a Consult with real parts.
type bench struct {
	*consult.Consult
	server   *llmtest.Server
	store    *postgres.Store
	registry *prometheus.Registry
}

func open(t *testing.T, script llmtest.Script, config consult.Config) bench {
	t.Helper()
	d := bench{server: llmtest.NewServer(t, script), store: pgtest.Open(t), registry: prometheus.NewRegistry()}
	d.Consult = d.another(t, config)
	return d
}

// noon is the clock of every process: a budget is per day, and no test may run into the
// next one.
var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// another returns a second process on the same store. The model's timeout is for a server that
// hangs.
func (d bench) another(t *testing.T, config consult.Config) *consult.Consult {
	t.Helper()
	model, err := openai.New(openai.Config{URL: d.server.URL, Model: "small", Attempts: 1, Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	redactor, err := redact.New(redact.Config{Key: []byte("only for tests")})
	if err != nil {
		t.Fatal(err)
	}
	return consult.New(model, d.store, redactor, config, zap.NewNop(), d.registry, func() time.Time { return noon })
}

func about(session string) consult.Request {
	return consult.Request{
		Purpose: "distill", Subject: session, Prompt: "p1",
		Question: llm.Question{System: "Extract.", User: "What was learned?", MaxTokens: 100},
	}
}

// SPEC §8: a redelivery never pays twice, in any process.
func TestAnswersAreKept(t *testing.T) {
	t.Parallel()
	d := open(t, llmtest.InOrder(llmtest.Say("first"), llmtest.Say("second")), consult.Config{})
	for _, asked := range []*consult.Consult{d.Consult, d.another(t, consult.Config{})} {
		a, err := asked.Ask(t.Context(), tenant, about("sess_1"))
		if err != nil || a.Text != "first" || a.Stop != llm.StopDone {
			t.Fatalf("%+v %v", a, err)
		}
	}
	if a, err := d.Ask(t.Context(), tenant, about("sess_2")); err != nil || a.Text != "second" {
		t.Errorf("another session: %+v %v", a, err)
	}
	if requests, questions := d.server.Counts(); requests != 2 || questions != 2 {
		t.Errorf("%d requests, %d questions", requests, questions)
	}
	calls, tokens, err := d.store.Spent(t.Context(), tenant, noon.Add(-time.Hour))
	if err != nil || calls != 2 || tokens == 0 {
		t.Errorf("%d calls, %d tokens, %v", calls, tokens, err)
	}
}

// SPEC §8: a broker that delivers an event again while the model still answers makes no
// second question, and the one who waits may stop waiting.
func TestAskedOnceAtATime(t *testing.T) {
	t.Parallel()
	asked, answer := make(chan struct{}), make(chan struct{})
	d := open(t, llmtest.InOrder(llmtest.Hold(asked, answer, llmtest.Say("first")), llmtest.Say("second")), consult.Config{})
	const callers = 8
	got := make(chan string, callers)
	ask := func() {
		a, err := d.Ask(t.Context(), tenant, about("sess_1"))
		if err != nil {
			t.Error(err)
		}
		got <- a.Text
	}
	go ask()
	<-asked
	gone, leave := context.WithCancel(t.Context())
	leave()
	if _, err := d.Ask(gone, tenant, about("sess_1")); !errors.Is(err, context.Canceled) {
		t.Errorf("one who left: %v", err)
	}
	for range callers - 1 {
		go ask()
	}
	if a, err := d.Ask(t.Context(), tenant, about("sess_2")); err != nil || a.Text != "second" {
		t.Errorf("another question meanwhile: %+v %v", a, err)
	}
	close(answer)
	for range callers {
		if text := <-got; text != "first" {
			t.Errorf("answer %q", text)
		}
	}
	if requests, questions := d.server.Counts(); requests != 2 || questions != 2 {
		t.Errorf("%d requests, %d questions", requests, questions)
	}
}

// A process that dies during a call leaves a begun call; the next process asks again
// under the same key, and the two count as one.
func TestDiesWhileAsking(t *testing.T) {
	t.Parallel()
	asked, never := make(chan struct{}), make(chan struct{})
	d := open(t, llmtest.InOrder(llmtest.Hold(asked, never, llmtest.Say("late")), llmtest.Say("again")), consult.Config{})
	dying, kill := context.WithCancel(t.Context())
	go func() { <-asked; kill() }()
	if _, err := d.Ask(dying, tenant, about("sess_1")); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if a, err := d.another(t, consult.Config{}).Ask(t.Context(), tenant, about("sess_1")); err != nil || a.Text != "again" {
		t.Fatalf("%+v %v", a, err)
	}
	if requests, questions := d.server.Counts(); requests != 2 || questions != 1 {
		t.Errorf("%d requests, %d questions", requests, questions)
	}
	if calls, _, err := d.store.Spent(t.Context(), tenant, noon.Add(-time.Hour)); err != nil || calls != 1 {
		t.Errorf("%d calls, %v", calls, err)
	}
}

// SPEC §16, promise 5: no secret reaches a model, and none is stored from its answer.
func TestRedacts(t *testing.T) {
	t.Parallel()
	const secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
	d := open(t, llmtest.Always(llmtest.Say("use "+secret)), consult.Config{})
	r := about("sess_1")
	r.Question.System, r.Question.User = "key "+secret, "the key was "+secret
	for range 2 {
		a, err := d.Ask(t.Context(), tenant, r)
		if err != nil || strings.Contains(a.Text, secret) || !strings.Contains(a.Text, "⟨secret:") {
			t.Errorf("answer %q %v", a.Text, err)
		}
	}
	for _, in := range d.server.Requests() {
		if strings.Contains(in.Prompt(), secret) {
			t.Error("the model was shown a secret")
		}
	}
}

// D24: the budget is per tenant, and no question is asked beyond it.
func TestBudget(t *testing.T) {
	t.Parallel()
	d := open(t, llmtest.Always(llmtest.Say(strings.Repeat("word ", 400))), consult.Config{DailyTokens: 700})
	if _, err := d.Ask(t.Context(), tenant, about("sess_1")); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Ask(t.Context(), tenant, about("sess_2")); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Ask(t.Context(), tenant, about("sess_3")); !errors.Is(err, store.ErrBudget) {
		t.Fatal(err)
	}
	// Stored answers stay available.
	if _, err := d.Ask(t.Context(), tenant, about("sess_1")); err != nil {
		t.Error(err)
	}
	if requests, _ := d.server.Counts(); requests != 2 {
		t.Errorf("%d requests", requests)
	}
	for result, want := range map[string]float64{"answered": 2, "budget": 1, "stored": 1} {
		if got := d.count(t, result); got != want {
			t.Errorf("%s: %v, want %v", result, got, want)
		}
	}
}

// count returns how many questions ended with an outcome.
func (d bench) count(t *testing.T, result string) float64 {
	t.Helper()
	families, err := d.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			for _, l := range m.GetLabel() {
				if f.GetName() == "winnow_model_calls_total" && l.GetValue() == result {
					return m.GetCounter().GetValue()
				}
			}
		}
	}
	return 0
}

// D24: a server that fails repeatedly is not called, and questions get its last error
// meanwhile.
func TestLeftAlone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		reply llmtest.Reply
		want  error
	}{
		"down":      {llmtest.Fail, llm.ErrUnavailable},
		"wrong key": {llmtest.Refuse(401, "invalid_api_key"), llm.ErrRefused},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := open(t, llmtest.Always(c.reply), consult.Config{Failures: 3, Cooldown: time.Hour})
			for range 10 {
				if _, err := d.Ask(t.Context(), tenant, about("sess_1")); !errors.Is(err, c.want) {
					t.Fatal(err)
				}
			}
			_, err := d.Ask(t.Context(), tenant, about("sess_1"))
			if wait := llm.After(err); wait < 59*time.Minute {
				t.Errorf("come back after %s", wait)
			}
			if requests, _ := d.server.Counts(); requests != 3 {
				t.Errorf("%d requests, want 3", requests)
			}
			if open := testutil.CollectAndCount(d.registry, "winnow_model_left_alone"); open != 1 {
				t.Errorf("%d series of the gauge", open)
			}
		})
	}
}

// A server's Retry-After is honoured beyond the cooldown.
func TestLeftAloneAsAsked(t *testing.T) {
	t.Parallel()
	d := open(t, llmtest.Always(llmtest.TooMany("7200")), consult.Config{Failures: 1, Cooldown: time.Minute})
	for range 2 {
		_, err := d.Ask(t.Context(), tenant, about("sess_1"))
		if wait := llm.After(err); wait < 119*time.Minute || wait > 2*time.Hour {
			t.Errorf("come back after %s: %v", wait, err)
		}
	}
}

// After the cooldown one question detects that the server is back.
func TestComesBack(t *testing.T) {
	t.Parallel()
	d := open(t, llmtest.Always(llmtest.Fail), consult.Config{Failures: 1, Cooldown: time.Millisecond})
	if _, err := d.Ask(t.Context(), tenant, about("sess_1")); !errors.Is(err, llm.ErrUnavailable) {
		t.Fatal(err)
	}
	d.server.Answer(llmtest.Always(llmtest.Say("back")))
	for {
		a, err := d.Ask(t.Context(), tenant, about("sess_1"))
		if err == nil && a.Text == "back" {
			return
		}
		if !errors.Is(err, llm.ErrUnavailable) {
			t.Fatal(err)
		}
	}
}

// Many workers with one session each, and some with the same: every question is called
// once.
func TestConcurrent(t *testing.T) {
	t.Parallel()
	d := open(t, llmtest.Always(llmtest.Say("fine")), consult.Config{DailyTokens: 1_000_000})
	var all sync.WaitGroup
	for i := range 32 {
		all.Go(func() {
			if _, err := d.Ask(t.Context(), tenant, about("sess_"+string(rune('a'+i%16)))); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if _, questions := d.server.Counts(); questions != 16 {
		t.Errorf("%d questions", questions)
	}
	if calls, _, err := d.store.Spent(t.Context(), tenant, noon.Add(-time.Hour)); err != nil || calls != 16 {
		t.Errorf("%d calls, %v", calls, err)
	}
}
