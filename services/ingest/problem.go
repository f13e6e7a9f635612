package ingest

import (
	"errors"
	"net/http"

	"github.com/winnowhq/winnow/pkg/event"
	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/httpapi"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// fieldError names one field at fault and what to do about it.
type fieldError = memory.Fault

// asProblem returns what a client may know about err: everything about its own
// request, nothing about the server's internals. logged reports whether the rest belongs
// in the server's log.
func asProblem(err error) (p *httpapi.Problem, logged bool) {
	status := 0
	switch {
	case len(memory.Faults(err)) > 0:
		return httpapi.Of(err)
	case errors.Is(err, errReused):
		status = http.StatusConflict
	case errors.Is(err, event.ErrTooLarge):
		status = http.StatusRequestEntityTooLarge
	case errors.Is(err, event.ErrContentType):
		status = http.StatusUnsupportedMediaType
	case errors.Is(err, event.ErrMalformed), errors.Is(err, event.ErrVersion), errors.Is(err, event.ErrSubject):
		status = http.StatusBadRequest
	case errors.Is(err, bus.ErrUnavailable):
		return httpapi.Of(store.ErrUnavailable)
	default:
		return httpapi.Of(err)
	}
	return httpapi.NewProblem(status, err.Error()), false
}

// resultOf returns the metric's label.
func resultOf(p *httpapi.Problem) string {
	if p.Status >= http.StatusInternalServerError {
		return "unavailable"
	}
	return "refused"
}
