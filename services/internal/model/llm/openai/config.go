package openai

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/winnowhq/winnow/services/internal/model/llm"
)

// Config says which model is asked and how patiently. Zero values of the part
// below Key mean the defaults beside them.
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

// filled is the configuration with its defaults.
func (c Config) filled() (Config, error) {
	base, err := url.Parse(strings.TrimSuffix(strings.TrimRight(c.URL, "/"), "/chat/completions"))
	switch {
	case err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https":
		// The address is not repeated: it may hold a password.
		return c, fmt.Errorf("url is not an http or https address: %w", llm.ErrRefused)
	case strings.TrimSpace(c.Model) == "":
		return c, fmt.Errorf("model is empty: %w", llm.ErrRefused)
	}
	c.URL, c.Model = base.String(), strings.TrimSpace(c.Model)
	c.Timeout = positive(c.Timeout, time.Minute)
	c.Attempts = positive(c.Attempts, 4)
	c.Backoff = positive(c.Backoff, 500*time.Millisecond)
	c.MaxTokens = positive(c.MaxTokens, 1500)
	c.MaxBytes = positive(c.MaxBytes, 1<<20)
	return c, nil
}

func positive[T int | int64 | time.Duration](value, otherwise T) T {
	if value > 0 {
		return value
	}
	return otherwise
}
