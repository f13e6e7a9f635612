package memory

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
)

// vaultPrefix is the prefix of the vault principals of all tenants except the
// default tenant.
const vaultPrefix = "vault_"

// nameable matches a tenant that fits into a principal's id after the prefix.
var nameable = regexp.MustCompile(`^[A-Za-z0-9_-]{1,58}$`)

// VaultPrincipal returns the principal of all hand edits in a tenant's vault. A
// hand edit counts as a person's, without naming the person. Ids of principals are
// globally unique, so the id contains the tenant: its name, or a hash when the
// name is not a token.
func VaultPrincipal(tenant Tenant) string {
	switch {
	case tenant == DefaultTenant:
		return "vault"
	case nameable.MatchString(string(tenant)):
		return vaultPrefix + string(tenant)
	}
	sum := sha256.Sum256([]byte(tenant))
	return vaultPrefix + hex.EncodeToString(sum[:16])
}
