package token_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/winnowhq/winnow/services/internal/guard/access"
	"github.com/winnowhq/winnow/services/internal/guard/token"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

const issuer, audience = "https://id.example/", "https://winnow.example"

// provider is an identity provider with one key.
type provider struct {
	*httptest.Server
	key   *ecdsa.PrivateKey
	asked atomic.Int64
}

func newProvider(t *testing.T) *provider {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	p := &provider{key: key}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		p.asked.Add(1)
		_, _ = w.Write(p.set(t))
	}))
	t.Cleanup(p.Close)
	return p
}

// set returns the provider's keys as it publishes them.
func (p *provider) set(t *testing.T) []byte {
	t.Helper()
	point, err := p.key.PublicKey.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	part := base64.RawURLEncoding.EncodeToString
	raw, err := json.Marshal(map[string]any{"keys": []map[string]string{{
		"kty": "EC", "crv": "P-256", "kid": "k1", "use": "sig", "alg": "ES256", "x": part(point[1:33]), "y": part(point[33:]),
	}}})
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// claims returns those of a token that is accepted, with changes; nil takes one away.
func claims(changes map[string]any) jwt.MapClaims {
	c := jwt.MapClaims{"iss": issuer, "aud": audience, "sub": "acme-bot", "iat": time.Now().Unix(), "exp": time.Now().Add(time.Minute).Unix()}
	maps.Copy(c, changes)
	maps.DeleteFunc(c, func(_ string, v any) bool { return v == nil })
	return c
}

func sign(t *testing.T, method jwt.SigningMethod, kid string, c jwt.MapClaims, key any) string {
	t.Helper()
	unsigned := jwt.NewWithClaims(method, c)
	unsigned.Header["kid"] = kid
	raw, err := unsigned.SignedString(key)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func open(t *testing.T, keys, claim string) *token.Reader {
	t.Helper()
	c := token.Config{Issuer: issuer, Audience: audience, Keys: keys, Claim: claim}
	if err := c.Validate(); err != nil {
		t.Fatal(err)
	}
	r, err := token.Open(t.Context(), c, func(err error) { t.Log(err) })
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// SPEC §14: a token counts when the provider signed it, for this installation, and its time
// has not passed. Each of the others is made by somebody who wants in, or is too late.
func TestRead(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	file := filepath.Join(t.TempDir(), "keys.json")
	if err := os.WriteFile(file, p.set(t), 0o600); err != nil {
		t.Fatal(err)
	}
	stranger, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	shared, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	public, err := x509.MarshalPKIXPublicKey(&p.key.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	ago := time.Now().Add(-time.Hour).Unix()
	good := sign(t, jwt.SigningMethodES256, "k1", claims(nil), p.key)
	head, rest, _ := strings.Cut(good, ".")
	_, signature, _ := strings.Cut(rest, ".")
	other, err := json.Marshal(claims(map[string]any{"sub": "local"}))
	if err != nil {
		t.Fatal(err)
	}
	own := func(changes map[string]any) string {
		return sign(t, jwt.SigningMethodES256, "k1", claims(changes), p.key)
	}
	readers := map[string]*token.Reader{"address": open(t, p.URL, "sub"), "file": open(t, file, "sub")}
	for name, c := range map[string]struct{ raw, want, says string }{
		"genuine":                    {good, "acme-bot", ""},
		"for several":                {own(map[string]any{"aud": []string{"other", audience}}), "acme-bot", ""},
		"expired":                    {own(map[string]any{"exp": ago}), "", "expired"},
		"without an end":             {own(map[string]any{"exp": nil}), "", "required claim"},
		"not yet valid":              {own(map[string]any{"nbf": time.Now().Add(time.Hour).Unix()}), "", "not valid yet"},
		"for another service":        {own(map[string]any{"aud": "https://other.example"}), "", "audience"},
		"for nobody":                 {own(map[string]any{"aud": nil}), "", ""},
		"of another issuer":          {own(map[string]any{"iss": "https://evil.example/"}), "", "issuer"},
		"of another key":             {sign(t, jwt.SigningMethodES256, "k1", claims(nil), stranger), "", "signature"},
		"of an unknown key":          {sign(t, jwt.SigningMethodES256, "k2", claims(nil), stranger), "", "key is not known"},
		"of another algorithm":       {sign(t, jwt.SigningMethodRS256, "k1", claims(nil), shared), "", ""},
		"with alg none":              {sign(t, jwt.SigningMethodNone, "k1", claims(nil), jwt.UnsafeAllowNoneSignatureType), "", "signature"},
		"signed with what is public": {sign(t, jwt.SigningMethodHS256, "k1", claims(nil), public), "", "signature"},
		"changed afterwards":         {head + "." + base64.RawURLEncoding.EncodeToString(other) + "." + signature, "", "signature"},
		"without its signature":      {strings.TrimSuffix(good, signature), "", ""},
		"nonsense":                   {"a.b.c", "", "malformed"},
		"without a name":             {own(map[string]any{"sub": nil}), "", "names no principal"},
		"with a number as name":      {own(map[string]any{"sub": 7}), "", "names no principal"},
		"with a name of no form":     {own(map[string]any{"sub": "a\x00b.c"}), "", "names no principal"},
		"in the vault's name":        {own(map[string]any{"sub": memory.VaultPrincipal(memory.DefaultTenant)}), "", "names no principal"},
	} {
		for from, r := range readers {
			got, err := r.Read(t.Context(), c.raw)
			if got.Principal != c.want || (c.want == "") != errors.Is(err, access.ErrUnauthorised) {
				t.Errorf("%s, keys from %s: %+v, %v", name, from, got, err)
			}
			if err != nil && (!strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), c.raw)) {
				t.Errorf("%s, keys from %s: %v", name, from, err)
			}
		}
	}
}

// Strangers who send tokens of keys that there are not do not make us ask the provider each
// time, and wait for nothing.
func TestUnknownKeysAskSeldom(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	r := open(t, p.URL, "sub")
	for range 50 {
		if _, err := r.Read(t.Context(), sign(t, jwt.SigningMethodES256, rand.Text(), claims(nil), p.key)); !errors.Is(err, access.ErrUnauthorised) {
			t.Fatal(err)
		}
	}
	if n := p.asked.Load(); n > 3 {
		t.Errorf("the provider was asked %d times", n)
	}
}

// The claim is the operator's choice, and of a token's scope only our permissions count.
func TestClaimAndScope(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	r := open(t, p.URL, "azp")
	for scope, want := range map[any][]memory.Permission{
		nil:              nil,
		"openid profile": nil,
		"openid memory:read review:read everything": {memory.MayRead, memory.MayReview},
	} {
		for _, claim := range []string{"scope", "scp"} {
			got, err := r.Read(t.Context(), sign(t, jwt.SigningMethodES256, "k1", claims(map[string]any{"azp": "build", claim: scope}), p.key))
			if err != nil || got.Principal != "build" || !slices.Equal(got.Permissions, want) {
				t.Errorf("%s %v: %+v, %v", claim, scope, got, err)
			}
		}
	}
	got, err := r.Read(t.Context(), sign(t, jwt.SigningMethodES256, "k1", claims(map[string]any{"azp": "build", "scp": []string{"memory:propose"}}), p.key))
	if err != nil || !slices.Equal(got.Permissions, []memory.Permission{memory.MayPropose}) {
		t.Errorf("a list: %+v, %v", got, err)
	}
}

// A setting that would let others in is refused at the start.
func TestConfig(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		token.Config
		says string
	}{
		"none":        {token.DefaultConfig(), ""},
		"whole":       {token.Config{Issuer: issuer, Audience: audience, Keys: "https://id.example/keys", Claim: "sub"}, ""},
		"no audience": {token.Config{Issuer: issuer, Keys: "https://id.example/keys", Claim: "sub"}, "audience is empty"},
		"no keys":     {token.Config{Issuer: issuer, Audience: audience, Claim: "sub"}, "keys is empty"},
		"no TLS":      {token.Config{Issuer: issuer, Audience: audience, Keys: "http://id.example/keys", Claim: "sub"}, "without TLS"},
		"no claim":    {token.Config{Issuer: issuer, Audience: audience, Keys: "keys.json"}, "claim is empty"},
		"no issuer":   {token.Config{Audience: audience, Claim: "sub"}, "are of an issuer"},
	} {
		if err := c.Validate(); (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := token.Open(t.Context(), token.Config{Issuer: issuer, Audience: audience, Keys: "/nowhere/keys.json", Claim: "sub"}, nil); err == nil {
		t.Error("a file that is missing was accepted")
	}
	if r, err := token.Open(t.Context(), token.DefaultConfig(), nil); r != nil || err != nil {
		t.Errorf("without an issuer: %v, %v", r, err)
	}
}
