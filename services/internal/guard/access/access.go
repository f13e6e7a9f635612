package access

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// ErrUnauthorised says that a request names nobody who may speak here; the
// message says what to send.
var ErrUnauthorised = errors.New("unauthorised")

// Directory finds principals. A store.Store is one.
type Directory interface {
	Principal(ctx context.Context, id string) (memory.Principal, error)
	PrincipalByKey(ctx context.Context, keyHash []byte) (memory.Principal, error)
}

// Principal is who sent a request: the owner of its API key. Without a key it is
// the default principal, on loopback only: that is a laptop. An empty default
// asks for a key there too. The error is ErrUnauthorised, or that of the
// directory. Safe for concurrent use.
func Principal(r *http.Request, dir Directory, defaultPrincipal string) (memory.Principal, error) {
	header := r.Header.Get("Authorization")
	if header == "" {
		if defaultPrincipal == "" || !local(r) {
			return memory.Principal{}, fmt.Errorf("%w: send Authorization: Bearer <API key>", ErrUnauthorised)
		}
		who, err := dir.Principal(r.Context(), defaultPrincipal)
		if errors.Is(err, store.ErrNotFound) {
			return memory.Principal{}, fmt.Errorf("%w: the default principal %q is not registered", ErrUnauthorised, defaultPrincipal)
		}
		return who, err
	}
	scheme, key, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "Bearer") || strings.TrimSpace(key) == "" {
		return memory.Principal{}, fmt.Errorf("%w: the Authorization header is not of the form Bearer <API key>", ErrUnauthorised)
	}
	// Keys are random, so a plain digest cannot be looked up in a table.
	hash := sha256.Sum256([]byte(strings.TrimSpace(key)))
	who, err := dir.PrincipalByKey(r.Context(), hash[:])
	if errors.Is(err, store.ErrNotFound) {
		return memory.Principal{}, fmt.Errorf("%w: the API key is not known", ErrUnauthorised)
	}
	return who, err
}

// local reports whether both ends are this machine. The Host header is part of it:
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
