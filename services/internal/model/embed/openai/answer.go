package openai

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"time"

	openai "github.com/sashabaranov/go-openai"

	"github.com/winnowhq/winnow/services/internal/model/embed"
)

// placed puts an answer's vectors in the order of the texts and brings each to
// length 1. The order is that of the indexes, not of the list. One bad vector
// spoils the batch: whoever mixes up two texts may have mixed up more.
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

// errDirection says that one text got a vector that points nowhere.
var errDirection = fmt.Errorf("a vector without a direction (zero, NaN or infinite): %w", embed.ErrAnswer)

// toUnit scales a vector in place.
func toUnit(v []float32) error {
	var square float64
	for _, x := range v {
		square += float64(x) * float64(x)
	}
	// NaN fails every comparison, so what is asked is what must hold.
	if !(square > 0 && square <= math.MaxFloat64) {
		return errDirection
	}
	length := math.Sqrt(square)
	for i, x := range v {
		v[i] = float32(float64(x) / length)
	}
	return nil
}

// garbled is an answer of status 200 that cannot be read: not JSON, NaN in it,
// cut off, too long. What json says of it could quote text and is not shown.
type garbled struct{ err error }

func (g *garbled) Error() string {
	if tooLong := (*http.MaxBytesError)(nil); errors.As(g.err, &tooLong) {
		return fmt.Sprintf("answer longer than %d bytes", tooLong.Limit)
	}
	return "answer is not the JSON of vectors"
}

// retry says whether a request may be made again and after what wait at least.
// A garbled answer is tried again because a cut connection looks like one.
func retry(err error) (after time.Duration, again bool) {
	if f := (*fault)(nil); errors.As(err, &f) {
		return f.after, f.passing()
	}
	g := (*garbled)(nil)
	return 0, errors.As(err, &g)
}

// named gives an error the sentinel of the port and, where a setting is to
// blame, says which.
func named(err error) error {
	if g := (*garbled)(nil); errors.As(err, &g) {
		return fmt.Errorf("%s: %w", g, embed.ErrAnswer)
	}
	f := (*fault)(nil)
	if !errors.As(err, &f) {
		return err
	}
	if f.passing() {
		return fmt.Errorf("%s: %w", f, embed.ErrUnavailable)
	}
	switch f.status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return fmt.Errorf("%s; check key or key_file: %w", f, embed.ErrInvalid)
	case http.StatusNotFound:
		return fmt.Errorf("%s; check url and model: %w", f, embed.ErrInvalid)
	case http.StatusRequestEntityTooLarge:
		return fmt.Errorf("%s; lower batch or max_bytes: %w", f, embed.ErrInvalid)
	}
	return fmt.Errorf("%s; check model, shorten and max_bytes: %w", f, embed.ErrInvalid)
}
