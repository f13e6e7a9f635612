package openai_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/model/embed"
	"github.com/winnowhq/winnow/services/internal/model/embed/embedtest"
	"github.com/winnowhq/winnow/services/internal/model/embed/openai"
)

const dim = 24

// asking returns an embedder of the server with short pauses, changed by change.
func asking(t *testing.T, s *embedtest.Server, change func(*openai.Config)) *openai.Embedder {
	t.Helper()
	c := openai.Config{URL: s.URL, Model: "Test/Embed_v1.5", Dim: dim, Key: "sk-test", Backoff: time.Millisecond}
	if change != nil {
		change(&c)
	}
	e, err := openai.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// S4.29: a model of any address, with the dimensions that it has.
func TestConformance(t *testing.T) {
	t.Parallel()
	embedtest.Run(t, asking(t, embedtest.NewServer(t, dim), nil))
}

func TestRequest(t *testing.T) {
	t.Parallel()
	s := embedtest.NewServer(t, dim)
	e := asking(t, s, func(c *openai.Config) { c.Batch, c.MaxBytes, c.Shorten = 2, 10, true })
	v, err := e.Embed(t.Context(), []string{"one", " ", "two\xff", "größe größe größe", "", "  three\n"})
	if err != nil {
		t.Fatal(err)
	}
	for i, blank := range []bool{false, true, false, false, true, false} {
		if (v[i] == nil) != blank {
			t.Errorf("vector %d has %d numbers", i, len(v[i]))
		}
	}
	var sent []string
	for _, r := range s.Requests() {
		if r.Model != "Test/Embed_v1.5" || r.Dimensions != dim || r.Authorization != "sk-test" || len(r.Input) > 2 {
			t.Errorf("request %+v", r)
		}
		sent = append(sent, strings.Join(r.Input, "|"))
	}
	// Blanks are not sent, a long text is cut between two characters.
	if got, want := strings.Join(sent, " / "), "one|two / größe gr|three"; got != want {
		t.Errorf("sent %q, want %q", got, want)
	}
	if e.ID() != "openai-test-embed-v1.5-24" {
		t.Errorf("id %q", e.ID())
	}
}

// Issue 4, bad input: wrong answers of an endpoint are refused with a reason, and
// transient ones are retried; where a text may be the cause, each text alone too.
func TestAnswers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		reply    embedtest.Reply
		want     error  // nil when a second request succeeds
		says     string // part of the message
		requests int
	}{
		"shuffled":                  {embedtest.Shuffled, nil, "", 1},
		"wrong dimension":           {embedtest.WrongDimension, embed.ErrInvalid, "25 numbers, dim is 24", 1},
		"too few":                   {embedtest.TooFew, embed.ErrAnswer, "1 vectors for 2 texts", 1},
		"same index":                {embedtest.SameIndex, embed.ErrAnswer, "vector 0 twice", 1},
		"empty":                     {embedtest.Empty, embed.ErrAnswer, "0 vectors", 1},
		"zeroes":                    {embedtest.Zeroes, embed.ErrAnswer, "without a direction", 3},
		"nulls":                     {embedtest.Nulls, embed.ErrAnswer, "without a direction", 3},
		"NaN":                       {embedtest.NaN, embed.ErrAnswer, "not what the protocol says", 6},
		"infinite":                  {embedtest.Infinite, embed.ErrAnswer, "not what the protocol says", 6},
		"malformed":                 {embedtest.Malformed, embed.ErrAnswer, "not what the protocol says", 6},
		"cut off":                   {embedtest.CutOff, embed.ErrAnswer, "", 6},
		"huge":                      {embedtest.Huge, embed.ErrAnswer, "longer than", 3},
		"slow":                      {embedtest.Slow, embed.ErrUnavailable, "no answer", 2},
		"429":                       {embedtest.TooMany(""), embed.ErrUnavailable, "status 429 (rate_limit_exceeded)", 2},
		"500":                       {embedtest.Refuse(500, "server_error"), embed.ErrUnavailable, "status 500 (server_error)", 6},
		"wrong key":                 {embedtest.Refuse(401, "invalid_api_key"), embed.ErrInvalid, "check key or key_file", 1},
		"wrong model":               {embedtest.Refuse(404, "model_not_found"), embed.ErrInvalid, "status 404 (model_not_found); check url and model", 1},
		"too large":                 {embedtest.Refuse(413, ""), embed.ErrInvalid, "lower batch or max_bytes", 3},
		"refused":                   {embedtest.Refuse(400, "context_length_exceeded"), embed.ErrInvalid, "context_length_exceeded", 3},
		"a code that could be text": {embedtest.Refuse(400, "bad text: secret words"), embed.ErrInvalid, "status 400;", 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := embedtest.Always(t, dim, c.reply)
			e := asking(t, s, func(c *openai.Config) {
				c.Attempts = 2
				if name == "slow" {
					c.Timeout = 20 * time.Millisecond
				}
			})
			pauses := 0
			e.SetWait(func(context.Context, time.Duration) error {
				pauses++
				return nil
			})
			v, err := e.Embed(t.Context(), []string{"secret words", "another"})
			if !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
				t.Fatalf("error %v, want %v", err, c.want)
			}
			n := len(s.Requests())
			if name == "slow" { // a cancelled request may not have reached the server
				n = pauses + 1
			}
			if n != c.requests {
				t.Errorf("%d requests, want %d", n, c.requests)
			}
			if err == nil {
				return
			}
			if v != nil {
				t.Error("vectors beside an error")
			}
			if !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "secret words") {
				t.Errorf("message %q, want %q in it and no text", err, c.says)
			}
		})
	}
}

