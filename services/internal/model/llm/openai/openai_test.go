package openai_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/model/llm"
	"github.com/winnowhq/winnow/services/internal/model/llm/llmtest"
	"github.com/winnowhq/winnow/services/internal/model/llm/openai"
)

// asking returns a model of the server with short pauses, changed by change. Its
// timeout is for a server that hangs.
func asking(t *testing.T, s *llmtest.Server, change func(*openai.Config)) *openai.Model {
	t.Helper()
	c := openai.Config{URL: s.URL, Model: "Test/chat-1", Key: "sk-test", Backoff: time.Millisecond, Timeout: time.Minute}
	if change != nil {
		change(&c)
	}
	m, err := openai.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// question has a session in it, as a prompt has.
func question() llm.Question {
	return llm.Question{
		Key: "key-1", System: "Extract.", SchemaName: "memories", MaxTokens: 300,
		Schema: json.RawMessage(`{"type":"object"}`),
		User:   "Session outcome: success\n" + `{"turn":2,"role":"assistant","text":"The migration ran after the index was dropped."}`,
	}
}

func TestRequest(t *testing.T) {
	t.Parallel()
	s := llmtest.NewServer(t, llmtest.Always(llmtest.Valid))
	a, err := asking(t, s, nil).Complete(t.Context(), question())
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(a.Text, `"turn":2`) || a.Stop != llm.StopDone || a.Model != "Test/chat-1" || a.InputTokens == 0 || a.OutputTokens == 0 {
		t.Errorf("answer %+v", a)
	}
	seen := s.Requests()
	if len(seen) != 1 {
		t.Fatalf("%d requests", len(seen))
	}
	r := seen[0]
	if r.Model != "Test/chat-1" || r.Key != "key-1" || r.Authorization != "sk-test" || !r.WantsJSON() || r.MaxTokens != 300 {
		t.Errorf("request %+v", r)
	}
	if len(r.Messages) != 2 || r.Messages[0].Role != "system" || r.Messages[1].Role != "user" {
		t.Errorf("messages %+v", r.Messages)
	}
}

// SPEC §8: a schema is used where the endpoint supports it, else plain words; the
// process learns that once.
func TestLearnsManners(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		reply llmtest.Reply
		first int // requests of the first question
		fits  func(llmtest.Request) bool
	}{
		"no schema":     {llmtest.PlainOnly(llmtest.Valid), 2, func(r llmtest.Request) bool { return !r.WantsJSON() && r.MaxTokens == 300 }},
		"another bound": {llmtest.Renamed(llmtest.Valid), 2, func(r llmtest.Request) bool { return r.WantsJSON() && r.MaxCompletionTokens == 300 }},
		"both": {llmtest.PlainOnly(llmtest.Renamed(llmtest.Valid)), 3, func(r llmtest.Request) bool {
			return !r.WantsJSON() && r.MaxCompletionTokens == 300
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := llmtest.NewServer(t, llmtest.Always(c.reply))
			m := asking(t, s, nil)
			for range 2 {
				if _, err := m.Complete(t.Context(), question()); err != nil {
					t.Fatal(err)
				}
			}
			seen := s.Requests()
			if len(seen) != c.first+1 {
				t.Errorf("%d requests, want %d for the first question and 1 for the second", len(seen), c.first)
			}
			if last := seen[len(seen)-1]; !c.fits(last) {
				t.Errorf("last request %+v", last)
			}
		})
	}
}

// A question that is refused with a schema and without one changes nothing.
func TestRefusedTeachesNothing(t *testing.T) {
	t.Parallel()
	s := llmtest.NewServer(t, llmtest.InOrder(
		llmtest.Refuse(400, "context_length_exceeded"), llmtest.Refuse(400, "context_length_exceeded"), llmtest.Valid))
	m := asking(t, s, nil)
	if _, err := m.Complete(t.Context(), question()); !errors.Is(err, llm.ErrRefused) {
		t.Fatal(err)
	}
	if _, err := m.Complete(t.Context(), question()); err != nil {
		t.Fatal(err)
	}
	if seen := s.Requests(); len(seen) != 3 || !seen[2].WantsJSON() {
		t.Errorf("%d requests", len(seen))
	}
}

