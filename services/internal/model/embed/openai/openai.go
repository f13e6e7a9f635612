package openai

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	openai "github.com/sashabaranov/go-openai"

	"github.com/winnowhq/winnow/services/internal/model/embed"
	"github.com/winnowhq/winnow/services/internal/model/wire"
)

// Embedder calls one model of one server. It is safe for concurrent use.
type Embedder struct {
	config Config
	client *openai.Client
	wait   func(context.Context, time.Duration) error
}

var _ embed.Embedder = (*Embedder)(nil)

// New checks the settings and reads the key. It does not call the server, so that a
// process starts while the server is down. The error is [embed.ErrInvalid] and names
// the setting.
func New(config Config) (*Embedder, error) {
	config, err := config.filled()
	if err != nil {
		return nil, err
	}
	settings := openai.DefaultConfig(config.Key)
	settings.BaseURL = config.URL
	settings.HTTPClient = &wire.Client{
		HTTP: &http.Client{Timeout: config.Timeout},
		// A number in JSON has up to 25 bytes; the rest is overhead.
		Limit: 1<<16 + int64(config.Batch)*(int64(config.Dim)*32+1<<10),
	}
	return &Embedder{config: config, client: openai.NewClientWithConfig(settings), wait: sleep}, nil
}

// ID implements [embed.Embedder]. The address is not part of the id: the same model on
// another server gives the same vectors.
func (e *Embedder) ID() string { return e.config.id() }

// Dim implements [embed.Embedder].
func (e *Embedder) Dim() int { return e.config.Dim }

// Embed implements [embed.Embedder]. Blank texts are not sent; a text on which the
// server fails alone, while others succeed, has no vector either. The batches of a call
// follow one another, so that a call in a burst is one load on the server.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	out := make([][]float32, len(texts))
	batch, places := make([]string, 0, e.config.Batch), make([]int, 0, e.config.Batch)
	flush := func() error {
		if len(batch) == 0 {
			return nil
		}
		vectors, err := e.bisect(ctx, batch)
		if err != nil {
			return fmt.Errorf("embed with %s: %w", e.ID(), named(err))
		}
		for i, v := range vectors {
			out[places[i]] = v
		}
		batch, places = batch[:0], places[:0]
		return nil
	}
	for i, text := range texts {
		text = e.cut(text)
		if text == "" {
			continue
		}
		batch, places = append(batch, text), append(places, i)
		if len(batch) == e.config.Batch {
			if err := flush(); err != nil {
				return nil, err
			}
		}
	}
	if err := flush(); err != nil {
		return nil, err
	}
	return out, nil
}

// cut returns the part of a text that is sent: valid UTF-8 without outer blanks, at
// most MaxBytes. A model reads no more, and most servers refuse the whole batch for one
// text that is too long.
func (e *Embedder) cut(text string) string {
	text = strings.TrimSpace(strings.ToValidUTF8(text, ""))
	return strings.TrimSpace(wire.Cut(text, e.config.MaxBytes))
}

// retry requests one batch until it succeeds, fails for good, or the attempts are used
// up. The error is yet to be [named].
func (e *Embedder) retry(ctx context.Context, batch []string) ([][]float32, error) {
	pause := e.config.Backoff
	for attempt := 1; ; attempt++ {
		vectors, err := e.once(ctx, batch)
		if err == nil {
			return vectors, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		after, again := wire.Retry(err)
		if !again || attempt == e.config.Attempts || after > e.config.MaxWait {
			return nil, err
		}
		if err := e.wait(ctx, max(after, jitter(pause))); err != nil {
			return nil, err
		}
		pause *= 2
	}
}

// once makes one request.
func (e *Embedder) once(ctx context.Context, batch []string) ([][]float32, error) {
	request := openai.EmbeddingRequestStrings{Input: batch, Model: openai.EmbeddingModel(e.config.Model)}
	if e.config.Shorten {
		request.Dimensions = e.config.Dim
	}
	answer, err := e.client.CreateEmbeddings(ctx, request)
	if err != nil {
		if f := (*wire.Fault)(nil); errors.As(err, &f) {
			return nil, f
		}
		return nil, &wire.Unreadable{Err: err}
	}
	return placed(answer.Data, len(batch), e.config.Dim)
}

// jitter spreads a pause by ± 20 %.
func jitter(d time.Duration) time.Duration {
	return time.Duration(float64(d) * (0.8 + 0.4*rand.Float64()))
}

// sleep waits, and ends early with ctx.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
