package openai

import (
	"context"
	"errors"
	"math/bits"
	"net/http"

	"github.com/winnowhq/winnow/services/internal/model/wire"
)

// sift asks for a batch, and for its halves where the server cannot do the whole:
// one text that a model always fails on would hold up all that are sent with it,
// now and at every later try. Such a text is found and has no vector, so that it is
// found by its words.
//
// Where nothing succeeds the server is at fault and not a text, and the error is
// that of the whole batch.
func (e *Embedder) sift(ctx context.Context, batch []string) ([][]float32, error) {
	vectors, err := e.patient(ctx, batch)
	if err == nil || len(batch) == 1 || !ofText(err) {
		return vectors, err
	}
	s := sifting{e: e, patience: bits.Len(uint(len(batch))) + 1}
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

// sifting is a batch on its way through its parts.
type sifting struct {
	e        *Embedder
	vectors  [][]float32
	some     bool
	failed   int // in a row
	patience int // failures in a row that one text explains
}

func (s *sifting) part(ctx context.Context, batch []string) error {
	ask := s.e.once
	if len(batch) == 1 {
		ask = s.e.patient // before it is given up
	}
	vectors, err := ask(ctx, batch)
	if err == nil {
		s.vectors, s.some, s.failed = append(s.vectors, vectors...), true, 0
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if s.failed++; !ofText(err) || s.failed > s.patience {
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

// ofText says whether it may be one text that a server fails on: by refusing it, by
// breaking, or by a vector that is none. A server that gives too few vectors, or
// two for one text, is not asked again: it may mix up texts in small batches too.
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