// Issue 4, bad input: one text on which the server always fails has no vector, and the
// others of its batch have theirs.
func TestOneBadText(t *testing.T) {
	t.Parallel()
	for name, reply := range map[string]embedtest.Reply{
		"refused": embedtest.Refuse(400, "invalid_input"), "too large": embedtest.Refuse(413, ""),
		"breaks": embedtest.Refuse(500, "server_error"), "NaN": embedtest.NaN, "zeroes": embedtest.Zeroes,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, bad := range [][]int{{0}, {31}, {63}, {5, 40}, {20, 21}} {
				s := embedtest.Always(t, dim, embedtest.On("poison", reply))
				e := asking(t, s, func(c *openai.Config) { c.Attempts = 2 })
				texts := make([]string, 64)
				for i := range texts {
					texts[i] = fmt.Sprint("text ", i)
				}
				for _, i := range bad {
					texts[i] = "poison"
				}
				v, err := e.Embed(t.Context(), texts)
				if err != nil || len(v) != len(texts) {
					t.Fatalf("bad %v: %d vectors, %v", bad, len(v), err)
				}
				alone, err := asking(t, embedtest.NewServer(t, dim), nil).Embed(t.Context(), texts)
				if err != nil {
					t.Fatal(err)
				}
				for i := range texts {
					if poison := slices.Contains(bad, i); poison != (v[i] == nil) || !poison && !slices.Equal(v[i], alone[i]) {
						t.Errorf("bad %v: text %d has %d numbers", bad, i, len(v[i]))
					}
				}
				// Twice the depth of the halving for each, and the patience with it.
				if n := len(s.Requests()); n > 17*len(bad) {
					t.Errorf("bad %v: %d requests", bad, n)
				}
			}
		})
	}
}