// Issue 5, the scripted server: what it gets wrong has the right name, and what
// may pass is tried again (D24).
func TestAnswers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		reply    llmtest.Reply
		want     error  // nil when a second request mends it, or when it is an answer
		says     string // part of the message, or of the answer
		stop     llm.Stop
		requests int
	}{
		"markdown":      {llmtest.Markdown, nil, "## Memory 1", llm.StopDone, 1},
		"empty":         {llmtest.Empty, nil, "", llm.StopDone, 1},
		"none":          {llmtest.None, nil, "NO_EXTRACTIONS", llm.StopDone, 1},
		"malformed":     {llmtest.Malformed, nil, "Sure!", llm.StopDone, 1},
		"truncated":     {llmtest.Truncated, nil, `{"memories"`, llm.StopLength, 1},
		"refusing":      {llmtest.Refusing, nil, "", llm.StopRefusal, 1},
		"429":           {llmtest.TooMany(""), llm.ErrUnavailable, "status 429 (rate_limit_exceeded)", "", 2},
		"500":           {llmtest.Fail, llm.ErrUnavailable, "status 500 (server_error)", "", 2},
		"garbled":       {llmtest.Garbled, llm.ErrAnswer, "not what the protocol says", "", 2},
		"no choices":    {llmtest.NoChoices, llm.ErrAnswer, "not what the protocol says", "", 1},
		"huge":          {llmtest.Huge, llm.ErrAnswer, "longer than 1048576 bytes", "", 1},
		"slow":          {llmtest.Slow, llm.ErrUnavailable, "no answer", "", 1},
		"wrong key":     {llmtest.Refuse(401, "invalid_api_key"), llm.ErrRefused, "check the key", "", 1},
		"wrong model":   {llmtest.Refuse(404, "model_not_found"), llm.ErrRefused, "the model's name", "", 1},
		"too long":      {llmtest.Refuse(413, ""), llm.ErrRefused, "shorten the question", "", 1},
		"empty account": {llmtest.Refuse(429, "insufficient_quota"), llm.ErrRefused, "account is empty", "", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := llmtest.NewServer(t, llmtest.Always(c.reply))
			m := asking(t, s, func(cfg *openai.Config) {
				cfg.Attempts = 2
				if name == "slow" {
					cfg.Timeout = 50 * time.Millisecond
				}
			})
			a, err := m.Complete(t.Context(), question())
			if !errors.Is(err, c.want) {
				t.Fatalf("error %v, want %v", err, c.want)
			}
			requests, _ := s.Counts()
			if name == "slow" {
				// Whether it has arrived when the time is over hangs on the machine.
				requests = max(requests, c.requests)
			}
			if requests != c.requests {
				t.Errorf("%d requests, want %d", requests, c.requests)
			}
			if err != nil {
				if !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "migration") || strings.Contains(err.Error(), "sk-test") {
					t.Errorf("message %q", err)
				}
				return
			}
			if !strings.HasPrefix(a.Text, c.says) || a.Stop != c.stop {
				t.Errorf("answer %+v", a)
			}
		})
	}
}

// D24: an overloaded server is not called for as long as it asks, and the retried
// question has the same key.
func TestRetryAfter(t *testing.T) {
	t.Parallel()
	s := llmtest.NewServer(t, llmtest.InOrder(llmtest.TooMany("1"), llmtest.Fail, llmtest.Valid))
	began := time.Now()
	if _, err := asking(t, s, nil).Complete(t.Context(), question()); err != nil {
		t.Fatal(err)
	}
	// A lower bound: it holds however slow the machine is.
	if waited := time.Since(began); waited < time.Second {
		t.Errorf("came back after %s, was asked to wait a second", waited)
	}
	if requests, questions := s.Counts(); requests != 3 || questions != 1 {
		t.Errorf("%d requests, %d questions", requests, questions)
	}
}

// A wait that the question has no time for is left to whoever asks.
func TestRetryAfterTooLong(t *testing.T) {
	t.Parallel()
	s := llmtest.NewServer(t, llmtest.Always(llmtest.TooMany("90")))
	_, err := asking(t, s, nil).Complete(t.Context(), question())
	if !errors.Is(err, llm.ErrUnavailable) || llm.After(err) != 90*time.Second {
		t.Errorf("%v, after %s", err, llm.After(err))
	}
	if requests, _ := s.Counts(); requests != 1 {
		t.Errorf("%d requests", requests)
	}
}

func TestEndsWithContext(t *testing.T) {
	t.Parallel()
	asked, never := make(chan struct{}, 1), make(chan struct{})
	s := llmtest.NewServer(t, llmtest.Always(llmtest.Hold(asked, never, llmtest.Valid)))
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-asked; cancel() }()
	if _, err := asking(t, s, nil).Complete(ctx, question()); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestUnreachable(t *testing.T) {
	t.Parallel()
	m, err := openai.New(openai.Config{URL: "http://user:secret@127.0.0.1:1/v1", Model: "m", Key: "sk-test", Backoff: time.Millisecond, Attempts: 2})
	if err != nil {
		t.Fatal(err)
	}
	_, err = m.Complete(t.Context(), question())
	if !errors.Is(err, llm.ErrUnavailable) || strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "sk-test") {
		t.Error(err)
	}
}

func TestConcurrent(t *testing.T) {
	t.Parallel()
	s := llmtest.NewServer(t, llmtest.Always(llmtest.PlainOnly(llmtest.Valid)))
	m := asking(t, s, nil)
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			if _, err := m.Complete(t.Context(), question()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

func TestNew(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]openai.Config{
		"no address": {Model: "m"},
		"scheme":     {URL: "ftp://host/v1", Model: "m"},
		"no model":   {URL: "http://host/v1"},
	} {
		if _, err := openai.New(c); !errors.Is(err, llm.ErrRefused) {
			t.Errorf("%s: %v", name, err)
		}
	}
	m, err := openai.New(openai.Config{URL: "http://host/v1/chat/completions/", Model: " gpt "})
	if err != nil || m.ID() != "gpt" {
		t.Errorf("%v %v", m, err)
	}
}
