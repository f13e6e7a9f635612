package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// A principal's name is unique among all tenants, and yet nobody learns the names of
// others: what a tenant is told about one that another tenant has, it is told about a free
// one too (SPEC §16.8). Its own names end with its tag.
func TestForeignNames(t *testing.T) {
	t.Parallel()
	b := whole(t)
	us, them := &party{tenant: memory.DefaultTenant, name: "anna-ours"}, &party{tenant: acme, name: "ben-theirs"}
	for _, p := range []*party{us, them, {tenant: acme, name: "old-bot"}} {
		p.ids = map[string]string{}
		b.registers(p)
	}
	tag := memory.PrincipalTag(acme)
	put := func(p *party, name string) (int, string) {
		status, text, _ := b.send(http.MethodPut, "/api/principals/"+name, p.key, `{"name":"spare"}`)
		text, _, _ = strings.Cut(text, `"request_id"`)
		return status, strings.ReplaceAll(text, name, "NAME")
	}
	for _, name := range []string{"bot" + tag, "old-bot"} { // a new one, and its own of another form
		if status, text := put(them, name); status != http.StatusOK {
			t.Fatalf("%s: %d %s", name, status, text)
		}
	}
	for _, pair := range []struct {
		who           *party
		foreign, free string
	}{
		{them, us.name, "nobody-ours"}, {them, "vault", "vault_nobody"}, {them, "local", "nobody"},
		{us, "bot" + tag, "nobody" + tag}, {us, memory.VaultPrincipal(acme), "vault_nobody"},
	} {
		status, text := put(pair.who, pair.foreign)
		if freely, said := put(pair.who, pair.free); status != http.StatusUnprocessableEntity || status != freely || text != said {
			t.Errorf("%s of another tenant: %d %s\n%s of nobody: %d %s", pair.foreign, status, text, pair.free, freely, said)
		}
	}
	if status, text := put(us, "bot"); status != http.StatusOK {
		t.Errorf("the default tenant's own: %d %s", status, text)
	}
}

// A name that holds a secret is refused over HTTP, wherever it stands, and neither stored,
// audited nor repeated.
func TestNameIsNoSecret(t *testing.T) {
	t.Parallel()
	b := whole(t)
	p := &party{tenant: memory.DefaultTenant, name: "anna-names", ids: map[string]string{}}
	b.registers(p)
	const secret = "AKIAQ3EGRZ7XK5JVN2LM"
	for path, body := range map[string]string{
		"/api/principals/" + secret: `{}`, "/api/principals/spare": `{"speaks_for":["` + secret + `"]}`,
	} {
		status, text, _ := b.send(http.MethodPut, path, p.key, body)
		if status != http.StatusUnprocessableEntity || !strings.Contains(text, "looks like a secret") || strings.Contains(text, secret) {
			t.Errorf("%s: %d %s", body, status, text)
		}
	}
	for _, path := range []string{"/api/principals", "/api/audit?limit=200"} {
		if _, text, _ := b.send(http.MethodGet, path, p.key, ""); !strings.Contains(text, p.name) || strings.Contains(text, secret) {
			t.Errorf("%s: %s", path, text)
		}
	}
}
