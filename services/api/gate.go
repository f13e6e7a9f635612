package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"go.uber.org/zap"

	"github.com/winnowhq/winnow/services/internal/guard/access"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// callerKey is the context key of the request's principal.
type callerKey struct{}

// callerOf returns the request's principal. The gate has authenticated every
// request.
func callerOf(ctx context.Context) memory.Principal {
	who, _ := ctx.Value(callerKey{}).(memory.Principal)
	return who
}

// gate authenticates a request by its credential. On loopback a user needs no
// key, so a page in a browser of this machine must not act for its user. The
// gate therefore refuses cross-origin requests and other host names.
func (a *api) gate(next http.Handler) http.Handler {
	known := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who, err := access.Principal(r, a.Store, a.DefaultPrincipal)
		if err != nil {
			status := http.StatusServiceUnavailable
			if errors.Is(err, access.ErrUnauthorised) {
				status = http.StatusUnauthorized
			} else {
				a.Log.Warn("a caller could not be looked up", zap.Error(err))
				err = errAway
			}
			refuse(w, status, err.Error())
			return
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), callerKey{}, who)))
	})
	return http.NewCrossOriginProtection().Handler(known)
}

// refuse writes an error in the form of RFC 9457.
func refuse(w http.ResponseWriter, status int, detail string) {
	w.Header().Set("Content-Type", "application/problem+json")
	switch status {
	case http.StatusUnauthorized:
		w.Header().Set("WWW-Authenticate", `Bearer realm="winnow"`)
	case http.StatusServiceUnavailable:
		w.Header().Set("Retry-After", "1")
	}
	w.WriteHeader(status)
	// The status is already sent, so a write error cannot be reported.
	_ = json.NewEncoder(w).Encode(map[string]any{
		"type": "about:blank", "title": http.StatusText(status), "status": status, "detail": detail,
	})
}
