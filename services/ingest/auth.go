package ingest

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// errUnauthorised says that a request names nobody who may publish.
var errUnauthorised = errors.New("unauthorised")

// authenticate finds out who is speaking from the credential alone. Without a
// key it is the default principal, on loopback only: that is a laptop.
func (in *intake) authenticate(r *http.Request) (memory.Principal, error) {
	header := r.Header.Get("Authorization")
	if header == "" {
		if in.deps.DefaultPrincipal == "" || !local(r) {
			return memory.Principal{}, fmt.Errorf("%w: send Authorization: Bearer <API key>", errUnauthorised)
		}
		return in.find(r.Context(), in.deps.DefaultPrincipal)
	}
	scheme, key, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "Bearer") || strings.TrimSpace(key) == "" {
		return memory.Principal{}, fmt.Errorf("%w: the Authorization header is not of the form Bearer <API key>", errUnauthorised)
	}
	// Keys are random, so a plain digest cannot be looked up in a table.
	hash := sha256.Sum256([]byte(strings.TrimSpace(key)))
	who, err := in.deps.Store.PrincipalByKey(r.Context(), hash[:])
	if errors.Is(err, store.ErrNotFound) {
		return memory.Principal{}, fmt.Errorf("%w: the API key is not known", errUnauthorised)
	}
	return who, err
}

// local reports that both ends are this machine. The Host header is part of it:
// a page of another site can make a browser connect to loopback under a name of
// its own.
func local(r *http.Request) bool {
	remote, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil || !net.ParseIP(remote).IsLoopback() {
		return false
	}
	host := r.Host
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.Trim(host, "[]")
	return strings.EqualFold(host, "localhost") || net.ParseIP(host).IsLoopback()
}
