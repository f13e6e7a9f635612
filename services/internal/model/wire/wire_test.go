package wire

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// server answers every request alike, and records it.
func server(t *testing.T, status int, header, body string) (url string, key chan string) {
	t.Helper()
	key = make(chan string, 1)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key <- r.Header.Get("Idempotency-Key")
		if header != "" {
			w.Header().Set("Retry-After", header)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(s.Close)
	return s.URL, key
}

// ask reads one answer as a driver does.
func ask(ctx context.Context, t *testing.T, url string, limit int64) error {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	c := &Client{HTTP: &http.Client{Transport: transport}, Limit: limit}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := c.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	var v any
	if err := json.NewDecoder(res.Body).Decode(&v); err != nil {
		return &Unreadable{err}
	}
	return nil
}

// An answer becomes a class, a wait and a message without the server's text.
func TestAnswers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status       int
		header, body string
		class        Class // of a fault
		says         string
		wait         time.Duration
		again        bool
	}{
		"busy":            {429, "7", `{"error":{"code":"rate_limit_exceeded","message":"secret words"}}`, RateLimited, "status 429 (rate_limit_exceeded)", 7 * time.Second, true},
		"empty account":   {429, "7", `{"error":{"code":"insufficient_quota"}}`, Permanent, "status 429 (insufficient_quota)", 0, false},
		"too slow":        {408, "", "", Transient, "status 408", 0, true},
		"down":            {503, "2", "<html>", Transient, "status 503", 2 * time.Second, true},
		"code is a type":  {500, "", `{"error":{"code":500,"type":"server_error"}}`, Transient, "status 500 (server_error)", 0, true},
		"key":             {401, "9", `{"error":{"code":"invalid_api_key"}}`, Permanent, "status 401 (invalid_api_key)", 0, false},
		"code is text":    {400, "", `{"error":{"code":"secret words"}}`, Permanent, "status 400", 0, false},
		"code is long":    {400, "", `{"error":{"code":"` + strings.Repeat("a", 65) + `"}}`, Permanent, "status 400", 0, false},
		"redirect":        {304, "", "", Permanent, "status 304", 0, false},
		"not JSON":        {200, "", "secret words", "", "answer is not what the protocol says", 0, true},
		"cut off":         {200, "", `{"data":[`, "", "answer is not what the protocol says", 0, true},
		"longer than any": {200, "", `["` + strings.Repeat("a", 2000) + `"]`, "", "answer longer than 1000 bytes", 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, _ := server(t, c.status, c.header, c.body)
			err := ask(t.Context(), t, url, 1000)
			if err == nil || err.Error() != c.says {
				t.Fatalf("error %v, want %q", err, c.says)
			}
			if wait, again := Retry(err); wait != c.wait || again != c.again {
				t.Errorf("again %v after %s, want %v after %s", again, wait, c.again, c.wait)
			}
			f := (*Fault)(nil)
			if isFault := errors.As(err, &f); isFault != (c.class != "") || isFault && f.Class() != c.class {
				t.Errorf("%#v, want class %q", err, c.class)
			}
		})
	}
}

func TestBlamedField(t *testing.T) {
	t.Parallel()
	url, key := server(t, 400, "", `{"error":{"code":"unsupported_parameter","param":"max_tokens"}}`)
	err := ask(WithKey(t.Context(), "key-1"), t, url, 1000)
	f := (*Fault)(nil)
	if !errors.As(err, &f) || f.Param != "max_tokens" {
		t.Errorf("error %#v", err)
	}
	if got := <-key; got != "key-1" {
		t.Errorf("idempotency key %q", got)
	}
}

// An unreachable server is a transient fault, and its address, which may contain a
// password, is not in the message. A cancelled caller gets its own error.
func TestNoAnswer(t *testing.T) {
	t.Parallel()
	err := ask(t.Context(), t, "http://user:hunter2@127.0.0.1:1/v1", 1000)
	f := (*Fault)(nil)
	if !errors.As(err, &f) || f.Class() != Transient || strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "/v1") {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := ask(ctx, t, "http://127.0.0.1:1/v1", 1000); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if _, again := Retry(errors.New("another")); again {
		t.Error("an error of another kind is tried again")
	}
}

func TestRetryAfterForms(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	for header, want := range map[string]time.Duration{
		"":                              0,
		"3":                             3 * time.Second,
		"-3":                            0,
		"99999999999":                   0, // not a number of seconds that means anything
		"Mon, 04 May 2026 12:00:20 GMT": 20 * time.Second,
		"Mon, 04 May 2026 11:00:00 GMT": 0,
		"soon":                          0,
	} {
		if got := retryAfter(header, now); got != want {
			t.Errorf("%q is %v, want %v", header, got, want)
		}
	}
}

func TestBase(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://host/v1":             "https://host/v1",
		"https://host/v1/":            "https://host/v1",
		"http://host/v1/embeddings/":  "http://host/v1",
		"http://host":                 "http://host",
		"":                            "",
		"ftp://host/v1":               "",
		"host:8080/v1":                "",
		"http://user:hunter2@ho st/x": "",
	} {
		base, err := Base(address, "/embeddings")
		if want == "" {
			if !errors.Is(err, ErrAddress) || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%q: %v, %v", address, base, err)
			}
		} else if err != nil || base.String() != want {
			t.Errorf("%q: %v, %v", address, base, err)
		}
	}
}

func TestCut(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"short": "short", "abcd\xffefgh": "abcdef", "größe": "größ", "ääää": "äää", "": ""} {
		if got := Cut(text, 6); got != want {
			t.Errorf("%q is cut to %q, want %q", text, got, want)
		}
	}
}
