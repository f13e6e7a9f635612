package openai

import (
	"errors"
	"fmt"
	"math"
	"net/http"

	openai "github.com/sashabaranov/go-openai"

	"github.com/winnowhq/winnow/services/internal/model/embed"
	"github.com/winnowhq/winnow/services/internal/model/wire"
)

// placed returns an answer's vectors in the order of the texts, each normalised to
// length 1. The order is that of the indexes, not of the list. One bad vector
// invalidates the batch, because a server that mixes up two texts may have mixed up
// more.
func placed(data []openai.Embedding, texts, dim int) ([][]float32, error) {
	if len(data) != texts {
		return nil, fmt.Errorf("%d vectors for %d texts: %w", len(data), texts, embed.ErrAnswer)
	}
	out := make([][]float32, texts)
	for _, d := range data {
		if d.Index < 0 || d.Index >= texts || out[d.Index] != nil {
			return nil, fmt.Errorf("vector %d twice or out of range: %w", d.Index, embed.ErrAnswer)
		}
		if len(d.Embedding) != dim {
			return nil, fmt.Errorf("the model gives %d numbers, dim is %d; set dim to that or name the model that was meant: %w",
				len(d.Embedding), dim, embed.ErrInvalid)
		}
		if err := toUnit(d.Embedding); err != nil {
			return nil, err
		}
		out[d.Index] = d.Embedding
	}
	return out, nil
}

// errDirection reports a vector without a direction.
var errDirection = fmt.Errorf("a vector without a direction (zero, NaN or infinite): %w", embed.ErrAnswer)

// toUnit scales a vector in place.
func toUnit(v []float32) error {
	var square float64
	for _, x := range v {
		square += float64(x) * float64(x)
	}
	// NaN fails every comparison, so the condition is the one that must hold.
	if !(square > 0 && square <= math.MaxFloat64) {
		return errDirection
	}
	length := math.Sqrt(square)
	for i, x := range v {
		v[i] = float32(float64(x) / length)
	}
	return nil
}

// named wraps an error in the sentinel of the port, with the setting where one is to
// blame.
func named(err error) error {
	if u := (*wire.Unreadable)(nil); errors.As(err, &u) {
		return fmt.Errorf("%s: %w", u, embed.ErrAnswer) //nolint:errorlint // the port has its own errors, a client has none of the wire
	}
	f := (*wire.Fault)(nil)
	if !errors.As(err, &f) {
		return err
	}
	if f.Class() != wire.Permanent {
		return fmt.Errorf("%s: %w", f, embed.ErrUnavailable) //nolint:errorlint // the port has its own errors, a client has none of the wire
	}
	hint := "check model, shorten and max_bytes"
	switch {
	case f.Code == wire.NoQuota:
		hint = "the account is empty"
	case f.Status == http.StatusUnauthorized || f.Status == http.StatusForbidden:
		hint = "check key or key_file"
	case f.Status == http.StatusNotFound:
		hint = "check url and model"
	case f.Status == http.StatusRequestEntityTooLarge:
		hint = "lower batch or max_bytes"
	}
	return fmt.Errorf("%s; %s: %w", f, hint, embed.ErrInvalid) //nolint:errorlint // the port has its own errors, a client has none of the wire
}
