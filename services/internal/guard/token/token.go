package token

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/MicahParks/keyfunc/v3"
	"github.com/golang-jwt/jwt/v5"
	"golang.org/x/time/rate"

	"github.com/winnowhq/winnow/pkg/event"
	"github.com/winnowhq/winnow/services/internal/guard/access"
	"github.com/winnowhq/winnow/services/internal/memory"
)

const (
	// leeway is how far the provider's clock may be from ours.
	leeway = 30 * time.Second
	// answerWithin bounds one request for the provider's keys.
	answerWithin = 5 * time.Second
	// askEvery is the least time between two requests for keys because of a token with an
	// unknown one: strangers send such tokens too. A new key is in use that late at most.
	askEvery = 30 * time.Second
)

// methods lists the algorithms of a signature: those by which the provider alone can sign.
// Neither "none" nor a shared secret is among them.
var methods = []string{"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"}

// Config names the identity provider. The zero value accepts no token.
type Config struct {
	Issuer   string `koanf:"issuer" help:"Identity provider whose signed tokens (JWT) callers over HTTP may send in the place of an API key: the claim iss, to the letter. Empty accepts none."`
	Audience string `koanf:"audience" help:"What the claim aud must name: this installation, and no other service of that provider."`
	Keys     string `koanf:"keys" help:"Where that provider publishes its keys, as a JWK set: an https address, or a file."`
	Claim    string `koanf:"claim" help:"The claim that names the principal. It must be one that the provider assigns and its users cannot choose, of 1 to 64 of A-Z a-z 0-9 - _."`
}

// DefaultConfig returns the defaults.
func DefaultConfig() Config { return Config{Claim: "sub"} }

// Validate returns an error for every setting that is missing or cannot be.
func (c Config) Validate() error {
	if c.Issuer == "" {
		if c.Audience != "" || c.Keys != "" {
			return errors.New("audience and keys are of an issuer; name it, or none of them")
		}
		return nil
	}
	var problems []error
	if c.Audience == "" {
		problems = append(problems, errors.New("audience is empty: a token for another service would be accepted"))
	}
	if c.Claim == "" {
		problems = append(problems, errors.New("claim is empty; the default is sub"))
	}
	switch u, err := url.Parse(c.Keys); {
	case c.Keys == "":
		problems = append(problems, errors.New("keys is empty; name the provider's JWK set"))
	case err == nil && u.Scheme == "http" && !loopback(u.Hostname()):
		problems = append(problems, errors.New("keys is an address without TLS, where anybody between could sign; give an https one"))
	}
	return errors.Join(problems...)
}

func loopback(host string) bool {
	return strings.EqualFold(host, "localhost") || net.ParseIP(host).IsLoopback()
}

// Reader reads tokens of one provider. Safe for concurrent use.
type Reader struct {
	keys   keyfunc.Keyfunc
	parser *jwt.Parser
	claim  string
}

// Open returns a reader, or nil where no issuer is configured. Keys at an address are
// fetched again each hour until ctx ends; failed says what went wrong, and a provider that
// does not answer is no error, as processes may start in any order. A file is read once.
func Open(ctx context.Context, c Config, failed func(error)) (*Reader, error) {
	if c.Issuer == "" {
		return nil, nil
	}
	r := &Reader{claim: c.Claim, parser: jwt.NewParser(jwt.WithValidMethods(methods), jwt.WithIssuer(c.Issuer), jwt.WithAudience(c.Audience),
		jwt.WithExpirationRequired(), jwt.WithIssuedAt(), jwt.WithLeeway(leeway))}
	var err error
	if !strings.HasPrefix(c.Keys, "https://") && !strings.HasPrefix(c.Keys, "http://") {
		set, err := os.ReadFile(c.Keys)
		if err != nil {
			return nil, fmt.Errorf("keys of %s: %w", c.Issuer, err)
		}
		if r.keys, err = keyfunc.NewJWKSetJSON(set); err != nil {
			return nil, fmt.Errorf("keys of %s: %w", c.Issuer, err)
		}
		return r, nil
	}
	r.keys, err = keyfunc.NewDefaultOverrideCtx(ctx, []string{c.Keys}, keyfunc.Override{
		Client: &http.Client{Timeout: answerWithin}, HTTPTimeout: answerWithin,
		// A request that names an unknown key must not wait for its turn to ask.
		RefreshUnknownKID: rate.NewLimiter(rate.Every(askEvery), 1), RateLimitWaitMax: time.Millisecond,
		RefreshErrorHandlerFunc: func(string) func(context.Context, error) {
			return func(_ context.Context, err error) { failed(err) }
		},
	})
	if err != nil {
		return nil, fmt.Errorf("keys of %s: %w", c.Issuer, err)
	}
	return r, nil
}

// Read implements [access.Tokens].
func (r *Reader) Read(ctx context.Context, raw string) (access.Claims, error) {
	claims := jwt.MapClaims{}
	if _, err := r.parser.ParseWithClaims(raw, claims, r.keys.KeyfuncCtx(ctx)); err != nil {
		return access.Claims{}, fmt.Errorf("%w: the token is refused: %s", access.ErrUnauthorised, reason(err))
	}
	name, _ := claims[r.claim].(string)
	if !event.ValidPrincipal(name) || memory.Reserved(name) {
		return access.Claims{}, fmt.Errorf("%w: the token's claim %s names no principal", access.ErrUnauthorised, r.claim)
	}
	return access.Claims{Principal: name, Permissions: permissions(claims)}, nil
}

// permissions returns the permissions of Winnow that a token's scope names; nil where it
// names none, which takes nothing away.
func permissions(claims jwt.MapClaims) (list []memory.Permission) {
	var names []string
	for _, claim := range []string{"scope", "scp"} {
		switch v := claims[claim].(type) {
		case string:
			names = append(names, strings.Fields(v)...)
		case []any:
			for _, one := range v {
				if s, ok := one.(string); ok {
					names = append(names, s)
				}
			}
		}
	}
	for _, p := range memory.Permissions() {
		if slices.Contains(names, string(p)) {
			list = append(list, p)
		}
	}
	return list
}

// reason says which check a token failed, without a word of the token.
func reason(err error) string {
	for _, known := range []error{
		jwt.ErrTokenExpired, jwt.ErrTokenNotValidYet, jwt.ErrTokenUsedBeforeIssued, jwt.ErrTokenInvalidAudience, jwt.ErrTokenInvalidIssuer,
		jwt.ErrTokenRequiredClaimMissing, jwt.ErrTokenSignatureInvalid, jwt.ErrTokenMalformed,
	} {
		if errors.Is(err, known) {
			return known.Error()
		}
	}
	return "its key is not known"
}
