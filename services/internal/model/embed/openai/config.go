package openai

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/winnowhq/winnow/services/internal/model/embed"
	"github.com/winnowhq/winnow/services/internal/model/wire"
)

// Config names the model and sets limits and the retry policy. Zero values of the
// fields below Dim mean the defaults beside them.
type Config struct {
	URL     string // base, such as https://api.openai.com/v1
	Model   string // as the server names it
	Dim     int    // numbers of a vector, 1–8192; checked against every answer
	Shorten bool   // request Dim values; for models that can be shortened
	Key     string // bearer key; empty sends none
	KeyFile string // file that holds the key, read once; not beside Key

	Batch    int           // texts in a request, 64
	MaxBytes int           // of one text, 24,000 (8,000 tokens of most scripts); the rest is cut off
	Timeout  time.Duration // of one request, 30 s
	Attempts int           // requests for one batch, 4
	Backoff  time.Duration // before the second attempt, doubled for each further, ± 20 %; 500 ms
	MaxWait  time.Duration // the longest accepted Retry-After, 30 s
}

const maxDim = 8192

// filled returns the configuration with its defaults and its key.
func (c Config) filled() (Config, error) {
	base, err := wire.Base(c.URL, "/embeddings")
	switch {
	case err != nil:
		return c, fmt.Errorf("openai embedder: %w: %w", err, embed.ErrInvalid)
	case strings.TrimSpace(c.Model) == "":
		return c, fmt.Errorf("openai embedder: model is empty: %w", embed.ErrInvalid)
	case c.Dim < 1 || c.Dim > maxDim:
		return c, fmt.Errorf("openai embedder: dim is %d, want 1–%d: %w", c.Dim, maxDim, embed.ErrInvalid)
	case c.Key != "" && c.KeyFile != "":
		return c, fmt.Errorf("openai embedder: key and key_file are both set: %w", embed.ErrInvalid)
	}
	c.URL = base.String()
	if c.KeyFile != "" {
		raw, err := os.ReadFile(c.KeyFile)
		if err != nil {
			return c, fmt.Errorf("openai embedder: key_file: %w: %w", embed.ErrInvalid, err)
		}
		if c.Key = strings.TrimSpace(string(raw)); c.Key == "" {
			return c, fmt.Errorf("openai embedder: key_file is empty: %w", embed.ErrInvalid)
		}
	}
	c.Batch = wire.Positive(c.Batch, 64)
	c.MaxBytes = wire.Positive(c.MaxBytes, 24_000)
	c.Timeout = wire.Positive(c.Timeout, 30*time.Second)
	c.Attempts = wire.Positive(c.Attempts, 4)
	c.Backoff = wire.Positive(c.Backoff, 500*time.Millisecond)
	c.MaxWait = wire.Positive(c.MaxWait, 30*time.Second)
	return c, nil
}

// id returns openai-<model>-<dim> in the letters of an id. Two models whose names
// differ only in other characters share an id; that does not occur in practice.
func (c Config) id() string {
	model := strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '.':
			return r
		}
		return '-'
	}, strings.TrimSpace(c.Model))
	return fmt.Sprintf("openai-%s-%d", model, c.Dim)
}
