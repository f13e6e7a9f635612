package openai

import (
	"context"
	"errors"
	"math/bits"
	"net/http"

	"github.com/winnowhq/winnow/services/internal/model/wire"
)

// bisect requests a batch, and its halves where the server fails on the whole: one text
// on which a model always fails would hold up all texts of its batch, now and at every
// retry. That text gets no vector, so it is found by its words only.
//
// Where no part succeeds the server is at fault and not a text, and the error is that
// of the whole batch.
func (e *Embedder) bisect(ctx context.Context, batch []string) ([][]float32, error) {
	vectors, err := e.retry(ctx, batch)
	if err == nil || len(batch) == 1 || !ofText(err) {
		return vectors, err
	}
	s := bisection{e: e, tolerated: bits.Len(uint(len(batch))) + 1}
	half := len(batch) / 2
	for _, part := range [][]string{batch[:half], batch[half:]} {
		if err := s.part(ctx, part); err != nil {
			return nil, err
		}
	}
	if !s.some {
		return nil, err
	}
	return s.vectors, nil
}

// bisection is a batch in the course of being split.
type bisection struct {
	e         *Embedder
	vectors   [][]float32
	some      bool
	failed    int // in a row
	tolerated int // consecutive failures that one bad text explains
}

func (s *bisection) part(ctx context.Context, batch []string) error {
	ask := s.e.once
	if len(batch) == 1 {
		ask = s.e.retry // before it is given up
	}
	vectors, err := ask(ctx, batch)
	if err == nil {
		s.vectors, s.some, s.failed = append(s.vectors, vectors...), true, 0
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if s.failed++; !ofText(err) || s.failed > s.tolerated {
		return err
	}
	if len(batch) == 1 {
		s.vectors = append(s.vectors, nil)
		return nil
	}
	half := len(batch) / 2
	if err := s.part(ctx, batch[:half]); err != nil {
		return err
	}
	return s.part(ctx, batch[half:])
}

// ofText reports whether one text may be the cause of a failure: the server refused it,
// broke, or gave a vector without direction. After too few vectors, or two for one
// text, the server is not asked again, because it may mix up texts in small batches
// too.
func ofText(err error) bool {
	if f := (*wire.Fault)(nil); errors.As(err, &f) {
		switch f.Status {
		case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity, http.StatusInternalServerError:
			return true
		}
		return false
	}
	u := (*wire.Unreadable)(nil)
	return errors.As(err, &u) || errors.Is(err, errDirection)
}