// A transient failure is not visible to the caller.
func TestRetriesMend(t *testing.T) {
	t.Parallel()
	s := embedtest.NewServer(t, dim, embedtest.Refuse(503, ""), embedtest.CutOff, embedtest.TooMany("0"))
	e := asking(t, s, nil)
	v, err := e.Embed(t.Context(), []string{"a"})
	if err != nil || len(v[0]) != dim {
		t.Fatalf("%d vectors, %v", len(v), err)
	}
	if n := len(s.Requests()); n != 4 {
		t.Errorf("%d requests, want 4", n)
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		header   string
		at, most time.Duration // the pause; our own is 1 ms ± 20 %
		requests int
	}{
		"seconds":        {"7", 7 * time.Second, 7 * time.Second, 2},
		"in the past":    {"Mon, 02 Jan 2006 15:04:05 GMT", 0, 2 * time.Millisecond, 2},
		"not a time":     {"soon", 0, 2 * time.Millisecond, 2},
		"more than ours": {"3600", 0, 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := embedtest.NewServer(t, dim, embedtest.TooMany(c.header))
			e := asking(t, s, nil)
			var pauses []time.Duration
			e.SetWait(func(_ context.Context, d time.Duration) error {
				pauses = append(pauses, d)
				return nil
			})
			_, err := e.Embed(t.Context(), []string{"a"})
			if n := len(s.Requests()); n != c.requests {
				t.Fatalf("%d requests, %v", n, err)
			}
			if c.requests == 1 {
				if !errors.Is(err, embed.ErrUnavailable) {
					t.Errorf("error %v", err)
				}
				return
			}
			if err != nil || len(pauses) != 1 || pauses[0] < c.at || pauses[0] > c.most {
				t.Errorf("pauses %v, error %v", pauses, err)
			}
		})
	}
}

// An unreachable server is unavailable. Its address may contain a password, which must
// not reach a log.
func TestNoServer(t *testing.T) {
	t.Parallel()
	s := embedtest.NewServer(t, dim)
	e := asking(t, s, func(c *openai.Config) { c.URL, c.Attempts = "http://user:hunter2@127.0.0.1:1/v1", 2 })
	_, err := e.Embed(t.Context(), []string{"a"})
	if !errors.Is(err, embed.ErrUnavailable) || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("error %v", err)
	}
}

// A cancelled wait returns the caller's error, not a failure of the server.
func TestCancelledWhileWaiting(t *testing.T) {
	t.Parallel()
	s := embedtest.NewServer(t, dim, embedtest.TooMany("20"))
	e := asking(t, s, nil)
	ctx, cancel := context.WithCancel(t.Context())
	e.SetWait(func(ctx context.Context, d time.Duration) error {
		cancel()
		return openai.Sleep(ctx, d)
	})
	if _, err := e.Embed(ctx, []string{"a"}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestSettings(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	key, blank := filepath.Join(dir, "key"), filepath.Join(dir, "blank")
	for name, text := range map[string]string{key: " sk-file\n", blank: "\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	good := openai.Config{URL: "http://127.0.0.1:1/v1", Model: "m", Dim: 8}
	for name, c := range map[string]struct {
		change func(*openai.Config)
		says   string // empty when it is fine
	}{
		"fine":          {func(*openai.Config) {}, ""},
		"whole address": {func(c *openai.Config) { c.URL += "/embeddings" }, ""},
		"key file":      {func(c *openai.Config) { c.KeyFile = key }, ""},
		"no url":        {func(c *openai.Config) { c.URL = "" }, "url"},
		"other scheme":  {func(c *openai.Config) { c.URL = "ftp://h/v1" }, "url"},
		"no model":      {func(c *openai.Config) { c.Model = " " }, "model"},
		"no dimension":  {func(c *openai.Config) { c.Dim = 0 }, "dim"},
		"two keys":      {func(c *openai.Config) { c.Key, c.KeyFile = "a", key }, "key_file"},
		"no key file":   {func(c *openai.Config) { c.KeyFile = filepath.Join(dir, "none") }, "key_file"},
		"blank file":    {func(c *openai.Config) { c.KeyFile = blank }, "key_file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := good
			c.change(&config)
			_, err := openai.New(config)
			if c.says == "" && err != nil || c.says != "" && (!errors.Is(err, embed.ErrInvalid) || !strings.Contains(err.Error(), c.says)) {
				t.Errorf("error %v, want %q", err, c.says)
			}
		})
	}
}

func TestKeyFromFile(t *testing.T) {
	t.Parallel()
	key := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(key, []byte("sk-file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := embedtest.NewServer(t, dim)
	e := asking(t, s, func(c *openai.Config) { c.Key, c.KeyFile = "", key })
	if _, err := e.Embed(t.Context(), []string{"a"}); err != nil {
		t.Fatal(err)
	}
	if got := s.Requests()[0].Authorization; got != "sk-file" {
		t.Errorf("key %q", got)
	}
}
