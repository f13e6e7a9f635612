package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/winnowhq/winnow/services/internal/guard/access"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// Problem is every error of the API, in the form of RFC 9457. It is an error, so that
// an operation can return it.
type Problem struct {
	Type   string `json:"type" doc:"Always about:blank: code and title say what it is."`
	Title  string `json:"title" doc:"The meaning of the status."`
	Status int    `json:"status" doc:"The status of the answer."`
	Code   string `json:"code" doc:"The kind of problem, the same for every occurrence."`
	Detail string `json:"detail,omitempty" doc:"What is wrong here and what to do."`
	// Errors name fields and remedies; texts of the request are not repeated.
	Errors    []*memory.Fault `json:"errors,omitempty" doc:"The fields at fault, each with its remedy."`
	RequestID string          `json:"request_id,omitempty" doc:"The answer's X-Request-Id, for the server's log."`
}

// Error returns the detail.
func (p *Problem) Error() string { return p.Detail }

// GetStatus implements huma.StatusError.
func (p *Problem) GetStatus() int { return p.Status }

// ContentType implements huma.ContentTypeFilter.
func (p *Problem) ContentType(string) string { return "application/problem+json" }

// NewProblem returns a problem.
func NewProblem(status int, detail string, faults ...*memory.Fault) *Problem {
	code := strings.ReplaceAll(strings.ToLower(http.StatusText(status)), " ", "_")
	if len(faults) > 0 && status == http.StatusUnprocessableEntity {
		code = "invalid_fields"
	}
	return &Problem{Type: "about:blank", Title: http.StatusText(status), Status: status, Code: code, Detail: detail, Errors: faults}
}

// Of returns what a client may know about an error of a shared part: everything about
// its own request and nothing about the server. logged reports whether the rest belongs
// in the server's log.
func Of(err error) (p *Problem, logged bool) {
	if errors.As(err, &p) {
		return p, false
	}
	if faults := memory.Faults(err); len(faults) > 0 {
		return NewProblem(http.StatusUnprocessableEntity, "the request has fields that cannot be used", faults...), false
	}
	switch {
	case errors.Is(err, access.ErrUnauthorised):
		return NewProblem(http.StatusUnauthorized, err.Error()), false
	case errors.Is(err, access.ErrForbidden):
		return NewProblem(http.StatusForbidden, err.Error()), false
	case errors.Is(err, store.ErrNotOperator):
		return NewProblem(http.StatusForbidden, "this server's login may not change principals; an operator does it with winnow principal add"), false
	case errors.Is(err, store.ErrNotFound):
		return NewProblem(http.StatusNotFound, "there is no such thing here; list what there is and use an id from the list"), false
	case errors.Is(err, store.ErrReused):
		p = NewProblem(http.StatusUnprocessableEntity, "the Idempotency-Key was sent before with another request; send a new key")
		p.Code = "idempotency_key_reused"
		return p, false
	case errors.Is(err, store.ErrInProgress):
		p = NewProblem(http.StatusConflict, "a request with this Idempotency-Key is being answered; send it again in a second")
		p.Code = "request_in_progress"
		return p, false
	case errors.Is(err, store.ErrConflict):
		return NewProblem(http.StatusConflict, "it has changed since it was read; read it again and repeat the request"), false
	case errors.Is(err, store.ErrInvalid):
		return NewProblem(http.StatusUnprocessableEntity, "a value has characters that cannot be stored; send plain text"), false
	case errors.Is(err, store.ErrUnavailable), errors.Is(err, store.ErrMigration), errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return NewProblem(http.StatusServiceUnavailable, "Winnow cannot answer right now; send the same request again"), true
	}
	return NewProblem(http.StatusInternalServerError, "Winnow failed to answer; its log has the reason under this request_id"), true
}

// Write answers a request with a problem.
func (p *Problem) Write(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Content-Type", p.ContentType(""))
	p.RequestID = h.Get(requestID)
	p.headers(h)
	w.WriteHeader(p.Status)
	// The status is sent; the error of a disconnected client has no reader.
	_ = json.NewEncoder(w).Encode(p)
}

// headers sets what an answer with this status needs.
func (p *Problem) headers(h http.Header) {
	switch p.Status {
	case http.StatusUnauthorized:
		h.Set("WWW-Authenticate", `Bearer realm="winnow"`)
	case http.StatusServiceUnavailable, http.StatusTooManyRequests:
		h.Set("Retry-After", "1")
	}
	if p.Code == "request_in_progress" {
		h.Set("Retry-After", "1")
	}
}

// ofHuma returns an error of the library as a problem.
func ofHuma(e *huma.ErrorModel) *Problem {
	var faults []*memory.Fault
	for _, d := range e.Errors {
		if d == nil {
			continue
		}
		field := strings.TrimPrefix(d.Location, "body.")
		if field == "" {
			field = "body"
		}
		faults = append(faults, &memory.Fault{Field: field, Remedy: remedy(field, d.Message)})
	}
	status, detail := e.Status, e.Detail
	switch {
	case status == http.StatusInternalServerError && len(faults) > 0:
		// The library's error about a body that ends early.
		return NewProblem(http.StatusBadRequest, "the body could not be read; send it whole")
	case status == http.StatusBadRequest && len(faults) > 0:
		return NewProblem(status, "the body is no JSON object; send one as /api/docs describes it")
	case len(faults) > 0:
		detail = "the request has fields that cannot be used"
	}
	return NewProblem(status, detail, faults...)
}

// remedy adds what to do to a message of the library.
func remedy(field, message string) string {
	switch {
	case message == "unexpected property":
		return "is not known here; leave it out or write it as /api/docs does"
	case message == "unknown query parameter":
		return "is not known here; leave it out or write it as /api/docs does"
	case strings.HasPrefix(message, "required ") && strings.HasSuffix(message, " is missing"):
		return "is missing; send it"
	case strings.HasPrefix(message, "expected required property"):
		return strings.TrimPrefix(message, "expected required property ") + "; send it"
	case strings.HasPrefix(field, "path."):
		return message + "; use an id from a list"
	}
	return message
}
