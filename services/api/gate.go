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

// callerKey is where the context of a request has its principal.
type callerKey struct{}

// callerOf is who sent the request; the gate let nobody else in.
func callerOf(ctx context.Context) memory.Principal {
	who, _ := ctx.Value(callerKey{}).(memory.Principal)
	return who
}

// gate lets in whoever a credential names. A page in a browser of this machine
// must not be able to speak for its user, who needs no key on loopback: requests
// across origins are refused, and names of other hosts are none of this machine.
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

// refuse answers in the form of RFC 9457.
func refuse(w http.ResponseWriter, status int, detail string) {
	w.Header().Set("Content-Type", "application/problem+json")
	switch status {
	case http.StatusUnauthorized:
		w.Header().Set("WWW-Authenticate", `Bearer realm="winnow"`)
	case http.StatusServiceUnavailable:
		w.Header().Set("Retry-After", "1")
	}
	w.WriteHeader(status)
	// The status is sent; a client that has gone cannot be told.
	_ = json.NewEncoder(w).Encode(map[string]any{
		"type": "about:blank", "title": http.StatusText(status), "status": status, "detail": detail,
	})
}
