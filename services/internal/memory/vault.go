package memory

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
)

// vaultPrefix starts the vault's principals of all tenants but the default one.
const vaultPrefix = "vault_"

// nameable is a tenant that fits into the id of a principal behind the prefix.
var nameable = regexp.MustCompile(`^[A-Za-z0-9_-]{1,58}$`)

// VaultPrincipal is who a tenant's hand edits of the vault count as: a person,
// whoever of them it was. Ids of principals are globally unique, so the id has
// the tenant in it: by name, or by a hash where the name is no token.
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
