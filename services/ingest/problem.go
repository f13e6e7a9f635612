package ingest

import (
	"encoding/json"
	"errors"
	"net/http"

	"github.com/winnowhq/winnow/pkg/event"
	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/guard/access"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// fieldError names one field at fault and what to do about it.
type fieldError = memory.Fault

// problem is the answer to a refused request (RFC 9457).
type problem struct {
	Type   string        `json:"type"`
	Title  string        `json:"title"`
	Status int           `json:"status"`
	Detail string        `json:"detail,omitempty"`
	Errors []*fieldError `json:"errors,omitempty"`
}

// asProblem returns what a client may know about err: everything about its own
// request, nothing about the server's internals.
func asProblem(err error) problem {
	p := problem{Type: "about:blank", Detail: err.Error(), Errors: memory.Faults(err)}
	switch {
	case len(p.Errors) > 0:
		p.Status, p.Detail = http.StatusUnprocessableEntity, "the request has fields that cannot be taken"
	case errors.Is(err, access.ErrUnauthorised):
		p.Status = http.StatusUnauthorized
	case errors.Is(err, errReused):
		p.Status = http.StatusConflict
	case errors.Is(err, event.ErrTooLarge):
		p.Status = http.StatusRequestEntityTooLarge
	case errors.Is(err, event.ErrContentType):
		p.Status = http.StatusUnsupportedMediaType
	case errors.Is(err, event.ErrMalformed), errors.Is(err, event.ErrVersion), errors.Is(err, event.ErrSubject):
		p.Status = http.StatusBadRequest
	case errors.Is(err, store.ErrInvalid):
		p.Status, p.Detail = http.StatusUnprocessableEntity, "the store refuses a value of this request"
	case errors.Is(err, store.ErrUnavailable), errors.Is(err, bus.ErrUnavailable), errors.Is(err, store.ErrMigration):
		p.Status, p.Detail = http.StatusServiceUnavailable, "Winnow cannot store anything right now; send the same request again with the same Idempotency-Key"
	default:
		p.Status, p.Detail = http.StatusInternalServerError, "the request was not taken; the server's log says why"
	}
	p.Title = http.StatusText(p.Status)
	return p
}

// result returns the metric's label.
func (p problem) result() string {
	if p.Status >= http.StatusInternalServerError {
		return "unavailable"
	}
	return "refused"
}

func (p problem) write(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/problem+json")
	switch p.Status {
	case http.StatusUnauthorized:
		w.Header().Set("WWW-Authenticate", `Bearer realm="winnow"`)
	case http.StatusServiceUnavailable:
		w.Header().Set("Retry-After", "1")
	}
	w.WriteHeader(p.Status)
	// The status is sent; a client that has gone cannot be told.
	_ = json.NewEncoder(w).Encode(p)
}
