package run

import (
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/vault"
	"github.com/winnowhq/winnow/services/internal/vault/git"
)

// vault opens the vaults in the configured folder, nil where there is none.
func (c Config) vault() func(memory.Tenant) (vault.Vault, error) {
	if c.Vault.Dir == "" {
		return nil
	}
	return func(tenant memory.Tenant) (vault.Vault, error) { return git.Open(c.Vault.Dir, tenant, git.Options{}) }
}
