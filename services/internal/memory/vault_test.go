package memory

import (
	"regexp"
	"strings"
	"testing"
)

// Ids of principals are tokens of at most 64 bytes and no two tenants share one.
func TestVaultPrincipal(t *testing.T) {
	t.Parallel()
	token := regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
	tenants := []Tenant{
		DefaultTenant, "acme", "acme.example", "acme-example", "Käse", "", "vault",
		Tenant(strings.Repeat("a", 58)), Tenant(strings.Repeat("a", 59)), Tenant(strings.Repeat("a", 60)),
	}
	seen := map[string]Tenant{}
	for _, tenant := range tenants {
		id := VaultPrincipal(tenant)
		if twin, taken := seen[id]; taken || !token.MatchString(id) {
			t.Errorf("%q: id %q, also of %q", tenant, id, twin)
		}
		seen[id] = tenant
	}
	if VaultPrincipal(DefaultTenant) != "vault" || VaultPrincipal("acme") != "vault_acme" {
		t.Errorf("ids %v", seen)
	}
}
