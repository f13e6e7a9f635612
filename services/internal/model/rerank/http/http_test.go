package http_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/model/rerank"
	rerankhttp "github.com/winnowhq/winnow/services/internal/model/rerank/http"
	"github.com/winnowhq/winnow/services/internal/model/rerank/reranktest"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// hangTimeout is for a server that hangs, not a measure of speed.
const hangTimeout = time.Minute

func client(t *testing.T, url string, timeout time.Duration) *rerankhttp.Reranker {
	t.Helper()
	r, err := rerankhttp.New(rerankhttp.Config{URL: url, Model: "m", Key: "k", Timeout: timeout})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Scores come in the order of the texts, for any order of the answer, and within [0,1];
// the request is that of the protocol.
func TestRerank(t *testing.T) {
	t.Parallel()
	s := reranktest.NewServer(t)
	s.Set(reranktest.Scores(func(text string) float64 {
		return map[string]float64{"a": 0.2, "b": 7, "c": -3}[text]
	}))
	for _, url := range []string{s.URL, s.URL + "/", s.URL + "/rerank"} {
		got, err := client(t, url, hangTimeout).Rerank(t.Context(), "q", []string{"a", "b", "c"})
		if err != nil || !slices.Equal(got, []float64{0.2, 1, 0}) {
			t.Errorf("%s: %v, %v", url, got, err)
		}
	}
	in := s.Requests()[0]
	if in.Model != "m" || in.Query != "q" || in.TopN != 3 || in.Authorization != "Bearer k" {
		t.Errorf("request %+v", in)
	}
	long := strings.Repeat("ä", 10_000)
	if _, err := client(t, s.URL, hangTimeout).Rerank(t.Context(), "q", []string{long}); err != nil {
		t.Error(err)
	}
	if sent := s.Requests()[3].Documents[0]; len(sent) > 8000 || !strings.HasPrefix(long, sent) || sent == "" {
		t.Errorf("%d bytes of a long text were sent", len(sent))
	}
	if got, err := client(t, s.URL, hangTimeout).Rerank(t.Context(), "q", nil); err != nil || len(got) != 0 || s.Asked() != 4 {
		t.Errorf("no texts: %v, %v", got, err)
	}
}

// Anything but a score for each text is an error of its kind, which repeats
// nothing of what was sent.
func TestRerankRefusals(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		reply reranktest.Reply
		want  error
	}{
		"429":         {reranktest.Refuse(http.StatusTooManyRequests), rerank.ErrUnavailable},
		"500":         {reranktest.Refuse(http.StatusInternalServerError), rerank.ErrUnavailable},
		"401":         {reranktest.Refuse(http.StatusUnauthorized), rerank.ErrInvalid},
		"404":         {reranktest.Refuse(http.StatusNotFound), rerank.ErrInvalid},
		"422":         {reranktest.Refuse(http.StatusUnprocessableEntity), rerank.ErrInvalid},
		"no JSON":     {reranktest.Text("<html>"), rerank.ErrAnswer},
		"too few":     {reranktest.Text(`{"results":[{"index":0,"relevance_score":1}]}`), rerank.ErrAnswer},
		"twice":       {reranktest.Text(`{"results":[{"index":0,"relevance_score":1},{"index":0,"relevance_score":1}]}`), rerank.ErrAnswer},
		"out of line": {reranktest.Text(`{"results":[{"index":0,"relevance_score":1},{"index":2,"relevance_score":1}]}`), rerank.ErrAnswer},
		"no score":    {reranktest.Text(`{"results":[{"index":0},{"index":1,"relevance_score":null}]}`), rerank.ErrAnswer},
		"NaN":         {reranktest.Text(`{"results":[{"index":0,"relevance_score":NaN}]}`), rerank.ErrAnswer},
		"slow":        {reranktest.Slow, rerank.ErrUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := reranktest.NewServer(t)
			s.Set(c.reply)
			timeout := hangTimeout
			if name == "slow" {
				timeout = 20 * time.Millisecond
			}
			got, err := client(t, s.URL, timeout).Rerank(t.Context(), "the secret question", []string{"a", "b"})
			if !errors.Is(err, c.want) || got != nil || strings.Contains(err.Error(), "secret") {
				t.Errorf("%v, %v; want %v", got, err, c.want)
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := client(t, "http://127.0.0.1:9/v1", hangTimeout).Rerank(ctx, "q", []string{"a"}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := client(t, "http://u:pass@127.0.0.1:9/v1", hangTimeout).Rerank(t.Context(), "q", []string{"a"}); !errors.Is(err, rerank.ErrUnavailable) || strings.Contains(err.Error(), "pass") {
		t.Errorf("nobody there: %v", err)
	}
	for _, bad := range []rerankhttp.Config{{}, {URL: "ftp://x/v1"}, {URL: "http://x", Timeout: -1}} {
		if _, err := rerankhttp.New(bad); !errors.Is(err, rerank.ErrInvalid) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}
