package http

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"time"

	"github.com/winnowhq/winnow/services/internal/model/rerank"
	"github.com/winnowhq/winnow/services/internal/model/wire"
)

// Config says which model is asked, and how long a search waits for it.
type Config struct {
	URL     string        // base, such as https://api.jina.ai/v1, or the whole address of /rerank
	Model   string        // as the server names it; may be empty where it has one alone
	Key     string        // bearer key; empty sends none
	Timeout time.Duration // of a request
}

// DefaultTimeout is how long a search waits when nobody says.
const DefaultTimeout = 2 * time.Second

const (
	// maxText is what is sent of one text, in bytes: 2,000 tokens of most
	// scripts; rerankers read no more.
	maxText = 8_000
	// maxAnswer is more than any score for a pool takes, in bytes.
	maxAnswer = 4 << 20
)

// Reranker asks one model of one server.
type Reranker struct {
	config Config
	client *wire.Client
}

var _ rerank.Reranker = (*Reranker)(nil)

// New checks the settings; it asks the server nothing. The error is
// [rerank.ErrInvalid] and names the setting.
func New(c Config) (*Reranker, error) {
	base, err := wire.Base(c.URL, "/rerank")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", rerank.ErrInvalid, err)
	}
	if c.Timeout == 0 {
		c.Timeout = DefaultTimeout
	}
	if c.Timeout < 0 {
		return nil, fmt.Errorf("%w: timeout is %s", rerank.ErrInvalid, c.Timeout)
	}
	c.URL = base.JoinPath("rerank").String()
	return &Reranker{config: c, client: &wire.Client{HTTP: &http.Client{Timeout: c.Timeout}, Limit: maxAnswer}}, nil
}

type request struct {
	Model           string   `json:"model,omitempty"`
	Query           string   `json:"query"`
	Documents       []string `json:"documents"`
	TopN            int      `json:"top_n"`
	ReturnDocuments bool     `json:"return_documents"`
}

type answer struct {
	Results []struct {
		Index *int     `json:"index"`
		Score *float64 `json:"relevance_score"`
	} `json:"results"`
}

// Rerank implements [rerank.Reranker]. Scores beyond [0,1] are clamped: some
// servers give logits, whose order among the clamped ones is lost; configure
// such a server to normalise.
func (r *Reranker) Rerank(ctx context.Context, question string, texts []string) ([]float64, error) {
	if len(texts) == 0 {
		return nil, ctx.Err()
	}
	body := request{Model: r.config.Model, Query: question, Documents: make([]string, len(texts)), TopN: len(texts)}
	for i, text := range texts {
		body.Documents[i] = wire.Cut(text, maxText)
	}
	raw, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", rerank.ErrInvalid, err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.config.URL, bytes.NewReader(raw))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", rerank.ErrInvalid, err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	if r.config.Key != "" {
		req.Header.Set("Authorization", "Bearer "+r.config.Key)
	}
	resp, err := r.client.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, named(err)
	}
	defer resp.Body.Close()
	return read(resp.Body, len(texts))
}

// named gives an error of the wire the sentinel of the port and, where a setting is
// to blame, says which.
func named(err error) error {
	f := (*wire.Fault)(nil)
	if !errors.As(err, &f) || f.Class() != wire.Permanent {
		return fmt.Errorf("%w: %w", rerank.ErrUnavailable, err)
	}
	switch {
	case f.Code == wire.NoQuota:
		return fmt.Errorf("%w: %w: the account is empty", rerank.ErrInvalid, f)
	case f.Status == http.StatusUnauthorized || f.Status == http.StatusForbidden:
		return fmt.Errorf("%w: %w: look at key", rerank.ErrInvalid, f)
	case f.Status == http.StatusNotFound:
		return fmt.Errorf("%w: %w: look at url and model", rerank.ErrInvalid, f)
	}
	return fmt.Errorf("%w: %w", rerank.ErrInvalid, f)
}

// read places the scores; every text must have one.
func read(body io.Reader, n int) ([]float64, error) {
	var a answer
	if err := json.NewDecoder(body).Decode(&a); err != nil {
		return nil, fmt.Errorf("%w: %w", rerank.ErrAnswer, &wire.Unreadable{Err: err})
	}
	scores := make([]float64, n)
	for i := range scores {
		scores[i] = math.NaN()
	}
	for _, x := range a.Results {
		if x.Index == nil || x.Score == nil || *x.Index < 0 || *x.Index >= n {
			return nil, fmt.Errorf("%w: a score for no text", rerank.ErrAnswer)
		}
		if !math.IsNaN(scores[*x.Index]) {
			return nil, fmt.Errorf("%w: two scores for one text", rerank.ErrAnswer)
		}
		scores[*x.Index] = min(1, max(0, *x.Score))
	}
	for _, s := range scores {
		if math.IsNaN(s) {
			return nil, fmt.Errorf("%w: %d scores for %d texts", rerank.ErrAnswer, len(a.Results), n)
		}
	}
	return scores, nil
}
