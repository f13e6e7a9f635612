package access

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// ErrUnauthorised says that a request has no valid credential; the message says
// what to send.
var ErrUnauthorised = errors.New("unauthorised")

// Directory finds principals. A store.Store is one.
type Directory interface {
	Principal(ctx context.Context, id string) (memory.Principal, error)
	PrincipalByKey(ctx context.Context, keyHash []byte) (memory.Principal, error)
}

// Tokens reads the signed tokens of an identity provider.
type Tokens interface {
	// Read returns what a token says, or ErrUnauthorised for one that is not genuine, not
	// in time, or not for this installation.
	Read(ctx context.Context, raw string) (Claims, error)
}

// Claims are what a genuine token says of its bearer.
type Claims struct {
	Principal string
	// Permissions are the most that it allows; nil takes nothing away.
	Permissions []memory.Permission
}

// Principal returns the sender of a request: the owner of its API key, or whom its token
// names where tokens are read (nil: they are not). Without a credential, on loopback only, it
// is the default principal, for use on a laptop. With an empty default a credential is
// required there too. The error is ErrUnauthorised, or that of the directory. Safe for
// concurrent use.
func Principal(r *http.Request, dir Directory, tokens Tokens, defaultPrincipal string) (memory.Principal, error) {
	header := r.Header.Get("Authorization")
	if header == "" {
		if defaultPrincipal == "" || !Local(r) {
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
	key = strings.TrimSpace(key)
	if tokens != nil && strings.Count(key, ".") == 2 && !strings.HasPrefix(key, memory.PrefixSecret) {
		return bearer(r.Context(), dir, tokens, key)
	}
	// Keys are random, so an attacker cannot look up a plain digest in a table.
	hash := sha256.Sum256([]byte(key))
	who, err := dir.PrincipalByKey(r.Context(), hash[:])
	if errors.Is(err, store.ErrNotFound) {
		return memory.Principal{}, fmt.Errorf("%w: the API key is not known; it may have expired or been revoked", ErrUnauthorised)
	}
	return who, err
}

// bearer returns the principal that a token names: with its tenant, and with no more than
// both the token and the principal allow.
func bearer(ctx context.Context, dir Directory, tokens Tokens, raw string) (memory.Principal, error) {
	said, err := tokens.Read(ctx, raw)
	if err != nil {
		return memory.Principal{}, err
	}
	who, err := dir.Principal(ctx, said.Principal)
	if errors.Is(err, store.ErrNotFound) {
		return memory.Principal{}, fmt.Errorf("%w: the token is genuine, and whom it names is not registered; a person does that with winnow principal add", ErrUnauthorised)
	}
	return who.Limited(said.Permissions), err
}

// forwarded are the headers by which a proxy names the client that it speaks for.
var forwarded = []string{
	"Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Forwarded-Server",
	"X-Real-Ip", "True-Client-Ip", "Cf-Connecting-Ip", "X-Client-Ip", "X-Original-Forwarded-For",
}

// Local reports whether a request comes from a program of this machine's user: both
// ends are this machine, no proxy stands between, and no page of another site sent it.
// The Host header is part of it, because a page of another site can make a browser
// connect to loopback under a name of its own; so are Origin and Sec-Fetch-Site, which
// browsers set and pages cannot change.
func Local(r *http.Request) bool {
	remote, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil || !net.ParseIP(remote).IsLoopback() || !loopbackName(r.Host) {
		return false
	}
	for _, name := range forwarded {
		if len(r.Header.Values(name)) > 0 {
			return false
		}
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "none", "same-origin":
	default:
		return false
	}
	if origin := r.Header.Get("Origin"); origin != "" {
		u, err := url.Parse(origin)
		return err == nil && u.Host == r.Host
	}
	return true
}

// loopbackName reports whether a host, with or without a port, names this machine.
func loopbackName(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.Trim(host, "[]")
	return strings.EqualFold(host, "localhost") || net.ParseIP(host).IsLoopback()
}
