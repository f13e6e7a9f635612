package httpapi

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"go.uber.org/zap"

	"github.com/winnowhq/winnow/services/internal/guard/access"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// IdempotencyKey is the header that makes a repeated request have no further effect.
const IdempotencyKey = "Idempotency-Key"

// replayed is the header of an answer that was given before.
const replayed = "Idempotency-Replayed"

// maxKey is the longest key, in bytes.
const maxKey = 255

// CheckKey returns a fault for a key that cannot be stored.
func CheckKey(key string) error {
	if len(key) <= maxKey && strings.IndexFunc(key, func(r rune) bool { return r < ' ' || r > '~' }) < 0 {
		return nil
	}
	return &memory.Fault{Field: IdempotencyKey, Remedy: fmt.Sprintf("send at most %d printable ASCII characters", maxKey)}
}

// RequestKeyOf returns the key of a caller's request with this body. key is in the form
// that may be stored.
func RequestKeyOf(r *http.Request, key string, body []byte) store.RequestKey {
	h := sha256.New()
	fmt.Fprintf(h, "%s %s\n%s\n", r.Method, r.URL.RequestURI(), r.Header.Get("Content-Type"))
	h.Write(body)
	return store.RequestKey{Principal: access.Caller(r.Context()).ID, Key: key, Hash: h.Sum(nil)}
}

// once answers a request with an Idempotency-Key once: the same request gets the same
// answer for a day, and another request with the key is refused. An answer that is an
// error of the server is not stored, so that the request can be sent again.
func (d *Door) once(operation string, most int64, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := r.Header.Get(IdempotencyKey)
		if name == "" {
			next.ServeHTTP(w, r)
			return
		}
		if err := CheckKey(name); err != nil {
			d.Problem(w, operation, err).Write(w)
			return
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
		if err != nil {
			tooLargeOr(err).Write(w)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		who, key := access.Caller(r.Context()), RequestKeyOf(r, d.ID(name), body)
		before, answered, err := d.Requests.BeginRequest(r.Context(), who.Tenant, key, d.Now())
		if err != nil {
			d.Problem(w, operation, err).Write(w)
			return
		}
		if answered {
			w.Header().Set(replayed, "true")
			w.Header().Set("Content-Type", before.ContentType)
			w.WriteHeader(before.Status)
			_, _ = w.Write(before.Body) // a disconnected client has no reader
			return
		}
		d.answer(operation, w, r, who.Tenant, key, next)
	})
}

// answer lets a claimed request through and stores its answer.
func (d *Door) answer(operation string, w http.ResponseWriter, r *http.Request, tenant memory.Tenant, key store.RequestKey, next http.Handler) {
	// The client may be gone before the answer is stored.
	ctx := context.WithoutCancel(r.Context())
	seen := &recorded{ResponseWriter: w, status: http.StatusOK}
	settled := false
	defer func() {
		if !settled { // the handler panicked
			_ = d.Requests.AbandonRequest(ctx, tenant, key)
		}
	}()
	next.ServeHTTP(seen, r)
	settled = true
	var err error
	if seen.status >= http.StatusInternalServerError {
		err = d.Requests.AbandonRequest(ctx, tenant, key)
	} else {
		err = d.Requests.FinishRequest(ctx, tenant, key, store.Answer{
			Status: seen.status, ContentType: w.Header().Get("Content-Type"), Body: seen.body.Bytes(),
		})
	}
	if err != nil {
		d.Log.Warn("an answer is not stored", zap.String("operation", operation), zap.Error(err))
	}
}

// recorded copies an answer while it is written.
type recorded struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
}

func (w *recorded) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

func (w *recorded) Write(b []byte) (int, error) {
	w.body.Write(b)
	return w.ResponseWriter.Write(b)
}

func tooLargeOr(err error) *Problem {
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return NewProblem(http.StatusRequestEntityTooLarge, fmt.Sprintf("the body is too large; send at most %d bytes", large.Limit))
	}
	return NewProblem(http.StatusBadRequest, "the body could not be read; send it whole")
}
