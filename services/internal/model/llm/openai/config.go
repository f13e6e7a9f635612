package openai

import (
	"fmt"
	"strings"
	"time"

	"github.com/winnowhq/winnow/services/internal/model/llm"
	"github.com/winnowhq/winnow/services/internal/model/wire"
)

// Config names the model and sets limits and the retry policy. Zero values of the
// fields below Key mean the defaults beside them.
type Config struct {
	URL   string // base, such as https://api.openai.com/v1
	Model string // as the server names it
	Key   string // bearer key; empty sends none

	Timeout   time.Duration // of one question, its tries and pauses included; 60 s
	Attempts  int           // requests for one question, 4
	Backoff   time.Duration // before the second, doubled for each further, ± 20 %; 500 ms
	MaxTokens int           // of an answer whose question sets no bound, 1,500
	MaxBytes  int64         // of an answer as the server sends it, 1 MiB
}

// filled returns the configuration with its defaults.
func (c Config) filled() (Config, error) {
	base, err := wire.Base(c.URL, "/chat/completions")
	switch {
	case err != nil:
		return c, fmt.Errorf("%w: %w", err, llm.ErrRefused)
	case strings.TrimSpace(c.Model) == "":
		return c, fmt.Errorf("model is empty: %w", llm.ErrRefused)
	}
	c.URL, c.Model = base.String(), strings.TrimSpace(c.Model)
	c.Timeout = wire.Positive(c.Timeout, time.Minute)
	c.Attempts = wire.Positive(c.Attempts, 4)
	c.Backoff = wire.Positive(c.Backoff, 500*time.Millisecond)
	c.MaxTokens = wire.Positive(c.MaxTokens, 1500)
	c.MaxBytes = wire.Positive(c.MaxBytes, 1<<20)
	return c, nil
}
