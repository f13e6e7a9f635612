package api_test

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/winnowhq/winnow/services/api"
	"github.com/winnowhq/winnow/services/ingest"
	"github.com/winnowhq/winnow/services/internal/guard/token"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// SPEC §14, §16: a token signed by the configured provider is a credential at every door, of
// the principal that it names. The tenant is that principal's, whatever the token says, and a
// token gives no permission that the principal lacks.
func TestTokensFromOutside(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours, theirs := b.remember(acme, memory.Memory{Text: "Ours."})[0], b.remember(memory.DefaultTenant, memory.Memory{Text: "Theirs."})[0]
	public, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	signed := func(changes jwt.MapClaims) string {
		c := jwt.MapClaims{"iss": "https://id.example/", "aud": "winnow", "sub": acmeBot, "exp": time.Now().Add(time.Minute).Unix()}
		for name, v := range changes {
			c[name] = v
		}
		unsigned := jwt.NewWithClaims(jwt.SigningMethodEdDSA, c)
		unsigned.Header["kid"] = "k1"
		raw, err := unsigned.SignedString(key)
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	without := b.url
	keys := filepath.Join(t.TempDir(), "keys.json")
	set, err := json.Marshal(map[string]any{"keys": []map[string]string{{"kty": "OKP", "crv": "Ed25519", "kid": "k1", "x": base64.RawURLEncoding.EncodeToString(public)}}})
	if err == nil {
		err = os.WriteFile(keys, set, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	b.deps.Tokens, err = token.Open(t.Context(), token.Config{Issuer: "https://id.example/", Audience: "winnow", Keys: keys, Claim: "sub"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	intake := b.as(ingest.Definition)
	intake.Tokens = b.deps.Tokens
	for _, err := range []error{api.Definition.Routes(b.deps, mux), ingest.Definition.Routes(intake, mux)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	b.url = server.URL

	const fact = `{"scope":"project:shop","kind":"fact","text":"2026-11-20: the importer reads blocks of 64 rows."}`
	foreign := signed(jwt.MapClaims{"tenant": "default", "tid": "default", "org_id": "default"})
	reads := signed(jwt.MapClaims{"scope": "openid memory:read"})
	for name, c := range map[string]struct {
		raw, method, path, body string
		status                  int
		says                    string
	}{
		"who it is":                {signed(nil), "GET", "/api/caller", "", 200, `"tenant":"acme"`},
		"a claimed tenant":         {foreign, "GET", "/api/caller", "", 200, `"tenant":"acme"`},
		"of its tenant":            {foreign, "GET", "/api/memories/" + ours, "", 200, "Ours."},
		"of the claimed tenant":    {foreign, "GET", "/api/memories/" + theirs, "", 404, ""},
		"narrowed to reading":      {reads, "GET", "/api/memories/" + ours, "", 200, "Ours."},
		"and no more":              {reads, "POST", "/api/workflows", `{"project":"shop","name":"x"}`, 403, "memory:propose"},
		"more than the principal":  {signed(jwt.MapClaims{"scope": "memory:operate memory:read"}), "GET", "/api/audit", "", 403, "memory:operate"},
		"of nobody registered":     {signed(jwt.MapClaims{"sub": "stranger"}), "GET", "/api/caller", "", 401, "not registered"},
		"too late":                 {signed(jwt.MapClaims{"exp": time.Now().Add(-time.Hour).Unix()}), "GET", "/api/caller", "", 401, "expired"},
		"for another service":      {signed(jwt.MapClaims{"aud": "other"}), "GET", "/api/caller", "", 401, "audience"},
		"at the intake":            {signed(nil), "POST", "/api/proposals", fact, 202, `"principal":"` + acmeBot},
		"at the intake, to read":   {reads, "POST", "/api/proposals", fact, 403, "memory:propose"},
		"at the intake, too late":  {signed(jwt.MapClaims{"exp": time.Now().Add(-time.Hour).Unix()}), "POST", "/api/proposals", fact, 401, "expired"},
		"beside it a key still is": {acmeKey, "GET", "/api/caller", "", 200, `"principal":"` + acmeBot},
	} {
		status, text, header := b.send(c.method, c.path, c.raw, c.body, "Content-Type", "application/json")
		if status != c.status || !strings.Contains(text, c.says) || strings.Contains(text, c.raw) {
			t.Errorf("%s: %d %s, want %d with %q", name, status, text, c.status, c.says)
		}
		if status == http.StatusUnauthorized && header.Get("WWW-Authenticate") == "" {
			t.Errorf("%s: no WWW-Authenticate", name)
		}
	}
	var got threaded
	b.agent(reads).call("get_active_workflow", map[string]any{"project": "shop"}, &got)
	if r := b.agent(reads).try("start_workflow", map[string]any{"project": "shop", "name": "x"}); !r.IsError || !strings.Contains(said(r), "memory:propose") {
		t.Errorf("over MCP: %s", said(r))
	}
	b.url = without
	if status, text, _ := b.send("GET", "/api/caller", signed(nil), ""); status != http.StatusUnauthorized {
		t.Errorf("where no provider is configured: %d %s", status, text)
	}
}
