package access_test

import (
	"crypto/sha256"
	"errors"
	"net/http/httptest"
	"testing"

	"github.com/winnowhq/winnow/services/internal/guard/access"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store/postgres"
	"github.com/winnowhq/winnow/services/internal/store/postgres/pgtest"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// Who speaks follows from the key, and without one from where both ends are.
func TestPrincipal(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	s, hash := db.Store, sha256.Sum256([]byte("wk_secret"))
	if err := postgres.Provision(t.Context(), db.URL, postgres.Options{Tenants: []memory.Tenant{"acme"}, Principals: []postgres.Registered{{
		Principal: memory.Principal{ID: "acme-bot", Tenant: "acme", Highest: memory.OriginAgent}, KeyHash: hash[:],
	}}}); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		remote, host, header, without string
		want                          string // empty: refused
	}{
		"key":                {"203.0.113.9:1", "winnow.example", "Bearer wk_secret", "", "acme-bot"},
		"lower case scheme":  {"203.0.113.9:1", "winnow.example", "bearer  wk_secret ", "", "acme-bot"},
		"unknown key":        {"127.0.0.1:1", "127.0.0.1", "Bearer nope", "agent", ""},
		"basic":              {"127.0.0.1:1", "127.0.0.1", "Basic eDp5", "agent", ""},
		"empty key":          {"127.0.0.1:1", "127.0.0.1", "Bearer ", "agent", ""},
		"laptop":             {"127.0.0.1:1", "localhost:7420", "", "agent", "agent"},
		"laptop, IPv6":       {"[::1]:1", "[::1]:7420", "", "agent", "agent"},
		"strict":             {"127.0.0.1:1", "localhost:7420", "", "", ""},
		"elsewhere":          {"203.0.113.9:1", "localhost", "", "agent", ""},
		"rebound name":       {"127.0.0.1:1", "rebound.example", "", "agent", ""},
		"nobody registered":  {"127.0.0.1:1", "localhost", "", "stranger", ""},
		"address unreadable": {"@", "localhost", "", "agent", ""},
	} {
		r := httptest.NewRequestWithContext(t.Context(), "POST", "/", nil)
		r.RemoteAddr, r.Host = c.remote, c.host
		if c.header != "" {
			r.Header.Set("Authorization", c.header)
		}
		who, err := access.Principal(r, s, nil, c.without)
		if who.ID != c.want || (c.want == "") != errors.Is(err, access.ErrUnauthorised) {
			t.Errorf("%s: %q, %v", name, who.ID, err)
		}
	}
}

// Whoever reaches loopback by way of a proxy or of a browser's page is not the user of
// this machine (SPEC §15): the proxy speaks for strangers, the page for its author.
func TestLocal(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		header, value string
		want          bool
	}{
		"a program":             {"User-Agent", "curl/8", true},
		"forwarded for":         {"X-Forwarded-For", "203.0.113.9", false},
		"forwarded, empty":      {"X-Forwarded-For", "", false},
		"the standard's header": {"Forwarded", "for=203.0.113.9", false},
		"a tunnel":              {"Cf-Connecting-Ip", "203.0.113.9", false},
		"a proxy's name":        {"Via", "1.1 proxy", false},
		"typed into a browser":  {"Sec-Fetch-Site", "none", true},
		"our own page":          {"Sec-Fetch-Site", "same-origin", true},
		"another site's image":  {"Sec-Fetch-Site", "cross-site", false},
		"another port's page":   {"Sec-Fetch-Site", "same-site", false},
		"our own origin":        {"Origin", "http://localhost:7420", true},
		"another origin":        {"Origin", "http://evil.example", false},
		"another port":          {"Origin", "http://localhost:3000", false},
		"a sandboxed frame":     {"Origin", "null", false},
	} {
		r := httptest.NewRequestWithContext(t.Context(), "GET", "/", nil)
		r.RemoteAddr, r.Host = "127.0.0.1:5000", "localhost:7420"
		r.Header.Set(c.header, c.value)
		if got := access.Local(r); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
